"""The attack algorithms by name, each with the options it knows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ratingpriv.attack.algorithms.driver import Scoring
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.algorithms.scoreboard import OPTION_CHECKS as SCOREBOARD_CHECKS
from ratingpriv.attack.algorithms.scoreboard import scoring as scoreboard_scores
from ratingpriv.attack.algorithms.scoreboard_rh import OPTION_CHECKS as RH_CHECKS
from ratingpriv.attack.algorithms.scoreboard_rh import scoring as rh_scores
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable

type Algorithms = Mapping[str, Mapping[str, Any]]
"""The options of each of the algorithms that attack, in the order of the results."""

_MATCHING = ("alpha", "date_tolerance", "rating_tolerance")
_ROBUST = ("d0", "dates", "rho0")
_CHECKS = {**SCOREBOARD_CHECKS, **RH_CHECKS}
_SCORING: Mapping[str, Callable[..., Scoring]] = {"scoreboard": scoreboard_scores, "scoreboard-rh": rh_scores}

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "scoreboard": _MATCHING,
    "matching-set": _MATCHING,
    "scoreboard-rh": (*_ROBUST, "phi"),
    "entropic": _ROBUST,
    "best-candidate": _ROBUST,
}
"""The options of each algorithm; see :func:`ratingpriv.attack.scoreboard` and
:func:`ratingpriv.attack.scoreboard_rh` for what they mean."""

ALGORITHMS = tuple(OPTIONS)
"""Who is named, by two sets of scores.

* "scoreboard": the only record that agrees with all that is known, or nobody; "matching-set": one of those
  that do, by a coin, which is the paper's own best guess [NS08, §4 "Algorithm Scoreboard"].
* "scoreboard-rh": the best record if it stands out [NS08, §4 "Algorithm Scoreboard-RH"]; "entropic": the
  likeliest, unless two are equally so [NS08, §4]; "best-candidate": the best, of equals one by a coin. It
  names somebody wherever the other two do, so that neither is ever more often correct.
"""


def options_of(algorithm: str | None, options: Mapping[str, Any] | None) -> Algorithms:
    """Return the options of the algorithm, checked; with None those that each of ALGORITHMS has."""
    run = ALGORITHMS if algorithm is None else (checks.choice("algorithm", algorithm, ALGORITHMS),)
    known = sorted({name for each in run for name in OPTIONS[each]})
    given = {}
    for name, value in (
        {} if options is None else checks.mapping("options", options, "values by name")
    ).items():
        if name not in known:
            whose = "one of the attacks" if algorithm is None else algorithm
            raise ParameterError(name, value, f"an option of {whose}: {', '.join(known)}")
        given[name] = _CHECKS[name](name, value)
    return {each: {name: value for name, value in given.items() if name in OPTIONS[each]} for each in run}


def options_used(algorithm: str, parameters: Mapping[str, Any], *, dated: bool) -> dict[str, Any]:
    """Return the options with which an attack of these ``parameters`` can be repeated on other data.

    Whether dates were compared is left out; so is how, where the other data are not ``dated``: no date that
    is known can be compared with anything then.
    """
    left_out = ("dates",) if dated else ("dates", "date_tolerance")
    names = (name for name in OPTIONS[algorithm] if name in parameters and name not in left_out)
    return {name: parameters[name] for name in names}


def fitting(algorithm: str, options: Mapping[str, Any], drawn: Mapping[str, Any]) -> dict[str, Any]:
    """Complete the options of an adversary who knows how far off the auxiliary information is.

    Scoreboard's tolerances, where not given, are the errors with which ratings and dates were ``drawn``:
    [NS08, Theorem 1] supposes that Sim accepts them.
    """
    errors = {"rating_tolerance": "rating_error", "date_tolerance": "date_error"}
    known = {option: drawn[error] for option, error in errors.items() if error in drawn}
    return {option: value for option, value in known.items() if option in OPTIONS[algorithm]} | dict(options)


def index_of(table: RatingTable, *, dated: bool, algorithms: Algorithms | None = None) -> Index:
    """Return the inverted lists for any number of attacks, with dates if known dates are to be compared.

    ``dated``: whether dates are known; if not, the data's are left out unless the ``algorithms`` want them.
    """
    every = (algorithms or {}).values()
    wanted = any(options.get("date_tolerance") is not None or bool(options.get("dates")) for options in every)
    return Index.of(table, dates=None if dated or wanted else False)


def scores_of(algorithm: str) -> str:
    """Return by whose scores an algorithm goes: those of "scoreboard" or of "scoreboard-rh"."""
    return "scoreboard" if OPTIONS[algorithm] is _MATCHING else "scoreboard-rh"


def scorings_of(algorithms: Algorithms, index: Index, auxiliary: Auxiliary) -> dict[str, Scoring]:
    """Return by :func:`scores_of` what the algorithms score: once for those that go by the same scores."""
    shared: dict[str, dict[str, Any]] = {}
    for algorithm, options in algorithms.items():
        shared.setdefault(scores_of(algorithm), {}).update(options)
    return {scores: _SCORING[scores](index, auxiliary, **options) for scores, options in shared.items()}


def named(algorithm: str, scored: Attacked) -> Attacked:
    """Return the answers of the algorithm that names a record by these scores, those of "scoreboard(-rh)"."""
    if algorithm == scored.algorithm:
        return scored
    best = scored.best_candidate
    if algorithm == "entropic":  # a single candidate has no eccentricity (NaN), two equal ones have 0
        best = np.where(scored.eccentricity == 0, -1, best)
    parameters = {name: value for name, value in scored.parameters.items() if name != "phi"}
    matching = scored.matching if algorithm == "matching-set" else (best >= 0).astype(np.int64)
    return dataclasses.replace(
        scored, best=best, matching=matching, algorithm=algorithm, parameters=parameters
    )
