"""The frontier: which k, ε and l are within reach of a table as it is."""
