"""Scoreboard, the simple algorithm that can be analysed: every known rating has to agree."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms import _scoreboard as kernels
from ratingpriv.attack.algorithms.driver import Scoring, arrays_of, attack_all, index_for
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.dates import INSTANT
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import codes_within


def scoreboard(
    data: RatingTable | Index,
    auxiliary: Auxiliary,
    *,
    alpha: float = 0.0,
    rating_tolerance: float | None = 0.0,
    date_tolerance: float | None = None,
    top: int = 10,
    resources: Resources = Resources(),
) -> Attacked:
    """Attack every target with Scoreboard: the matching set, and the uniform distribution over it.

    Implements [NS08, §4 "Algorithm Scoreboard"] with Sim of §5. Score(aux, r') is the least Sim(aux_i, r'_i)
    over what is known; a record that has not rated one of the issues has score 0. The matching set is
    {r' : Score > α}; if it is empty there is no match. Where the paper is silent:

    * The paper's best guess is any member of the matching set with the highest score. Here ``best`` is named
      only where that is a single record; 2^-``entropy_bits`` is the chance of guessing right in the set.
    * A true record outside the matching set has Π = 0. Its ``entropy_bits`` are log2 n then, as in
      [NS08, Def. 4] for an adversary without a lineup; so are ``shannon_bits`` where the set is empty.

    Parameters
    ----------
    data : the table, or its Index where it is attacked more than once
    auxiliary : what is known
    alpha : α, from 0 up to but not including 1. It matters for a graded Sim only: else Score is 0 or 1
    rating_tolerance : ratings within it are similar (Sim 1), others not (Sim 0), compared as decimals.
        None: Sim is graded, 1 - |ρ - ρ'| / (width of the scale)
    date_tolerance : dates farther apart than so many days make Sim 0, and so does a candidate's missing date;
        a date that is not known is not compared. None: dates are not compared
    top : how many best candidates to give for each target, >= 1
    resources : memory is 24 bytes a record and thread, for as many threads as fit

    Raises
    ------
    ParameterError
        A parameter is out of range; dates are wanted and there are none; or the auxiliary information names
        issues or records that the data does not have.
    """
    given = {"alpha": alpha, "rating_tolerance": rating_tolerance, "date_tolerance": date_tolerance}
    options = {name: OPTION_CHECKS[name](name, value) for name, value in given.items()}
    return attack_all(scoring(data, auxiliary, **options), top=top, resources=resources)


def _share(name: str, value: object) -> float:
    share = checks.non_negative_number(name, value)
    if share >= 1:
        raise ParameterError(name, value, "a number from 0 up to but not including 1")
    return share


def _tolerance(name: str, value: object) -> float | None:
    return None if value is None else checks.non_negative_number(name, value)


OPTION_CHECKS: Mapping[str, Callable[[str, object], Any]] = {
    "alpha": _share,
    "rating_tolerance": _tolerance,
    "date_tolerance": _tolerance,
}
"""What refuses a value of an option, by the option's name."""


class _Rules(NamedTuple):
    """What the kernels go by."""

    low: NDArray[np.int64]  # (M,) the first and
    high: NDArray[np.int64]  # (M,) the last code within the rating tolerance of each known rating
    order: NDArray[np.int64]  # (M,) within each target, what is known with the shortest list first
    alpha: float
    width: float  # of the scale, for a graded Sim; 0: the tolerance decides
    reach: float  # days; dates that are NaN are not compared


def scoring(
    data: RatingTable | Index,
    auxiliary: Auxiliary,
    *,
    alpha: float = 0.0,
    rating_tolerance: float | None = 0.0,
    date_tolerance: float | None = None,
) -> Scoring:
    """Return Scoreboard ready to score; parameters as :func:`scoreboard`, checked."""
    index, compared = index_for(data, auxiliary, date_tolerance is not None)
    table, width = index.table, 0.0
    low = high = np.zeros(len(auxiliary.ratings), dtype=np.int64)
    if rating_tolerance is None:
        width = 1.0 if table.scale is None else table.scale.maximum - table.scale.minimum
        width = width if width > 0 else 1.0
    else:
        low, high = codes_within(table.levels, auxiliary.ratings, rating_tolerance)
    owner = np.repeat(np.arange(auxiliary.n_targets), auxiliary.known)
    lengths = np.append(index.supports, 0)[auxiliary.issues]
    order = np.lexsort((lengths, owner))
    reach = np.inf if date_tolerance is None else date_tolerance + INSTANT
    if not compared:
        auxiliary = dataclasses.replace(auxiliary, dates=np.full(len(auxiliary.dates), np.nan))
    options = {"alpha": alpha, "rating_tolerance": rating_tolerance, "date_tolerance": date_tolerance}
    rules = _Rules(low, high, order, alpha, width, reach)
    told = {**options, "dates": compared}
    return Scoring(index, auxiliary, *arrays_of(index, auxiliary), kernels, rules, True, "scoreboard", told)
