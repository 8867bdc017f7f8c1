"""Compiled: moving a record next to records that stay as they are; arrays in, arrays out.

A record is ε-proximate with each of some anchors iff on every issue it lies in [max - ε, min + ε]
of theirs, and rates what they rate where a null separates. The anchors need not be proximate with
each other.

Worked example, ε = 1: the record (2, 5) next to four of the anchors (1, 1), (1, 1), (3, 1), (3, 1).
Each alone costs 3: the 5 has to become a 2. From the first (1, 1) a set is grown by its twin, then
by both (3, 1), as they add nothing: on issue 1 the room is [3 - 1, 1 + 1], where the record is, on
issue 2 [0, 2]. So the place is (2, 2), at a cost of 3. A copy of any of the four would cost 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled, kernel, part

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.uint8]

_SEEDS = 6  # sets of anchors that are tried, each grown from another of the nearest


class Scale(NamedTuple):
    """What ratings may become, and at what cost."""

    levels: Floats  # (n_levels,), numbers on the decimal grid, so that sums are exact
    width: float  # ε
    smallest: float  # the ends of the scale
    largest: float
    separates: bool
    fabricate: bool
    wanted: Floats  # (p,); the rating that a null is to come near to


@kernel
def _nearest(
    row: Codes, anchors: Codes, table: NDArray[np.float32], near: Whole, distance: Floats
) -> int:
    """Find the anchors with the least sum of ``table[j, code]``, ascending; ties by position.

    How many.
    """
    room, n = len(near), 0
    p = len(row)
    for a in range(anchors.shape[0]):
        limit = distance[n - 1] if n == room else np.inf
        value = 0.0
        for j in range(p):
            value += table[j, anchors[a, j]]
            if value >= limit:
                break
        if value < limit:
            rank = n if n < room else room - 1
            while rank > 0 and distance[rank - 1] > value:
                distance[rank] = distance[rank - 1]
                near[rank] = near[rank - 1]
                rank -= 1
            distance[rank], near[rank] = value, a
            n = min(n + 1, room)
    return n


@kernel
def _fitted(
    x: float, rated: bool, low: float, high: float, wanted: float, present: bool, separates: bool
) -> tuple[float, float]:
    """Return (rating or NaN, cost) of a record on one issue where low
    .. high is within ε of all anchors.

    A null becomes the rating there that is nearest to ``wanted``; low .. high is on the scale.
    """
    if not present:
        if rated and separates:
            return np.nan, abs(x)
        return (x, 0.0) if rated else (np.nan, 0.0)
    if rated:
        y = min(max(x, low), high)
        return y, abs(x - y)
    if not separates:
        return np.nan, 0.0
    y = min(max(wanted, low), high)
    return y, abs(y)


@compiled()
def _grown(
    row: Codes,
    seed: int,
    anchors: Codes,
    near: Whole,
    n_near: int,
    need: int,
    scale: Scale,
    target: Floats,
) -> float:
    """Grow a set of ``need`` anchors from one, by least cost; write ``target``;
    inf if there are too few.
    """
    p, levels, null, separates = len(row), scale.levels, len(scale.levels), scale.separates
    # the least and the largest rating of the anchors on each issue, NaN where none rates
    box = np.zeros((p, 2))
    for j in range(p):
        code = anchors[seed, j]
        box[j, 0] = box[j, 1] = levels[code] if code != null else np.nan
    used = np.zeros(n_near, np.bool_)
    for size in range(1, need + 1):
        if size > 1:  # the anchor that adds least to the cost
            best, cheapest = np.inf, -1
            for i in range(n_near):
                if used[i] or near[i] == seed:
                    continue
                value = 0.0
                for j in range(p):
                    code = anchors[near[i], j]
                    present = not np.isnan(box[j, 0])
                    if separates and present != (code != null):
                        value = np.inf
                        break
                    least, most = box[j, 0], box[j, 1]
                    if code != null:
                        y = levels[code]
                        least, most = (min(least, y), max(most, y)) if present else (y, y)
                        present = True
                    if present and most - least > 2.0 * scale.width:
                        value = np.inf
                        break
                    rated = row[j] != null
                    x = levels[row[j]] if rated else 0.0
                    low = max(most - scale.width, scale.smallest)
                    high = min(least + scale.width, scale.largest)
                    value += _fitted(x, rated, low, high, scale.wanted[j], present, separates)[1]
                    if value >= best:
                        break
                if value < best:
                    best, cheapest = value, i
            if cheapest < 0:
                return np.inf
            used[cheapest] = True
            for j in range(p):
                code = anchors[near[cheapest], j]
                if code != null:
                    y = levels[code]
                    if np.isnan(box[j, 0]):
                        box[j, 0] = box[j, 1] = y
                    box[j, 0], box[j, 1] = min(box[j, 0], y), max(box[j, 1], y)
    cost = 0.0  # of the nearest place in the box
    for j in range(p):
        rated = row[j] != null
        x = levels[row[j]] if rated else 0.0
        low, high = (
            max(box[j, 1] - scale.width, scale.smallest),
            min(box[j, 0] + scale.width, scale.largest),
        )
        target[j], moved = _fitted(
            x, rated, low, high, scale.wanted[j], not np.isnan(box[j, 0]), separates
        )
        cost += moved
    return cost


def steps_of(movers: int, anchors: int, need: int, issues: int) -> int:
    """Return about how many steps :func:`anchor` takes, which the size of its arrays does not
    show.
    """
    return movers * issues * (anchors + _SEEDS * need * _looked_at(need))


@part
def _looked_at(need: int) -> int:
    """Return how many of the nearest anchors are looked at."""
    return max(64, 3 * (need + 1))


@compiled()
def anchor(
    rows: Codes,
    anchors: Codes,
    need: int,
    scale: Scale,
    cost: Floats,
    target: Floats,
    first: int,
    last: int,
) -> None:
    """For the rows ``first`` <= i < ``last``: the cheapest place next
    to ``need`` of the ``anchors``.

    Looks at some anchors that are nearest, so the cost is the least of what was tried, not a proved
    least. Every anchor has ``need`` anchors proximate with it, itself included; so has a copy of
    it, which is tried as well. ``rows`` and ``anchors`` uint8 (m, p) and (a, p) are positions in
    the levels, n_levels where null. Writes ``cost`` float64 (m,), inf where there is no place, and
    ``target`` float64 (m, p), the numbers of the record in its place, NaN where null.
    """
    p, levels, null, separates = rows.shape[1], scale.levels, len(scale.levels), scale.separates
    excess, among = np.zeros((p, null + 1), np.float32), _looked_at(need)
    near, distance = np.zeros(among, np.int64), np.zeros(among)
    trial = np.zeros(p)
    for i in range(first, last):
        row = rows[i]
        # what each rating of an anchor would cost, were it the only one
        for j in range(p):
            rated = row[j] != null
            x = levels[row[j]] if rated else 0.0
            for code in range(null + 1):
                y = levels[code] if code != null else 0.0
                low, high = (
                    max(y - scale.width, scale.smallest),
                    min(y + scale.width, scale.largest),
                )
                value = _fitted(x, rated, low, high, scale.wanted[j], code != null, separates)[1]
                if not rated and separates and code != null and not scale.fabricate:
                    value = np.inf
                excess[j, code] = value
        n = _nearest(row, anchors, excess, near, distance)
        cost[i] = np.inf
        for seed in range(min(n, _SEEDS)):  # sets grown from the nearest
            if distance[seed] >= cost[i]:
                break
            value = _grown(row, near[seed], anchors, near, n, need, scale, trial)
            if value < cost[i]:
                cost[i] = value
                target[i] = trial
        for seed in range(n):  # copies
            value = 0.0
            for j in range(p):
                rated = row[j] != null
                code = anchors[near[seed], j]
                x = levels[row[j]] if rated else 0.0
                y = levels[code] if code != null else 0.0
                # a null that matches anything may stay; a rating beside none may not
                if separates or rated:
                    value += abs(x - y)
            if value < cost[i]:
                cost[i] = value
                for j in range(p):
                    code = anchors[near[seed], j]
                    copied = code if separates or row[j] != null else null
                    target[i, j] = levels[copied] if copied != null else np.nan


@compiled()
def nearest_copies(
    rows: Codes,
    models: Codes,
    levels: Floats,
    fabricate: bool,
    model: Whole,
    cost: Floats,
    first: int,
    last: int,
) -> None:
    """For the rows ``first`` <= i < ``last``: which of ``models`` it
    costs least to become a copy of.

    Writes ``model[i]``, -1 where there is none (nothing may be fabricated), and ``cost[i]``, inf
    there.
    """
    p, null = rows.shape[1], len(levels)
    table = np.zeros((p, null + 1), np.float32)
    near, distance = np.zeros(1, np.int64), np.zeros(1)
    for i in range(first, last):
        for j in range(p):
            rated = rows[i, j] != null
            x = levels[rows[i, j]] if rated else 0.0
            for code in range(null + 1):
                table[j, code] = abs(x - (levels[code] if code != null else 0.0))
                if not rated and code != null and not fabricate:
                    table[j, code] = np.inf
        n = _nearest(rows[i], models, table, near, distance)
        model[i] = near[0] if n > 0 else -1
        cost[i] = distance[0] if n > 0 else np.inf
