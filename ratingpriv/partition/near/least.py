"""The smallest ε at which groups of k leave few records out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.near.made import NearGrouping, NearGroups, made
from ratingpriv.proximity.levels import decimal_grid

CANDIDATES = 12


@dataclass(frozen=True, slots=True, eq=False)
class LeastEpsilon:
    """The smallest ε that serves, of those tried.

    Attributes
    ----------
    epsilon : the smallest candidate at which few enough records are left out
    near : the groups at it
    smaller, smaller_left_out : the next smaller candidate, and how many records it leaves out; None
        where there is none
    candidates : all that could have been tried, ascending
    """

    epsilon: float
    near: NearGroups
    smaller: float | None
    smaller_left_out: int | None
    candidates: tuple[float, ...]


def candidates(table: RatingTable) -> tuple[float, ...]:
    """Return the distances at which ε could be set, ascending, 0 first: at most CANDIDATES.

    Distances of two levels, below that of the first and the last, within which all are near; where
    there are more, steps of a round width.
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


def first_serving(
    table: RatingTable, grouping: NearGrouping, every: Sequence[float], most: float
) -> tuple[int | None, list[NearGroups]]:
    """Try these ε, ascending, until one leaves at most a share of ``most`` out; return its place.

    One after the other, as groups are not the best that there are: a larger ε may leave more out.
    Also the groups at all that were tried; the place is None where none serves.
    """
    tried: list[NearGroups] = []
    for index, epsilon in enumerate(every):
        tried.append(made(table, grouping.at(epsilon)))
        if tried[-1].left_out_share <= most:
            return index, tried
    return None, tried


def smallest(table: RatingTable, grouping: NearGrouping, most: float) -> LeastEpsilon:
    """Find the smallest ε that leaves at most a share of ``most`` out, as :func:`least_epsilon`."""
    grouping.refuse_impossible(table)
    every = candidates(table)
    index, tried = first_serving(table, grouping, every, most)
    if index is None:
        expected = f"an ε below the whole range that leaves at most {most:.4g} out"
        left_out_text = (
            f"at {in_full(every[-1])} {tried[-1].left_out} of {table.n_records} records are"
        )
        remedy = "ask for a smaller `k` or fewer items, or allow more with `withhold_at_most`"
        raise ParameterError("k", grouping.target.k, f"{expected} ({left_out_text})", remedy)
    smaller, out = (every[index - 1], tried[index - 1].left_out) if index else (None, None)
    return LeastEpsilon(every[index], tried[index], smaller, out, every)


def least_epsilon(
    table: RatingTable, k: int, withhold_at_most: float = 0.02, **how: Any
) -> LeastEpsilon:
    """Find the smallest ε at which groups of ``k`` leave at most a share of the records out.

    Of the candidates, distances that ratings can have, all smaller ones were tried and leave more
    out. Other groups than those that are made might do with less.

    Parameters
    ----------
    withhold_at_most : the share of records that may be left out, 0 to 1
    table, k : as in :func:`ratingpriv.partition.near_groups`
    how : everything else as there, by its name

    Raises
    ------
    ParameterError
        As :func:`ratingpriv.partition.near_groups`, and where no candidate serves.
    """
    most = checked_share("withhold_at_most", withhold_at_most)
    return smallest(table, NearGrouping.of(k, 0, **how), most)
