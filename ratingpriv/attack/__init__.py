"""De-anonymisation as Narayanan and Shmatikov did it [NS08], to learn what an adversary could.

:func:`study`, which is ``ratingpriv.attack``, does what the command line does. Its parts: what an
adversary knows is drawn (:func:`draw`, as a :class:`Knowledge` says) or read
(:func:`read_auxiliary`). The algorithms are :func:`scoreboard` and :func:`scoreboard_rh`. An
:func:`experiment` attacks with one and measures success, as a :class:`Judging` says,
:func:`compare` repeats it on a release, :func:`sweep` makes it with several amounts of knowledge.
Sensitive issues are neither known to the adversary nor compared: they are what could be learned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.attack.algorithms.attacked import Attacked
    from ratingpriv.attack.algorithms.index import Index
    from ratingpriv.attack.algorithms.methods import scoreboard, scoreboard_rh
    from ratingpriv.attack.evaluation.experiments import Experiment, experiment, sweep
    from ratingpriv.attack.evaluation.paired import Paired, compare
    from ratingpriv.attack.intervals import Judging
    from ratingpriv.attack.knowledge import (
        Auxiliary,
        Drawn,
        Knowledge,
        draw,
        positions_of,
        read_auxiliary,
    )
    from ratingpriv.attack.strongest import whole_record
    from ratingpriv.attack.studies import Findings, study

__all__ = [
    "Attacked",
    "Auxiliary",
    "Drawn",
    "Experiment",
    "Findings",
    "Index",
    "Judging",
    "Knowledge",
    "Paired",
    "compare",
    "draw",
    "experiment",
    "positions_of",
    "read_auxiliary",
    "scoreboard",
    "scoreboard_rh",
    "study",
    "sweep",
    "whole_record",
]

_HOMES = {
    "algorithms.index": ("Index",),
    "algorithms.methods": ("scoreboard", "scoreboard_rh"),
    "algorithms.driver": ("Attacked",),
    "evaluation.experiments": ("Experiment", "experiment", "sweep"),
    "intervals": ("Judging",),
    "evaluation.paired": ("Paired", "compare"),
    "knowledge": ("Auxiliary", "Drawn", "Knowledge", "draw", "positions_of", "read_auxiliary"),
    "strongest": ("whole_record",),
    "studies": ("Findings", "study"),
}
__getattr__ = _offer(
    __name__, {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}
)
