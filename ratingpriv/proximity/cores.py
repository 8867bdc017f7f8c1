"""Core numbers: how large a k every record can keep,
and so the fewest records to withhold for each k.

Records u and t are joined where they are ε-proximate. Withholding whoever has fewer than k
neighbours, itself included, until nobody has leaves the (k-1)-core of this graph: the largest part
in which every neighbourhood has k records [SWLZ11, Def. 4.2]. Cores are nested in k, and in ε, as
edges only come. So one number a record answers every k [Seidman, Social Networks 5 (1983) 269].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.classes import Classes, identical_rows
from ratingpriv.proximity.fixed_rules import with_own_issues
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.remaining import Neighbours, Remaining, take_the_core

MOST = 50
"""Core numbers are told apart up to this k: larger ones are asked for by nobody."""


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The core numbers of a table at one ε.

    Attributes
    ----------
    epsilon, nulls : the distance, and the rule for missing values
    most : the largest k that is told apart
    of : int64 (n_records,); the largest k, up to ``most``, for which the record is in the largest
        part of the table whose neighbourhoods all have k records; a record is in it for every
        smaller k
    sizes : int64 (n_records,); how many records the neighbourhood of each has in the whole table
    """

    epsilon: float
    nulls: str
    most: int
    of: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def at(
        cls,
        table: RatingTable,
        epsilon: float,
        *,
        nulls: str = "strict",
        most: int = MOST,
        threads: int | None = None,
        memory: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Find the core numbers of ``table`` at ``epsilon``; by the engine, exactly.

        Raises
        ------
        ParameterError
            An argument is out of range; under "known" there are no pairs.
        """
        most = checks.whole_number("most", most, 1)
        target = Target(k=1, epsilon=epsilon, nulls=nulls)
        of = np.full(table.n_records, most, dtype=np.int64)
        resources = Resources(threads, memory, progress)
        remaining = Remaining(Neighbours(table, target, resources, sensitive=False))
        sizes = remaining.sizes.copy()
        for k, core in _peeled(remaining, resources):
            of[~core] = np.minimum(of[~core], k - 1)
            if k >= most:
                break
        return cls(target.epsilon, nulls, most, of, sizes)

    @property
    def withheld(self) -> NDArray[np.int64]:
        """The fewest records to withhold for each k, int64 (most + 1,); at 0 none."""
        return np.cumsum(np.bincount(self.of + 1, minlength=self.most + 2))[: self.most + 1]

    def core(self, k: int) -> NDArray[np.bool_]:
        """Return who is in the largest part whose neighbourhoods all have ``k`` records,
        bool (n_records,).

        ValueError for a k beyond ``most``.
        """
        if k > self.most:
            raise ValueError(f"core numbers are exact up to {self.most}, not {k}")
        return self.of >= k

    def distinct(self, rows: Classes) -> NDArray[np.int64]:
        """Return how many of the equal ``rows`` are left for each k, int64 (most + 1,).

        ``rows`` are of :func:`equal_rows`: equal records have the same neighbours, so that they
        stay together or go together.
        """
        of = np.zeros(rows.count, dtype=np.int64)
        of[rows.of] = self.of
        return np.cumsum(np.bincount(of, minlength=self.most + 1)[::-1])[::-1]


def cores(
    table: RatingTable, target: Target, resources: Resources
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield (k, who is in the core for it, bool (n_records,)),
    for each k at which that is fewer records.

    Ascending, from the smallest neighbourhood's size on, at which all are; at the last nobody is.
    """
    yield from _peeled(Remaining(Neighbours(table, target, resources, sensitive=False)), resources)


def _peeled(remaining: Remaining, resources: Resources) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    k = int(remaining.sizes.min(initial=len(remaining.sizes)))
    while True:
        yield k, remaining.alive
        if not remaining.alive.any():
            return
        k = int(remaining.sizes[remaining.alive].min()) + 1
        take_the_core(
            remaining, k, lambda gone: resources.report("suppressing records", gone, None)
        )


def equal_rows(table: RatingTable) -> Classes:
    """Return who is equal in all that an adversary may know: ratings,
    which are missing, quasi-identifiers.

    Sensitive columns count nowhere. Two missing values are equal, whatever the rule of a verdict.
    """
    grouping = hamming_groups(table)
    return identical_rows(with_own_issues(table), grouping.order, grouping.starts)
