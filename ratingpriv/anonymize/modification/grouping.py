"""Groups of at least k records that cost little to make cliques: grown from the farthest, then improved.

The papers leave the grouping to the graph [SWLP10, §4.4]; the groups of least distortion are NP-hard to find
[SWLP10, Problem 2; the proof is ours: docs/models.md]. Here:

1. the records are cut into blocks of near ones. In each, the record that is farthest from the rest starts a
   group, which takes the record that adds least to its cost until it has k; and so on. A group that is a
   clique already costs nothing, so cliques come about by themselves
2. records move to a group where they cost less, two records of different groups are swapped, and a group
   whose records are better off alone is dissolved, as long as that pays
3. groups are cut into new blocks of near ones: wide ones for another round of moves, then small ones that
   are grouped anew from a random record, and keep the old groups unless the new ones cost less

Costs are those of distortion/windows.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _grouping as kernels
from ratingpriv.anonymize.modification._grouping import Costs
from ratingpriv.anonymize.modification.dense import Band
from ratingpriv.base.compute.parallel import share_out
from ratingpriv.base.compute.resources import Resources
from ratingpriv.partition.distortion.windows import Measure

_DIMENSIONS = 48  # more issues than this are projected: it only has to be good enough to find near records
_NEAR = 0.02  # weight of being near a group's mean when it grows: breaks the many ties of equal cost
_WIDE = 3  # rounds of moves in blocks of all that are grouped together at first
_PASSES = 8  # over a block's rows, at most


def costs_of(
    levels: NDArray[np.float64], by: Measure, *, fabricate: bool, bands: Sequence[Band] = ()
) -> Costs:
    """Return what the kernels need to know of ``levels`` float64 (n_levels,), ascending."""
    numbers = levels[: bands[0].first] if bands else levels
    smallest, largest = by.smallest, by.largest
    ends = (0.0, -by.width, smallest, largest - by.width)
    low = np.unique(np.concatenate((numbers, numbers - by.width, ends)))
    low = low[(low >= smallest) & (low <= max(smallest, largest - by.width))]
    high = np.minimum(low + by.width, largest)
    width = np.full(len(levels), by.width)
    for band in bands:
        mine = levels[band.first : band.stop]
        more = np.unique(np.concatenate((mine, mine - band.width)))
        more = more[(more >= band.smallest) & (more <= max(band.smallest, band.largest - band.width))]
        low, high = np.concatenate((low, more)), np.concatenate((high, more + band.width))
        width[band.first : band.stop] = band.width
    below, upto = np.searchsorted(levels, low, "left"), np.searchsorted(levels, high, "right")
    return Costs(levels, low, high, below, upto, width, by.separates, fabricate, by.median)


def cheap_groups(
    codes: NDArray[np.uint8],
    k: int,
    costs: Costs,
    alone: NDArray[np.float64],
    rng: np.random.Generator,
    resources: Resources,
    *,
    whole: int = 0,
) -> NDArray[np.int64]:
    """Return the group of each row, int64 (m,), at least ``k`` in each at a low total cost; -1 for none.

    ``codes`` uint8 (m, p), m >= k, are positions in ``costs.levels``, n_levels where null; ``alone`` float64
    (m,) is what a row costs that is in no group, inf where it must be in one. ``rng`` draws blocks and seeds:
    the same one gives the same groups, whatever the threads. ``whole``: how many rows there are in all, where
    these are some of them: small tables are worth more rounds.
    """
    m, p = codes.shape
    if m < 2 * k and np.isinf(alone).all():
        return np.zeros(m, dtype=np.int64)
    # wide rows take longer over each round, and their blocks are smaller, so that each is done in a second
    rounds = max(round(min(max(20, 100_000 // max(m, whole)), 100) * min(1.0, 60 / max(p, 1))), 3)
    size = max(min(max(256, 100_000 // max(p, 1)), 2048), 4 * k)
    points = features(codes, costs.levels, rng)
    label = np.full(m, -1, dtype=np.int64)
    alone = np.ascontiguousarray(alone, dtype=np.float64)

    def work(blocks: list[NDArray[np.int64]], what: str, *, anew: bool, first: bool = False) -> None:
        rows = np.concatenate(blocks)
        bounds = np.concatenate(([0], np.cumsum([len(block) for block in blocks])))
        order = rng.permutation(m)
        seed, power = rng.random(len(blocks)), rng.integers(0, 3, len(blocks)).astype(np.float64)
        near = np.float64(_NEAR) * 4.0**power
        if first:
            seed, near = np.full(len(blocks), -1.0), np.full(len(blocks), _NEAR)
        parts = kernels.Blocks(rows, bounds, near, seed)
        of_all = kernels.Rows(codes, label, alone, order)

        def piece(begin: int, end: int) -> None:
            kernels.remake(begin, end, parts, of_all, k, costs, anew, _PASSES)

        share_out(piece, np.diff(bounds) ** 2, resources.threads, resources.progress, what)

    everybody = np.ones(m, dtype=np.int64)
    work(near_blocks(points, everybody, size, rng), "growing groups", anew=True, first=True)
    for _ in range(_WIDE if m > size else 0):
        work(_blocks(points, label, size, rng), "moving records", anew=False)
    for turn in range(rounds):
        work(_blocks(points, label, (6 + 6 * (turn % 3)) * k, rng), "grouping anew", anew=True)
    work(_blocks(points, label, size, rng), "moving records", anew=False)
    return label


def place_rest(
    codes: NDArray[np.uint8],
    labels: NDArray[np.int64],
    costs: Costs,
    rest: NDArray[np.int64],
    resources: Resources,
) -> NDArray[np.int64]:
    """Return ``labels`` int64 (n,) with each record of ``rest`` in the group where it costs least, in order.

    ``labels`` are 0..count-1, negative where in no group; at least one group is needed.
    """
    placed, count, width = labels.copy(), int(labels.max()) + 1, len(costs.levels) + 1
    h = np.zeros((count, codes.shape[1], width), dtype=np.int32)
    members = np.flatnonzero(labels >= 0)
    for j in range(codes.shape[1]):
        cell = labels[members] * width + codes[members, j]
        h[:, j] = np.bincount(cell, minlength=count * width).reshape(count, width)
    more = np.zeros(h.shape, dtype=np.float32)

    def weigh(first: int, last: int) -> None:
        kernels.tables(first, last, h, costs, more)

    def put(first: int, last: int) -> None:
        kernels.place(first, last, rest, codes, placed, h, costs, more)

    each, told = np.ones(max(count, len(rest)), dtype=np.int64), resources.progress
    share_out(weigh, each[:count], resources.threads, told, "weighing groups")
    share_out(put, each[: len(rest)], 1, told, "placing records")
    return placed


def _blocks(
    points: NDArray[np.float32], label: NDArray[np.int64], most: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Cut the rows into blocks of near groups; a row that is alone counts as a group of one."""
    key = np.where(label < 0, np.arange(len(label)), label)
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    means = np.add.reduceat(points[order], starts, axis=0) / sizes[:, None].astype(np.float32)
    members = np.split(order, starts[1:])
    return [
        np.concatenate([members[g] for g in block])
        for block in near_blocks(means.astype(np.float32), sizes.astype(np.int64), most, rng)
    ]


