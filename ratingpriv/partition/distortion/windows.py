"""What it costs to make a group of records ε-proximate: the least change of every issue.

Replaces the data modification of [SWLP10, §4.5] by the least there is for the group, in the metric
of [SWLP10, Def. 5-6]: Σ |x - x'| with a null counted as 0. A set is a clique of the proximity graph
iff every issue's ratings lie within ε of each other, and nulls do not stand beside ratings where
they separate. So each issue is treated by itself, in one of three ways:

window  choose [a, a + w] with the least sum of distances to it and move every rating to the nearest
        point of it. w is ε rounded down to the data's decimal grid, so that whole numbers stay
        whole
erase   the ratings are suppressed: they become null, at the cost of Σ |x|
fill    the nulls are imputed: they get the rating of the window that is nearest to 0, at the cost
        of that for each null; the window is chosen for the least total

Where some rate an issue and others do not and a null separates them, the cheaper of erase and fill
is taken; of equal ones, erase. A null that does not separate stays what it is.

*Least*: of all ways to make this issue of this group one a clique can have, on the decimal grid and
the scale S0 .. S1. Proof. Either nobody rates the issue afterwards: erase. Or the new ratings lie
in some [a, a + w] on the scale, and each of the N numbers z (ratings, and a 0 for each null that is
imputed) costs at least its distance to it. So the least is that of f(a) = Σ max(a - z, z - w - a,
0) over S0 <= a <= S1 - w: convex and piecewise linear, with the 2 N breaks {z} and {z - w}. Its
slope to the right of a is how many breaks are <= a, less N: f is least between the N-th and the (N
+ 1)-th of them, and on an interval at the point nearest to these. So the candidates are the
ratings, ratings - w, 0, -w, and the ends S0, S1 - w: all on the grid. Of several least ones, the
lowest within the ratings' own range (or around it, where that is at most w wide), or the nearest to
these: no rating is moved further for the sake of a fill that costs 0.

With ``fill="median"`` [ours] the metric has no say in what is imputed: the window is the least for
the *ratings*, and nulls get their lower median, moved into it. The cost is counted as before, so it
compares with erasing, but is not the least: imputing a low rating is cheapest only because the
metric takes a null for a 0. The cost says nothing of *how many* cells change: on a scale that has a
0, erasing or imputing one costs 0.

A quasi-identifier that may differ by ``within`` has windows like an issue, as wide as that, on its
own grid and within its own range [ours], and is never imputed. Its cost is counted in shares of
that range: to move a value over all of it costs as much as to move a rating over the whole scale.
On those that have to be equal, all records of a group have to agree before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import null_rule
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion import _windows as kernels
from ratingpriv.partition.distortion._windows import Windows as Windows
from ratingpriv.proximity.fixed_rules import with_own_issues
from ratingpriv.proximity.levels import Grid, decimal_grid, null_separates

TREATMENTS = ("empty", "window", "erase", "fill")
"""What is done with an issue of a group; "empty": nobody rates it, nothing is done."""

FILLS = ("metric", "median")
"""What nulls are imputed with; metric: what the papers' metric, with null = 0, makes cheapest;
median: the lower median of the group's ratings, moved into its window.
"""

_LARGEST = 1e15  # as in comparison/levels.py
_FARTHEST = 4e15  # wider than any two ratings on a decimal grid are apart


@dataclass(frozen=True, slots=True, eq=False)
class OwnMeasure:
    """The values of a quasi-identifier that may differ, as in Measure, of its own grid and range.

    ``weight`` is what a step costs, in numbers of the Measure.
    """

    numbers: NDArray[np.float64]
    width: float
    unit: float
    smallest: float
    largest: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A table's ratings as the numbers that windows are chosen with,
    whole where there is a decimal grid.

    A rating is a number / ``unit``, a power of ten; ``width`` is the widest a window may be,
    ``smallest`` .. ``largest`` the scale, on the grid and not inside the ratings. ``separates``:
    whether a null keeps two records apart at this ε [SWLZ11, Eq. 1]. ``median``: nulls are imputed
    with medians. ``own``: of the quasi-identifiers that may differ, in order.
    """

    numbers: NDArray[np.float64]
    width: float
    unit: float
    separates: bool
    smallest: float
    largest: float
    median: bool = False
    own: tuple[OwnMeasure, ...] = ()

    @property
    def every_number(self) -> NDArray[np.float64]:
        """The numbers of all codes of :func:`ratingpriv.proximity.fixed_rules.with_own_issues`."""
        return (
            np.concatenate((self.numbers, *(rule.numbers for rule in self.own)))
            if self.own
            else self.numbers
        )

    def rules(self, n_issues: int, fabricate: bool) -> kernels.Rules:
        """Return how windows are chosen on each issue, the quasi-identifiers last.

        A rating weighs 1.
        """
        rated = n_issues - len(self.own)
        width, smallest, largest, weight = every = np.empty((4, n_issues))
        every[:, :rated] = np.array([[self.width], [self.smallest], [self.largest], [1.0]])
        for issue, rule in enumerate(self.own, start=rated):
            every[:, issue] = rule.width, rule.smallest, rule.largest, rule.weight
        fills = np.arange(n_issues) < (rated if fabricate else 0)
        return kernels.Rules(width, smallest, largest, weight, fills, self.separates, self.median)

    @property
    def whole(self) -> bool:
        """Whether there is a decimal grid, so that sums and comparisons are exact."""
        largest = float(np.abs(self.numbers).max(initial=0.0))
        return largest <= _LARGEST and bool(np.all(self.numbers == np.floor(self.numbers)))


