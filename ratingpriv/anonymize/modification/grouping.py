"""The first plan: whom to leave, whom to move, and whom to group with whom,
in groups that cost little.

(k,ε)-anonymity asks for neighbours, not for groups [SWLZ11, Def. 4.2]. The records of the
(k-1)-core of the proximity graph have k neighbours each among themselves, so all of them can be
published as they are, whatever becomes of the others. And another record is safe as soon as it is
ε-proximate with k-1 of them. They need not be proximate with each other, so it has up to 2ε of room
on an issue where a group of its own has ε.

The papers leave the grouping to the graph [SWLP10, §4.4]; the groups of least distortion are
NP-hard to find [SWLP10, Problem 2; the proof is ours: docs/models.md]. Here:

1. the records are cut into blocks of near ones. In each, the record that is farthest from the rest
   starts a group, which takes the record that adds least to its cost until it has k; and so on. A
   group that is a clique already costs nothing, so cliques come about by themselves
2. records move to a group where they cost less, two records of different groups are swapped, and a
   group whose records are better off alone is dissolved, as long as that pays
3. groups are cut into new blocks of near ones: wide ones for another round of moves, then small
   ones that are grouped anew from a random record, and keep the old groups unless the new ones cost
   less

Costs are those of distortion/windows.py. Where groups become equal they are the way to medians, and
are counted for all records at once (:mod:`_medians`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _anchoring, _blocks, _grouping, _medians
from ratingpriv.anonymize.modification._grouping import Costs
from ratingpriv.anonymize.modification.dense import (
    Band,
    Dense,
    dense,
    fits_whole,
    labels_by_support,
)
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.base.compute.compiling import suited
from ratingpriv.base.compute.parallel import share_out
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.windows import Measure, choose_windows, measure
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.remaining import Neighbours, Remaining, take_the_core

_BLOCK = 1 << 14  # records among which places are sought
_STRANGERS = 256  # untouched records from anywhere that are looked at in every block
_FEW = 100  # records up to which grouping everybody is tried, too
_LONG = 500_000  # steps to find places, from which on compiled code is worth its loading
_LEVELS = 255  # ratings that codes of one byte tell apart
# more issues than this are projected: it only has to be good enough to find near records
_DIMENSIONS = 48
# weight of being near a group's mean when it grows: breaks the many ties of equal cost
_NEAR = 0.02
_WIDE = 3  # rounds of moves in blocks of all that are grouped together at first
_PASSES = 8  # over a block's rows, at most
# the same where groups become equal: more rounds of fewer passes
_WIDE_EQUAL, _PASSES_EQUAL = 8, 3
_QUICK = 1 << 14  # codes that are regrouped sooner than threads are started, a hundred times

type _Cut = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The rows of all blocks, one block after another, and where each begins and the last ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The cheapest place found for each of some records next to untouched ones."""

    records: NDArray[np.int64]  # (m,), positions, ascending
    cost: NDArray[np.float64]  # (m,), in numbers of the Measure; inf where none was found
    places: NDArray[np.float64]  # (m, p); the record in its place, NaN where null


def untouched(table: RatingTable, target: Target, resources: Resources) -> NDArray[np.bool_]:
    """Return which records make up the (k-1)-core, bool (n,):
    the most that can be published as they are.
    """
    remaining = Remaining(Neighbours(table, target, resources, sensitive=False))
    report = partial(resources.report, "finding records to leave untouched", total=None)
    take_the_core(remaining, target.k, report)
    return remaining.alive


