"""Delimited text: CSV and its relatives, wide or long."""
