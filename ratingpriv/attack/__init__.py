"""De-anonymisation as Narayanan and Shmatikov did it [NS08], to learn what an adversary could.

:func:`study`, which is ``ratingpriv.attack``, does what the command line does. Its parts: what an adversary
knows is drawn (:func:`draw`) or read (:func:`read_auxiliary`). The algorithms are :func:`scoreboard` and
:func:`scoreboard_rh`. An :func:`experiment` attacks with one and measures success, :func:`compare` does so
before and after a release, :func:`sweep` for several amounts of knowledge. Sensitive issues are neither known
to the adversary nor compared: they are what could be learned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.attack.algorithms.index import Index as Index
    from ratingpriv.attack.algorithms.result import Attacked as Attacked
    from ratingpriv.attack.algorithms.scoreboard import scoreboard as scoreboard
    from ratingpriv.attack.algorithms.scoreboard_rh import scoreboard_rh as scoreboard_rh
    from ratingpriv.attack.evaluation.experiments import Experiment as Experiment
    from ratingpriv.attack.evaluation.experiments import experiment as experiment
    from ratingpriv.attack.evaluation.paired import Paired as Paired
    from ratingpriv.attack.evaluation.paired import compare as compare
    from ratingpriv.attack.evaluation.sweeps import Sweep as Sweep
    from ratingpriv.attack.evaluation.sweeps import sweep as sweep
    from ratingpriv.attack.findings import Findings as Findings
    from ratingpriv.attack.knowledge import Auxiliary as Auxiliary
    from ratingpriv.attack.knowledge import Drawn as Drawn
    from ratingpriv.attack.knowledge import draw as draw
    from ratingpriv.attack.knowledge import positions_of as positions_of
    from ratingpriv.attack.knowledge import read_auxiliary as read_auxiliary
    from ratingpriv.attack.similarity import record_similarity as record_similarity
    from ratingpriv.attack.studies import study as study

__all__ = [
    "Attacked",
    "Auxiliary",
    "Drawn",
    "Experiment",
    "Findings",
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
    "study",
    "sweep",
]

__getattr__ = _offer(
    __name__,
    {
        "Attacked": "ratingpriv.attack.algorithms.result",
        "Auxiliary": "ratingpriv.attack.knowledge",
        "Drawn": "ratingpriv.attack.knowledge",
        "Experiment": "ratingpriv.attack.evaluation.experiments",
        "Findings": "ratingpriv.attack.findings",
        "Index": "ratingpriv.attack.algorithms.index",
        "Paired": "ratingpriv.attack.evaluation.paired",
        "Sweep": "ratingpriv.attack.evaluation.sweeps",
        "compare": "ratingpriv.attack.evaluation.paired",
        "draw": "ratingpriv.attack.knowledge",
        "experiment": "ratingpriv.attack.evaluation.experiments",
        "positions_of": "ratingpriv.attack.knowledge",
        "read_auxiliary": "ratingpriv.attack.knowledge",
        "record_similarity": "ratingpriv.attack.similarity",
        "scoreboard": "ratingpriv.attack.algorithms.scoreboard",
        "scoreboard_rh": "ratingpriv.attack.algorithms.scoreboard_rh",
        "study": "ratingpriv.attack.studies",
        "sweep": "ratingpriv.attack.evaluation.sweeps",
    },
)
