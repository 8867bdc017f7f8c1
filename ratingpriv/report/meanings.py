"""What each measure of utility is called."""

from __future__ import annotations


def title(name: str) -> str:
    """Return what a measure is called in a table."""
    return name.replace("_", " ")
