"""Parquet, wide or long: one file, or a folder of parts."""
