"""Compiled: groups of k records of low cost, grown, improved by moves and swaps, and made anew; arrays only.

Records are rows of ``codes``, uint8 (m, p), the number of levels where null. ``label`` is the group of each
row, -1 for a row that is alone and costs ``alone``. Over 500 lines, and one idea: the search for cheap
groups, whose layers share their arrays:

costs      a group's issue j is a histogram of its members' codes: ``h[j, c]`` members have code c, and
           ``h[j, L]`` are null. The cost is that of distortion/windows.py, found by trying every window that
           can be best. Tables of differences make "what if this record joined" a sum of p look-ups
growing    groups of k records, the farthest first, each grown by the cheapest record
improving  moves, swaps and dissolved groups, as long as they pay; blocks grouped anew where that costs less
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.uint8]
Table = NDArray[np.float32]

_TRIES = 4  # members of the other group that a swap is worked out for
_SLIGHT = 1e-6  # less gain than this is rounding
_ALONE = -2  # where a row goes that leaves its group for none


class Costs(NamedTuple):
    """What a cost depends on besides the histogram.

    Attributes
    ----------
    levels : float64 (L,), ascending; numbers of the Measure
    low, high : float64 (n_windows,); windows on the scale that can be best, by ascending low end
    below, upto : int64 (n_windows,); how many levels are < low, and <= high
    width : float64 (L,); how far apart two ratings may be: one number, and others for other columns
    separates, fabricate, median : as in distortion/windows.py
    """

    levels: Floats
    low: Floats
    high: Floats
    below: Whole
    upto: Whole
    width: Floats
    separates: bool
    fabricate: bool
    median: bool


@compiled()
def issue_total(h: NDArray[np.int32], costs: Costs, count: Floats, total: Floats) -> float:
    """Return the cost of the histogram ``h`` int32 (L + 1,); ``count`` and ``total`` (L + 1,) are scratch."""
    levels = costs.levels
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
    if zeros > 0 and not costs.median:  # the cost is convex in the window's place: go on while it falls
        best = np.inf
        for q in range(len(costs.low)):
            here = zeros * abs(min(max(0.0, costs.low[q]), costs.high[q]))
            here += _moved(q, costs, count, total)
            if here > best:
                break
            best = here
        return float(min(best, erase))
    low, high, best = least, most, 0.0
    if most - least > costs.width[first]:
        best = np.inf
        for q in range(len(costs.low)):
            if costs.low[q] < least:
                continue
            if costs.high[q] > most:
                break
            here = _moved(q, costs, count, total)
            if here < best:
                low, high, best = costs.low[q], costs.high[q], here
    if zeros > 0:
        middle = first
        while 2.0 * count[middle + 1] < count[n_levels]:
            middle += 1
        best = min(best + zeros * abs(min(max(levels[middle], low), high)), erase)
    return float(best)


@compiled()
def _moved(q: int, costs: Costs, count: Floats, total: Floats) -> float:
    """Return what moving all ratings into window ``q`` costs; ``count``, ``total`` are sums up to levels."""
    n_levels, below, upto = len(costs.levels), costs.below[q], costs.upto[q]
    here = costs.low[q] * count[below] - total[below]
    here += total[n_levels] - total[upto] - costs.high[q] * (count[n_levels] - count[upto])
    return float(here)


@compiled()
def group_total(h: NDArray[np.int32], costs: Costs, count: Floats, total: Floats) -> float:
    """Return the cost of a group, ``h`` int32 (p, L + 1)."""
    cost = 0.0
    for j in range(h.shape[0]):
        cost += issue_total(h[j], costs, count, total)
    return cost


def _of_lists(costs: Costs) -> Costs:
    """Return ``costs`` as lists, in which plain Python looks numbers up several times faster."""
    arrays: Any = costs
    return Costs(*(field.tolist() if isinstance(field, np.ndarray) else field for field in arrays))


def _fill_tables_of_lists(
    h: NDArray[np.int32], costs: Costs, count: Floats, total: Floats, more: NDArray[np.float32],
    less: NDArray[np.float32],
) -> float:  # fmt: skip
    """Do as :func:`fill_tables`."""
    costs, width = _of_lists(costs), h.shape[1]
    room: tuple[Any, Any] = ([0.0] * width, [0.0] * width)
    cost, joined, left = 0.0, [], []
    for mine in h.tolist():
        now = issue_total(mine, costs, *room)
        cost += now
        for c in range(width):
            mine[c] += 1
            joined.append(issue_total(mine, costs, *room) - now)
            mine[c] -= 2
            left.append(now - issue_total(mine, costs, *room) if mine[c] >= 0 and now > 0.0 else 0.0)
            mine[c] += 1
    more[:] = np.array(joined).reshape(h.shape)
    less[:] = np.array(left).reshape(h.shape)
    return cost


@compiled(plain=_fill_tables_of_lists)
def fill_tables(
    h: NDArray[np.int32], costs: Costs, count: Floats, total: Floats, more: NDArray[np.float32],
    less: NDArray[np.float32],
) -> float:  # fmt: skip
    """Fill ``more[j, c]``, what a member with code c on issue j adds, and ``less[j, c]``, what it saves.

    Both float32 (p, L + 1). Returns the group's cost.
    """
    cost = 0.0
    for j in range(h.shape[0]):
        mine = h[j]
        now = issue_total(mine, costs, count, total)
        cost += now
        for c in range(h.shape[1]):
            mine[c] += 1
            more[j, c] = issue_total(mine, costs, count, total) - now
            mine[c] -= 1
            less[j, c] = 0.0
            if mine[c] > 0 and now > 0.0:
                mine[c] -= 1
                less[j, c] = now - issue_total(mine, costs, count, total)
                mine[c] += 1
    return cost


@compiled()
def exchange_cost(
    h: NDArray[np.int32], leaver: NDArray[np.uint8], comer: NDArray[np.uint8], costs: Costs, count: Floats,
    total: Floats,
) -> float:  # fmt: skip
    """Return what a group's cost grows by if ``leaver`` (p codes) goes and ``comer`` takes its place."""
    growth = 0.0
    for j in range(h.shape[0]):
        if leaver[j] != comer[j]:
            mine = h[j]
            growth -= issue_total(mine, costs, count, total)
            mine[leaver[j]] -= 1
            mine[comer[j]] += 1
            growth += issue_total(mine, costs, count, total)
            mine[leaver[j]] += 1
            mine[comer[j]] -= 1
    return growth


