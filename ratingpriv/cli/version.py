"""``ratingpriv version``: which version this is."""

from __future__ import annotations

import sys

from ratingpriv import __version__

__all__ = ["run"]


def run() -> int:
    """Print the version.

    Examples
    --------
    ratingpriv version
    ratingpriv --version
    """
    sys.stdout.write(f"ratingpriv {__version__}\n")
    return 0
