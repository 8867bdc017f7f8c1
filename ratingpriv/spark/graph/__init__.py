"""Import files for a graph store, of the records of a DataFrame."""
