"""Codebooks as files: TOML, Frictionless schemas, and the hierarchies that they name."""
