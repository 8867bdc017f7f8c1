"""Compiled: how far records are from one record, a null being 0; groups grown by least cost. Arrays only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled
from ratingpriv.partition.distortion._windows import plan_issue

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@compiled()
def sums_of_differences(
    own: NDArray[np.float64],
    others: NDArray[np.int64],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write Σ |x - y| - Σ |x| to ``out`` for x, float64 (n_issues,), and each record y of ``others``."""
    for i in range(len(others)):
        total = 0.0
        for entry in range(indptr[others[i]], indptr[others[i] + 1]):
            x = own[indices[entry]]
            total += abs(values[entry] - x) - abs(x)
        out[i] = total


@compiled()
def _insert(values: Floats, count: int, value: float) -> None:
    """Put ``value`` in its place among the first ``count`` values, which are ascending."""
    at = count
    while at > 0 and values[at - 1] > value:
        values[at] = values[at - 1]
        at -= 1
    values[at] = value


@compiled()
def grow(
    group: Whole, size: int, queue: Whole, compared: int, indptr: Whole, indices: NDArray[np.int32],
    codes: Any, numbers: Floats, width: Floats, smallest: Floats, largest: Floats, separates: bool,
    fabricate: bool, median: bool, unit: float,
) -> None:  # fmt: skip
    """Fill ``group`` from ``size`` on, each time by what adds least of the first ``compared`` in the queue.

    Of equal costs the least position is taken. Costs are those of :func:`._windows.plan_groups`, bit by bit:
    the same windows, added up issue by issue, divided by ``unit``. ``width`` .. ``largest`` are (n_issues,).

    Parameters
    ----------
    group : int64 (k,), the first ``size`` of which are members
    queue : int64, who may join, the nearest first; none is a member. Overwritten
    """
    # ε = 1, the group so far rates an issue 3, and three may join:
    #   who rates it 4: one window holds 3 and 4, cost 0 -> joins first
    #   who rates it 5: a window of 1 over 3 and 5 moves one of them, cost 1
    #   who does not rate it: without[issue], what 3 and a null cost
    n_issues, room = len(width), len(group)
    count = np.zeros(n_issues, dtype=np.int64)
    slot = np.full(n_issues, -1, dtype=np.int64)  # where an issue's ratings are in ``ratings``
    ratings = np.empty((16, room))
    issues, used = np.empty(n_issues, dtype=np.int64), 0  # that a member rates, ascending
    without, values = np.empty(n_issues), np.empty(room)
    left, joined = len(queue), 0
    for step in range(room):
        if step >= size:
            # what each issue of the group costs if the newcomer does not rate it
            for position in range(used):
                i = issues[position]
                without[i] = plan_issue(
                    ratings[slot[i], : count[i]], step + 1 - count[i], width[i], smallest[i], largest[i],
                    separates, fabricate, median,
                )[4]  # fmt: skip
            best, best_cost = -1, np.inf
            for q in range(min(compared, left)):
                entry, stop = indptr[queue[q]], indptr[queue[q] + 1]
                total, position = 0.0, 0  # issues of the group and of the candidate, merged in order
                while position < used or entry < stop:
                    own = issues[position] if position < used else n_issues
                    other = np.int64(indices[entry]) if entry < stop else n_issues
                    if own < other:
                        total += without[own]
                        position += 1
                        continue
                    n = count[other]
                    if own == other:
                        values[:n] = ratings[slot[other], :n]
                        position += 1
                    _insert(values, n, numbers[codes[entry]])
                    entry += 1
                    total += plan_issue(
                        values[: n + 1], step - n, width[other], smallest[other], largest[other],
                        separates, fabricate, median,
                    )[4]  # fmt: skip
                total /= unit
                if best < 0 or total < best_cost or (total == best_cost and queue[q] < queue[best]):
                    best, best_cost = q, total
            # the cheapest leaves the queue, which stays in its order
            group[step] = queue[best]
            left -= 1
            for q in range(best, left):
                queue[q] = queue[q + 1]
        # its ratings join those of the group, sorted within each issue
        new = 0
        for entry in range(indptr[group[step]], indptr[group[step] + 1]):
            i = np.int64(indices[entry])
            if slot[i] < 0:
                if joined == len(ratings):
                    more = np.empty((2 * len(ratings), room))
                    more[: len(ratings)] = ratings
                    ratings = more
                slot[i] = joined
                joined += 1
                issues[used + new] = i
                new += 1
            _insert(ratings[slot[i]], count[i], numbers[codes[entry]])
            count[i] += 1
        if new:
            used += new
            issues[:used].sort()