def places(task: Task, cells: Dense, core: NDArray[np.bool_], rng: np.random.Generator) -> Places:
    """Find a cheap place next to ``k - 1`` records of the ``core`` for every record outside it.

    Needs exact levels. Where there are many records, each looks at the core's records in a block of
    near ones, and at some from anywhere. With ``by.median`` a null becomes the issue's lower
    median, moved to within ε of the k - 1, or what a record has that is copied.
    """
    k, by, resources = task.target.k, task.by, task.resources
    n, p = cells.codes.shape
    inside, outside = np.flatnonzero(core), np.flatnonzero(~core)
    cost, where = np.full(len(outside), np.inf), np.full((len(outside), p), np.nan)
    if len(inside) == 0 or len(outside) == 0:
        return Places(outside, cost, where)
    blocks = [np.arange(n)]
    if n > 2 * _BLOCK:
        points = features(cells.codes, cells.levels, rng)
        blocks = near_blocks(points, np.ones(n, dtype=np.int64), _BLOCK, rng)
    number, wanted = np.cumsum(~core) - 1, np.zeros(p)
    for j in range(p if by.median else 0):
        codes = np.sort(cells.codes[:, j])
        rated = int(np.searchsorted(codes, len(cells.levels)))
        wanted[j] = cells.levels[codes[(rated - 1) // 2]] if rated else 0.0
    scale = _anchoring.Scale(
        cells.levels, by.width, by.smallest, by.largest, by.separates, task.fabricate, wanted
    )
    for block in blocks:
        near, movers = block[core[block]], block[~core[block]]
        if len(blocks) > 1:
            strangers = rng.choice(inside, size=min(_STRANGERS, len(inside)), replace=False)
            near = np.union1d(near, strangers)
        block_cost, block_where = np.full(len(movers), np.inf), np.full((len(movers), p), np.nan)
        units, of_movers = np.ones(len(movers), dtype=np.int64), cells.codes[movers]
        piece: Callable[[int, int], None]
        if by.separates and not by.width:  # next to k - 1 equal records: a copy of one of them
            models, model = _different(cells.codes[near]), np.full(len(movers), -1)
            copies = (of_movers, models, cells.levels, task.fabricate, model, block_cost)
            piece = partial(_anchoring.nearest_copies, *copies)
            share_out(piece, units, resources.threads, resources.progress, "finding places")
            there = model >= 0
            block_where[there] = np.append(cells.numbers, np.nan)[models[model[there]]]
        else:
            arrays = (of_movers, cells.codes[near], k - 1, scale, block_cost, block_where)
            long = _anchoring.steps_of(len(movers), len(near), k - 1, p) > _LONG
            piece = partial(suited(_anchoring.anchor, long=long), *arrays)
            share_out(piece, units, resources.threads, resources.progress, "finding places")
        cost[number[movers]], where[number[movers]] = block_cost, block_where
    return Places(outside, cost, where)


def _different(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the different rows of ``codes``, each where it is first."""
    rows = np.ascontiguousarray(codes).view(np.dtype((np.void, codes.shape[1])))
    return codes[np.sort(np.unique(rows, return_index=True)[1])]


def first_plan(task: Task, rng: np.random.Generator) -> Plan:
    """Return what to do so that every record has k neighbours; l is not looked at.

    By the strategy "window" the core stays untouched and the others are seen to; where there is no
    core, everybody is grouped. Of few records both are tried: what the core spares is little there.
    A table that is too large to be laid out whole is grouped by its Hamming groups, and nobody is
    moved.
    """
    table, by, target = task.table, task.by, task.target
    if task.strategy == "paper":
        from ratingpriv.partition.papers.modification import graph_modification

        modified = graph_modification(
            table, target.k, target.epsilon, nulls=target.nulls, fabricate=task.fabricate
        )
        return Plan(modified.groups.labels)
    n, memory = table.n_records, task.resources.memory
    core = untouched(table, target, task.resources)
    if by.separates and not by.own and not fits_whole(n, table.n_issues, memory):

        def group_part(
            part: RatingTable, rng: np.random.Generator, resources: Resources
        ) -> NDArray[np.int64]:
            return group_all(
                replace(task, table=part, whole=max(task.whole, n), resources=resources), rng
            )

        return Plan(labels_by_support(table, target.k, core, group_part, rng, task.resources))
    everybody = Places(np.arange(n), np.full(n, np.inf), np.empty((n, 0)))
    around = _around(task, core, rng)
    if around is None or max(n, task.whole) > _FEW:
        return _weighed(task, around or everybody, rng)[0]
    ways = (_weighed(task, way, rng) for way in (around, everybody))
    return min(ways, key=lambda weighed: weighed[1])[0]


def _around(task: Task, core: NDArray[np.bool_], rng: np.random.Generator) -> Places | None:
    """Return who is outside the ``core``, and where each could move.

    None where there is no such way.
    """
    table, memory = task.table, task.resources.memory
    outside = np.flatnonzero(~core)
    if len(outside) == table.n_records:
        return None
    found = Places(outside, np.full(len(outside), np.inf), np.empty((len(outside), 0)))
    if _can_move(task.by, len(outside), table.n_issues, memory):
        found = places(task, dense(table, task.by, memory, _LEVELS), core, rng)
    return None if len(outside) < task.target.k and np.isinf(found.cost).any() else found


def _can_move(by: Measure, records: int, issues: int, memory: int | None) -> bool:
    """Return whether so many records can be moved next to others:
    levels are exact and whole, and places fit ``memory``.
    """
    exact = by.whole and not by.own and len(by.numbers) <= _LEVELS
    return exact and 8 * records * issues <= (2 << 30 if memory is None else memory)


def leaves_core(table: RatingTable, target: Target, outside: int, memory: int | None) -> bool:
    """Return whether "modify" is sure to leave the (k-1)-core as it is,
    where so many records are ``outside`` it.

    Not with an l, which repairs (:mod:`ratingpriv.anonymize.modification.repair`), nor of classes
    by quasi-identifiers; not of few records, which may all be grouped; nor where fewer than k are
    outside and cannot be moved.
    """
    n, issues = table.n_records, table.n_issues
    if target.l is not None or table.quasi:
        return False
    if not outside:
        return True
    if n <= _FEW or not fits_whole(n, issues, memory):
        return False
    if outside >= target.k:
        return True
    by = measure(table, target.epsilon, nulls=target.nulls)
    return _can_move(by, outside, issues, memory)


def _weighed(task: Task, way: Places, rng: np.random.Generator) -> tuple[Plan, float]:
    """Return (plan, its cost in numbers of the Measure) of grouping some records or moving each."""
    labels = np.full(task.table.n_records, -1, dtype=np.int64)
    if len(way.records) >= task.target.k:
        cells = dense(task.table, task.by, task.resources.memory)
        some = replace(cells, codes=cells.codes[way.records])
        labels[way.records] = _grouped(task, some, way.cost, rng)
    lonely = labels[way.records] < 0
    groups = Groups.of_labels(labels).arranged()
    windows = choose_windows(task.table, task.by, *groups, fabricate=task.fabricate)
    plan = Plan(labels, way.records[lonely], way.places[lonely])
    return plan, float(windows.cost.sum()) + float(way.cost[lonely].sum())


def group_all(task: Task, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return labels int64 (n,) of groups of at least k, everybody in one, at a low cost."""
    cells = dense(task.table, task.by, task.resources.memory)
    return _grouped(task, cells, np.full(task.table.n_records, np.inf), rng)


def _grouped(
    task: Task, cells: Dense, alone: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    costs = costs_of(cells.levels, task.by, fabricate=task.fabricate, bands=cells.bands)
    k, resources = task.target.k, task.resources
    return cheap_groups(cells.codes, k, costs, alone, rng, resources, whole=task.whole)


def place_leftovers(task: Task, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Put every record that is in no group into the one where it costs least; there is one."""
    groups = Groups.of_labels(labels)
    cells = dense(task.table, task.by, task.resources.memory)
    costs = costs_of(cells.levels, task.by, fabricate=task.fabricate, bands=cells.bands)
    return place_rest(cells.codes, groups.labels, costs, groups.unplaced, task.resources)


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
        more = more[
            (more >= band.smallest) & (more <= max(band.smallest, band.largest - band.width))
        ]
        low, high = np.concatenate((low, more)), np.concatenate((high, more + band.width))
        width[band.first : band.stop] = band.width
    below, upto = np.searchsorted(levels, low, "left"), np.searchsorted(levels, high, "right")
    # a window of no width at each level: what a group costs is counted from its medians
    equal = len(levels) > 0 and not width.any() and bool(np.isin(levels, low).all())
    whole = equal and bool((levels == np.rint(levels)).all())
    return Costs(levels, low, high, below, upto, width, by.separates, fabricate, by.median, whole)


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
    """Return the group of each row, int64 (m,), at least ``k`` in each at a low total cost;
    -1 for none.

    ``codes`` uint8 (m, p), m >= k, are positions in ``costs.levels``, n_levels where null;
    ``alone`` float64 (m,) is what a row costs that is in no group, inf where it must be in one.
    ``rng`` draws blocks and seeds: the same one gives the same groups, whatever the threads.
    ``whole``: how many rows there are in all, where these are some of them: small tables are worth
    more rounds.
    """
    m, p = codes.shape
    if m < 2 * k and np.isinf(alone).all():
        return np.zeros(m, dtype=np.int64)
    # wide rows take longer over each round, and their blocks are smaller, so that each is done in a
    # second
    rounds = max(round(min(max(20, 100_000 // max(m, whole)), 100) * min(1.0, 60 / max(p, 1))), 3)
    size = max(min(max(256, 100_000 // max(p, 1)), 2048), 4 * k)
    wide, moves = _WIDE, _PASSES
    remake: Callable[..., None] = _grouping.remake
    kind: Costs | NDArray[np.int16] = costs
    points = features(codes, costs.levels, rng)
    if (of_medians := numbers_of(codes, costs)) is not None:
        remake, (codes, kind), wide, moves = _medians.remake, of_medians, _WIDE_EQUAL, _PASSES_EQUAL
        if m > size:  # moves are quick there, and gain more than new groups
            rounds = round(60_000 / max(m, whole) * min(1.0, 40 / max(p, 1)))
    label = np.full(m, -1, dtype=np.int64)
    alone = np.ascontiguousarray(alone, dtype=np.float64)
    threads = 1 if codes.size <= _QUICK else resources.threads

    def work(cut: _Cut, what: str, *, anew: bool, first: bool = False) -> None:
        (rows, bounds), count = cut, len(cut[1]) - 1
        order = rng.permutation(m)
        seed, power = rng.random(count), rng.integers(0, 3, count).astype(np.float64)
        near = np.float64(_NEAR) * 4.0**power
        if first:
            seed, near = np.full(count, -1.0), np.full(count, _NEAR)
        parts = _blocks.Blocks(rows, bounds, near, seed)
        of_all = _blocks.Rows(codes, label, alone, order)

        def piece(begin: int, end: int) -> None:
            remake(begin, end, parts, of_all, k, kind, anew, _PASSES if anew else moves)

        share_out(piece, np.diff(bounds) ** 2, threads, resources.progress, what)

    ones = np.ones(m, dtype=np.int64)  # each row is a group of its own
    blocks = near_blocks(points, ones, size, rng)
    work(_cut(blocks, ones), "growing groups", anew=True, first=True)
    for _ in range(wide if m > size else 0):
        work(_near_groups(points, label, size, rng), "moving records", anew=False)
    for turn in range(rounds):
        work(_near_groups(points, label, (6 + 6 * (turn % 3)) * k, rng), "grouping anew", anew=True)
    work(_near_groups(points, label, size, rng), "moving records", anew=False)
    return label


def numbers_of(
    codes: NDArray[np.uint8], costs: Costs
) -> tuple[NDArray[np.uint8], NDArray[np.int16]] | None:
    """Return (codes, the number of each) where what a group costs is the way to its medians.

    That is where equal ratings are asked for, of few small whole numbers, and a null is as good as
    a rating of 0 or matches anything; its code is beyond the numbers then. None: it is not.
    """
    numbers, zeros = costs.levels, costs.separates and bool((codes == len(costs.levels)).any())
    if not costs.whole or (zeros and (costs.median or not costs.fabricate)):
        return None
    if zeros:
        numbers = np.union1d(costs.levels, [0.0])
        of_code = np.searchsorted(numbers, np.append(costs.levels, 0.0))
        codes = of_code.astype(np.uint8)[codes]
    most = (numbers[-1] - numbers[0]) * codes.shape[1]
    if max(-numbers[0], numbers[-1]) >= _medians.FAR or most > _medians.MOST:
        return None
    return codes, numbers.astype(np.int16)


def place_rest(
    codes: NDArray[np.uint8],
    labels: NDArray[np.int64],
    costs: Costs,
    rest: NDArray[np.int64],
    resources: Resources,
) -> NDArray[np.int64]:
    """Return ``labels`` int64 (n,) with each record of ``rest`` in the
    group where it costs least, in order.

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
        _grouping.tables(first, last, h, costs, more)

    def put(first: int, last: int) -> None:
        _grouping.place(first, last, rest, codes, placed, h, costs, more)

    each, told = np.ones(max(count, len(rest)), dtype=np.int64), resources.progress
    share_out(weigh, each[:count], resources.threads, told, "weighing groups")
    share_out(put, each[: len(rest)], 1, told, "placing records")
    return placed


def _near_groups(
    points: NDArray[np.float32], label: NDArray[np.int64], most: int, rng: np.random.Generator
) -> _Cut:
    """Cut the rows into blocks of near groups; a row that is alone counts as a group of one."""
    key = np.where(label < 0, np.arange(len(label)), label)
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    means = np.add.reduceat(points[order], starts, axis=0) / sizes[:, None].astype(np.float32)
    blocks = near_blocks(means.astype(np.float32), sizes.astype(np.int64), most, rng)
    groups, bounds = _cut(blocks, sizes)
    before = np.cumsum(sizes[groups]) - sizes[groups]
    return order[np.repeat(starts[groups] - before, sizes[groups]) + np.arange(len(order))], bounds


def _cut(blocks: list[NDArray[np.int64]], sizes: NDArray[np.int64]) -> _Cut:
    """Return the groups of blocks one after another, and where the rows of each block begin."""
    groups = np.concatenate(blocks)
    ends = np.cumsum([len(block) for block in blocks])
    return groups, np.concatenate(([0], np.cumsum(sizes[groups])))[np.append(0, ends)]


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
    """Cut the points into blocks of a total weight of at most ``most``
    (a single point may weigh more).

    Each cut is at the median along the line through two of the points drawn at random, so that the
    blocks are others each time. ``points`` float32 (m, d), ``weights`` int64 (m,), >= 0.
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
