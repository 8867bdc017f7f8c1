"""Kernels that lay cliques out as items of a tree: the range of their ratings, issue by issue."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel, routine
from ratingpriv.partition.index.arrays import Cliques, Fields, Forest, Rows, Task


@routine
def widen(record: Any, base: Any, rows: Rows, cliques: Cliques) -> None:
    """Let the ranges at ``base`` hold a record's ratings."""
    start = rows.indptr[record]
    for entry in range(start, rows.indptr[record + 1]):
        column = base + (entry - start if rows.aligned else np.int64(rows.indices[entry]))
        code = np.int32(rows.codes[entry])
        if code < cliques.least[column]:
            cliques.least[column] = code
        if code > cliques.most[column]:
            cliques.most[column] = code


@kernel
def box_of_cliques(
    members: NDArray[np.int64], begin: NDArray[np.int64], size: NDArray[np.int64], rows: Rows, task: Task,
    cliques: Cliques,
) -> None:  # fmt: skip
    """Find the ranges of cliques: the c-th has ``size[c]`` items from ``members[begin[c]]`` on."""
    for c in range(len(cliques.number)):
        cliques.support[c] = rows.support[task.record[members[begin[c]]]]
        for j in range(begin[c], begin[c] + size[c]):
            record = task.record[members[j]]
            widen(record, cliques.at[c], rows, cliques)
            if rows.support[record] != cliques.support[c]:
                cliques.support[c] = -1


@routine
def pack_clique(c: Any, i: Any, t: Any, forest: Forest, fields: Fields, cliques: Cliques) -> None:
    """Pack the ranges of item c, the i-th of tree t."""
    each = 64 // fields.bits
    base, stride = forest.at0[t], forest.size0[t]
    for w in range(forest.words[t]):
        low, high = np.uint64(0), np.uint64(0)
        shift = np.uint64(64)
        for r in range(w * each, min((w + 1) * each, fields.packed[t])):
            shift -= np.uint64(fields.bits)
            at = cliques.at[c] + fields.place[fields.at[t] + r]
            if cliques.most[at] < 0:
                low |= np.uint64(fields.top) << shift
            else:
                low |= np.uint64(cliques.least[at]) << shift
                high |= np.uint64(cliques.most[at]) << shift
        forest.upper0[base + w * stride + i], forest.lower0[base + w * stride + i] = low, high


@kernel
def pack_cliques(fields: Fields, forest: Forest, cliques: Cliques) -> None:
    """Fill level 0 of a forest of cliques."""
    for t in range(len(forest.first)):
        for i in range(forest.size0[t]):
            pack_clique(forest.first[t] + i, i, t, forest, fields, cliques)
