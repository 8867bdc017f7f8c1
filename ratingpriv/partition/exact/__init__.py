"""Complete search: whether a few records fall apart into cliques of k or more, decided exactly."""
