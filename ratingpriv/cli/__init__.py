"""The command line: one file a command; it parses, calls the library, prints,
and holds no logic of its own.

Importing it stays light (no NumPy, polars or numba), so that ``ratingpriv --help`` answers at once.
"""

from __future__ import annotations

from ratingpriv.cli.app import app, main

__all__ = ["app", "main"]
