"""k-decompositions: partitions of the records into cliques of the proximity graph [SWLP10, §4.3]."""
