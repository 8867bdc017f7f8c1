"""Workbooks: a sheet of answers, a row a record, with its cells typed as they are."""
