"""Compiled: the cheapest treatment of every issue of every group, and groups grown by least cost.

Numbers are ratings on the decimal grid, as float64 that hold whole numbers (exact up to 2**53), or
plain float64 ratings where the table has no grid. ``width`` is ε on the same footing.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled

_PIECE = 1 << 16  # records between two looks at Ctrl-C

EMPTY, WINDOW, ERASE, FILL = 0, 1, 2, 3

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Ends = tuple[float, float, float]  # how wide a window may be, and within which ends it lies


class Ratings(NamedTuple):
    """Ratings by record."""

    indptr: Whole  # (n_records + 1,)
    indices: NDArray[np.int32]  # (n_ratings,) issue
    codes: NDArray[Any]  # (n_ratings,)
    numbers: Floats  # (n_levels,)


class Rules(NamedTuple):
    """How windows are chosen; by issue, (n_issues,)."""

    width: Floats  # the widest
    smallest: Floats  # within which ends
    largest: Floats
    weight: Floats  # how often a cost counts
    fabricate: NDArray[np.bool_]  # whether nulls may be imputed
    separates: bool  # whether a null keeps records apart
    median: bool  # whether medians are imputed


class Windows(NamedTuple):
    """What is done with every issue that somebody of a group rates, for all groups.

    Numbers of the Measure.

    Group g holds the records ``members[bounds[g]:bounds[g + 1]]``; its rows are
    ``starts[g]:starts[g + 1]``, with ``issue`` ascending.
    """

    members: Whole
    bounds: Whole
    starts: Whole
    issue: Whole
    treatment: NDArray[np.int8]  # a position in TREATMENTS
    low: Floats
    high: Floats
    fill: Floats  # what nulls get where that is the treatment
    cost: Floats

    @property
    def changes(self) -> NDArray[np.bool_]:
        """Whether anything of each group changes, bool (n_groups,).

        Erasing or imputing a 0 costs nothing.
        """
        touched = (self.cost > 0) | (self.treatment >= ERASE)
        changed = np.zeros(len(self.starts) - 1, dtype=bool)
        changed[np.repeat(np.arange(len(changed)), np.diff(self.starts))[touched]] = True
        return changed

    @property
    def group_cost(self) -> Floats:
        """The cost of each group, float64 (n_groups,).

        Sums within each, on a decimal grid exact.
        """
        total, count = np.zeros(len(self.starts) - 1), np.diff(self.starts)
        np.add.at(total, np.repeat(np.arange(len(total)), count), self.cost)
        return total

    def pieces(self) -> list[tuple[int, int]]:
        """Return ranges of groups that have about _PIECE records each."""
        cuts = np.searchsorted(self.bounds, np.arange(0, int(self.bounds[-1]), _PIECE)[1:])
        edges = np.unique(np.concatenate(([0], cuts, [len(self.bounds) - 1]))).tolist()
        return list(itertools.pairwise(edges))


@compiled()
def _window(
    x: Floats, zeros: int, width: float, smallest: float, largest: float
) -> tuple[float, float, float]:
    """Return (low, high, cost) of the least window over sorted ``x``
    and ``zeros`` values 0 beside them.

    Windows lie within ``smallest`` .. ``largest``. See distortion/windows.py for why these
    candidates do.
    """
    # x = 1, 2, 5 and width 1: the 2 N = 6 numbers are 0, 1, 1, 2, 4, 5, and the best low ends lie
    # from the third to the fourth of them, 1 to 2. The window 1..2 leaves 5 to be moved, 2..3 moves
    # 1 and 5:
    # 3 each
    m = len(x)
    least, most = x[0], x[m - 1]
    if zeros == 0 and most - least <= width:
        return least, most, 0.0
    low, high = smallest, largest
    if largest - smallest > width:
        # merge x with the zeros (i, used_i) and x - width with the zeros (j, used_j): the best low
        # ends are those from the N-th to the (N + 1)-th of these 2 N numbers. ``top`` is the high
        # end where that is one of the numbers, and to be kept exact
        i = j = used_i = used_j = 0
        low, top, last, last_top = 0.0, np.nan, 0.0, np.nan
        for taken in range(m + zeros + 1):
            a = np.inf
            if i < m:
                a = x[i]
            if used_i < zeros and a > 0.0:
                a = 0.0
            b = np.inf
            if j < m:
                b = x[j] - width
            if used_j < zeros and b > -width:
                b = -width
            if a <= b:
                last, last_top = a, np.nan
                if i < m and x[i] == a:
                    i += 1
                else:
                    used_i += 1
            else:
                last = b
                if j < m and x[j] - width == b:
                    last_top = x[j]
                    j += 1
                else:
                    last_top = 0.0
                    used_j += 1
            if taken == m + zeros - 1:
                low, top = last, last_top
        # of the best ones the lowest among the ratings' own, or the nearest to those
        own, own_top = least, np.nan
        if most - width < least:
            own, own_top = most - width, most
        if low < own:
            low, top = (own, own_top) if own <= last else (last, last_top)
        if low < smallest:
            low, top = smallest, np.nan
        if low > largest - width:
            low, top = largest - width, largest
        if np.isnan(top):
            high = min(low + width, largest)
            while high - low > width:  # float64 only: a sum that was rounded up
                high = np.nextafter(high, -np.inf)
        else:
            high = top
            while high - low > width:
                low = np.nextafter(low, np.inf)
    cost = zeros * abs(min(max(0.0, low), high))
    for i in range(m):
        cost += max(low - x[i], 0.0) + max(x[i] - high, 0.0)
    return low, high, cost


@compiled()
def plan_issue(
    x: Floats, n_null: int, ends: Ends, separates: bool, fabricate: bool, median: bool
) -> tuple[int, float, float, float, float]:
    """Return (treatment, low, high, fill, cost) of one issue of one group;
    ``x`` float64 (m,), ascending.
    """
    width, smallest, largest = ends
    if len(x) == 0:
        return EMPTY, 0.0, 0.0, 0.0, 0.0
    if n_null == 0 or not separates:
        low, high, cost = _window(x, 0, width, smallest, largest)
        return WINDOW, low, high, 0.0, cost
    erase = 0.0
    for value in x:
        erase += abs(value)
    if fabricate:
        low, high, cost = _window(x, 0 if median else n_null, width, smallest, largest)
        fill = min(max(x[(len(x) - 1) // 2] if median else 0.0, low), high)
        if median:
            cost += n_null * abs(fill)
        if cost < erase:
            return FILL, low, high, fill, cost
    return ERASE, 0.0, 0.0, 0.0, erase


@compiled()
def count_issues(
    members: Whole, bounds: Whole, indptr: Whole, indices: NDArray[np.int32], n_issues: int
) -> Whole:
    """Return where each group's issues start among all (group, issue) that anybody rates,
    (n_groups + 1,).
    """
    starts = np.zeros(len(bounds), dtype=np.int64)
    seen = np.full(n_issues, -1, dtype=np.int64)
    for g in range(len(bounds) - 1):
        rated = 0
        for position in range(bounds[g], bounds[g + 1]):
            record = members[position]
            for entry in range(indptr[record], indptr[record + 1]):
                if seen[indices[entry]] != g:
                    seen[indices[entry]] = g
                    rated += 1
        starts[g + 1] = starts[g] + rated
    return starts


@compiled()
def plan_groups(first: int, last: int, ratings: Ratings, rules: Rules, windows: Windows) -> None:
    """Plan the groups ``first`` <= g < ``last``: fill issue .. cost of ``windows``."""
    members, bounds, starts, issue, treatment, low, high, fill, cost = windows
    indptr, indices, codes, numbers = ratings
    width, smallest, largest, weight, fabricate, separates, median = rules
    n_issues = len(width)
    count = np.zeros(n_issues, dtype=np.int64)
    start_of = np.zeros(n_issues, dtype=np.int64)
    for g in range(first, last):
        total, used = 0, starts[g]
        for position in range(bounds[g], bounds[g + 1]):
            record = members[position]
            for entry in range(indptr[record], indptr[record + 1]):
                if count[indices[entry]] == 0:
                    issue[used] = indices[entry]
                    used += 1
                count[indices[entry]] += 1
                total += 1
        issues = issue[starts[g] : used]
        issues.sort()
        reached = 0
        for i in issues:
            start_of[i] = reached
            reached += count[i]
        values = np.empty(total)
        for position in range(bounds[g], bounds[g + 1]):
            record = members[position]
            for entry in range(indptr[record], indptr[record + 1]):
                values[start_of[indices[entry]]] = numbers[codes[entry]]
                start_of[indices[entry]] += 1
        size = bounds[g + 1] - bounds[g]
        for row in range(starts[g], used):
            i = issue[row]
            x = values[start_of[i] - count[i] : start_of[i]]
            x.sort()
            ends = width[i], smallest[i], largest[i]
            treatment[row], low[row], high[row], fill[row], spent = plan_issue(
                x, size - count[i], ends, separates, fabricate[i], median
            )
            cost[row] = spent * weight[i]
            count[i] = 0


@compiled()
def sums_of_differences(
    own: Floats,
    others: Whole,
    indptr: Whole,
    indices: NDArray[np.int32],
    values: Floats,
    out: Floats,
) -> None:
    """Write Σ |x - y| - Σ |x| to ``out`` for x, float64 (n_issues,),
    and each record y of ``others``.
    """
    for i in range(len(others)):
        total = 0.0
        for entry in range(indptr[others[i]], indptr[others[i] + 1]):
            x = own[indices[entry]]
            total += abs(values[entry] - x) - abs(x)
        out[i] = total


@compiled()
def _insert(values: Floats, count: int, value: float) -> None:
    """Put ``value`` in its place among the first ``count`` values, which are ascending."""
    slot = count
    while slot > 0 and values[slot - 1] > value:
        values[slot] = values[slot - 1]
        slot -= 1
    values[slot] = value


@compiled()
def grow(
    group: Whole,
    size: int,
    queue: Whole,
    compared: int,
    ratings_of: Ratings,
    rules: Rules,
    unit: float,
) -> None:
    """Fill ``group`` from ``size`` on, each time by what adds least of
    the first ``compared`` in the queue.

    Of equal costs the least position is taken. Costs are those of :func:`plan_groups`, bit by bit:
    the same windows, added up issue by issue, divided by ``unit``. ``queue`` holds who may join,
    the nearest first, none of them a member, and is overwritten.
    """
    # ε = 1, the group so far rates an issue 3, and three may join:
    #   who rates it 4: one window holds 3 and 4, cost 0 -> joins first
    #   who rates it 5: a window of 1 over 3 and 5 moves one of them, cost 1
    #   who does not rate it: without[issue], what 3 and a null cost
    indptr, indices, codes, numbers = ratings_of
    width, smallest, largest, _, fabricate, separates, median = rules
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
                x, ends = ratings[slot[i], : count[i]], (width[i], smallest[i], largest[i])
                without[i] = plan_issue(
                    x, step + 1 - count[i], ends, separates, fabricate[i], median
                )[4]
            best, best_cost = -1, np.inf
            for q in range(min(compared, left)):
                entry, stop = indptr[queue[q]], indptr[queue[q] + 1]
                # issues of the group and of the candidate, merged in order
                total, position = 0.0, 0
                while position < used or entry < stop:
                    issue = issues[position] if position < used else n_issues
                    other = np.int64(indices[entry]) if entry < stop else n_issues
                    if issue < other:
                        total += without[issue]
                        position += 1
                        continue
                    n = count[other]
                    if issue == other:
                        values[:n] = ratings[slot[other], :n]
                        position += 1
                    _insert(values, n, numbers[codes[entry]])
                    entry += 1
                    x, ends = values[: n + 1], (width[other], smallest[other], largest[other])
                    total += plan_issue(x, step - n, ends, separates, fabricate[other], median)[4]
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
