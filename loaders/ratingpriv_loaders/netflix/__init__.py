"""Netflix Prize data."""
