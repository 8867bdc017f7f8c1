"""How the rows of large keys are cut into cells: an ε-kd tree for each key, on a sample.

A *home* is the one cell in which a query is answered. Of a key with more queries than a task holds, a tree
parts the homes: each inner node sends a query left if its code at one place is at most a threshold. Members
go wherever they could matter to a query (:mod:`ratingpriv.spark.routing`), so the fewer members are near a
threshold, the fewer copies are made. A leaf that no threshold parts well (in many dimensions everybody is
near every threshold) deals its queries out by a hash of their codes, and every one of these *salts* gets all
its members: blocks of queries against everybody, the built-in fallback.

Answers are the same for any tree. A sample decides how even the shares are and how many copies there are, and
no bound depends on it: cells are counted exactly before anything is joined (:meth:`Plan.counted` deals those
that came out too large further), and a task that gets a cell that is too large for it nevertheless goes by
blocks (:mod:`ratingpriv.spark.joining`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.spark.joining import row_bytes
from ratingpriv.spark.plan import Comparison
from ratingpriv.spark.rows import byte_runs

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Plan", "Tree", "code_matrix", "fewest_rows", "large", "plan"]

_GAIN = 0.03  # of the pairs to look at that a split has to save
_COPY = 0.02  # what a copy of a member costs, as a share of its part of the pairs
_FEWEST = 8  # sampled homes that a node needs to be split
_THRESHOLDS = 64  # tried at a place
_FULL = 0.8  # how full cells are made: shares are not even


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """How the rows of one key are parted; node 0 is the root.

    Attributes
    ----------
    place : int64 (n_nodes,); the code that is looked at; -1 at a leaf
    threshold : int64 (n_nodes,); queries with a code of at most this go left
    left, right : int64 (n_nodes,); the next node
    cell : int64 (n_nodes,); of a leaf: its first cell
    salts : int64 (n_nodes,); of a leaf: into how many cells its queries are dealt
    """

    place: NDArray[np.int64]
    threshold: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    cell: NDArray[np.int64]
    salts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Which cells the rows of large keys go to; everything else goes to cell 0 of its hash.

    Attributes
    ----------
    trees : by key
    rows : how many queries of a key a cell shall have at most, by key
    cells : how many cells there are, cell 0 included
    """

    trees: Mapping[bytes, Tree] = field(default_factory=dict)
    rows: Mapping[bytes, int] = field(default_factory=dict)
    cells: int = 1

    def counted(self, queries: Mapping[int, int]) -> Plan:
        """Return the plan whose salts are such that no cell has more queries than it shall, about.

        Parameters
        ----------
        queries : how many queries each cell has by this plan, as :func:`ratingpriv.spark.routing.homes`
            counts them; cells without any may be left out
        """
        trees = {}
        for key, tree in self.trees.items():
            salts = tree.salts.copy()
            for node in np.flatnonzero(tree.place < 0).tolist():
                first = int(tree.cell[node])
                held = [queries.get(cell, 0) for cell in range(first, first + int(salts[node]))]
                if max(held) > self.rows[key]:
                    salts[node] = -(-sum(held) // max(1, int(_FULL * self.rows[key])))
            trees[key] = replace(tree, salts=salts)
        return _numbered(trees, self.rows)


def fewest_rows(comparison: Comparison, budget: int) -> int:
    """Return a number of queries that a task holds of any key: keys with fewer need no plan."""
    width = np.dtype(comparison.code_type).itemsize * comparison.n_places
    key = 4 * (comparison.n_places + len(comparison.equal_quasi)) + width
    return max(1, budget // 2 // int(row_bytes(comparison, np.array([key]), np.array([width]))[0]))


def large(comparison: Comparison, sizes: pa.Table, budget: int) -> dict[int, tuple[int, int]]:
    """Return queries and members, by hash, of what a task may not hold: only these are sampled.

    Where records rate few of many issues, keys are far shorter than :func:`fewest_rows` has to reckon. To
    sample all keys that reach it would bring a part of all records to the driver.

    Parameters
    ----------
    comparison, budget : as in :func:`plan`
    sizes : columns ``hash``, ``queries``, ``members``, and the bytes of the longest ``key`` and ``codes``
    """
    keys, codes = (sizes.column(name).to_numpy().astype(np.int64) for name in ("key", "codes"))
    queries = sizes.column("queries").to_numpy()
    over = np.flatnonzero(queries > np.maximum(1, budget // 2 // row_bytes(comparison, keys, codes)))
    hashes, members = sizes.column("hash").to_numpy(), sizes.column("members").to_numpy()
    return {int(hashes[at]): (int(queries[at]), int(members[at])) for at in over}


def plan(comparison: Comparison, sizes: Mapping[int, tuple[int, int]], sample: pa.Table, budget: int) -> Plan:
    """Plan the cells of large keys.

    Parameters
    ----------
    comparison : by what rows are compared
    sizes : by hash how many queries and how many members there are; at least of every hash
        that is :func:`large`. A hash that is not here stays one cell
    sample : columns ``hash``, ``key`` and ``codes``; some of the members of those hashes, drawn alike from
        all. It decides how the work is shared, no result
    budget : bytes that a task may take, as in :func:`ratingpriv.spark.joining.join`
    """
    trees: dict[bytes, Tree] = {}
    rows: dict[bytes, int] = {}
    table = sample.select(["hash", "key", "codes"]).combine_chunks()
    hashes = table.column("hash").to_numpy()
    drawn = dict(zip(*(part.tolist() for part in np.unique(hashes, return_counts=True)), strict=True))
    encoded = table.column("key").combine_chunks().dictionary_encode()
    numbers = encoded.indices.to_numpy(zero_copy_only=False)
    keys = encoded.dictionary.to_pylist()
    order = np.argsort(numbers, kind="stable")
    of_key = np.split(order, np.searchsorted(numbers[order], np.arange(1, len(keys))))
    for key, at in zip(keys, of_key, strict=False):  # of no key at all there is one part, empty
        name = int(hashes[at[0]])
        if name not in sizes:
            continue
        codes = code_matrix(comparison, table.column("codes").combine_chunks(), at)
        taken = row_bytes(comparison, np.array([len(key)]), np.array([codes.shape[1] * codes.itemsize]))
        rows[key] = max(1, budget // 2 // int(taken[0]))
        queries = sizes[name][0] * len(at) / drawn[name]
        if codes.shape[1] and queries > rows[key]:
            trees[key] = _grown(comparison, codes, queries, max(1.0, _FULL * rows[key]))
    return _numbered(trees, {key: rows[key] for key in trees})


def code_matrix(comparison: Comparison, codes: pa.BinaryArray, rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return the codes of these rows, which are of one key, unsigned (n_rows, n_places)."""
    import pyarrow as pa

    start, end, data = byte_runs(codes.take(pa.array(rows)))
    kind = np.dtype(comparison.code_type)
    if len(rows) == 0 or end[-1] == start[0]:
        return np.empty((len(rows), 0), dtype=kind)
    matrix = data[start[0] : end[-1]].view(kind.newbyteorder("<")).reshape(len(rows), -1)
    return matrix.astype(kind, copy=False)


def _numbered(trees: Mapping[bytes, Tree], rows: Mapping[bytes, int]) -> Plan:
    """Give the cells of all trees numbers, from 1 on: no two share one, whatever their hashes are."""
    first, numbered = 1, {}
    for key, tree in trees.items():
        cell = np.where(tree.place < 0, first + np.cumsum(tree.salts) - tree.salts, 0)
        first += int(tree.salts.sum())
        numbered[key] = replace(tree, cell=cell)
    if first > np.iinfo(np.int32).max:
        raise ValueError(f"the plan has {first} cells: the budget is too small by far")
    return Plan(numbered, dict(rows), first)


def _grown(comparison: Comparison, codes: NDArray[Any], queries: float, rows: float) -> Tree:
    """Grow a tree on sampled rows, which stand for ``queries`` homes, until leaves have at most ``rows``."""
    each = queries / len(codes)
    nodes: list[list[int]] = []  # place, threshold, left, right, salts
    waiting = [(0, np.arange(len(codes)), np.arange(len(codes)))]
    nodes.append([])
    while waiting:
        node, home, members = waiting.pop()
        needed = -(-int(len(home) * each) // max(1, int(rows)))
        split = None
        if needed > 1 and len(home) >= _FEWEST:
            split = _split(comparison, codes, home, members)
        if split is None:
            nodes[node] = [-1, 0, 0, 0, max(1, needed)]
            continue
        place, threshold = split
        nodes[node] = [place, threshold, len(nodes), len(nodes) + 1, 0]
        nodes += [[], []]
        mine, others = codes[home, place], codes[members, place]
        left = others <= comparison.hi[threshold]
        right = others >= comparison.lo[threshold + 1]
        waiting.append((len(nodes) - 2, home[mine <= threshold], members[left]))
        waiting.append((len(nodes) - 1, home[mine > threshold], members[right]))
    place_, threshold_, left_, right_, salts = np.ascontiguousarray(np.array(nodes, dtype=np.int64).T)
    return Tree(place_, threshold_, left_, right_, np.zeros(len(nodes), dtype=np.int64), salts)


def _split(
    comparison: Comparison, codes: NDArray[Any], home: NDArray[np.int64], members: NDArray[np.int64]
) -> tuple[int, int] | None:
    """Return the (place, threshold) that leaves the fewest pairs to look at; None where none saves enough."""
    pairs = len(home) * len(members)
    best: tuple[float, int, int] = ((1 - _GAIN) * pairs, -1, -1)
    for place in range(codes.shape[1]):
        mine = np.sort(codes[home, place], kind="stable").astype(np.int64)
        others = np.sort(codes[members, place], kind="stable").astype(np.int64)
        tried = np.unique(mine[np.linspace(0, len(mine) - 1, _THRESHOLDS).astype(np.int64)])
        tried = tried[tried < mine[-1]]
        if len(tried) == 0:
            continue
        at_left = np.searchsorted(mine, tried, side="right")
        to_left = np.searchsorted(others, comparison.hi[tried], side="right")
        to_right = len(others) - np.searchsorted(others, comparison.lo[tried + 1], side="left")
        copies = (to_left + to_right - len(others)) * len(home)
        cost = at_left * to_left + (len(mine) - at_left) * to_right + _COPY * copies
        least = int(cost.argmin())
        if cost[least] < best[0]:
            best = float(cost[least]), place, int(tried[least])
    return None if best[1] < 0 else best[1:]
