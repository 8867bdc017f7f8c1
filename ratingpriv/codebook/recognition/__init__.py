"""What a column looks like, by its name, its numbers and its words."""
