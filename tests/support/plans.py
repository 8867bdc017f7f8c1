"""What makes one group of a table a clique, issue by issue, and what it costs:
windows of a single group.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv import RatingTable
from ratingpriv.partition.distortion.windows import TREATMENTS, Windows, choose_windows, measure

__all__ = ["IssuePlan", "group_cost", "group_plan"]


@dataclass(frozen=True, slots=True)
class IssuePlan:
    treatment: str
    low: float
    high: float
    cost: float
    fill_value: float | None = None


def windows_of(
    table: RatingTable, positions: NDArray[np.int64], epsilon: float, nulls: str = "strict",
    fabricate: bool = True, fill: str = "metric",
) -> tuple[Windows, float]:  # fmt: skip
    by = measure(table, epsilon, nulls=nulls, fill=fill)
    bounds = np.array([0, len(positions)])
    return choose_windows(table, by, np.asarray(positions), bounds, fabricate=fabricate), by.unit


def group_plan(
    table: RatingTable, positions: NDArray[np.int64], epsilon: float, **rules: Any
) -> tuple[IssuePlan, ...]:
    """What is done with each of the table's issues to make the records
    at ``positions`` a clique.
    """
    windows, unit = windows_of(table, positions, epsilon, **rules)
    plans = [IssuePlan("empty", 0.0, 0.0, 0.0)] * table.n_issues
    numbers = np.stack((windows.low, windows.high, windows.cost, windows.fill), axis=1) / unit
    for issue, treatment, (low, high, cost, value) in zip(
        windows.issue, windows.treatment, numbers.tolist(), strict=True
    ):
        name = TREATMENTS[treatment]
        plans[int(issue)] = IssuePlan(name, low, high, cost, value if name == "fill" else None)
    return tuple(plans)


def group_cost(
    table: RatingTable, positions: NDArray[np.int64], epsilon: float, **rules: Any
) -> float:
    """The least distortion that makes the records at ``positions`` a clique."""
    windows, unit = windows_of(table, positions, epsilon, **rules)
    return float(windows.cost.sum() / unit)
