"""The papers' own ways to a partition: slicing, prune-and-adjust, merging,
borrowing [SWLZ11, SWLP10].
"""
