"""Joining the cells of a task: the entries of the members near each query are added up.

Arrow in, Arrow out.

Rows arrive sorted by (grp, i, j). Cells are joined together, whole ones, as many as fit ``budget``
bytes: the plan makes no cell larger (:func:`ratingpriv.spark.records.meeting`). Counts of values
are whole numbers, so that what a row's neighbourhood has in several cells adds up to the same in
any order.

What a table beyond one machine is cut into is no table: rows stand for many records each, those
that are counted are not those that count, and which codes are proximate was decided once, from data
that nobody here sees whole. A :class:`WeightedJoin` joins such rows by the engine that joins
tables: exactly, at a cost that does not depend on the number of proximate pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import Run
from ratingpriv.data.table import QuasiColumn
from ratingpriv.data.table.building.coding import smallest_code_type
from ratingpriv.proximity.arrays import Amounts, Lists
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.fixed_rules import ComparisonTable
from ratingpriv.proximity.join import Join, Limits, prepare, select
from ratingpriv.proximity.run import add_up, list_later, no_amounts
from ratingpriv.spark.comparison import CODE_BYTES, Comparison

FOUND = pa.schema([("query", pa.int64()), ("place", pa.int32()), ("count", pa.int64())])
"""How often something is in the neighbourhood of a query; a place may have several rows, to be
added up.
"""

_LISTED = 96  # bytes of an entry behind a list of neighbours while it is counted


def join(
    batches: Iterable[pa.RecordBatch], comparison: Comparison, budget: int
) -> Iterator[pa.RecordBatch]:
    """Yield rows of :data:`FOUND` for the queries of cells
    (:func:`ratingpriv.spark.records.meeting`).
    """

    def taken(batch: pa.RecordBatch) -> int:
        codes = len(batch.column("codes").flatten())
        return int(batch.num_rows * comparison.row_bytes + codes * CODE_BYTES)

    # cells are groups of the engine's
    for cells in whole_runs(batches, ("grp", "i", "j"), budget, taken):
        cell = np.cumsum(starts(cells, ("grp", "i", "j")))
        queries, members = (
            np.asarray(cells.column(name).is_valid()) for name in ("query", "entries")
        )
        if not queries.any():
            continue
        bounds, codes = _lists(cells.column("codes"))
        flat = np.asarray(codes)
        lo, hi = comparison.lo, comparison.hi
        if len(flat) == 0:  # nothing to compare: all of a group are neighbours
            lo = hi = np.empty(0, dtype=np.int64)
        engine = WeightedJoin(flat, bounds, cell, lo, hi, queries=queries, members=members)
        query = cells.column("query").drop_null().to_numpy()
        starts_, entries = _lists(cells.column("entries"))
        value, count = (np.asarray(entries.field(name)) for name in ("place", "count"))
        row = np.repeat(np.arange(len(queries)), np.diff(starts_))
        few = comparison.few[value]
        used, slots = np.unique(value[few], return_inverse=True)
        amounts = np.zeros((len(queries), len(used)), dtype=np.int64)
        amounts[row[few], slots] = count[few]
        totals = engine.totals(amounts)
        near, slots = np.nonzero(totals)
        yield _found(query[near], used[slots], totals[near, slots])
        if not few.all():
            many = row[~few], value[~few].astype(np.int64), count[~few]
            yield from _listed(engine, query, many, members, budget)


def whole_runs(
    batches: Iterable[pa.RecordBatch],
    names: tuple[str, ...],
    most: int,
    taken: Callable[[pa.RecordBatch], int] = lambda batch: 16 * batch.nbytes,
) -> Iterator[pa.Table]:
    """Give rows again as tables in which no run of equal ``names`` is cut, of ``most`` bytes,
    by ``taken``.

    A longer run makes a larger table.
    """
    waiting: list[pa.RecordBatch] = []
    used = enough = 0
    for batch in batches:
        waiting.append(batch)
        used += taken(batch)
        if used < max(enough, most) or batch.num_rows == 0:
            continue
        table = pa.Table.from_batches(waiting)
        last = int(np.flatnonzero(starts(table, names))[-1])
        if last:
            yield table.slice(0, last)
        rest = table.slice(last).combine_chunks()
        # a slice keeps all that it was cut from
        rest = rest.take(pa.array(np.arange(rest.num_rows)))
        waiting = rest.to_batches()
        used = sum(map(taken, waiting))
        enough = 2 * used  # a run that is longer is looked at again once it has doubled
    if any(batch.num_rows for batch in waiting):
        yield pa.Table.from_batches(waiting)


def starts(table: pa.Table, names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which rows are the first of a run of equal ``names``, bool (n,), n >= 1."""
    new = np.zeros(table.num_rows, dtype=bool)
    new[0] = True
    for name in names:
        column = table.column(name).to_numpy()
        new[1:] |= column[1:] != column[:-1]
    return new


