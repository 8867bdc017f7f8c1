"""The records that are not suppressed, what is left of their neighbourhoods as more are,
and their core.

No edge is ever written down. When records go, the engine joins those that remain with those that
go, and takes off what it counts: a record goes once, so that all rounds together cost about as much
as one full count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.amounts import class_moments, join_amounts, join_moments, measure
from ratingpriv.proximity.arrays import Amounts, Measured, Tally
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.join import prepare, select
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.run import add_up

type _Found = tuple[NDArray[np.int64], tuple[SensitiveMoments, ...]]


class Neighbours:
    """Counts neighbours in parts of a table at one ε; the table is prepared once.

    ``first`` are sizes int64 (n_records,) and moments of all records' neighbourhoods in the whole
    table.
    """

    def __init__(
        self, table: RatingTable, target: Target, resources: Resources, *, sensitive: bool
    ) -> None:
        self._columns: list[Measured] = [
            measure(column) for column in table.numeric_sensitive if sensitive
        ]
        # records that rate equally go together as long as nobody looks at their sensitive ratings
        self._join = prepare(table, target.epsilon, target.nulls, collapse=not self._columns)
        self._resources, self._n = resources, table.n_records
        if isinstance(self._join, Classes):
            self.first = self._of_classes(self._join, np.ones(self._n, dtype=bool))
            return
        self._amounts = join_amounts(self._columns, self._join)
        run = Run(resources.threads, resources.progress, "finding neighbours")
        tally = add_up(self._join, self._amounts, run)
        self.first = join_moments(self._columns, self._join, self._amounts, tally)
        self._nothing = self._amounts._replace(
            exact=np.zeros_like(self._amounts.exact), real=np.zeros_like(self._amounts.real)
        )
        records = self._join.records
        joined = np.zeros(len(self._join.layout.width), dtype=bool)
        joined[self._join.groups] = True  # records of the other groups have no neighbours
        of_slots = np.repeat(joined, np.diff(np.append(records.first, len(records.record))))
        self._alone = ~of_slots[self._join.slot_of]

    def among(self, asking: NDArray[np.bool_], members: NDArray[np.bool_]) -> _Found:
        """Return how many of ``members`` each record that is ``asking`` is near to,
        and their moments.

        Both bool (n_records,). Of records that rate equally all are members, or none, unless there
        are sensitive columns. What is returned for a record that does not ask means nothing; a
        record whose issues nobody else rates, all of them and no other, gets 0 where a null
        separates.
        """
        if isinstance(self._join, Classes):
            return self._of_classes(self._join, members)
        join = self._join
        slots = np.zeros(len(join.records.record), dtype=bool)
        slots[join.slot_of[members]] = True
        some, chosen = select(join.records, slots)
        marks, family, weight, exact, real = self._amounts
        # those that there are none of have no rows
        exact, real = exact[chosen] if len(exact) else exact, real[chosen] if len(real) else real
        part = Amounts(marks[chosen], family, weight, exact, real)
        wanted = np.zeros(len(slots), dtype=bool)
        wanted[join.slot_of[asking]] = True
        queries, places = select(join.records, wanted)
        run = Run(self._resources.threads, self._resources.progress, "finding neighbours")
        counted = add_up(join, part, run, queries=queries, members=some)
        tally = Tally.zeros(len(slots), self._amounts)
        tally.sizes[places] = counted.sizes
        tally.exact[places], tally.real[places] = counted.exact, counted.real
        sizes, moments = join_moments(self._columns, join, self._nothing, tally)
        if self._alone.any():
            sizes = np.where(self._alone, 0, sizes)
            moments = tuple(
                replace(moment, known=np.where(self._alone, 0, moment.known)) for moment in moments
            )
        return sizes, moments

    def _of_classes(self, classes: Classes, members: NDArray[np.bool_]) -> _Found:
        sizes = np.bincount(classes.of[members], minlength=classes.count)[classes.of]
        masked = [
            replace(
                column,
                present=column.present & members,
                numbers=np.where(members, column.numbers, 0),
            )
            for column in self._columns
        ]
        return sizes, tuple(class_moments(column, classes) for column in masked)


class Remaining:
    """The records not suppressed so far, with the sizes and moments of
    their neighbourhoods among themselves.

    ``alive`` bool (n_records,) says who remains; ``sizes`` int64 (n_records,) are |N(t)| among
    those, where t remains; ``moments`` are one for each sensitive column that is looked at.
    """

    def __init__(self, neighbours: Neighbours) -> None:
        self.neighbours = neighbours
        self.sizes, self.moments = neighbours.first
        self.alive = np.ones(len(self.sizes), dtype=bool)

    def suppress(self, gone: NDArray[np.bool_]) -> None:
        """Take out the records in ``gone``, bool (n_records,)."""
        self.alive = self.alive & ~gone
        if not self.alive.any():
            return
        sizes, moments = self.neighbours.among(self.alive, gone)
        self.sizes = self.sizes - sizes
        self.moments = tuple(
            replace(
                moment,
                known=moment.known - less.known,
                sums=moment.sums - less.sums,
                squares=moment.squares - less.squares,
            )
            for moment, less in zip(self.moments, moments, strict=True)
        )

    def put_back(
        self, record: int, sizes: NDArray[np.int64], moments: Sequence[SensitiveMoments]
    ) -> None:
        """Put ``record`` back, with the ``sizes`` and ``moments`` that :meth:`with_back` gave."""
        self.alive[record] = True
        self.sizes, self.moments = sizes, tuple(moments)

    def with_back(
        self, record: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], tuple[SensitiveMoments, ...]]:
        """Return (whose neighbourhoods change, sizes, moments) if ``record`` were put back."""
        alone = np.arange(len(self.alive)) == record
        sizes, moments = self.neighbours.among(self.alive | alone, alone)
        near = ((sizes > 0) & self.alive) | alone
        sizes_alone, own_moments = self.neighbours.among(alone, self.alive | alone)
        if sizes_alone[record] == 0:  # near to nobody but itself, whoever is there
            sizes_alone, own_moments = self.neighbours.first
        new_sizes = self.sizes + np.where(self.alive, sizes, 0)
        new_sizes[record] = sizes_alone[record]
        new = []
        for before, more, its in zip(self.moments, moments, own_moments, strict=True):
            parts = {}
            for name in ("known", "sums", "squares"):
                parts[name] = getattr(before, name) + np.where(self.alive, getattr(more, name), 0)
                parts[name][record] = getattr(its, name)[record]
            new.append(replace(before, **parts))
        return near, new_sizes, tuple(new)


def take_the_core(remaining: Remaining, k: int, report: Callable[[int], None]) -> None:
    """Suppress whoever has fewer than ``k`` neighbours, itself included, until nobody has.

    Leaves the (k-1)-core of the proximity graph: whatever order records go in, the same ones are
    left. Each round takes out all who have too few by then; real data take a handful of rounds
    [measured].
    """
    while (gone := remaining.alive & (remaining.sizes < k)).any():
        remaining.suppress(gone)
        report(int(np.count_nonzero(~remaining.alive)))
