"""Compiled: groups of k records that become equal, by medians; arrays only.

Where a group's ratings of an item all become one number, that is a median of theirs, and what the
group costs is the distances to it. Who joins adds the distance to the medians, lower to upper; who
leaves saves the distance to those of the others. So four numbers about the middle say it all, item
by item (:func:`middle`). ``joins[g, i]``, what row i would add to group g, is kept up for all rows
at once, where a median moves.

Ratings are small whole numbers. A null is one of them (0), or it matches anything: then it costs
nothing, and is in no median.

Worked example, k = 2: the ratings 1, 1, 2, 5, 5. The row farthest from the median 2 is the first 5,
and starts a group; the other 5 joins it at 0. The farthest of the rest is a 1, joined by the other.
The 2 is left over, and adds 1 to the group of 1s, whose median stays where it is.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification._blocks import Blocks, Rows, first_row, own_block, settle
from ratingpriv.base.compute.compiling import compiled, part

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.uint8]
Counts = NDArray[np.int32]
Short = NDArray[np.int16]
Int = Any  # a whole number of eight bytes, Python's or NumPy's

FAR = 16_000
"""Beyond every rating: from -FAR to FAR are the medians of nobody, to which nobody has a way."""

MOST = 32_000
"""What a row may cost in a group at most: two bytes hold it."""

_ALONE = -2  # where a row goes that leaves its group for none


class Cells(NamedTuple):
    """The rows of a block."""

    codes: Codes  # (m, p); positions in ``values``, their number where a null matches anything
    values: Short  # ascending
    rows: Short  # (m, p); the values, FAR for such a null
    numbers: Short  # (p, m); likewise
    known: Short  # (p, m); all bits, none for such a null


class Groups(NamedTuple):
    """The groups of a block: who is in them, how often each rating, and the medians."""

    label: Whole
    size: Whole
    member: Whole  # (n_groups, the most that one can have)
    h: Counts  # (n_groups, p, n_values)
    before: Short  # (n_groups, p), as the next three: see middle()
    low: Short
    high: Short
    after: Short
    joins: Short  # (n_groups, m)


@part
def middle(h: Counts, values: Short) -> tuple[Int, Int, Int, Int]:
    """Return (before, low, high, after) of ``h[c]`` ratings of ``values[c]`` each.

    Low and high are the lower and the upper median; before and after are the next ones where an odd
    number of ratings has one median, which a leaver moves; else the medians once more.
    """
    many = 0
    for c in range(len(values)):
        many += h[c]
    if many == 0:
        return -FAR, -FAR, FAR, FAR
    odd = many % 2
    lower, upper = (many - 1) // 2, many // 2
    seen, c0, c1, c2, c3 = 0, 0, 0, 0, 0
    for c in range(len(values)):
        seen += h[c]
        c0 += seen <= lower - odd
        c1 += seen <= lower
        c2 += seen <= upper
        c3 += seen <= upper + odd
    before, after = np.int64(-FAR), np.int64(FAR)
    if many > 1:
        before, after = np.int64(values[c0]), np.int64(values[c3])
    return before, np.int64(values[c1]), np.int64(values[c2]), after


def _shift_at_once(
    numbers: Short, known: Short, old: tuple[Int, Int], new: tuple[Int, Int], far: Short, n: int
) -> None:
    """Do as :func:`_shift`, by NumPy."""
    x = numbers[:n]
    now = np.maximum(x, np.int16(new[0])) - np.minimum(x, np.int16(new[1]))
    was = np.maximum(x, np.int16(old[0])) - np.minimum(x, np.int16(old[1]))
    far[:n] += (now - was) & known[:n]


@partial(part, plain=_shift_at_once)
def _shift(
    numbers: Short, known: Short, old: tuple[Int, Int], new: tuple[Int, Int], far: Short, n: int
) -> None:
    """Add to ``far`` what the first ``n`` ratings are farther from medians that have moved."""
    was_low, was_high = np.int16(old[0]), np.int16(old[1])
    low, high = np.int16(new[0]), np.int16(new[1])
    for i in range(n):
        x = numbers[i]
        now = np.int16(np.int16(max(x, low)) - np.int16(min(x, high)))
        was = np.int16(np.int16(max(x, was_low)) - np.int16(min(x, was_high)))
        far[i] += np.int16(np.int16(now - was) & known[i])


@compiled()
def cells_of(codes: Codes, values: Short) -> Cells:
    """Return the rows by item, too."""
    m, p = codes.shape
    rows, numbers = np.full((m, p), FAR, np.int16), np.full((p, m), FAR, np.int16)
    known = np.zeros((p, m), np.int16)
    for i in range(m):
        for j in range(p):
            if codes[i, j] < len(values):
                rows[i, j] = numbers[j, i] = values[codes[i, j]]
                known[j, i] = -1
    return Cells(codes, values, rows, numbers, known)


@compiled()
def grow(cells: Cells, k: int, near: float, seed: int, label: Whole) -> int:
    """Group the rows by ``k``, the farthest first, each group grown by the cheapest row.

    Return how many groups; fills ``label``, -1 for fewer than ``k`` that are left over.

    The first seed is the row ``seed`` or, where that is -1, the farthest from everybody; the next
    one is the farthest from the last group. ``near`` weighs the mean distance to a group's members,
    which breaks ties.
    """
    codes, values = cells.codes, cells.values
    m, p = codes.shape
    numbers, known = cells.numbers.copy(), cells.known.copy()  # rows that are taken leave them
    rest, n, groups = np.arange(m), m, m // k
    joins, total, apart = np.zeros(m, np.int16), np.zeros(m, np.int64), np.zeros(m, np.int16)
    h = np.zeros((p, len(values)), np.int32)
    nobody, chosen = (-FAR, FAR), seed
    if seed < 0:
        for j in range(p):
            for i in range(m):
                if codes[i, j] < len(values):
                    h[j, codes[i, j]] += 1
            _, low, high, _ = middle(h[j], values)
            _shift(numbers[j], known[j], nobody, (low, high), joins, m)
        chosen = int(np.argmax(joins))
    low, high = np.empty(p, np.int64), np.empty(p, np.int64)
    label[:] = -1
    for g in range(groups):
        h[:], low[:], high[:] = 0, -FAR, FAR
        joins[:], total[:] = 0, 0
        for size in range(1, k + 1):
            row = rest[chosen]
            label[row] = g
            n -= 1
            rest[chosen], joins[chosen], total[chosen] = rest[n], joins[n], total[n]
            apart[:n] = 0
            for j in range(p):
                numbers[j, chosen], known[j, chosen] = numbers[j, n], known[j, n]
                code = codes[row, j]
                if code == len(values):
                    continue
                h[j, code] += 1
                own = (np.int64(values[code]), np.int64(values[code]))
                _shift(numbers[j], known[j], nobody, own, apart, n)
                _, new_low, new_high, _ = middle(h[j], values)
                if new_low != low[j] or new_high != high[j]:
                    old, new = (low[j], high[j]), (new_low, new_high)
                    _shift(numbers[j], known[j], old, new, joins, n)
                    low[j], high[j] = new_low, new_high
            weight, best = np.float64(near / size), np.inf
            sign = 1.0 if size < k else -1.0  # the cheapest to join, or the farthest to be a seed
            for i in range(n):
                total[i] += apart[i]
                value = sign * (joins[i] + weight * total[i])
                if value < best:
                    best, chosen = value, i
    return int(groups)


@compiled()
def counted(label: Whole, n_groups: int, k: int, cells: Cells) -> Groups:
    """Return the groups of ``label``, with room for rows that join."""
    m, p = cells.codes.shape
    size, h = np.zeros(n_groups, np.int64), np.zeros((n_groups, p, len(cells.values)), np.int32)
    for i in range(m):
        if label[i] >= 0:
            size[label[i]] += 1
    low, high = np.full((n_groups, p), -FAR, np.int16), np.full((n_groups, p), FAR, np.int16)
    room = 2 * k - 1
    for g in range(n_groups):
        room = max(room, size[g])
    member = np.full((n_groups, room + k), -1, np.int64)
    joins = np.zeros((n_groups, m), np.int16)
    groups = Groups(label, size, member, h, low.copy(), low, high, high.copy(), joins)
    size[:] = 0
    for i in range(m):
        if label[i] >= 0:
            _enter(i, label[i], groups, cells)
    for g in range(n_groups):
        _weigh(g, groups, cells)
    return groups


@part
def _enter(i: Int, g: Int, groups: Groups, cells: Cells) -> None:
    """Put row ``i``, which is in no group, into ``g``; its medians are to be looked at then."""
    groups.label[i] = g
    groups.member[g, groups.size[g]] = i
    groups.size[g] += 1
    for j in range(cells.codes.shape[1]):
        if cells.codes[i, j] < len(cells.values):
            groups.h[g, j, cells.codes[i, j]] += 1


@part
def _leave(i: Int, groups: Groups, cells: Cells) -> None:
    """Take row ``i`` out of its group."""
    g, rank = groups.label[i], 0
    while groups.member[g, rank] != i:
        rank += 1
    groups.label[i] = -1
    groups.size[g] -= 1
    groups.member[g, rank] = groups.member[g, groups.size[g]]
    for j in range(cells.codes.shape[1]):
        if cells.codes[i, j] < len(cells.values):
            groups.h[g, j, cells.codes[i, j]] -= 1


@part
def _weigh(g: Int, groups: Groups, cells: Cells) -> None:
    """Find the medians of a group anew, and where they have moved, what each row would add."""
    m = cells.numbers.shape[1]
    for j in range(cells.numbers.shape[0]):
        before, low, high, after = middle(groups.h[g, j], cells.values)
        groups.before[g, j], groups.after[g, j] = before, after
        old = (np.int64(groups.low[g, j]), np.int64(groups.high[g, j]))
        if low != old[0] or high != old[1]:
            groups.low[g, j], groups.high[g, j] = low, high
            _shift(cells.numbers[j], cells.known[j], old, (low, high), groups.joins[g], m)


@part
def saved(i: Int, g: Int, groups: Groups, cells: Cells) -> Int:
    """Return what group ``g`` saves if its row ``i`` leaves: the way to the others' medians."""
    way = 0
    for j in range(cells.rows.shape[1]):
        x = np.int64(cells.rows[i, j])
        if x < FAR:
            way += max(groups.high[g, j] - x, x - groups.low[g, j])
    return way


