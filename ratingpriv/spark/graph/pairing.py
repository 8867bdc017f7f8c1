"""The pairs of the records at risk, cell by cell: who is near them, and how far away.

Rows arrive sorted by (hash, cell, role), as those of :mod:`ratingpriv.spark.joining` do: the queries are the
records at risk, the members all records. Pairs are listed by the engine of one machine
(:mod:`ratingpriv.proximity.pairs`), from tables that hold some cells' queries and a slab of their members, so
that distances are the very same numbers.

A query has fewer neighbours than k, so pairs are few. A task holds the queries of one cell, and rows up to
its budget; a plan sees to it that the queries of a cell are no more than that, about.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.proximity.pairs import pairs
from ratingpriv.spark.graph.lines import compared
from ratingpriv.spark.joining import cell_at, pieces, reckoned
from ratingpriv.spark.plan import Comparison
from ratingpriv.spark.rows import decode
from ratingpriv.spark.session.refusals import refusal
from ratingpriv.table import Origin, QuasiColumn, RatingTable, Scale
from ratingpriv.table.building.coding import smallest_code_type

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["list_pairs", "pairing_comparison", "pairs_schema", "tagged", "tagged_schema"]


def pairs_schema() -> pa.Schema:
    """Return the schema of pairs: positions, ``left < right``, and the distance."""
    import pyarrow as pa

    return pa.schema([("left", pa.int64()), ("right", pa.int64()), ("distance", pa.float64())])


def pairing_comparison(comparison: Comparison, ratings: Comparison) -> Comparison:
    """Return the comparison by which rows are routed to be paired: codes say every rating.

    Parameters
    ----------
    comparison : what :func:`ratingpriv.spark.plan.compare` decided; without quasi-identifiers that may differ
    ratings : of the same levels; its code type is one of ratings
    """
    levels = len(comparison.levels)
    lo, hi = comparison.lo, comparison.hi
    if not comparison.rated:  # any two are within ε
        lo, hi = np.zeros(levels, dtype=np.int64), np.full(levels, levels - 1, dtype=np.int64)
    return dataclasses.replace(
        comparison, lo=lo, hi=hi, code_type=ratings.code_type, rated=True, identical=False, sensitive=()
    )


def tagged_schema() -> pa.Schema:
    """Return the schema of :func:`tagged`."""
    import pyarrow as pa

    return pa.schema([("weight", pa.int64()), ("key", pa.binary()), ("codes", pa.binary())])


def tagged(
    batches: Iterable[pa.RecordBatch], ratings: Comparison, comparison: Comparison
) -> Iterator[pa.RecordBatch]:
    """Yield records as they are paired: for ``weight`` twice the position, and one more where at risk.

    Parameters
    ----------
    batches : ``position``, ``at_risk``, ``key`` and ``codes``
    ratings : by what these were made (:func:`ratingpriv.spark.graph.lines.ratings_comparison`)
    comparison : of :func:`pairing_comparison`
    """
    import pyarrow as pa

    for batch in batches:
        names = ("position", "at_risk")
        position, at_risk = (batch.column(one).to_numpy(zero_copy_only=False) for one in names)
        (made,) = compared([batch], ratings, comparison)
        weight = pa.array(2 * position + at_risk.astype(np.int64))
        columns = [weight, made.column("key"), made.column("codes")]
        yield pa.RecordBatch.from_arrays(columns, schema=tagged_schema())


def list_pairs(
    batches: Iterable[pa.RecordBatch],
    comparison: Comparison,
    epsilon: float,
    scale: Scale | None,
    budget: int,
) -> Iterator[pa.RecordBatch]:
    """Yield each pair that a query is in, once: that of two queries from the one with the smaller position.

    Parameters
    ----------
    batches : as :func:`ratingpriv.spark.plan.routed_schema` says, whole cells, sorted by (hash, cell, role);
        ``weight`` is that of :func:`tagged`. Of each two rows that are proximate the member is in the
        query's cell once
    comparison : of :func:`pairing_comparison`
    epsilon, scale : of all data
    budget : bytes that rows may take at a time, about

    Yields
    ------
    batches as :func:`pairs_schema` says

    Raises
    ------
    ParameterError
        A cell has more queries than the budget holds.
    ValueError
        Rows are not sorted.
    """
    import pyarrow as pa

    queries: list[pa.RecordBatch] = []
    members: list[pa.RecordBatch] = []
    used, last = 0, (0, 0)
    for piece, taken in pieces(batches, comparison, max(1, budget // 4)):
        if used + taken > budget and members:
            yield from _found(queries, members, comparison, epsilon, scale, budget)
            queries, members = _of_cell(queries, last), []
            used = sum(int(reckoned(one, comparison).sum()) for one in queries)
        roles = piece.column("role").to_numpy(zero_copy_only=False)
        for role, kept in ((0, queries), (1, members)):
            mine = piece.filter(pa.array(roles == role))
            if mine.num_rows:
                kept.append(mine)
        used += taken
        last = cell_at(piece, -1)
        mine = _of_cell(queries, last) if used > budget and not members else []
        if sum(int(reckoned(one, comparison).sum()) for one in mine) > budget and roles[-1] == 0:
            many = sum(one.num_rows for one in mine)
            raise refusal(
                "memory", f"{many:,} records at risk, or more, that could meet in one task",
                f"no more than fit its {budget:,} bytes", "say a larger `memory`, or a smaller `k`",
            )  # fmt: skip
    yield from _found(queries, members, comparison, epsilon, scale, budget)


def _found(
    queries: list[pa.RecordBatch],
    members: list[pa.RecordBatch],
    comparison: Comparison,
    epsilon: float,
    scale: Scale | None,
    budget: int,
) -> Iterator[pa.RecordBatch]:
    """Yield the pairs of queries and members of the same cell."""
    import pyarrow as pa

    if not queries or not members:
        return
    rows = pa.Table.from_batches([*queries, *members]).combine_chunks()
    batch = rows.to_batches()[0] if rows.num_rows else None
    if batch is None:
        return
    asked = batch.column("role").to_numpy(zero_copy_only=False) == 0
    place = np.stack([batch.column(one).to_numpy(zero_copy_only=False) for one in ("hash", "cell")])
    cell = np.unique(place, axis=1, return_inverse=True)[1].ravel()
    served = np.zeros(int(cell.max()) + 1, dtype=bool)
    served[cell[asked]] = True
    kept = np.flatnonzero(served[cell])  # a cell without queries has nothing to say
    batch, asked, cell = batch.take(pa.array(kept)), asked[kept], cell[kept]
    tag = batch.column("weight").to_numpy(zero_copy_only=False)
    position, at_risk = tag >> 1, (tag & 1).astype(bool)
    table = _table(batch, cell, comparison, scale)
    for block in pairs(table, epsilon, subset=asked, threads=1, memory=max(budget, 1 << 20)):
        mine = np.where(asked[block.left], block.left, block.right)
        other = np.where(asked[block.left], block.right, block.left)
        once = (asked[block.left] != asked[block.right]) & (position[mine] != position[other])
        once &= ~at_risk[other] | (position[mine] < position[other])
        a, b = position[mine[once]], position[other[once]]
        if len(a):
            columns = [np.minimum(a, b), np.maximum(a, b), block.distance[once]]
            yield pa.RecordBatch.from_arrays(list(map(pa.array, columns)), schema=pairs_schema())


def _table(
    batch: pa.RecordBatch, cell: NDArray[np.int64], comparison: Comparison, scale: Scale | None
) -> RatingTable:
    """Return rows as a table, in which records of different cells are kept apart."""
    found = decode(comparison, batch.column("key"), batch.column("codes"))
    numbers = np.unique(cell, return_inverse=True)[1].astype(np.int32)
    cells = pl.int_range(int(numbers.max(initial=-1)) + 1, eager=True)
    return RatingTable(
        record_ids=pl.int_range(batch.num_rows, eager=True),
        issues=comparison.issues,
        indptr=found.indptr,
        indices=found.places.astype(np.int32),
        codes=found.codes.astype(smallest_code_type(len(comparison.levels))),
        levels=comparison.levels.copy(),
        scale=scale,
        quasi=(QuasiColumn("cell", numbers, cells),),
        origin=Origin("cells"),
    )


def _of_cell(queries: list[pa.RecordBatch], cell: tuple[int, int]) -> list[pa.RecordBatch]:
    """Return the queries of a cell."""
    import pyarrow as pa

    kept = []
    for batch in queries:
        hashes, cells = (batch.column(one).to_numpy(zero_copy_only=False) for one in ("hash", "cell"))
        mine = batch.filter(pa.array((hashes == cell[0]) & (cells == cell[1])))
        if mine.num_rows:
            kept.append(mine)
    return kept
