"""What ``ratingpriv doctor`` checks: this environment, and the graph stores it can reach."""
