"""Auxiliary information in one place: what it is, how it is drawn, and how it is read from a file."""

from __future__ import annotations

from ratingpriv.attack.auxiliary_files import read_auxiliary
from ratingpriv.attack.dates import dates_of
from ratingpriv.attack.drawing import Drawn, draw, positions_of
from ratingpriv.attack.knowledge import Auxiliary

__all__ = ["Auxiliary", "Drawn", "dates_of", "draw", "positions_of", "read_auxiliary"]
