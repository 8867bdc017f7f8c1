"""Recommendations and experiments as pages, tidy tables and a figure."""