@compiled()
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
    h: NDArray[np.int32], size: int, costs: Costs, near: float, count: Floats, total: Floats, more: Table,
    less: Table,
) -> None:  # fmt: skip
    """Fill ``more`` with what joining costs, and ``near`` times the distance to the mean: it breaks ties."""
    fill_tables(h, costs, count, total, more, less)
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
    """Group the rows by ``k``, the farthest first, each group grown by the cheapest row; return how many.

    The first seed is the row ``seed`` or, where that is -1, the farthest from everybody; the next one is the
    farthest from the last group. What is left over in the end joins the group where it costs least. Fills
    ``label``; needs ``k`` rows.
    """
    m, p = codes.shape
    width = len(costs.levels) + 1
    count, total = np.zeros(width), np.zeros(width)
    more, less = np.zeros((p, width), np.float32), np.zeros((p, width), np.float32)
    groups = m // k
    h = np.zeros((groups, p, width), np.int32)
    everybody = np.zeros((p, width), np.int32)
    label[:] = -1
    for i in range(m):
        for j in range(p):
            everybody[j, codes[i, j]] += 1
    _grow_table(everybody, m, costs, near, count, total, more, less)
    rest = np.arange(m)
    n_rest = m
    for g in range(groups):
        far, at = -np.inf, 0
        for i in range(n_rest):
            value = row_sum(more, codes[rest[i]], np.inf)
            if value > far:
                far, at = value, i
        if g == 0 and seed >= 0:
            at = seed
        for size in range(1, k + 1):
            row = rest[at]
            label[row] = g
            for j in range(p):
                h[g, j, codes[row, j]] += 1
            # keep the order of the rest: ties go to the earliest row
            for i in range(at, n_rest - 1):
                rest[i] = rest[i + 1]
            n_rest -= 1
            _grow_table(h[g], size, costs, near, count, total, more, less)
            if size < k:
                least, at = np.inf, 0
                for i in range(n_rest):
                    value = row_sum(more, codes[rest[i]], least)
                    if value < least:
                        least, at = value, i
    if n_rest > 0:
        of_groups = np.zeros((groups, p, width), np.float32)
        tables(0, groups, h, costs, of_groups)
        place(0, n_rest, rest, codes, label, h, costs, of_groups)
    return int(groups)


