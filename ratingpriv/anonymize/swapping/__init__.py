"""Swapping: people who answered alike exchange their answers, each column for itself,
within groups of k.
"""
