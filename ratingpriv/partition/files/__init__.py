"""Partitions as files: the groups, and a certificate with its independent checker."""
