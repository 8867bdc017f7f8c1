"""The smallest ε at which groups of k leave few records out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.near.demands import Demands, Judge
from ratingpriv.partition.near.made import NULLS, NearGroups, made
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


def checked_share(name: str, value: object) -> float:
    """Return a share from 0 to 1."""
    number = checks.non_negative_number(name, value)
    if number > 1:
        raise ParameterError(name, value, "a share from 0 to 1", "one percent is 0.01")
    return number


def refuse_few(table: RatingTable, k: int) -> None:
    """Refuse groups of one, and a table of fewer than 2k records: ParameterError."""
    if k == 1:
        raise ParameterError("k", k, "at least 2: a group of one is the record itself")
    if table.n_records < 2 * k:
        expected = f"at least {2 * k} records, twice `k`: with one group there is nothing to choose"
        raise ParameterError("table", f"{table.n_records} records", expected, "ask for a smaller `k`")


@dataclass(slots=True)
class Search:
    """A search among candidates for ε, ascending; ``found`` are the groups at those tried, by place."""

    candidates: Sequence[float]
    found: dict[int, NearGroups]

    @classmethod
    def of(
        cls, table: RatingTable, every: Sequence[float], target: Target, nulls: str, demands: Demands,
        most: float, resources: Resources,
    ) -> tuple[Search, int | None]:  # fmt: skip
        """Halve the candidates until one serves, and the next smaller does not; return its place."""
        search = cls(every, {})
        low, high = -1, len(every)
        while high - low > 1:
            middle = (low + high) // 2
            at = replace(target, epsilon=every[middle])
            search.found[middle] = found = made(table, at, nulls, demands, resources)
            low, high = (low, middle) if found.left_out_share <= most else (middle, high)
        return search, None if high == len(every) else high


def least_epsilon(
    table: RatingTable,
    k: int,
    withhold_at_most: float = 0.02,
    *,
    nulls: str = "exchange",
    max_share: float | None = None,
    distinct: int | None = None,
    entropy: float | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    sensitive_nulls: str = "paper",
    judge: Judge | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> LeastEpsilon:
    """Find the smallest ε at which groups of ``k`` leave at most a share of the records out.

    A larger ε is taken to leave no more out than a smaller one.

    Parameters
    ----------
    withhold_at_most : the share of records that may be left out, 0 to 1
    table, k, nulls, max_share, distinct, entropy, l, sensitive_nulls, judge, threads, memory, progress : as
        in :func:`ratingpriv.partition.near_groups`

    Raises
    ------
    ParameterError
        As :func:`ratingpriv.partition.near_groups`, and where no candidate serves.
    """
    most = checked_share("withhold_at_most", withhold_at_most)
    checks.choice("nulls", nulls, NULLS)
    target = Target(k=k, epsilon=0, l=l, sensitive_nulls=sensitive_nulls)
    demands = Demands(
        max_share=max_share, distinct=distinct, entropy=entropy, l=l, sensitive_nulls=sensitive_nulls,
        judge=judge,
    )  # fmt: skip
    refuse_few(table, target.k)
    demands.refuse_impossible(table)
    every, resources = candidates(table), Resources(threads, memory, progress)
    search, place = Search.of(table, every, target, nulls, demands, most, resources)
    if place is None:
        out = search.found[len(every) - 1].left_out
        expected = f"an ε below the whole range that leaves at most {most:.4g} out"
        at = f"at {in_full(every[-1])} {out} of {table.n_records} records are"
        remedy = "ask for a smaller `k` or fewer items, or allow more with `withhold_at_most`"
        raise ParameterError("k", k, f"{expected} ({at})", remedy)
    smaller = place - 1 if place else None
    return LeastEpsilon(
        every[place], search.found[place],
        None if smaller is None else every[smaller],
        None if smaller is None else search.found[smaller].left_out,
        every,
    )  # fmt: skip
