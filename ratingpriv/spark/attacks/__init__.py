"""Attacks on the records of a Spark DataFrame: steps on parts of them, and the driver."""
