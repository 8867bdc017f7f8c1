"""The page of a run of several commands."""
