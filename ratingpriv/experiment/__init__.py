"""Many releases and attacks over a grid of settings, resumable, as one tidy table."""
