"""Frictionless Table Schema as a codebook."""

from __future__ import annotations

from ratingpriv.codebook.codebook import Codebook

__all__ = ["parse_frictionless"]


def parse_frictionless(text: str, name: str, sha256: str | None = None) -> Codebook:
    """Return the codebook in a schema."""
    raise NotImplementedError
