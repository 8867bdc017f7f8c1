"""The attack algorithms by name, each with the options it knows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ratingpriv import checks
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.algorithms.scoreboard import scoreboard
from ratingpriv.attack.algorithms.scoreboard_rh import scoreboard_rh
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import ParameterError
from ratingpriv.table import RatingTable

__all__ = ["ALGORITHMS", "OPTIONS", "attack_with", "check_options", "fitting", "index_of"]

_ALL = Resources()
_ROBUST = ("d0", "dates", "rho0")

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "scoreboard": ("alpha", "date_tolerance", "rating_tolerance"),
    "scoreboard-rh": (*_ROBUST, "phi"),
    "entropic": _ROBUST,
}
"""The options of each algorithm; see :func:`scoreboard` and :func:`scoreboard_rh` for what they mean."""

ALGORITHMS = tuple(OPTIONS)
"""Scoreboard; Scoreboard-RH with its eccentricity test; and Scoreboard-RH without it, as entropic
de-anonymisation [NS08, §4]: the adversary always names the likeliest record, unless two are equally so."""


def check_options(algorithm: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options; ParameterError for an unknown algorithm or an option that it does not have."""
    checks.choice("algorithm", algorithm, ALGORITHMS)
    known = OPTIONS[algorithm]
    for name in options or {}:
        if name not in known:
            raise ParameterError(
                name, (options or {})[name], f"an option of {algorithm}: {', '.join(sorted(known))}"
            )
    return dict(options or {})


def fitting(
    algorithm: str, options: Mapping[str, Any] | None, rating_error: float, date_error: float | None
) -> dict[str, Any]:
    """Complete the options of an adversary who knows how far off the auxiliary information is.

    Scoreboard's tolerances, where not given, are the errors with which ratings and dates were drawn: [NS08,
    Theorem 1] supposes that Sim accepts them.
    """
    given = check_options(algorithm, options)
    if algorithm == "scoreboard":
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
    given = check_options(algorithm, options)
    given |= {
        "top": top, "threads": resources.threads, "memory": resources.memory, "progress": resources.progress
    }  # fmt: skip
    if algorithm == "scoreboard":
        return scoreboard(data, auxiliary, **given)
    answers = scoreboard_rh(data, auxiliary, **given)
    if algorithm == "scoreboard-rh":
        return answers
    # A single candidate has no eccentricity (NaN), two equal ones have 0
    likeliest = (answers.best_candidate >= 0) & ~(answers.eccentricity == 0)
    parameters = {name: value for name, value in answers.parameters.items() if name != "phi"}
    return dataclasses.replace(
        answers,
        best=np.where(likeliest, answers.best_candidate, -1),
        matching=likeliest.astype(np.int64),
        algorithm="entropic",
        parameters=parameters,
    )