def features(
    codes: NDArray[np.uint8], levels: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return a point for each row of ``codes`` uint8 (m, p), null as 0; float32 (m, at most 48).

    ``levels`` float64 (n_levels,) are the ratings by code.
    """
    values = np.append(levels, 0.0).astype(np.float32)
    if codes.shape[1] <= _DIMENSIONS:
        return values[codes]
    onto = rng.standard_normal((codes.shape[1], _DIMENSIONS)).astype(np.float32)
    points = np.empty((len(codes), _DIMENSIONS), dtype=np.float32)
    for first in range(0, len(codes), 1 << 14):
        points[first : first + (1 << 14)] = values[codes[first : first + (1 << 14)]] @ onto
    return points


def near_blocks(
    points: NDArray[np.float32], weights: NDArray[np.int64], most: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Cut the points into blocks of a total weight of at most ``most`` (a single point may weigh more).

    Each cut is at the median along the line through two of the points drawn at random, so that the blocks
    are others each time. ``points`` float32 (m, d), ``weights`` int64 (m,), >= 0.
    """
    waiting, done = [np.arange(len(points))], []
    while waiting:
        block = waiting.pop()
        if len(block) < 2 or int(weights[block].sum()) <= most:
            if len(block):
                done.append(block)
            continue
        ends = points[rng.choice(block, size=2, replace=False)]
        along = points[block] @ (ends[1] - ends[0])
        order = block[np.argsort(along, kind="stable")]
        waiting += [order[len(order) // 2 :], order[: len(order) // 2]]
    return done
