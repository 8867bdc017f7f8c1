"""Cliques of k with least scatter: groups of records with similar ratings,
for an exchange within each.
"""
