"""Cypher of the user's own: read from a text, a file or a folder, and held to what it may do."""
