"""Synthetic surveys and sparse ratings from stated models, seeded."""
