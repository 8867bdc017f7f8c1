"""Compiled: what a group costs as histograms, and what it would cost with one record more or less.

A group's issue j is a histogram of its members' codes: ``h[j, c]`` members have code c, ``h[j, L]`` are null.
The cost is that of partition/windows.py, found by trying every window that can be best. Tables of differences
make "what if this record joined" a sum of p look-ups, for any record.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.compiling import compiled

__all__ = ["Costs", "exchange_cost", "fill_tables", "group_total", "issue_total"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class Costs(NamedTuple):
    """What a cost depends on besides the histogram.

    Attributes
    ----------
    levels : float64 (L,), ascending; numbers of the Measure
    low, high : float64 (n_windows,); windows that can be best, by ascending low end
    below, upto : int64 (n_windows,); how many levels are < low, and <= high
    width : how far apart two ratings may be
    separates, fabricate : as in partition/windows.py
    """

    levels: Floats
    low: Floats
    high: Floats
    below: Whole
    upto: Whole
    width: float
    separates: bool
    fabricate: bool


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
    if most - least <= costs.width:
        best = zeros * abs(min(max(0.0, least), most))
    else:
        best = np.inf
        for q in range(len(costs.low)):
            a, b = costs.low[q], costs.high[q]
            if a < least:
                continue
            if b > most:
                break
            here = a * count[costs.below[q]] - total[costs.below[q]]
            here += total[n_levels] - total[costs.upto[q]] - b * (count[n_levels] - count[costs.upto[q]])
            if zeros > 0:
                here += zeros * abs(min(max(0.0, a), b))
            best = min(best, here)
    return float(min(best, erase)) if zeros > 0 else float(best)


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
