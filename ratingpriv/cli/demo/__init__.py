"""``ratingpriv demo``: a two-minute tour on synthetic data."""
