"""The papers' own search: bisection on ε, each ε judged by slicing's
partition [SWLZ11, §5.2.2-5.2.3].

To compare with :func:`ratingpriv.frontier`. It is not exact: where slicing and borrowing find no
partition there may be one, and k or l may hold by neighbourhoods without any. It halves the
interval from 0 to r until it is shorter than 1 and takes the whole number in it, so it is meant for
whole-number scales. For the l of Table 2 the paper prints the last interval as [2.375, 3]; halving
gives [2.25, 3], and the same answer.
"""

from __future__ import annotations

import dataclasses
import math

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.papers.slicing import prune_and_adjust, slicing
from ratingpriv.partition.verifying import verify
from ratingpriv.proximity.levels import null_distance

_ALL = Resources()

type Step = tuple[float, bool, Groups]
"""One try of the bisection: the ε, whether slicing's partition served, and its groups."""


def bisect_as_the_paper(
    table: RatingTable, target: Target, resources: Resources = _ALL
) -> tuple[float | None, list[Step]]:
    """Return (the ε that the paper's bisection ends with, None if r itself does not serve;
    its steps).

    The ε of ``target`` does not matter. ParameterError where the scale's maximum r, from which it
    starts, is not positive.
    """
    r = null_distance(table.scale)
    if r is None:
        expected = "a maximum r above 0, from which the paper's bisection starts"
        raise ParameterError("scale", table.scale, expected)
    steps: list[Step] = []

    def serves(epsilon: float) -> bool:
        groups, served = decide_as_the_paper(table, dataclasses.replace(target, epsilon=epsilon))
        steps.append((epsilon, served, groups))
        return served

    if not serves(r):
        return None, steps
    low, high = 0.0, r
    while high - low >= 1:
        middle = (low + high) / 2
        low, high = (low, middle) if serves(middle) else (middle, high)
        resources.report("halving epsilon as the paper does", len(steps), None)
    whole = float(math.floor(low) + 1 if low > 0 else 0)
    # there may be no whole number, or it need not be as good as high
    return high if whole >= high or not table.integral else whole, steps


def decide_as_the_paper(
    table: RatingTable, target: Target, *, threads: int | None = None
) -> tuple[Groups, bool]:
    """Return the groups of slicing, pruned and adjusted where one is too small,
    and whether they serve.

    That they do not proves nothing.
    """
    groups = slicing(table, target.epsilon, nulls=target.nulls, threads=threads)
    if groups.count and int(groups.sizes.min()) < target.k:
        groups = prune_and_adjust(table, groups, target.k, target.epsilon, nulls=target.nulls)
    rules = {"nulls": target.nulls, "sensitive_nulls": target.sensitive_nulls}
    verified = verify(table, groups, target.k, target.epsilon, target.l, **rules)
    return groups, bool(verified.valid and verified.unplaced == 0)
