"""The worked examples of the papers, as tables and as numbers."""
