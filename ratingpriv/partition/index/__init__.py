"""The spatial index that groups are sought in: trees of packed records and of packed cliques."""
