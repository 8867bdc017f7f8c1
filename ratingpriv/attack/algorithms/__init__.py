"""The algorithms of the Netflix study over inverted lists [NS08, §4-5]."""
