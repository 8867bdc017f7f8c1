"""``python -m ratingpriv`` is the command line."""

from __future__ import annotations

from ratingpriv.cli import main

if __name__ == "__main__":
    main()
