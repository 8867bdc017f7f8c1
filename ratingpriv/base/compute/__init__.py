"""How arrays are computed with: compiled kernels, one pool of threads, one count of cores."""
