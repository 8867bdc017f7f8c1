"""What the replicates of a cell add up to: a mean with an interval over the seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["CONFIDENCE", "OverSeeds", "over_seeds"]

CONFIDENCE = 0.95
"""Of the intervals, if replicates are alike and about normal (Student's t)."""

_COORDINATES = ("data", "method", "k", "epsilon", "l", "attack", "measure")


@dataclass(frozen=True, slots=True)
class OverSeeds:
    """One measure of the replicates of a cell.

    Attributes
    ----------
    where : data, method, k, epsilon, l, attack and measure
    mean : over the replicates that were measured; None where there is none
    low, high : 95 % interval of the mean by Student's t; None below two replicates. It is about seeds alone:
        other people's data may differ by more
    measured, of : how many replicates have a value, of how many
    reason : why others have none: the first one's; else empty
    """

    where: Mapping[str, Any]
    mean: float | None
    low: float | None
    high: float | None
    measured: int
    of: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return all of it by name, flat."""
        return {
            **self.where, "mean": self.mean, "low": self.low, "high": self.high, "measured": self.measured,
            "of": self.of, "reason": self.reason,
        }  # fmt: skip


def over_seeds(rows: Iterable[Mapping[str, Any]]) -> tuple[OverSeeds, ...]:
    """Put together the rows that differ in nothing but the seed, in the order in which they first come."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in _COORDINATES), []).append(row)
    return tuple(_together(where, found) for where, found in groups.items())


def _together(where: tuple[Any, ...], rows: list[Mapping[str, Any]]) -> OverSeeds:
    values = [float(row["value"]) for row in rows if row["value"] is not None]
    reason = next((row["reason"] for row in rows if row["reason"]), "")
    mean, low, high = _interval(values)
    return OverSeeds(
        dict(zip(_COORDINATES, where, strict=True)), mean, low, high, len(values), len(rows), reason
    )


def _interval(values: list[float]) -> tuple[float | None, float | None, float | None]:
    count = len(values)
    if not count:
        return None, None, None
    mean = math.fsum(values) / count
    if count == 1:
        return mean, None, None
    if min(values) == max(values):
        return values[0], values[0], values[0]
    from scipy.special import stdtrit

    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    reach = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * spread / math.sqrt(count)
    return mean, mean - reach, mean + reach