def measure(
    table: RatingTable, epsilon: float, *, nulls: str = "strict", fill: str = "metric"
) -> Measure:
    """Return the numbers, and the width of a window, for the ratings of ``table`` at ``epsilon``.

    Ratings of at most 9 places and 15 digits are numbers of 10**-places, and ``epsilon``, as the
    decimal it prints as, is rounded down to them; any other ratings are compared as float64.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    null_rule(nulls)
    median = checks.choice("fill", fill, FILLS) == "median"
    numbers, width, grid = _numbers(table.levels, epsilon)
    ends = (0.0, 0.0)
    if len(numbers) and table.scale is not None:
        ends = table.scale.minimum, table.scale.maximum
        if grid is not None:
            ends = -float(grid.at_most(-ends[0])), float(grid.at_most(ends[1]))
        ends = min(ends[0], float(numbers[0])), max(ends[1], float(numbers[-1]))
    rules = []
    for column in table.quasi:
        if column.within is not None:
            values, reach, its = _numbers(column.values.to_numpy(), float(column.within))
            first, last = (float(values[0]), float(values[-1])) if len(values) else (0.0, 0.0)
            weight = (ends[1] - ends[0] or _unit(grid)) / (last - first or 1.0)
            rules.append(OwnMeasure(values, reach, _unit(its), first, last, weight))
    separates = null_separates(table.scale, epsilon, nulls)
    return Measure(numbers, width, _unit(grid), separates, *ends, median, tuple(rules))


def _numbers(
    values: NDArray[np.float64], reach: float
) -> tuple[NDArray[np.float64], float, Grid | None]:
    """Return values, and how wide a window is, as numbers of their decimal grid,
    if there is one.
    """
    grid = decimal_grid(values)
    if grid is None:
        return np.array(values, dtype=np.float64), reach, None
    return grid.numbers.astype(np.float64), float(min(grid.at_most(reach), _FARTHEST)), grid


def _unit(grid: Grid | None) -> float:
    return 1.0 if grid is None else 10.0**grid.decimals


def choose_windows(
    table: RatingTable,
    by: Measure,
    members: NDArray[np.int64],
    bounds: NDArray[np.int64],
    *,
    fabricate: bool,
    progress: Progress | None = None,
) -> Windows:
    """Choose the cheapest treatment for every issue of every group; ``members``,
    ``bounds`` as in Windows.

    Quasi-identifiers that may differ are issues behind those of ``table``; on others a group must
    agree.
    """
    table = with_own_issues(table)
    ratings = kernels.Ratings(table.indptr, table.indices, table.codes, by.every_number)
    rules = by.rules(table.n_issues, fabricate)
    starts = kernels.count_issues(members, bounds, table.indptr, table.indices, table.n_issues)
    rows = int(starts[-1])
    issue, treatment = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int8)
    windows = Windows(members, bounds, starts, issue, treatment, *np.empty((4, rows)))
    for first, last in windows.pieces():
        kernels.plan_groups(first, last, ratings, rules, windows)
        if progress is not None:
            progress("choosing windows", last, len(bounds) - 1)
    return windows
