"""The attack algorithms by name, each with the options it knows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ratingpriv.attack.algorithms.driver import Scoring, attack_all
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.algorithms.scoreboard import OPTION_CHECKS as SCOREBOARD_CHECKS
from ratingpriv.attack.algorithms.scoreboard import scoring as scoreboard_scores
from ratingpriv.attack.algorithms.scoreboard_rh import OPTION_CHECKS as RH_CHECKS
from ratingpriv.attack.algorithms.scoreboard_rh import scoring as rh_scores
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable

__all__ = [
    "ALGORITHMS",
    "OPTIONS",
    "answers_of",
    "attack_with",
    "check_options",
    "fitting",
    "index_of",
    "named",
    "options_of",
    "options_used",
    "scores_alike",
    "scoring_of",
]

_ALL = Resources()
_MATCHING = ("alpha", "date_tolerance", "rating_tolerance")
_ROBUST = ("d0", "dates", "rho0")
_CHECKS = {**SCOREBOARD_CHECKS, **RH_CHECKS}

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


def check_options(algorithm: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options; ParameterError for an unknown algorithm, option, or value that is never right."""
    checks.choice("algorithm", algorithm, ALGORITHMS)
    return _known(OPTIONS[algorithm], options, f"an option of {algorithm}")


def options_of(algorithm: str | None, options: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Return the options of the algorithm, or with None those that each of ALGORITHMS has.

    Raises
    ------
    ParameterError
        There is no such algorithm, none that runs has such an option, or its value is never right.
    """
    if algorithm is not None:
        return {algorithm: check_options(algorithm, options)}
    every = sorted({name for names in OPTIONS.values() for name in names})
    given = _known(every, options, "an option of one of the attacks")
    return {
        one: {name: value for name, value in given.items() if name in names}
        for one, names in OPTIONS.items()
    }  # fmt: skip


def options_used(algorithm: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with which an attack of these ``parameters`` can be repeated on other data.

    Whether dates were compared is left out: other data may have none.
    """
    return {name: parameters[name] for name in OPTIONS[algorithm] if name in parameters and name != "dates"}


def _known(names: Sequence[str], options: Mapping[str, Any] | None, expected: str) -> dict[str, Any]:
    given = {} if options is None else checks.mapping("options", options, "values by name")
    for name, value in given.items():
        if name not in names:
            raise ParameterError(name, value, f"{expected}: {', '.join(sorted(names))}")
        _CHECKS[name](name, value)
    return dict(given)


def fitting(
    algorithm: str, options: Mapping[str, Any] | None, rating_error: float, date_error: float | None
) -> dict[str, Any]:
    """Complete the options of an adversary who knows how far off the auxiliary information is.

    Scoreboard's tolerances, where not given, are the errors with which ratings and dates were drawn: [NS08,
    Theorem 1] supposes that Sim accepts them.
    """
    given = check_options(algorithm, options)
    if "rating_tolerance" in OPTIONS[algorithm]:
        given = {"rating_tolerance": rating_error, "date_tolerance": date_error, **given}
    return given


def index_of(table: RatingTable, *, dated: bool, options: Mapping[str, Any] | None = None) -> Index:
    """Return the inverted lists for any number of attacks, with dates if known dates are to be compared.

    ``dated``: whether dates are known; if not, the data's are left out unless ``options`` want them.
    """
    options = options or {}
    wanted = dated or options.get("date_tolerance") is not None or bool(options.get("dates"))
    return Index.of(table, dates=None if wanted else False)


def attack_with(
    algorithm: str,
    data: RatingTable | Index,
    auxiliary: Auxiliary,
    *,
    options: Mapping[str, Any] | None = None,
    top: int = 10,
    resources: Resources = _ALL,
) -> Attacked:
    """Attack with the algorithm of that name.

    Raises
    ------
    ParameterError
        There is no such algorithm, or it has no such option.
    """
    return answers_of({algorithm: options or {}}, data, auxiliary, top=top, resources=resources)[algorithm]


def answers_of(
    requested: Mapping[str, Mapping[str, Any]],
    data: RatingTable | Index,
    auxiliary: Auxiliary,
    *,
    top: int = 10,
    resources: Resources = _ALL,
) -> dict[str, Attacked]:
    """Attack with several algorithms, scoring once for all that go by the same scores.

    Parameters
    ----------
    requested : the algorithms' names with their options; those that go by the same scores share them

    Raises
    ------
    ParameterError
        As :func:`attack_with`.
    """
    together: dict[Callable[..., Scoring], dict[str, Any]] = {}
    for algorithm, options in requested.items():
        together.setdefault(_scores(algorithm), {}).update(check_options(algorithm, options))
    scored = {
        scores: attack_all(scores(data, auxiliary, **options), top=top, resources=resources)
        for scores, options in together.items()
    }
    return {algorithm: named(algorithm, scored[_scores(algorithm)]) for algorithm in requested}


def scoring_of(
    algorithm: str, data: RatingTable | Index, auxiliary: Auxiliary, options: Mapping[str, Any] | None = None
) -> Scoring:
    """Return the scores that the algorithm of that name goes by, ready to be computed.

    Raises
    ------
    ParameterError
        As :func:`attack_with`.
    """
    return _scores(algorithm)(data, auxiliary, **check_options(algorithm, options))


def scores_alike(one: str, other: str) -> bool:
    """Whether two algorithms go by the same scores."""
    return _scores(one) is _scores(other)


def _scores(algorithm: str) -> Callable[..., Scoring]:
    """Return what makes the scores that an algorithm goes by."""
    return scoreboard_scores if OPTIONS[algorithm] is _MATCHING else rh_scores


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