@part
def _without(x: Int, g: Int, j: int, groups: Groups) -> tuple[Int, Int]:
    """Return the medians of group ``g`` on item ``j`` without a member's rating ``x``."""
    low, high = np.int64(groups.low[g, j]), np.int64(groups.high[g, j])
    if x == FAR:
        return low, high
    return (
        high if x < high else np.int64(groups.before[g, j]),
        low if x > low else np.int64(groups.after[g, j]),
    )


@part
def _way(x: Int, low: Int, high: Int) -> Int:
    """Return how far a rating is from the medians low .. high; a null that matches anything: 0."""
    return 0 if x == FAR else max(low - x, x - high, 0)


@part
def partner_of(i: Int, to: Int, groups: Groups, cells: Cells, others: Whole) -> Int:
    """Return the row of group ``to`` that it pays most to swap row ``i`` for; -1 where none does.

    ``others``, (2, p), is room for the medians of the others in the group of ``i``.
    """
    g, best, least, p = groups.label[i], -1, np.int64(0), cells.rows.shape[1]
    for j in range(p):
        others[0, j], others[1, j] = _without(np.int64(cells.rows[i, j]), g, j, groups)
    gain = saved(i, g, groups, cells)
    for rank in range(groups.size[to]):
        s = groups.member[to, rank]
        growth = -gain - saved(s, to, groups, cells)
        for j in range(p):
            x, y = np.int64(cells.rows[s, j]), np.int64(cells.rows[i, j])
            low, high = _without(x, to, j, groups)
            growth += _way(x, others[0, j], others[1, j]) + _way(y, low, high)
        if growth < least:
            best, least = s, growth
    return best