@compiled()
def tables(first: int, last: int, h: NDArray[np.int32], costs: Costs, more: NDArray[np.float32]) -> None:
    """Fill ``more`` float32 (n_groups, p, L + 1) of the groups ``first`` <= g < ``last`` from ``h``."""
    width = len(costs.levels) + 1
    count, total = np.zeros(width), np.zeros(width)
    less = np.zeros((h.shape[1], width), np.float32)
    for g in range(first, last):
        fill_tables(h[g], costs, count, total, more[g], less)


@compiled()
def place(
    first: int, last: int, which: Whole, codes: Codes, label: Whole, h: NDArray[np.int32], costs: Costs,
    more: NDArray[np.float32],
) -> None:  # fmt: skip
    """Put the rows ``which[first:last]`` into the group where each adds least to the cost.

    ``label``, and the groups' histograms ``h`` and tables ``more``, are kept up for the next row.
    """
    n_groups, p, width = h.shape
    count, total = np.zeros(width), np.zeros(width)
    less = np.zeros((p, width), np.float32)
    for i in which[first:last]:
        least, at = np.inf, 0
        for g in range(n_groups):
            value = row_sum(more[g], codes[i], least)
            if value < least:
                least, at = value, g
        label[i] = at
        for j in range(p):
            h[at, j, codes[i, j]] += 1
        fill_tables(h[at], costs, count, total, more[at], less)


@compiled()
def improve(
    codes: Codes, label: Whole, n_groups: int, k: int, most: int, costs: Costs, alone: Floats, order: Whole,
    passes: int,
) -> float:  # fmt: skip
    """Move and swap rows between groups, and dissolve groups, as long as it pays; return what it saved.

    Groups keep at least ``k`` rows and get at most ``most``; rows are looked at in ``order``. ``label`` is
    changed in place.
    """
    m, p = codes.shape
    width = len(costs.levels) + 1
    count, total = np.zeros(width), np.zeros(width)
    h = np.zeros((n_groups, p, width), np.int32)
    more = np.zeros((n_groups, p, width), np.float32)
    less = np.zeros((n_groups, p, width), np.float32)
    size = np.zeros(n_groups, np.int64)
    for i in range(m):
        if label[i] >= 0:
            size[label[i]] += 1
            for j in range(p):
                h[label[i], j, codes[i, j]] += 1
    largest = most + 1
    for g in range(n_groups):
        largest = max(largest, size[g] + 1)
    member = np.full((n_groups, largest), -1, np.int64)
    size[:] = 0
    for i in range(m):
        if label[i] >= 0:
            member[label[i], size[label[i]]] = i
            size[label[i]] += 1
    cost = np.zeros(n_groups)
    for g in range(n_groups):
        cost[g] = fill_tables(h[g], costs, count, total, more[g], less[g])
    saved = 0.0
    for _ in range(passes):
        before = saved
        for g in range(n_groups):  # a group whose rows are better off alone
            lonely = 0.0
            for at in range(size[g]):
                lonely += alone[member[g, at]]
            if size[g] > 0 and lonely < cost[g] - _SLIGHT:
                saved += cost[g] - lonely
                for at in range(size[g]):
                    label[member[g, at]] = -1
                size[g], cost[g] = 0, 0.0
                h[g] = 0
        for i in order:
            g = label[i]
            gain = alone[i] if g < 0 else np.float64(row_sum(less[g], codes[i], np.inf))
            if gain <= _SLIGHT:
                continue
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
                partner, growth = _partner(i, g, to, gain, codes, size, member, h, more, less, costs, count,
                                           total)  # fmt: skip
                if partner < 0 or growth > -_SLIGHT:
                    continue
            _rearrange(i, g, to, partner, codes, label, size, member, h)
            saved += (alone[i] if g < 0 else 0.0) - (alone[i] if to == _ALONE else 0.0)
            for other in (g, to):
                if other >= 0:
                    saved += cost[other]
                    cost[other] = fill_tables(h[other], costs, count, total, more[other], less[other])
                    saved -= cost[other]
        if saved - before <= _SLIGHT:
            break
    return saved


