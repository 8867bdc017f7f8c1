"""The records worth naming: the worst violators, and whose sensitive values are given away most."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.judging import Judged
from ratingpriv.audit.result import Violator
from ratingpriv.proximity.counts import SensitiveCounts


@dataclass(frozen=True, slots=True)
class WorstRecords:
    """The worst records, where there is no list of all.

    Attributes
    ----------
    limit : how many violators are collected at most
    violators : the worst of those that break the verdict, worst first; all, if no more than ``limit``
    given_away : for each sensitive issue (largest, known, record): how many have the commonest value in the
        record's neighbourhood, of how many known, where that share is the largest; None: nothing is known
    """

    limit: int
    violators: tuple[Violator, ...]
    given_away: Mapping[str, tuple[int, int, str] | None]


def worst_first(judged: Judged, show: int | None) -> NDArray[np.int64]:
    """Return the positions of those that break the verdict, int64 (m,), worst first, ``show`` at most.

    Worst is the smallest neighbourhood, then the smallest SD, then the largest share of one value, then the
    position.
    """
    positions = np.flatnonzero(~judged.satisfied)
    if show == 0 or len(positions) == 0:
        return positions[:0]
    sizes = judged.neighbourhoods.sizes[positions]
    if show is not None and show < len(positions):
        few = sizes <= np.partition(sizes, show - 1)[show - 1]
        positions, sizes = positions[few], sizes[few]
    least, most = np.full(len(positions), np.inf), np.zeros(len(positions))
    rule = judged.parameters.sensitive_nulls
    for moments in judged.neighbourhoods.moments:
        least = np.minimum(least, moments.part(positions).sd(sizes, rule))
    for counts in judged.neighbourhoods.counts:
        most = np.fmax(most, counts.part(positions).share())
    order = np.lexsort((positions, -most, least, sizes))
    return positions[order[:show]]


def violator(judged: Judged, position: int, record: str) -> Violator:
    """Return what is said of the neighbourhood at ``position``, which is that of ``record``."""
    neighbourhood = judged.neighbourhoods.part(np.array([position]))
    rule = judged.parameters.sensitive_nulls
    nominal = bool(neighbourhood.counts) and not neighbourhood.moments

    def of_counts[T](take: Callable[[SensitiveCounts], T]) -> dict[str, T | None]:
        return {issue.name: take(issue) if issue.known[0] else None for issue in neighbourhood.counts}

    return Violator(
        record=record,
        size=int(neighbourhood.sizes[0]),
        sd=None
        if nominal
        else {issue.name: _finite(issue.sd(neighbourhood.sizes, rule)[0]) for issue in neighbourhood.moments},
        share=of_counts(lambda issue: int(issue.largest[0]) / int(issue.known[0])),
        distinct=of_counts(lambda issue: int(issue.distinct[0])),
        entropy=of_counts(lambda issue: float(issue.entropy[0])),
    )


def _finite(value: np.float64) -> float | None:
    return float(value) if math.isfinite(value) else None
