"""Compiled: groups of k records improved by moves and swaps, and grouped anew where that costs less.

Works on one block: some records (rows of ``codes``, uint8 (m, p), the number of levels where null) and the
groups that they form. ``label`` is the group of each row, -1 for a row that is alone and costs ``alone``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification._costs import Costs, exchange_cost, fill_tables, group_total
from ratingpriv.anonymize.modification._growing import grow, row_sum
from ratingpriv.compute.compiling import compiled

__all__ = ["improve", "remake"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.uint8]
Table = NDArray[np.float32]

_TRIES = 4  # members of the other group that a swap is worked out for
_SLIGHT = 1e-6  # less gain than this is rounding
_ALONE = -2  # where a row goes that leaves its group for none


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


@compiled()
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
