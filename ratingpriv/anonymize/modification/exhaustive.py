"""The cheapest groups of few records, by trying every one: who stays untouched, who goes with whom.

A set of records can stay untouched if each of them has k neighbours in it, itself included; every group of at
least k can be made a clique, at the cost that distortion/windows.py gives. What remains is to cut the others
into groups at the least cost, which is a sum over subsets: the least cost of a set is that of the group which
holds its first record, plus the least cost of what is left. So 3^m steps do for m records, and nothing that
leaves records untouched and groups the others costs less [ours]. No way is known that is fast on many.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification.plan import Task
from ratingpriv.partition.distortion.windows import choose_windows
from ratingpriv.proximity.pairs import pairs

__all__ = ["EXHAUSTIVE", "cheapest_groups"]

EXHAUSTIVE = 10
"""Most records of which every grouping is tried: 3^10 steps, and the costs of 2^10 groups."""


def cheapest_groups(task: Task) -> tuple[NDArray[np.int64], float]:
    """Return (the label of each record's group, -1 where it stays untouched; what that costs).

    Parameters
    ----------
    task : of at least k and at most EXHAUSTIVE records

    Returns
    -------
    int64 (n,), and float in numbers of the Measure; of equally cheap ways, one that groups few records
    """
    n, k = task.table.n_records, task.target.k
    cost = _costs(task)
    least, group = [0.0, *[float("inf")] * ((1 << n) - 1)], [0] * (1 << n)
    for rest in range(1, 1 << n):
        first = rest & -rest
        others = some = rest ^ first
        while True:  # every subset of the others
            mine = some | first
            here = cost[mine] + least[rest ^ mine]
            if here < least[rest]:
                least[rest], group[rest] = here, mine
            if some == 0:
                break
            some = (some - 1) & others
    everybody, near = (1 << n) - 1, _near(task)
    price, _, still = min(
        (least[everybody ^ still], n - still.bit_count(), still)
        for still in range(1 << n)
        if all((near[i] & still).bit_count() >= k for i in range(n) if still >> i & 1)
    )
    labels, rest, count = np.full(n, -1, dtype=np.int64), everybody ^ still, 0
    while rest:
        labels[_members(group[rest])] = count
        rest, count = rest ^ group[rest], count + 1
    return labels, price


def _members(mine: int) -> list[int]:
    """Return the positions of a set's bits, ascending."""
    return [i for i in range(mine.bit_length()) if mine >> i & 1]


def _near(task: Task) -> list[int]:
    """Return the set of records that are ε-proximate with each record, itself included."""
    near = [1 << i for i in range(task.table.n_records)]
    for block in pairs(task.table, task.target.epsilon, nulls=task.target.nulls, threads=1):
        for i, j in zip(block.left.tolist(), block.right.tolist(), strict=True):
            near[i] |= 1 << j
            near[j] |= 1 << i
    return near


def _costs(task: Task) -> list[float]:
    """Return the cost of each set of records as a group; inf for fewer than k of them."""
    n, k = task.table.n_records, task.target.k
    sets = [mine for mine in range(1 << n) if mine.bit_count() >= k]
    members = np.array([i for mine in sets for i in _members(mine)], dtype=np.int64)
    bounds = np.cumsum([0, *(mine.bit_count() for mine in sets)])
    windows = choose_windows(task.table, task.by, members, bounds, fabricate=task.fabricate)
    cost = np.full(1 << n, np.inf)
    cost[sets] = windows.group_cost
    return cost.tolist()