@compiled()
def improve(
    cells: Cells, label: Whole, n_groups: int, k: int, alone: Floats, order: Whole, passes: int
) -> None:
    """Move and swap rows between groups, and dissolve groups, as long as it pays.

    Groups keep at least ``k`` rows and get at most 2k - 1; rows are looked at in ``order``. Before,
    rows that are in no group and cannot be alone join one. ``label`` is changed in place.
    """
    m, most = len(label), 2 * k - 1
    groups = counted(label, n_groups, k, cells)
    size, joins, others = groups.size, groups.joins, np.empty((2, cells.rows.shape[1]), np.int64)
    for i in range(m):
        if label[i] < 0 and np.isinf(alone[i]):
            g = int(np.argmin(joins[:, i]))
            _enter(i, g, groups, cells)
            _weigh(g, groups, cells)
    for _ in range(passes):
        still = True
        for g in range(n_groups):  # a group whose rows are better off alone
            lonely, cost = 0.0, 0
            for rank in range(size[g]):
                lonely += alone[groups.member[g, rank]]
            if not np.isinf(lonely):
                for j in range(cells.codes.shape[1]):
                    cost += _off(groups.h[g, j], groups.low[g, j], cells.values)
            if lonely < cost:
                still = False
                for rank in range(size[g] - 1, -1, -1):
                    _leave(groups.member[g, rank], groups, cells)
        for i in order:
            g = label[i]
            gain = alone[i] if g < 0 else np.float64(saved(i, g, groups, cells))
            # where it adds least: alone, or in another group, which it may have to swap for
            spare = g < 0 or size[g] > k
            limit, to = gain, -1
            if g >= 0 and spare and alone[i] < limit:
                limit, to = alone[i], _ALONE
            for other in range(n_groups):
                roomy = size[other] > 0 and (size[other] < most or not spare)
                if joins[other, i] < limit and other != g and roomy:
                    limit, to = np.float64(joins[other, i]), other
            if to == -1:
                continue
            partner = -1 if spare else partner_of(i, to, groups, cells, others)
            if not spare and partner < 0:
                continue
            still = False
            if g >= 0:
                _leave(i, groups, cells)
            if partner >= 0:
                _leave(partner, groups, cells)
                _enter(partner, g, groups, cells)
            if to >= 0:
                _enter(i, to, groups, cells)
                _weigh(to, groups, cells)
            if g >= 0:
                _weigh(g, groups, cells)
        if still:
            break


