"""Sending queries home and members wherever they could matter.

At an inner node with threshold c on one place, a query with a code of at most c goes left, any other right.
A member u can matter to a query q on the left only if u's code is at most hi(c): it has to be at most
hi(q's), and hi ascends. On the right, likewise, only from lo(c + 1) on. So whoever is proximate to q comes
to the leaf where q is at home, by the same path, and a tree has one path to each leaf: no member is there
twice. At a leaf a query's salt is chosen by its codes, and members go to all salts.

Memory: a batch, a few times over; what is sent on is handed over as it accumulates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.spark.plan import Comparison, routed_schema
from ratingpriv.spark.planning import Plan, Tree, code_matrix

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["homes", "homes_schema", "route"]

_SENT = 1 << 15  # rows that are sent on together
_MIX = 0x9E3779B97F4A7C15

type _Sent = tuple[NDArray[np.int64], NDArray[np.int64]]
"""(rows, the cell that each is sent to)."""


def homes_schema() -> pa.Schema:
    """Return the schema of :func:`homes`: so many queries of a batch are at home in a cell."""
    import pyarrow as pa

    return pa.schema([("cell", pa.int32()), ("queries", pa.int64())])


def homes(batches: Iterable[pa.RecordBatch], comparison: Comparison, plan: Plan) -> Iterator[pa.RecordBatch]:
    """Yield how many queries each cell would have: the sums over all batches are for :meth:`Plan.counted`.

    Parameters
    ----------
    batches : queries; ``key`` and ``codes`` are looked at. Those of keys without a plan are left out
    """
    import pyarrow as pa

    for batch in batches:
        if batch.num_rows == 0:
            continue
        asked = np.ones(batch.num_rows, dtype=bool)
        cells = [cells for _, cells in _sent(batch, asked, comparison, plan, planned_only=True)]
        if cells:
            cell, count = np.unique(np.concatenate(cells), return_counts=True)
            yield pa.RecordBatch.from_arrays(
                [pa.array(cell.astype(np.int32)), pa.array(count)], schema=homes_schema()
            )


def route(batches: Iterable[pa.RecordBatch], comparison: Comparison, plan: Plan) -> Iterator[pa.RecordBatch]:
    """Yield every query once, and every member once for each cell where it could matter.

    Parameters
    ----------
    batches : as :func:`ratingpriv.spark.plan.routing_schema` says, in any order
    comparison : what :func:`ratingpriv.spark.plan.compare` decided
    plan : what :func:`ratingpriv.spark.planning.plan` made; ``Plan()`` makes one cell of each hash

    Yields
    ------
    batches as :func:`ratingpriv.spark.plan.routed_schema` says
    """
    for batch in batches:
        if batch.num_rows == 0:
            continue
        asked = batch.column("role").to_numpy(zero_copy_only=False) == 0
        waiting: list[_Sent] = []
        count = 0
        for rows, cells in _sent(batch, asked, comparison, plan):
            for first in range(0, len(rows), _SENT):
                waiting.append((rows[first : first + _SENT], cells[first : first + _SENT]))
                count += len(waiting[-1][0])
                if count >= _SENT:
                    yield _taken(batch, waiting, comparison)
                    waiting, count = [], 0
        if count:
            yield _taken(batch, waiting, comparison)


def _taken(batch: pa.RecordBatch, sent: list[_Sent], comparison: Comparison) -> pa.RecordBatch:
    import pyarrow as pa

    rows, cells = (np.concatenate(part) for part in zip(*sent, strict=True))
    taken = batch.take(pa.array(rows))
    schema = routed_schema(comparison)
    columns = [
        pa.array(cells.astype(np.int32)) if name == "cell" else taken.column(name) for name in schema.names
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _sent(
    batch: pa.RecordBatch,
    asked: NDArray[np.bool_],
    comparison: Comparison,
    plan: Plan,
    *,
    planned_only: bool = False,
) -> Iterator[_Sent]:
    """Yield where the rows of a batch go, those of keys without a plan to cell 0."""
    encoded = batch.column("key").dictionary_encode()
    key_of = encoded.indices.to_numpy(zero_copy_only=False)
    planned = np.zeros(len(encoded.dictionary), dtype=bool)
    trees: dict[int, Tree] = {}
    if plan.trees:
        for number, key in enumerate(encoded.dictionary.to_pylist()):
            if key in plan.trees:
                planned[number], trees[number] = True, plan.trees[key]
    rest = np.flatnonzero(~planned[key_of])
    if len(rest) and not planned_only:
        yield rest, np.zeros(len(rest), dtype=np.int64)
    for number, tree in trees.items():
        rows = np.flatnonzero(key_of == number)
        codes = code_matrix(comparison, batch.column("codes"), rows)
        yield from ((rows[at], cells) for at, cells in _down(tree, codes, asked[rows], comparison))


def _down(
    tree: Tree, codes: NDArray[Any], asked: NDArray[np.bool_], comparison: Comparison
) -> Iterator[_Sent]:
    """Yield (rows of ``codes``, their cells): each query once, each member wherever it could matter."""
    waiting = [(0, np.flatnonzero(asked), np.flatnonzero(~asked))]
    while waiting:
        node, queries, members = waiting.pop()
        if len(queries) + len(members) == 0:
            continue
        place, threshold = int(tree.place[node]), int(tree.threshold[node])
        if place < 0:
            first, salts = int(tree.cell[node]), int(tree.salts[node])
            yield queries, first + _salt(codes[queries], salts)
            for cell in range(first, first + salts) if len(members) else ():
                yield members, np.full(len(members), cell)
            continue
        mine, other = codes[queries, place], codes[members, place]
        near_left = other <= comparison.hi[threshold]
        near_right = other >= comparison.lo[threshold + 1]
        waiting.append((int(tree.left[node]), queries[mine <= threshold], members[near_left]))
        waiting.append((int(tree.right[node]), queries[mine > threshold], members[near_right]))


def _salt(codes: NDArray[Any], salts: int) -> NDArray[np.int64]:
    """Return a number below ``salts`` for each row, by its codes alone: the same in every process."""
    if salts == 1:
        return np.zeros(len(codes), dtype=np.int64)
    factors = [pow(_MIX, place + 1, 1 << 64) for place in range(codes.shape[1])]
    mixed = (codes.astype(np.uint64) + np.uint64(1)) @ np.array(factors, dtype=np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):  # splitmix64
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed % np.uint64(salts)).astype(np.int64)
