"""How a RatingTable is built: from data frames, columns or coordinates,
with its checks and codes.
"""
