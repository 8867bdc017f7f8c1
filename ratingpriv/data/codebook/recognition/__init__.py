"""What a column looks like, by its name, its numbers and its words,
and what is doubtful about it.
"""
