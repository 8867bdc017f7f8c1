"""The records worth naming: the worst violators, and whose sensitive values are given away most.

Where an audit has no list of records (on many machines, say), each part gives those it has, and the worst of
all are among them. Ties are broken by the record's id: whole numbers as numbers, before all others as text.
"""

from __future__ import annotations

import dataclasses
import heapq
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.judging import Judged
from ratingpriv.audit.result import Violator
from ratingpriv.proximity.counts import SensitiveCounts

__all__ = ["WorstRecords", "id_order", "violator", "worst_first"]

_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class WorstRecords:
    """The worst of some records.

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

    @classmethod
    def of(cls, judged: Judged, ids: Sequence[str], limit: int) -> Self:
        """Take the worst of some neighbourhoods.

        Parameters
        ----------
        ids : whose each is, (n,)
        limit : how many violators at most, >= 0
        """
        positions = worst_first(judged, limit, ties=True)
        found = [violator(judged, i, ids[i]) for i in positions.tolist()]
        given: dict[str, tuple[int, int, str] | None] = {}
        for counts in judged.found.counts:
            largest, known = counts.largest_share()
            at = np.flatnonzero((counts.largest == largest) & (counts.known == known)) if known else ()
            names = [ids[int(i)] for i in at]
            given[counts.name] = (largest, known, min(names, key=id_order)) if names else None
        return cls(limit, tuple(heapq.nsmallest(limit, found, key=_badness)), given)

    def merge(self, other: Self) -> Self:
        """Return the worst of both; ValueError where they are of other issues or limits."""
        if self.limit != other.limit or list(self.given_away) != list(other.given_away):
            raise ValueError("the worst records of different audits do not merge")
        given = {name: _worse(one, other.given_away[name]) for name, one in self.given_away.items()}
        both = heapq.merge(self.violators, other.violators, key=_badness)
        return type(self)(self.limit, tuple(both)[: self.limit], given)

    def to_json(self) -> str:
        """Return everything as JSON, exactly."""
        return json.dumps(dataclasses.asdict(self), separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return what :meth:`to_json` wrote."""
        content: dict[str, Any] = json.loads(text)
        given = content["given_away"]
        return cls(
            content["limit"],
            tuple(Violator(**one) for one in content["violators"]),
            {name: None if one is None else (one[0], one[1], one[2]) for name, one in given.items()},
        )


def worst_first(judged: Judged, show: int | None, *, ties: bool = False) -> NDArray[np.int64]:
    """Return the positions of those that break the verdict, int64 (m,), worst first, ``show`` at most.

    Worst is the smallest neighbourhood, then the smallest SD, then the largest share of one value, then the
    position. With ``ties`` all that are as bad as the last of them are there, too.
    """
    positions = np.flatnonzero(~judged.satisfied)
    if show == 0 or len(positions) == 0:
        return positions[:0]
    sizes = judged.found.sizes[positions]
    if show is not None and show < len(positions):
        few = sizes <= np.partition(sizes, show - 1)[show - 1]
        positions, sizes = positions[few], sizes[few]
    least, most = np.full(len(positions), np.inf), np.zeros(len(positions))
    rule = judged.parameters.sensitive_nulls
    for moments in judged.found.moments:
        least = np.minimum(least, moments.part(positions).sd(sizes, rule))
    for counts in judged.found.counts:
        most = np.fmax(most, counts.part(positions).share())
    order = np.lexsort((positions, -most, least, sizes))
    if show is None or show >= len(order):
        return positions[order]
    if ties:
        last = order[show - 1]
        as_bad = (sizes[order] == sizes[last]) & (least[order] == least[last]) & (most[order] == most[last])
        return positions[order[: int(np.flatnonzero(as_bad)[-1]) + 1]]
    return positions[order[:show]]


def violator(judged: Judged, position: int, record: str) -> Violator:
    """Return what is said of the neighbourhood at ``position``, which is that of ``record``."""
    found = judged.found.part(np.array([position]))
    rule = judged.parameters.sensitive_nulls
    nominal = bool(found.counts) and not found.moments

    def of_counts[T](take: Callable[[SensitiveCounts], T]) -> dict[str, T | None]:
        return {one.name: take(one) if one.known[0] else None for one in found.counts}

    return Violator(
        record=record,
        size=int(found.sizes[0]),
        sd=None if nominal else {one.name: _finite(one.sd(found.sizes, rule)[0]) for one in found.moments},
        share=of_counts(lambda one: int(one.largest[0]) / int(one.known[0])),
        distinct=of_counts(lambda one: int(one.distinct[0])),
        entropy=of_counts(lambda one: float(one.entropy[0])),
    )


def id_order(record: str) -> tuple[int, int, str]:
    """Return what ids are ordered by: whole numbers by their value, before all others by their text."""
    return (0, int(record), "") if _WHOLE.fullmatch(record) else (1, 0, record)


def _badness(one: Violator) -> tuple[int, float, float, tuple[int, int, str]]:
    """Return what violators are ordered by, the worst having the least."""
    least = min((sd for sd in (one.sd or {}).values() if sd is not None), default=math.inf)
    most = max((share for share in one.share.values() if share is not None), default=0.0)
    return one.size, least, -most, id_order(one.record)


def _worse(
    one: tuple[int, int, str] | None, other: tuple[int, int, str] | None
) -> tuple[int, int, str] | None:
    """Return the one with the larger share, with more known values, whose id comes first."""
    if one is None or other is None:
        return other if one is None else one
    shares = Fraction(one[0], one[1]), Fraction(other[0], other[1])
    if (shares[0], one[1]) != (shares[1], other[1]):
        return one if (shares[0], one[1]) > (shares[1], other[1]) else other
    return min(one, other, key=lambda each: id_order(each[2]))


def _finite(value: np.float64) -> float | None:
    return float(value) if math.isfinite(value) else None
