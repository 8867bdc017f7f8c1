"""``ratingpriv run``: the steps that a codebook lists, one after another."""
