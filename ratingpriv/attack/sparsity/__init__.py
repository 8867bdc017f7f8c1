"""How alone records are: (ε,δ)-sparsity and Theorem 1 [NS08, §3-4]."""
