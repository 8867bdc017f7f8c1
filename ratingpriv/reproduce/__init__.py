"""The figures of the papers, made again: what they say, what comes out, and whether it holds."""
