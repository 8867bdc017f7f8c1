"""Joining the cells of a task: the entries of the members near each query are added up. Arrow in, Arrow out.

Rows arrive sorted by (grp, i, j). Cells are joined together, whole ones, as many as fit ``budget`` bytes:
the plan makes no cell larger (:func:`ratingpriv.spark.records.meeting`). Counts of values are whole numbers,
so that what a row's neighbourhood has in several cells adds up to the same in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.spark.comparison import CODE_BYTES, Comparison
from ratingpriv.spark.weighted import WeightedJoin

FOUND = pa.schema([("query", pa.int64()), ("place", pa.int32()), ("count", pa.int64())])
"""How often something is in the neighbourhood of a query; a place may have several rows, to be added up."""

_LISTED = 96  # bytes of an entry behind a list of neighbours while it is counted


def join(batches: Iterable[pa.RecordBatch], comparison: Comparison, budget: int) -> Iterator[pa.RecordBatch]:
    """Yield rows of :data:`FOUND` for the queries of cells (:func:`ratingpriv.spark.records.meeting`)."""

    def taken(batch: pa.RecordBatch) -> int:
        codes = len(batch.column("codes").flatten())
        return int(batch.num_rows * comparison.row_bytes + codes * CODE_BYTES)

    for cells in whole_runs(batches, ("grp", "i", "j"), budget, taken):  # cells are groups of the engine's
        cell = np.cumsum(starts(cells, ("grp", "i", "j")))
        queries, members = (np.asarray(cells.column(name).is_valid()) for name in ("query", "entries"))
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
        used, at = np.unique(value[few], return_inverse=True)
        amounts = np.zeros((len(queries), len(used)), dtype=np.int64)
        amounts[row[few], at] = count[few]
        totals = engine.totals(amounts)
        near, at = np.nonzero(totals)
        yield _found(query[near], used[at], totals[near, at])
        if not few.all():
            many = row[~few], value[~few].astype(np.int64), count[~few]
            yield from _listed(engine, query, many, members, budget)


def whole_runs(
    batches: Iterable[pa.RecordBatch],
    names: tuple[str, ...],
    most: int,
    taken: Callable[[pa.RecordBatch], int] = lambda batch: 16 * batch.nbytes,
) -> Iterator[pa.Table]:
    """Give rows again as tables in which no run of equal ``names`` is cut, of ``most`` bytes, by ``taken``.

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
        rest = rest.take(pa.array(np.arange(rest.num_rows)))  # a slice keeps all that it was cut from
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
        stop = int(np.searchsorted(upto, (upto[start - 1] if start else 0) + budget // _LISTED, side="right"))
        block = np.arange(start, max(stop, start + 1))
        start = int(block[-1]) + 1
        bounds, near = engine.listed(block, sizes[block])
        own = lengths[near]
        asks = np.repeat(np.repeat(block, np.diff(bounds)), own)
        at = np.repeat(first[near] - (np.cumsum(own) - own), own) + np.arange(len(asks))
        key, of = np.unique(asks * values + value[at], return_inverse=True)
        total = np.zeros(len(key), dtype=np.int64)
        np.add.at(total, of, count[at])
        yield _found(query[key // values], key % values, total)


def _lists(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], pa.Array]:
    """Return the bounds of lists, int64 (n + 1,), those that are null being empty, and what is in them."""
    whole = column.combine_chunks()
    whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
    lengths = whole.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths))), whole.flatten()


def _found(query: NDArray[np.int64], place: NDArray[Any], count: NDArray[np.int64]) -> pa.RecordBatch:
    arrays = [pa.array(query), pa.array(place.astype(np.int32)), pa.array(count)]
    return pa.RecordBatch.from_arrays(arrays, schema=FOUND)
