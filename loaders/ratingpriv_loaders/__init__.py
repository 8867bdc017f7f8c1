"""Loaders that come with ratingpriv; each is found by its entry point in ``pyproject.toml``."""
