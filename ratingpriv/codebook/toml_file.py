"""A codebook as a TOML file."""

from __future__ import annotations

from pathlib import Path

from ratingpriv.codebook.codebook import Codebook
from ratingpriv.errors import ParameterError

__all__ = ["read_codebook"]


def read_codebook(path: str | Path) -> Codebook:
    """Return the codebook in a file."""
    raise ParameterError("codebook", str(path), "a file that this version reads")  # the next step
