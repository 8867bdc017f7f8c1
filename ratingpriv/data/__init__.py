"""A table of ratings, what its columns are, and how it comes and goes."""