@part
def _off(h: Counts, median: Int, values: Short) -> Int:
    """Return the distances of ratings to their median, summed."""
    off = 0
    for c in range(len(values)):
        if h[c] > 0:
            off += h[c] * abs(np.int64(values[c]) - median)
    return off


@compiled()
def total(cells: Cells, label: Whole, n_groups: int, alone: Floats) -> float:
    """Return what all groups and the rows that are alone cost together."""
    p, n_values = cells.codes.shape[1], len(cells.values)
    cost, h = 0.0, np.zeros((n_groups, p, n_values), np.int32)
    for i in range(len(label)):
        if label[i] < 0:
            cost += alone[i]
        else:
            for j in range(p):
                if cells.codes[i, j] < n_values:
                    h[label[i], j, cells.codes[i, j]] += 1
    for g in range(n_groups):
        for j in range(p):
            cost += _off(h[g, j], middle(h[g, j], cells.values)[1], cells.values)
    return cost


@compiled(small=300)  # as in _grouping
def remake(
    first: int,
    last: int,
    blocks: Blocks,
    rows: Rows,
    k: int,
    values: Short,
    anew: bool,
    passes: int,
) -> None:
    """Improve the blocks ``first`` <= b < ``last``, each by itself.

    With ``anew`` a block is grouped anew, and keeps its old groups unless the new ones cost less.
    """
    for b in range(first, last):
        block, n_groups = own_block(b, blocks, rows)
        m, label, cells = len(block.members), block.label, cells_of(block.codes, values)
        if anew and m < k:
            continue
        if anew:
            trial = np.empty(m, np.int64)
            old = total(cells, label, n_groups, block.alone)
            n_groups = grow(cells, k, blocks.near[b], first_row(b, blocks), trial)
            improve(cells, trial, n_groups, k, block.alone, block.turn, passes)
            if not total(cells, trial, n_groups, block.alone) < old:
                continue  # the old groups stay
            label = trial
        else:
            improve(cells, label, n_groups, k, block.alone, block.turn, passes)
        settle(block, label, n_groups, rows)
