"""Compiled: blocks of whole groups, each of which is regrouped by itself; arrays only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled, kernel

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.uint8]


class Rows(NamedTuple):
    """The rows of all blocks; ``label`` is the first row of a row's group,
    -1 for one that is alone.
    """

    codes: Codes
    label: Whole
    alone: Floats
    order: Whole  # ranks the rows, to look at them in a random order


class Blocks(NamedTuple):
    """Block b is ``rows[bounds[b]:bounds[b + 1]]``: whole groups, and rows that are alone."""

    rows: Whole
    bounds: Whole
    near: Floats  # by block: the weight of being near the mean
    seed: Floats  # which fraction of the block the first seed is at; negative: the farthest row


class Block(NamedTuple):
    """One block by itself."""

    members: Whole  # (m,); which of all rows
    codes: Codes
    alone: Floats
    turn: Whole  # the order to look at them in
    label: Whole  # the groups, numbered 0..


@compiled()
def own_block(b: int, blocks: Blocks, rows: Rows) -> tuple[Block, int]:
    """Return block ``b`` and how many groups it has."""
    members = blocks.rows[blocks.bounds[b] : blocks.bounds[b + 1]]
    m = len(members)
    codes = np.empty((m, rows.codes.shape[1]), np.uint8)
    alone, ranks, label = np.empty(m), np.empty(m, np.int64), np.full(m, -1, np.int64)
    for i in range(m):
        codes[i] = rows.codes[members[i]]
        alone[i] = rows.alone[members[i]]
        ranks[i] = rows.order[members[i]]
    by_label = np.argsort(rows.label[members])
    n_groups, last = 0, -1
    for i in by_label:
        leader = rows.label[members[i]]
        if leader >= 0:
            if leader != last:
                n_groups, last = n_groups + 1, leader
            label[i] = n_groups - 1
    return Block(members, codes, alone, np.argsort(ranks), label), n_groups


@kernel
def first_row(b: int, blocks: Blocks) -> int:
    """Return the row of block ``b`` that the first new group starts from;
    -1: the one that is farthest from the others.
    """
    m = blocks.bounds[b + 1] - blocks.bounds[b]
    return min(int(blocks.seed[b] * m), m - 1) if blocks.seed[b] >= 0.0 else -1


@compiled()
def settle(block: Block, label: Whole, n_groups: int, rows: Rows) -> None:
    """Give the rows of a block the groups ``label``."""
    leader = np.full(n_groups, -1, np.int64)
    for i in range(len(label)):
        if label[i] >= 0 and leader[label[i]] < 0:
            leader[label[i]] = block.members[i]
        rows.label[block.members[i]] = -1 if label[i] < 0 else leader[label[i]]
