"""A session of Spark: opening and failing, stopping what it does, the folder that a run works in."""
