"""The smallest ε at which groups of k leave few records out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.near.near import NULLS, Demands, Judge, NearGroups, grouped
from ratingpriv.proximity.levels import decimal_grid

CANDIDATES = 12


@dataclass(frozen=True, slots=True, eq=False)
class LeastEpsilon:
    """The smallest ε that serves, of those tried.

    Attributes
    ----------
    epsilon : the smallest candidate at which few enough records are left out
    near : the groups at it
    smaller, smaller_left_out : the next smaller candidate, and how many records it leaves out; None where
        there is none
    candidates : all that could have been tried, ascending
    """

    epsilon: float
    near: NearGroups
    smaller: float | None
    smaller_left_out: int | None
    candidates: tuple[float, ...]


def candidates(table: RatingTable) -> tuple[float, ...]:
    """Return the distances at which ε could be set, ascending, 0 first: at most CANDIDATES.

    Distances of two levels, below that of the first and the last, within which all are near; where there are
    more, steps of a round width.
    """
    levels = table.levels
    if len(levels) < 2:
        return (0.0,)
    grid = decimal_grid(levels)
    if grid is not None and len(levels) <= 1000:
        apart = np.unique(np.subtract.outer(grid.numbers, grid.numbers))
        apart = apart[(apart >= 0) & (apart < apart[-1])] / 10.0**grid.decimals
        if len(apart) <= CANDIDATES:
            return tuple(apart.tolist())
    span = float(levels[-1] - levels[0])
    width = 10.0 ** np.floor(np.log10(span / (CANDIDATES - 1)))
    width *= next(step for step in (1, 2, 5, 10) if span / (width * step) <= CANDIDATES - 1)
    steps = [float(f"{number * width:.6g}") for number in range(CANDIDATES)]
    return tuple(step for step in steps if step < span)


class Asked(TypedDict, total=False):
    """The keywords that :func:`least_epsilon` hands on to :func:`~.near.near_groups`."""

    nulls: str
    max_share: float | None
    distinct: int | None
    entropy: float | None
    l: float | None  # noqa: E741
    sensitive_nulls: str
    judge: Judge | None
    threads: int | None
    memory: int | None
    progress: Progress | None


def least_epsilon(
    table: RatingTable, k: int, withhold_at_most: float = 0.02, **asked: Unpack[Asked]
) -> LeastEpsilon:
    """Find the smallest ε at which groups of ``k`` leave at most a share of the records out.

    Parameters
    ----------
    table, k : as in :func:`ratingpriv.partition.near_groups`, as are further keywords
    withhold_at_most : the share of records that may be left out, 0 to 1

    Raises
    ------
    ParameterError
        As :func:`ratingpriv.partition.near_groups`, and where no candidate serves.
    """
    most = checks.non_negative_number("withhold_at_most", withhold_at_most)
    nulls = checks.choice("nulls", asked.get("nulls", "exchange"), NULLS)
    resources = Resources(asked.get("threads"), asked.get("memory"), asked.get("progress"))
    rule = asked.get("sensitive_nulls", "paper")
    demands = Demands(
        max_share=asked.get("max_share"), distinct=asked.get("distinct"), entropy=asked.get("entropy"),
        l=asked.get("l"), sensitive_nulls=rule, judge=asked.get("judge"),
    )  # fmt: skip
    checks.whole_number("k", k, 2)
    found: dict[int, NearGroups] = {}
    every = candidates(table)

    def serves(place: int) -> bool:
        target = Target(k=k, epsilon=every[place], l=demands.l, sensitive_nulls=rule)
        found[place] = grouped(table, target, nulls, demands, resources)
        return found[place].left_out_share <= most

    low, high = -1, len(every)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if serves(middle) else (middle, high)
    if high == len(every):
        expected = f"an ε below the whole range, {in_full(every[-1])} at most, that leaves {most:.4g} out"
        remedy = "ask for a smaller `k` or fewer items, or allow more with `withhold_at_most`"
        raise ParameterError("k", k, expected, remedy)
    smaller = high - 1 if high else None
    return LeastEpsilon(
        every[high], found[high],
        None if smaller is None else every[smaller],
        None if smaller is None else found[smaller].left_out,
        every,
    )  # fmt: skip