def _listed(
    engine: WeightedJoin,
    query: NDArray[np.int64],
    many: tuple[NDArray[np.int64], ...],
    members: NDArray[np.bool_],
    budget: int,
) -> Iterator[pa.RecordBatch]:
    """Count values behind lists of neighbours, a block of queries at a time; ``many`` by row."""
    row, value, count = many
    lengths = np.bincount(row, minlength=len(members))
    first = np.cumsum(lengths) - lengths
    sizes, behind = engine.totals(np.stack((members, lengths), axis=1).astype(np.int64)).T
    values = int(value.max()) + 1
    upto = np.cumsum(behind + sizes)
    start = 0
    while start < len(query):
        stop = int(
            np.searchsorted(
                upto, (upto[start - 1] if start else 0) + budget // _LISTED, side="right"
            )
        )
        block = np.arange(start, max(stop, start + 1))
        start = int(block[-1]) + 1
        bounds, near = engine.listed(block, sizes[block])
        lengths_near = lengths[near]
        asks = np.repeat(np.repeat(block, np.diff(bounds)), lengths_near)
        slots = np.repeat(
            first[near] - (np.cumsum(lengths_near) - lengths_near), lengths_near
        ) + np.arange(len(asks))
        key, of = np.unique(asks * values + value[slots], return_inverse=True)
        total = np.zeros(len(key), dtype=np.int64)
        np.add.at(total, of, count[slots])
        yield _found(query[key // values], key % values, total)


def _lists(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], pa.Array]:
    """Return the bounds of lists, int64 (n + 1,), those that are null being empty,
    and what is in them.
    """
    chunks_joined = column.combine_chunks()
    chunks_joined = (
        pa.concat_arrays(chunks_joined.chunks)
        if isinstance(chunks_joined, pa.ChunkedArray)
        else chunks_joined
    )
    lengths = chunks_joined.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return np.concatenate(
        (np.zeros(1, dtype=np.int64), np.cumsum(lengths))
    ), chunks_joined.flatten()


def _found(
    query: NDArray[np.int64], place: NDArray[Any], count: NDArray[np.int64]
) -> pa.RecordBatch:
    arrays = [pa.array(query), pa.array(place.astype(np.int32)), pa.array(count)]
    return pa.RecordBatch.from_arrays(arrays, schema=FOUND)


class WeightedJoin:
    """Rows laid out to be joined: member u is a neighbour of query t
    where every code of u is proximate.

    Row i has ``codes[indptr[i]:indptr[i + 1]]``; ``lo[c]..hi[c]`` (n_levels,), both ascending, are
    proximate to c, by a symmetric rule. Rows of different ``groups`` (n,), any numbers, are never
    proximate; those of one have equally many codes, compared place by place. ``queries`` and
    ``members`` (n,) say which rows are answered for, and which count; the attribute ``queries``:
    the positions of the former, ascending, as in every result.
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
        """Add up the ``amounts`` (n, n_amounts) of the members near each query,
        (n_queries, n_amounts).

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
        ones_of_members = amounts[members.record]
        ones = (ones_of_members == 1).all(axis=0)
        tally = add_up(
            join, _by_bits(ones_of_members[:, ~ones]), self._run, queries=queries, members=members
        )
        by_slot = np.empty((len(queries.record), amounts.shape[1]), dtype=np.int64)
        by_slot[:, ones] = tally.sizes[:, None]
        by_slot[:, ~ones] = tally.exact[:, : np.count_nonzero(~ones)]
        totals_by_query = np.empty((len(self._queries), amounts.shape[1]), dtype=np.int64)
        totals_by_query[queries.record] = by_slot
        alone = self._alone(join)
        totals_by_query[alone] = amounts[alone]
        return totals_by_query[self.queries]

    def listed(
        self, positions: NDArray[np.int64], sizes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (bounds, rows): the members near the queries at distinct ``positions``,
        in any order.

        Those of the i-th query are ``rows[bounds[i]:bounds[i + 1]]``; ``sizes``: :meth:`totals` of
        ones.
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
        starts = np.zeros(len(wanted), dtype=np.int64)
        starts[rows] = bounds[:-1]
        cursor = starts[queries.record]
        lists = Lists(cursor, neighbours, everybody=True, ordered=False)
        list_later(join, self._run, queries, members, lists)
        only = rows[alone[rows] & self._members[rows]]
        neighbours[starts[only]] = only
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


def _by_bits(own: NDArray[np.int64]) -> Amounts:
    """Return amounts (n_slots, n_amounts) as the engine adds them up: three a family,
    each by its bits.
    """
    n, columns = own.shape
    if not columns:
        return no_amounts()
    exact = np.zeros((n, 3 * -(-columns // 3)), dtype=np.int64)
    exact[:, :columns] = own
    held: list[NDArray[np.bool_]] = []
    weight, family = [], [0]
    for number, column in enumerate(exact.T):
        used = int(np.bitwise_or.reduce(column))
        for bit in range(used.bit_length()):
            if used >> bit & 1:
                held.append((column >> bit & 1).astype(bool))
                weight.append([(1 << bit) * (number % 3 == remainder) for remainder in range(3)])
        if number % 3 == 2:
            family.append(len(held))
    marks = np.zeros((n, -(-len(held) // 64)), dtype=np.uint64)
    for j, column_held in enumerate(held):
        marks[:, j // 64] |= column_held.astype(np.uint64) << np.uint64(j % 64)
    return Amounts(
        marks,
        np.array(family, dtype=np.int64),
        np.array(weight, dtype=np.int64).reshape(-1, 3),
        exact,
        np.zeros((n, 0), dtype=np.float64),
    )
