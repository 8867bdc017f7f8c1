"""The greedy k-decomposition, what it leaves over, and the kernels of both."""
