"""De-anonymisation as Narayanan and Shmatikov did it [NS08], to learn what an adversary could.

What an adversary knows is drawn (:func:`draw`) or read (:func:`read_auxiliary`). The algorithms are
:func:`scoreboard` and :func:`scoreboard_rh`. An :func:`experiment` does all of it and measures success,
:func:`compare` does so before and after a release, :func:`sweep` for several amounts of knowledge. Sensitive
issues are neither known to the adversary nor compared: they are what could be learned.
"""

from __future__ import annotations

from ratingpriv.attack.auxiliary import Auxiliary, Drawn, draw, positions_of, read_auxiliary
from ratingpriv.attack.experiments import Experiment, experiment
from ratingpriv.attack.index import Index
from ratingpriv.attack.paired import Paired, compare
from ratingpriv.attack.result import Attacked
from ratingpriv.attack.scoreboard import scoreboard
from ratingpriv.attack.scoreboard_rh import scoreboard_rh
from ratingpriv.attack.similarity import record_similarity
from ratingpriv.attack.sweeps import Sweep, sweep

__all__ = [
    "Attacked",
    "Auxiliary",
    "Drawn",
    "Experiment",
    "Index",
    "Paired",
    "Sweep",
    "compare",
    "draw",
    "experiment",
    "positions_of",
    "read_auxiliary",
    "record_similarity",
    "scoreboard",
    "scoreboard_rh",
    "sweep",
]
