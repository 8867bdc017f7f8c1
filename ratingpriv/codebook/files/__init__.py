"""Codebooks as files: TOML and Frictionless schemas, read and written."""
