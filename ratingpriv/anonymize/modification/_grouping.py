"""Compiled: groups of k records of low cost, grown, improved by moves and swaps,
and made anew; arrays only.

Records are rows of ``codes``, uint8 (m, p), the number of levels where null. ``label`` is the group
of each row, -1 for a row that is alone and costs ``alone``. One idea, whose layers share their
arrays:

costs      a group's issue j is a histogram of its members' codes: ``h[j, c]`` members have code c,
           and ``h[j, L]`` are null. The cost is that of distortion/windows.py, found by trying
           every window that can be best. Tables of differences make "what if this record joined" a
           sum of p look-ups
growing    groups of k records, the farthest first, each grown by the cheapest record
improving  moves, swaps and dissolved groups, as long as they pay; blocks grouped anew where that
           costs less

Worked example, k = 2, ε = 1, one issue with the levels 1, 2, 5 and ratings 1, 2, 5, 5, 1. The row
farthest from the mean 2.8 is the third (5); the cheapest to join it is the other 5, at 0. The
farthest of the rest is a 1, joined by the other 1. The 2 is left over, and joins the group of 1s,
where the window 1..2 has room, at 0. No move pays: in all the groups {5, 5} and {1, 1, 2} cost 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification._blocks import Blocks, Rows, first_row, own_block, settle
from ratingpriv.base.compute.compiling import compiled, kernel

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.uint8]
Counts = NDArray[np.int32]
Table = NDArray[np.float32]

_TRIES = 4  # members of the other group that a swap is worked out for
_SLIGHT = 1e-6  # less gain than this is rounding
_ALONE = -2  # where a row goes that leaves its group for none


class Costs(NamedTuple):
    """What a cost depends on besides the histogram."""

    levels: Floats  # (L,), ascending; numbers of the Measure
    low: Floats  # (n_windows,); windows on the scale that can be best, by ascending low end
    high: Floats
    below: Whole  # (n_windows,); how many levels are < low, and <= high
    upto: Whole
    # (L,); how far apart two ratings may be: one number, and others for other columns
    width: Floats
    separates: bool  # these three as in distortion/windows.py
    fabricate: bool
    median: bool
    # whether equal ratings are asked for, and all levels are whole numbers
    whole: bool


class Room(NamedTuple):
    """Working memory for one histogram, (L + 1,) each:
    counts and sums of the ratings up to a level.
    """

    counts: Floats
    sums: Floats


class Groups(NamedTuple):
    """The groups of a block: their sizes, members, histograms and tables of differences."""

    label: Whole
    size: Whole
    member: Whole  # (n_groups, the most that one can have)
    h: Counts  # (n_groups, p, L + 1)
    more: Table  # likewise
    less: Table


@kernel
def issue_total(h: Counts, costs: Costs, room: Room) -> float:
    """Return the cost of the histogram ``h`` int32 (L + 1,)."""
    levels, count, total = costs.levels, room.counts, room.sums
    n_levels = len(levels)
    first, last = -1, -1
    erase = 0.0
    for c in range(n_levels):
        count[c + 1] = count[c] + h[c]
        total[c + 1] = total[c] + h[c] * levels[c]
        if h[c] > 0:
            if first < 0:
                first = c
            last = c
            erase += h[c] * abs(levels[c])
    if first < 0:
        return 0.0
    zeros = h[n_levels] if costs.separates else 0
    if zeros > 0 and not costs.fabricate:
        return erase
    least, most = levels[first], levels[last]
    # the cost is convex in the window's place: go on while it falls
    if zeros > 0 and not costs.median:
        best = np.inf
        for q in range(len(costs.low)):
            cost = zeros * abs(min(max(0.0, costs.low[q]), costs.high[q]))
            cost += _moved(q, costs, room)
            if cost > best:
                break
            best = cost
        return float(min(best, erase))
    low, high, best = least, most, 0.0
    if most - least > costs.width[first]:
        best = np.inf
        for q in range(len(costs.low)):
            if costs.low[q] < least:
                continue
            if costs.high[q] > most:
                break
            cost = _moved(q, costs, room)
            if cost < best:
                low, high, best = costs.low[q], costs.high[q], cost
    if zeros > 0:  # the nulls get the lower median, moved into the window
        middle = first
        while 2.0 * count[middle + 1] < count[n_levels]:
            middle += 1
        best = min(best + zeros * abs(min(max(levels[middle], low), high)), erase)
    return float(best)


@kernel
def _moved(q: int, costs: Costs, room: Room) -> float:
    """Return what moving all ratings into window ``q`` costs."""
    n_levels, below, upto = len(costs.levels), costs.below[q], costs.upto[q]
    cost = costs.low[q] * room.counts[below] - room.sums[below]
    cost += (
        room.sums[n_levels]
        - room.sums[upto]
        - costs.high[q] * (room.counts[n_levels] - room.counts[upto])
    )
    return float(cost)


def _fill_tables_of_lists(h: Counts, costs: Costs, room: Room, more: Table, less: Table) -> float:
    """Do as :func:`fill_tables`, with lists, in which plain Python
    looks numbers up several times faster.
    """
    arrays: Any = costs
    costs = Costs(*(field.tolist() if isinstance(field, np.ndarray) else field for field in arrays))
    width = h.shape[1]
    lists: Any = Room(*([0.0] * width for _ in room))  # type: ignore[arg-type]
    cost, joined, left = 0.0, [], []
    for issue in h.tolist():
        now = issue_total(issue, costs, lists)
        cost += now
        for c in range(width):
            issue[c] += 1
            joined.append(issue_total(issue, costs, lists) - now)
            issue[c] -= 2
            left.append(
                now - issue_total(issue, costs, lists) if issue[c] >= 0 and now > 0.0 else 0.0
            )
            issue[c] += 1
    more[:] = np.array(joined).reshape(h.shape)
    less[:] = np.array(left).reshape(h.shape)
    return cost


@compiled(plain=_fill_tables_of_lists)
def fill_tables(h: Counts, costs: Costs, room: Room, more: Table, less: Table) -> float:
    """Fill ``more[j, c]``, what a member with code c on issue j adds, and ``less[j, c]``,
    what it saves.

    All (p, L + 1). Returns the group's cost.
    """
    cost = 0.0
    for j in range(h.shape[0]):
        issue = h[j]
        now = issue_total(issue, costs, room)
        cost += now
        for c in range(h.shape[1]):
            issue[c] += 1
            more[j, c] = issue_total(issue, costs, room) - now
            issue[c] -= 1
            less[j, c] = 0.0
            if issue[c] > 0 and now > 0.0:
                issue[c] -= 1
                less[j, c] = now - issue_total(issue, costs, room)
                issue[c] += 1
    return cost


@compiled()
def exchange_cost(h: Counts, leaver: Codes, comer: Codes, costs: Costs, room: Room) -> float:
    """Return what a group's cost grows by if ``leaver`` (p codes) goes
    and ``comer`` takes its place.
    """
    growth = 0.0
    for j in range(h.shape[0]):
        if leaver[j] != comer[j]:
            issue = h[j]
            growth -= issue_total(issue, costs, room)
            issue[leaver[j]] -= 1
            issue[comer[j]] += 1
            growth += issue_total(issue, costs, room)
            issue[leaver[j]] += 1
            issue[comer[j]] -= 1
    return growth


@kernel
def row_sum(table: Table, row: Codes, limit: float) -> Any:
    """Return the sum of ``table[j, row[j]]``, or anything >= ``limit`` once that is passed."""
    total = np.float32(0.0)
    for j in range(len(row)):
        total += table[j, row[j]]
        if total >= limit:
            return total
    return total


@compiled()
def _grow_table(
    h: Counts, size: int, costs: Costs, near: float, room: Room, more: Table, less: Table
) -> None:
    """Fill ``more`` with what joining costs, and ``near`` times the distance to the mean:
    it breaks ties.
    """
    fill_tables(h, costs, room, more, less)
    n_levels = len(costs.levels)
    for j in range(h.shape[0]):
        mean, raters = 0.0, 0
        for c in range(n_levels):
            mean += h[j, c] * costs.levels[c]
            raters += h[j, c]
        mean = mean / size if costs.separates else (mean / raters if raters > 0 else 0.0)
        for c in range(n_levels):
            if costs.separates or raters > 0:
                more[j, c] += near * abs(costs.levels[c] - mean)
        if costs.separates:
            more[j, n_levels] += near * abs(mean)


@compiled()
def grow(codes: Codes, k: int, costs: Costs, near: float, seed: int, label: Whole) -> int:
    """Group the rows by ``k``, the farthest first, each group grown by the cheapest row.

    Return how many.

    The first seed is the row ``seed`` or, where that is -1, the farthest from everybody; the next
    one is the farthest from the last group. What is left over in the end joins the group where it
    costs least. Fills ``label``; needs ``k`` rows.
    """
    m, p = codes.shape
    width = len(costs.levels) + 1
    room = Room(np.zeros(width), np.zeros(width))
    more, less = np.zeros((p, width), np.float32), np.zeros((p, width), np.float32)
    groups = m // k
    h = np.zeros((groups, p, width), np.int32)
    everybody = np.zeros((p, width), np.int32)
    label[:] = -1
    for i in range(m):
        for j in range(p):
            everybody[j, codes[i, j]] += 1
    _grow_table(everybody, m, costs, near, room, more, less)
    rest = np.arange(m)
    n_rest = m
    for g in range(groups):
        # the farthest row of the rest, by the table of everybody or of the last group
        far, chosen = -np.inf, 0
        for i in range(n_rest):
            value = row_sum(more, codes[rest[i]], np.inf)
            if value > far:
                far, chosen = value, i
        if g == 0 and seed >= 0:
            chosen = seed
        for size in range(1, k + 1):
            row = rest[chosen]
            label[row] = g
            for j in range(p):
                h[g, j, codes[row, j]] += 1
            # keep the order of the rest: ties go to the earliest row
            for i in range(chosen, n_rest - 1):
                rest[i] = rest[i + 1]
            n_rest -= 1
            _grow_table(h[g], size, costs, near, room, more, less)
            if size < k:  # the cheapest to join
                least, chosen = np.inf, 0
                for i in range(n_rest):
                    value = row_sum(more, codes[rest[i]], least)
                    if value < least:
                        least, chosen = value, i
    if n_rest > 0:
        of_groups = np.zeros((groups, p, width), np.float32)
        tables(0, groups, h, costs, of_groups)
        place(0, n_rest, rest, codes, label, h, costs, of_groups)
    return int(groups)


@compiled()
def tables(first: int, last: int, h: Counts, costs: Costs, more: Table) -> None:
    """Fill ``more`` float32 (n_groups, p, L + 1) of the groups ``first``
    <= g < ``last`` from ``h``.
    """
    width = len(costs.levels) + 1
    room, less = Room(np.zeros(width), np.zeros(width)), np.zeros((h.shape[1], width), np.float32)
    for g in range(first, last):
        fill_tables(h[g], costs, room, more[g], less)


@compiled()
def place(
    first: int,
    last: int,
    which: Whole,
    codes: Codes,
    label: Whole,
    h: Counts,
    costs: Costs,
    more: Table,
) -> None:
    """Put the rows ``which[first:last]`` into the group where each adds least to the cost.

    ``label``, and the groups' histograms ``h`` and tables ``more``, are kept up for the next row.
    """
    n_groups, p, width = h.shape
    room, less = Room(np.zeros(width), np.zeros(width)), np.zeros((p, width), np.float32)
    for i in which[first:last]:
        least, cheapest = np.inf, 0
        for g in range(n_groups):
            value = row_sum(more[g], codes[i], least)
            if value < least:
                least, cheapest = value, g
        label[i] = cheapest
        for j in range(p):
            h[cheapest, j, codes[i, j]] += 1
        fill_tables(h[cheapest], costs, room, more[cheapest], less)


@compiled()
def improve(
    codes: Codes,
    label: Whole,
    n_groups: int,
    k: int,
    costs: Costs,
    alone: Floats,
    order: Whole,
    passes: int,
) -> None:
    """Move and swap rows between groups, and dissolve groups, as long as it pays.

    Groups keep at least ``k`` rows and get at most 2k - 1; rows are looked at in ``order``.
    ``label`` is changed in place.
    """
    m, p = codes.shape
    width, most = len(costs.levels) + 1, 2 * k - 1
    room = Room(np.zeros(width), np.zeros(width))
    h = np.zeros((n_groups, p, width), np.int32)
    size = np.zeros(n_groups, np.int64)
    for i in range(m):
        if label[i] >= 0:
            size[label[i]] += 1
            for j in range(p):
                h[label[i], j, codes[i, j]] += 1
    largest = most + 1
    for g in range(n_groups):
        largest = max(largest, size[g] + 1)
    more = np.zeros((n_groups, p, width), np.float32)
    less = np.zeros((n_groups, p, width), np.float32)
    groups = Groups(label, size, np.full((n_groups, largest), -1, np.int64), h, more, less)
    size[:] = 0
    for i in range(m):
        if label[i] >= 0:
            groups.member[label[i], size[label[i]]] = i
            size[label[i]] += 1
    cost = np.zeros(n_groups)
    for g in range(n_groups):
        cost[g] = fill_tables(h[g], costs, room, more[g], less[g])
    saved = 0.0
    for _ in range(passes):
        before = saved
        for g in range(n_groups):  # a group whose rows are better off alone
            lonely = 0.0
            for rank in range(size[g]):
                lonely += alone[groups.member[g, rank]]
            if size[g] > 0 and lonely < cost[g] - _SLIGHT:
                saved += cost[g] - lonely
                for rank in range(size[g]):
                    label[groups.member[g, rank]] = -1
                size[g], cost[g] = 0, 0.0
                h[g] = 0
        for i in order:
            g = label[i]
            gain = alone[i] if g < 0 else np.float64(row_sum(less[g], codes[i], np.inf))
            if gain <= _SLIGHT:
                continue
            # where it adds least: alone, or in another group, which it may have to swap for
            spare = g < 0 or size[g] > k
            limit, to = gain - _SLIGHT, -1
            if g >= 0 and spare and alone[i] < limit:
                limit, to = alone[i], _ALONE
            for other in range(n_groups):
                if other != g and size[other] > 0 and (size[other] < most or not spare):
                    value = row_sum(more[other], codes[i], limit)
                    if value < limit:
                        limit, to = value, other
            if to == -1:
                continue
            partner = -1
            if not spare:
                partner, growth = _partner(i, g, to, gain, codes, groups, costs, room)
                if partner < 0 or growth > -_SLIGHT:
                    continue
            _rearrange(i, g, to, partner, codes, groups)
            saved += (alone[i] if g < 0 else 0.0) - (alone[i] if to == _ALONE else 0.0)
            for other in (g, to):
                if other >= 0:
                    saved += cost[other]
                    cost[other] = fill_tables(h[other], costs, room, more[other], less[other])
                    saved -= cost[other]
        if saved - before <= _SLIGHT:
            break


@compiled()
def _partner(
    i: int, g: int, to: int, gain: float, codes: Codes, groups: Groups, costs: Costs, room: Room
) -> tuple[int, float]:
    """Return (row of ``to`` to swap ``i`` of ``g`` for, growth of the cost).

    Tries the likeliest few.
    """
    many = groups.size[to]
    values = np.empty(many)
    for rank in range(many):
        s = groups.member[to, rank]
        value = row_sum(groups.more[g], codes[s], np.inf)
        values[rank] = value - row_sum(groups.less[to], codes[s], np.inf)
    best, growth = -1, 0.0
    for _ in range(_TRIES):
        likely, estimate = -1, np.inf
        for rank in range(many):
            if values[rank] < estimate:
                likely, estimate = rank, values[rank]
        if likely < 0:
            break
        values[likely] = np.inf
        s = groups.member[to, likely]
        grown = exchange_cost(groups.h[g], codes[i], codes[s], costs, room)
        if grown < gain:
            grown += exchange_cost(groups.h[to], codes[s], codes[i], costs, room)
            if grown < growth:
                best, growth = s, grown
    return best, growth


@compiled()
def _rearrange(i: int, g: int, to: int, partner: int, codes: Codes, groups: Groups) -> None:
    """Move row ``i`` from group ``g`` to group ``to``, and ``partner``, if any, the other way."""
    size, member, h = groups.size, groups.member, groups.h
    for row, old, new in ((i, g, to), (partner, to, g)):
        if row < 0:
            continue
        if old >= 0:
            rank = 0
            while member[old, rank] != row:
                rank += 1
            size[old] -= 1
            member[old, rank] = member[old, size[old]]
            for j in range(codes.shape[1]):
                h[old, j, codes[row, j]] -= 1
        groups.label[row] = max(new, -1)
        if new >= 0:
            member[new, size[new]] = row
            size[new] += 1
            for j in range(codes.shape[1]):
                h[new, j, codes[row, j]] += 1


@compiled()
def _cost(codes: Codes, label: Whole, n_groups: int, costs: Costs, alone: Floats) -> float:
    """Return what all groups and the rows that are alone cost together."""
    m, p = codes.shape
    width = len(costs.levels) + 1
    room = Room(np.zeros(width), np.zeros(width))
    h = np.zeros((n_groups, p, width), np.int32)
    cost = 0.0
    for i in range(m):
        if label[i] < 0:
            cost += alone[i]
        else:
            for j in range(p):
                h[label[i], j, codes[i, j]] += 1
    for g in range(n_groups):
        group = 0.0
        for j in range(p):
            group += issue_total(h[g, j], costs, room)
        cost += group
    return float(cost)


@compiled(small=300)  # it looks for groups again and again: seconds from some hundred numbers on
def remake(
    first: int, last: int, blocks: Blocks, rows: Rows, k: int, costs: Costs, anew: bool, passes: int
) -> None:
    """Improve the blocks ``first`` <= b < ``last``, each by itself.

    With ``anew`` a block is grouped anew, and keeps its old groups unless the new ones cost less.
    """
    for b in range(first, last):
        block, n_groups = own_block(b, blocks, rows)
        m, label = len(block.members), block.label
        if anew and m < k:
            continue
        how = (k, costs, block.alone, block.turn, passes)
        if anew:
            trial = np.empty(m, np.int64)
            old = _cost(block.codes, label, n_groups, costs, block.alone)
            n_groups = grow(block.codes, k, costs, blocks.near[b], first_row(b, blocks), trial)
            improve(block.codes, trial, n_groups, *how)
            if not old - _cost(block.codes, trial, n_groups, costs, block.alone) > _SLIGHT:
                continue  # the old groups stay
            label = trial
        else:
            improve(block.codes, label, n_groups, *how)
        settle(block, label, n_groups, rows)
