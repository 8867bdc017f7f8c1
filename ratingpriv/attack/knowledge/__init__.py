"""Auxiliary information in one place: what it is, how it is drawn,
and how it is read from a file.
"""

from __future__ import annotations

from ratingpriv.attack.dates import dates_of
from ratingpriv.attack.knowledge.adversaries import Knowledge
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.attack.knowledge.drawing import Drawn, draw, positions_of
from ratingpriv.attack.knowledge.files import read_auxiliary

__all__ = ["Auxiliary", "Drawn", "Knowledge", "dates_of", "draw", "positions_of", "read_auxiliary"]