@compiled()
def _partner(
    i: int, g: int, to: int, gain: float, codes: Codes, size: Whole, member: Whole,
    h: NDArray[np.int32], more: Table, less: Table, costs: Costs, count: Floats, total: Floats,
) -> tuple[int, float]:  # fmt: skip
    """Return (row of ``to`` to swap ``i`` of ``g`` for, growth of the cost); tries the likeliest few."""
    tried = np.full(_TRIES, -1, np.int64)
    best, growth = -1, 0.0
    for attempt in range(_TRIES):
        likely, estimate = -1, np.inf
        for at in range(size[to]):
            s = member[to, at]
            known = False
            for before in range(attempt):
                known |= tried[before] == s
            if not known:
                value = row_sum(more[g], codes[s], np.inf) - row_sum(less[to], codes[s], np.inf)
                if value < estimate:
                    likely, estimate = s, value
        if likely < 0:
            break
        tried[attempt] = likely
        grown = exchange_cost(h[g], codes[i], codes[likely], costs, count, total)
        if grown < gain:
            grown += exchange_cost(h[to], codes[likely], codes[i], costs, count, total)
            if grown < growth:
                best, growth = likely, grown
    return best, growth


@compiled()
def _rearrange(
    i: int, g: int, to: int, partner: int, codes: Codes, label: Whole, size: Whole, member: Whole,
    h: NDArray[np.int32],
) -> None:  # fmt: skip
    """Move row ``i`` from group ``g`` to group ``to``, and ``partner``, if any, the other way."""
    for row, old, new in ((i, g, to), (partner, to, g)):
        if row < 0:
            continue
        if old >= 0:
            at = 0
            while member[old, at] != row:
                at += 1
            size[old] -= 1
            member[old, at] = member[old, size[old]]
            for j in range(codes.shape[1]):
                h[old, j, codes[row, j]] -= 1
        label[row] = max(new, -1)
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
    count, total = np.zeros(width), np.zeros(width)
    h = np.zeros((n_groups, p, width), np.int32)
    cost = 0.0
    for i in range(m):
        if label[i] < 0:
            cost += alone[i]
        else:
            for j in range(p):
                h[label[i], j, codes[i, j]] += 1
    for g in range(n_groups):
        cost += group_total(h[g], costs, count, total)
    return float(cost)


@compiled(small=300)  # it looks for groups again and again: seconds from some hundred numbers on
def remake(
    first: int, last: int, rows: Whole, bounds: Whole, codes: Codes, label: Whole, k: int, costs: Costs,
    alone: Floats, order: Whole, near: Floats, seed: Floats, anew: bool, passes: int, saved: Floats,
) -> None:  # fmt: skip
    """Improve the blocks ``first`` <= b < ``last``, each by itself.

    Block b is ``rows[bounds[b]:bounds[b + 1]]`` and holds whole groups, and rows that are alone. With
    ``anew`` it is grouped anew, from the row at the fraction ``seed[b]`` of it (negative: from the farthest)
    and with the weight ``near[b]``, and keeps its old groups unless the new ones cost less.
    ``label`` is the first row of a row's group, -1 for one that is alone; ``order`` ranks the rows, to look
    at them in a random order. ``saved[b]`` is what was saved.
    """
    for b in range(first, last):
        mine = rows[bounds[b] : bounds[b + 1]]
        m = len(mine)
        part = np.empty((m, codes.shape[1]), np.uint8)
        lonely, ranks = np.empty(m), np.empty(m, np.int64)
        for i in range(m):
            part[i] = codes[mine[i]]
            lonely[i] = alone[mine[i]]
            ranks[i] = order[mine[i]]
        local = np.full(m, -1, np.int64)
        by_label = np.argsort(label[mine])
        n_groups = 0
        for at in range(m):
            i = by_label[at]
            if label[mine[i]] >= 0:
                if at == 0 or label[mine[by_label[at - 1]]] != label[mine[i]]:
                    n_groups += 1
                local[i] = n_groups - 1
        turn = np.argsort(ranks)
        if anew:
            if m < k:
                continue
            trial = np.empty(m, np.int64)
            begin = min(int(seed[b] * m), m - 1) if seed[b] >= 0.0 else -1
            trial_groups = grow(part, k, costs, near[b], begin, trial)
            improve(part, trial, trial_groups, k, 2 * k - 1, costs, lonely, turn, passes)
            gain = _cost(part, local, n_groups, costs, lonely) - _cost(
                part, trial, trial_groups, costs, lonely
            )
            if not gain > _SLIGHT:
                continue
            saved[b] = gain
            local, n_groups = trial, trial_groups
        else:
            saved[b] = improve(part, local, n_groups, k, 2 * k - 1, costs, lonely, turn, passes)
        leader = np.full(n_groups, -1, np.int64)
        for i in range(m):
            if local[i] >= 0 and leader[local[i]] < 0:
                leader[local[i]] = mine[i]
            label[mine[i]] = -1 if local[i] < 0 else leader[local[i]]
