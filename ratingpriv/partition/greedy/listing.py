"""Who is within reach of seeds, listed for many seeds by one join.

A search among its candidates costs what they are; one among all records costs what those are.
Whoever is to be found only becomes fewer while seeds take turns, so a list that was made before
holds all that can be picked, and some that cannot any more.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.index.arrays import Candidates, Index, Ints
from ratingpriv.proximity.arrays import Lists, Queries
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.join import Join, prepare, select
from ratingpriv.proximity.run import add_up, list_later, no_amounts

_LARGE = 1 << 14  # items of a tree above which lists pay
_ROOM = 1 << 25  # candidates that are kept at a time
_CHEAP = 256  # items that are scanned in the time in which a candidate is listed

type Records = NDArray[np.bool_]


class Listing:
    """Lists the candidates of seeds.

    ``sizes`` : |N(t)|, int64 (n_records,), if known: where all lists have room, they are made once.
    """

    def __init__(
        self,
        table: RatingTable,
        target: Target,
        packed: Index,
        sizes: Ints | None,
        resources: Resources,
    ) -> None:
        self.table, self.target, self.packed, self.resources = table, target, packed, resources
        n = table.n_records
        self._record, self._item = packed.record, np.zeros(n, dtype=np.int64)
        self._item[packed.record] = np.arange(len(packed.record))
        if np.array_equal(packed.record, self._item):
            self._item = self._item[:0]  # each record is the item of its number
        # candidates up to which a list is worth it, by record
        self._most = np.zeros(n, dtype=np.int64)
        size, scanned = (
            values[packed.tree] for values in (packed.forest.size0, packed.sequence.by_radius)
        )
        large = scanned & (size > max(_LARGE, 1))  # joins leave out who is alone
        self._most[packed.record] = np.where(large, size // _CHEAP, 0)
        self._sizes = sizes

    def of(self, seeds: Ints, live: Records) -> tuple[Candidates, int]:
        """List those of ``seeds`` (items) that pay, for as many of the first as there is room for.

        Return how many that is, too. ``live`` : the records that are to be found.
        """
        if not self._most.any():
            return self._candidates(), len(seeds)
        way = self._way
        if isinstance(way, Candidates):
            return way, len(seeds)
        record = self._record[seeds]
        asked = np.zeros(len(live), dtype=np.bool_)
        asked[record] = (self._most[record] > 0) & live[record]
        sizes = self._counted(way, asked, live)
        asked &= sizes <= self._most
        room = np.cumsum(np.where(asked[record], sizes[record], 0))
        covered = max(int(np.searchsorted(room, _ROOM, side="right")), 1)
        asked[record[covered:]] = False
        return self._listed(way, asked, live, sizes), covered

    @cached_property
    def _way(self) -> Candidates | Join:
        """The lists of all, where they are there or have room; else the join to list by."""
        join = prepare(self.table, self.target.epsilon, self.target.nulls, collapse=False)
        if isinstance(join, Classes):
            order = np.argsort(join.of, kind="stable").astype(np.int32)
            sizes = np.bincount(join.of, minlength=join.count)
            begin, sizes = (np.cumsum(sizes) - sizes)[join.of], sizes[join.of]
            end = begin + sizes
            begin[sizes > self._most] = -1
            return self._candidates(begin, end, order)
        if self._sizes is not None:
            asked = self._sizes <= self._most
            if int(self._sizes[asked].sum()) <= _ROOM:
                return self._listed(join, asked, np.ones(len(asked), dtype=np.bool_), self._sizes)
        return join

    def _candidates(
        self,
        begin: Ints | None = None,
        end: Ints | None = None,
        near: NDArray[np.int32] | None = None,
    ) -> Candidates:
        nobody = np.zeros(0, dtype=np.int64)
        return Candidates(
            nobody if begin is None else begin,
            nobody if end is None else end,
            np.zeros(0, dtype=np.int32) if near is None else near,
            self._item,
        )

    def _sides(self, join: Join, asked: Records, live: Records) -> tuple[Queries, Queries]:
        """Return those who ask, and those among whom is looked."""
        records = join.records
        queries, _ = select(records, asked[records.record])
        found = live[records.record]
        before = np.concatenate(([0], np.cumsum(found)))
        members = records._replace(  # who is no query has no tokens
            first=before[records.first], stop=before[records.stop], record=records.record[found]
        )
        return queries, members

    def _run(self) -> Run:
        return Run(self.resources.threads, None, "")

    def _counted(self, join: Join, asked: Records, live: Records) -> Ints:
        """Return how many of ``live`` are near, by record, where ``asked``."""
        queries, members = self._sides(join, asked, live)
        sizes = np.zeros(len(asked), dtype=np.int64)
        tally = add_up(join, no_amounts(), self._run(), queries=queries, members=members)
        sizes[queries.record] = tally.sizes
        return sizes

    def _listed(self, join: Join, asked: Records, live: Records, sizes: Ints) -> Candidates:
        """Return the lists of those ``asked``; ``sizes`` : how long they are."""
        queries, members = self._sides(join, asked, live)
        length = sizes[queries.record]
        stops = np.cumsum(length)
        near = np.empty(int(length.sum()) + 1, dtype=np.int32)  # one is written in any case
        cursor = stops - length
        begin, end = np.full((2, len(asked)), -1, dtype=np.int64)
        begin[queries.record] = cursor
        list_later(join, self._run(), queries, members, Lists(cursor, near, True, False))
        end[queries.record] = cursor
        return self._candidates(begin, end, near)
