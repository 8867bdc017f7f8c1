"""Cliques of k with least scatter: groups of records that answered alike,
for an exchange within each.
"""
