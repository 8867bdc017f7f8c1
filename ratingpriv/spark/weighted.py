"""The engine for weighted rows: some of them queries, some members, what is proximate given code by code.

What a table beyond one machine is cut into is no table: rows stand for many records each, those that are
counted are not those that count, and which codes are proximate was decided once, from data that nobody here
sees whole. A :class:`WeightedJoin` joins such rows by the engine that joins tables: exactly, at a cost that
does not depend on the number of proximate pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import Run
from ratingpriv.data.table import QuasiColumn
from ratingpriv.data.table.building.coding import smallest_code_type
from ratingpriv.proximity.arrays import Amounts, Lists
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.fixed_rules import ComparisonTable
from ratingpriv.proximity.join import Join, Limits, prepare, select
from ratingpriv.proximity.run import add_up, list_later, no_amounts

_BITS = 63  # of a word that sums are packed into


class WeightedJoin:
    """Rows laid out to be joined: member u is a neighbour of query t where every code of u is proximate.

    Row i has ``codes[indptr[i]:indptr[i + 1]]``; ``lo[c]..hi[c]`` (n_levels,), both ascending, are proximate
    to c, by a symmetric rule. Rows of different ``groups`` (n,), any numbers, are never proximate; those of
    one have equally many codes, compared place by place. ``queries`` and ``members`` (n,) say which rows are
    answered for, and which count; the attribute ``queries``: the positions of the former, ascending, as in
    every result.
    """

    def __init__(
        self,
        codes: NDArray[Any],
        indptr: NDArray[np.int64],
        groups: NDArray[np.int64],
        lo: NDArray[np.int64],
        hi: NDArray[np.int64],
        *,
        queries: NDArray[np.bool_],
        members: NDArray[np.bool_],
        _limits: Limits | None = None,
    ) -> None:
        self._members, self._queries = members, queries
        self.queries: NDArray[np.int64] = np.flatnonzero(queries)
        self._run = Run(1, None, "joining")
        # rows as the engine takes them: a table whose groups are a column that has to be equal
        n, widths = len(indptr) - 1, np.diff(indptr)
        number = np.unique(groups, return_inverse=True)[1].astype(np.int32)
        names = pl.int_range(int(number.max(initial=-1)) + 1, eager=True)
        table = ComparisonTable(
            record_ids=pl.int_range(n, eager=True),
            issues=tuple(map(str, range(int(widths.max(initial=0))))),
            indptr=indptr,
            indices=(np.arange(len(codes)) - np.repeat(indptr[:-1], widths)).astype(np.int32),
            codes=codes.astype(smallest_code_type(len(lo))),
            levels=np.arange(len(lo), dtype=np.float64),
            scale=None,
            quasi=(QuasiColumn("group", number, names),),
            form="classes",
            low=lo,
            high=hi,
        )
        self._join = prepare(table, 0, "strict", collapse=False, limits=_limits)

    def totals(self, amounts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add up the ``amounts`` (n, n_amounts) of the members near each query, (n_queries, n_amounts).

        They are >= 0, and the sum of each over all members fits 63 bits.
        """
        amounts = np.where(self._members[:, None], amounts, 0)
        if isinstance(self._join, Classes):
            sums = np.zeros((self._join.count, amounts.shape[1]), dtype=np.int64)
            np.add.at(sums, self._join.of, amounts)
            return sums[self._join.of[self.queries]]
        join, records = self._join, self._join.records
        queries, members = (
            records if rows.all() else select(records, rows[records.record])[0]
            for rows in (self._queries, self._members)
        )
        own = amounts[members.record]
        ones = (own == 1).all(axis=0)
        packed = _Packed(own[:, ~ones])
        tally = add_up(join, packed.amounts(), self._run, queries=queries, members=members)
        by_slot = np.empty((len(queries.record), amounts.shape[1]), dtype=np.int64)
        by_slot[:, ones] = tally.sizes[:, None]
        by_slot[:, ~ones] = packed.unpacked(tally.exact)
        found = np.empty((len(self._queries), amounts.shape[1]), dtype=np.int64)
        found[queries.record] = by_slot
        alone = self._alone(join)
        found[alone] = amounts[alone]
        return found[self.queries]

    def listed(
        self, positions: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (bounds, rows): the members near the queries at distinct ``positions``, in any order.

        Those of the i-th query are ``rows[bounds[i]:bounds[i + 1]]``; ``sizes``: :meth:`totals` of ones.
        """
        join, rows = self._join, self.queries[positions]
        bounds = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
        if isinstance(join, Classes):
            by = np.flatnonzero(self._members)
            by = by[np.argsort(join.of[by], kind="stable")]
            start = np.searchsorted(join.of[by], join.of[rows])
            return bounds, by[np.repeat(start - bounds[:-1], sizes) + np.arange(bounds[-1])]
        neighbours = np.empty(int(bounds[-1]), dtype=np.int32)
        wanted = np.zeros(len(self._queries), dtype=bool)
        wanted[rows] = True
        alone = self._alone(join)
        queries, _ = select(join.records, (wanted & ~alone)[join.records.record])
        members, _ = select(join.records, self._members[join.records.record])
        place = np.zeros(len(wanted), dtype=np.int64)
        place[rows] = bounds[:-1]
        cursor = place[queries.record]
        lists = Lists(cursor, neighbours, everybody=True, ordered=False)
        list_later(join, self._run, queries, members, lists)
        only = rows[alone[rows] & self._members[rows]]
        neighbours[place[only]] = only
        return bounds, neighbours.astype(np.int64)

    def _alone(self, join: Join) -> NDArray[np.bool_]:
        """Return which rows are alone in their group: the engine leaves them out."""
        alone = np.ones(len(self._queries), dtype=bool)
        records = join.records
        for_group = np.zeros(len(records.first), dtype=bool)
        for_group[join.groups] = True
        slots = np.repeat(for_group, np.diff(np.append(records.first, len(records.record))))
        alone[records.record[slots]] = False
        return alone


class _Packed:
    """Amounts packed into words: several sums in one, each with as many bits as the largest sum takes."""

    def __init__(self, own: NDArray[np.int64]) -> None:
        self._own = own
        self._place: list[tuple[int, int, int]] = []  # word, lowest bit, bits
        word = used = 0
        for total in own.sum(axis=0).tolist():
            bits = max(total.bit_length(), 1)
            if used + bits > _BITS:
                word, used = word + 1, 0
            self._place.append((word, used, bits))
            used += bits
        self._words = 3 * -(-(word + 1) // 3) if self._place else 0

    def amounts(self) -> Amounts:
        """Return what the engine adds up."""
        if not self._words:
            return no_amounts()
        exact = np.zeros((len(self._own), self._words), dtype=np.int64)
        held: list[NDArray[np.bool_]] = []
        weight: list[list[int]] = []
        family = [0]
        for number, (word, shift, _) in enumerate(self._place):
            column = self._own[:, number]
            exact[:, word] += column << shift
            while len(family) <= word // 3:
                family.append(len(held))
            used = int(np.bitwise_or.reduce(column)) if len(column) else 0
            for bit in range(used.bit_length()):
                if used >> bit & 1:
                    held.append((column >> bit & 1).astype(bool))
                    weight.append([0, 0, 0])
                    weight[-1][word % 3] = 1 << (shift + bit)
        family.append(len(held))
        marks = np.zeros((len(self._own), -(-len(held) // 64)), dtype=np.uint64)
        for j, one in enumerate(held):
            marks[:, j // 64] |= one.astype(np.uint64) << np.uint64(j % 64)
        return Amounts(
            marks, np.array(family, dtype=np.int64), np.array(weight, dtype=np.int64).reshape(-1, 3), exact,
            np.zeros((len(self._own), 0), dtype=np.float64),
        )  # fmt: skip

    def unpacked(self, totals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sums, int64 (n_slots, n_amounts), from what the engine added up."""
        found = np.empty((len(totals), len(self._place)), dtype=np.int64)
        for number, (word, shift, bits) in enumerate(self._place):
            found[:, number] = totals[:, word] >> shift & (1 << bits) - 1
        return found
