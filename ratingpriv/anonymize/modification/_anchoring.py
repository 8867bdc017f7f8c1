"""Compiled: moving a record next to records that stay as they are; arrays in, arrays out.

A record is ε-proximate with each of some anchors iff on every issue it lies in [max - ε, min + ε] of theirs,
and rates what they rate where a null separates. The anchors need not be proximate with each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.uint8]

_SEEDS = 6  # sets of anchors that are tried, each grown from another of the nearest


@compiled()
def _nearest(row: Codes, anchors: Codes, table: NDArray[np.float32], found: Whole, distance: Floats) -> int:
    """Find the anchors with the least sum of ``table[j, code]``, ascending; ties by position. How many."""
    room, n = len(found), 0
    p = len(row)
    for a in range(anchors.shape[0]):
        limit = distance[n - 1] if n == room else np.inf
        value = 0.0
        for j in range(p):
            value += table[j, anchors[a, j]]
            if value >= limit:
                break
        if value < limit:
            at = n if n < room else room - 1
            while at > 0 and distance[at - 1] > value:
                distance[at] = distance[at - 1]
                found[at] = found[at - 1]
                at -= 1
            distance[at], found[at] = value, a
            n = min(n + 1, room)
    return n


@compiled()
def _fitted(
    x: float, rated: bool, low: float, high: float, wanted: float, present: bool, separates: bool
) -> tuple[float, float]:
    """Return (rating or NaN, cost) of a record on one issue where low .. high is within ε of all anchors.

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
    row: Codes, seed: int, anchors: Codes, near: Whole, n_near: int, need: int, levels: Floats, width: float,
    smallest: float, largest: float, separates: bool, wanted: Floats, box: Floats, target: Floats,
) -> float:  # fmt: skip
    """Grow a set of ``need`` anchors from one, by least cost; write ``target``; inf where there are too few.

    ``box`` float64 (p, 2) is scratch: the least and the largest rating of the anchors, NaN where none rates.
    """
    p, null = len(row), len(levels)
    for j in range(p):
        code = anchors[seed, j]
        box[j, 0] = box[j, 1] = levels[code] if code != null else np.nan
    used = np.zeros(n_near, np.bool_)
    cost = np.inf
    for size in range(1, need + 1):
        if size > 1:
            best, at = np.inf, -1
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
                    if present and most - least > 2.0 * width:
                        value = np.inf
                        break
                    rated = row[j] != null
                    x = levels[row[j]] if rated else 0.0
                    low, high = max(most - width, smallest), min(least + width, largest)
                    value += _fitted(x, rated, low, high, wanted[j], present, separates)[1]
                    if value >= best:
                        break
                if value < best:
                    best, at = value, i
            if at < 0:
                return np.inf
            used[at] = True
            for j in range(p):
                code = anchors[near[at], j]
                if code != null:
                    y = levels[code]
                    if np.isnan(box[j, 0]):
                        box[j, 0] = box[j, 1] = y
                    box[j, 0], box[j, 1] = min(box[j, 0], y), max(box[j, 1], y)
    cost = 0.0
    for j in range(p):
        rated = row[j] != null
        x = levels[row[j]] if rated else 0.0
        low, high = max(box[j, 1] - width, smallest), min(box[j, 0] + width, largest)
        target[j], here = _fitted(x, rated, low, high, wanted[j], not np.isnan(box[j, 0]), separates)
        cost += here
    return cost


@compiled()
def anchor(
    first: int, last: int, rows: Codes, anchors: Codes, need: int, among: int, levels: Floats, width: float,
    smallest: float, largest: float, separates: bool, fabricate: bool, wanted: Floats, cost: Floats,
    target: Floats,
) -> None:  # fmt: skip
    """For the rows ``first`` <= i < ``last``: the cheapest place next to ``need`` of the ``anchors``.

    Looks at the ``among`` anchors that are nearest, so the cost is the least of what was tried, not a proved
    least. Every anchor has ``need`` anchors proximate with it, itself included; so has a copy of it, which is
    tried as well.

    Parameters
    ----------
    rows, anchors : uint8 (m, p) and (a, p); positions in ``levels``, len(levels) where null
    levels : float64 (n_levels,), numbers on the decimal grid, so that sums are exact
    smallest, largest : the ends of the scale
    wanted : float64 (p,); the rating that a null is to come near to
    cost : float64 (m,); inf where there is no place
    target : float64 (m, p); the numbers of the record in its place, NaN where null
    """
    p, null = rows.shape[1], len(levels)
    excess = np.zeros((p, null + 1), np.float32)
    found, distance = np.zeros(among, np.int64), np.zeros(among)
    box, trial = np.zeros((p, 2)), np.zeros(p)
    for i in range(first, last):
        row = rows[i]
        for j in range(p):
            rated = row[j] != null
            x = levels[row[j]] if rated else 0.0
            for code in range(null + 1):
                y = levels[code] if code != null else 0.0
                low, high = max(y - width, smallest), min(y + width, largest)
                value = _fitted(x, rated, low, high, wanted[j], code != null, separates)[1]
                if not rated and separates and code != null and not fabricate:
                    value = np.inf
                excess[j, code] = value
        n = _nearest(row, anchors, excess, found, distance)
        cost[i] = np.inf
        for seed in range(min(n, _SEEDS)):
            if distance[seed] >= cost[i]:
                break
            value = _grown(
                row, found[seed], anchors, found, n, need, levels, width, smallest, largest, separates,
                wanted, box, trial,
            )  # fmt: skip
            if value < cost[i]:
                cost[i] = value
                target[i] = trial
        for seed in range(n):
            value = 0.0
            for j in range(p):
                rated = row[j] != null
                code = anchors[found[seed], j]
                x = levels[row[j]] if rated else 0.0
                y = levels[code] if code != null else 0.0
                if separates or rated:  # a null that matches anything may stay; a rating beside none may not
                    value += abs(x - y)
            if value < cost[i]:
                cost[i] = value
                for j in range(p):
                    code = anchors[found[seed], j]
                    copied = code if separates or row[j] != null else null
                    target[i, j] = levels[copied] if copied != null else np.nan


@compiled()
def nearest_copies(
    first: int, last: int, rows: Codes, models: Codes, levels: Floats, fabricate: bool, model: Whole,
    cost: Floats,
) -> None:  # fmt: skip
    """For the rows ``first`` <= i < ``last``: which of ``models`` it costs least to become a copy of.

    Writes ``model[i]``, -1 where there is none (nothing may be fabricated), and ``cost[i]``, inf there.
    """
    p, null = rows.shape[1], len(levels)
    table = np.zeros((p, null + 1), np.float32)
    found, distance = np.zeros(1, np.int64), np.zeros(1)
    for i in range(first, last):
        for j in range(p):
            rated = rows[i, j] != null
            x = levels[rows[i, j]] if rated else 0.0
            for code in range(null + 1):
                table[j, code] = abs(x - (levels[code] if code != null else 0.0))
                if not rated and code != null and not fabricate:
                    table[j, code] = np.inf
        some = _nearest(rows[i], models, table, found, distance)
        model[i] = found[0] if some > 0 else -1
        cost[i] = distance[0] if some > 0 else np.inf
