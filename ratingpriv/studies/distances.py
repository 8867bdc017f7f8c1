"""The distances of a map: what withholding does at each, or why nothing is compared at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.base.numbers import in_full
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.cores import MOST
from ratingpriv.studies.trials import Trials

K = range(2, MOST + 1)
"""Every k of a map."""

_COMPARED = 6  # distances that are compared where none are named
_EVERY = 1000  # distances that are listed


@dataclass(frozen=True, slots=True)
class Distance:
    """What withholding does at one distance, exactly.

    Attributes
    ----------
    epsilon : the distance
    withheld : fewest records to leave out for each k of K
    distinct_left : distinct rows among the others: over their number, the share that can be
        re-identified
    reason : why nothing is compared at it, empty where something is; the two are empty then
    """

    epsilon: float
    withheld: tuple[int, ...] = ()
    distinct_left: tuple[int, ...] = ()
    reason: str = ""

    @property
    def protects(self) -> bool:
        """Whether records are compared at this distance."""
        return not self.reason


def distances_of(trials: Trials, asked: Sequence[float] | None) -> Iterator[Distance]:
    """Yield each distance, ascending: the given ones, or those at which anything changes."""
    table, nulls = trials.table, trials.rules["nulls"]
    known = Candidates(table, nulls)
    end, listed = known.unprotected, known.listed(_EVERY)
    every = asked or [
        at for at in listed or known.sampled(_COMPARED + 2) if end is None or at < end
    ]
    compared = every if asked else _spread(every)
    smaller: dict[float, float] = {}
    for place, at in enumerate(every):
        step = at if listed is None else max(one for one in listed if one <= at)
        if end is not None and at >= end:
            reason = (
                f"at epsilon {in_full(at)} any two ratings are alike: this protects {known.nothing}"
            )
        elif step in smaller:
            reason = (
                f"the same as epsilon {in_full(smaller[step])}: no two ratings are that far apart"
            )
        elif at not in compared:
            reason = "not compared: name it with `epsilon`"
        else:
            smaller[step] = at
            trials.resources.report("core numbers", place, len(every))
            yield _compared(trials, at)
            continue
        yield Distance(at, reason=reason)


def _compared(trials: Trials, epsilon: float) -> Distance:
    levels = trials.levels(epsilon)
    left, distinct = levels.withheld, levels.distinct(trials.rows)
    return Distance(epsilon, tuple(left[K.start :].tolist()), tuple(distinct[K.start :].tolist()))


def _spread(every: Sequence[float]) -> list[float]:
    """Return a few of all distances, the smallest and the largest among them."""
    places = np.linspace(0, len(every) - 1, min(len(every), _COMPARED)).round().astype(int)
    return [every[place] for place in dict.fromkeys(places.tolist())]


def largest_below(table: RatingTable, nulls: str) -> list[float]:
    """Return the largest distance that protects, if there is one."""
    known = Candidates(table, nulls)
    end = known.unprotected
    return [at for at in known.listed(_EVERY) or [] if end is None or at < end][-1:]
