"""What an audit found about each record: arrays as long as the data, a data frame,
and the worst of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.audit.judging import Judged, blocks
from ratingpriv.documents.audit import Violator
from ratingpriv.proximity.counts import NEAR, SensitiveCounts


@dataclass(frozen=True, slots=True)
class WorstRecords:
    """The worst records, where there is no list of all."""

    limit: int  # how many violators are collected at most
    # the worst of those that break the verdict, worst first; all, if no more than ``limit``
    violators: tuple[Violator, ...]
    # for each sensitive issue (largest, known, record): how many have the commonest value in the
    # record's neighbourhood, of how many known, where that share is the largest; None: nothing is
    # known
    given_away: Mapping[str, tuple[int, int, str] | None]


@dataclass(frozen=True, slots=True, eq=False)
class AuditedRecords:
    """What is known of every record, where an engine has a list of them."""

    ids: pl.Series  # polars Series (n,), as in the data
    judged: Judged  # the records' neighbourhoods, and which of them meet what
    _sd: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The size of each neighbourhood, int64 (n,)."""
        return self.judged.neighbourhoods.sizes

    @property
    def satisfied(self) -> NDArray[np.bool_]:
        """Whether each neighbourhood meets everything that was asked, bool (n,)."""
        return self.judged.satisfied

    def sd(self, name: str) -> NDArray[np.float64]:
        """Return the SD of an issue of numbers in each neighbourhood, float64 (n,); +inf:
        none is known.
        """
        if name not in self._sd:
            moments = next(
                moment for moment in self.judged.neighbourhoods.moments if moment.name == name
            )
            deviations = np.empty(len(self.sizes), dtype=np.float64)
            for block in blocks(len(self.sizes)):
                deviations[block] = moments.part(block).sd(
                    self.sizes[block], self.judged.parameters.sensitive_nulls
                )
            self._sd[name] = deviations
        return self._sd[name]

    def counts(self, name: str) -> SensitiveCounts:
        """Return how often the values of an issue occur in each neighbourhood, summed up."""
        return next(count for count in self.judged.neighbourhoods.counts if count.name == name)

    def violators(self, show: int | None) -> tuple[Violator, ...]:
        """Return the records that break the verdict, worst first, ``show`` at most; None: all."""
        return tuple(
            violator(self.judged, position, str(self.ids[position]))
            for position in worst_first(self.judged, show).tolist()
        )

    def first_with(self, name: str, largest: int, known: int) -> int | None:
        """Return the first record in whose neighbourhood ``largest``
        of ``known`` values are the same.
        """
        if known == 0:
            return None
        counts = self.counts(name)
        for block in blocks(len(self.sizes)):
            rows = np.flatnonzero(
                (counts.largest[block] == largest) & (counts.known[block] == known)
            )
            if len(rows):
                return int(block.start + rows[0])
        raise ValueError("the records are not those that were summed up")

    def farthest(self, name: str, distance: Fraction | None) -> int | None:
        """Return the first record whose distribution is at ``distance``
        from that of all records.
        """
        counts = self.counts(name)
        if distance is None:
            return None
        near = np.flatnonzero(np.abs(counts.distance() - float(distance)) <= NEAR)
        exact = (
            counts.part(near[[index]]).largest_distance() == distance for index in range(len(near))
        )
        return int(near[next(index for index, same in enumerate(exact) if same)])

    def frame(self, sensitive: Sequence[str], numeric: Collection[str]) -> pl.DataFrame:
        """Return one row a record, in the order of the data: what was counted of its neighbourhood.

        ``numeric`` : those of the ``sensitive`` issues that have an SD.
        """
        columns = {
            "record": self.ids,
            "size": pl.Series(self.sizes, dtype=pl.Int64),
            "satisfied": pl.Series(self.satisfied, dtype=pl.Boolean),
        }
        for name in sensitive:
            if name in numeric:
                values = self.sd(name)
                finite = np.where(np.isfinite(values), values, np.nan)
                columns[f"sd:{name}"] = pl.Series(finite, dtype=pl.Float64, nan_to_null=True)
            counts = self.counts(name)
            informed = pl.Series(counts.known > 0)
            columns[f"share:{name}"] = pl.Series(counts.share(), dtype=pl.Float64, nan_to_null=True)
            for what, of in (("distinct", counts.distinct), ("entropy", counts.entropy)):
                # null where nothing is known
                columns[f"{what}:{name}"] = pl.Series(of).set(~informed, None)
        return pl.DataFrame(columns)


def worst_first(judged: Judged, show: int | None) -> NDArray[np.int64]:
    """Return the positions of those that break the verdict, int64 (m,), worst first,
    ``show`` at most.

    Worst is the smallest neighbourhood, then the smallest SD, then the largest share of one value,
    then the position.
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
        return {
            issue.name: take(issue) if issue.known[0] else None for issue in neighbourhood.counts
        }

    sds = {
        issue.name: float(issue.sd(neighbourhood.sizes, rule)[0]) for issue in neighbourhood.moments
    }
    return Violator(
        record=record,
        size=int(neighbourhood.sizes[0]),
        sd=None
        if nominal
        else {name: sd if math.isfinite(sd) else None for name, sd in sds.items()},
        share=of_counts(lambda issue: int(issue.largest[0]) / int(issue.known[0])),
        distinct=of_counts(lambda issue: int(issue.distinct[0])),
        entropy=of_counts(lambda issue: float(issue.entropy[0])),
    )
