"""Many releases measured beside each other: experiments, recommendations, the papers' figures."""
