"""Kernels for the SD of sensitive ratings in a group that grows [SWLZ11, Eq. 3].

Sums are float64 of small integers where ratings are decimals, and exact then. The tests are a hair generous:
who uses them verifies every finished group exactly (``verifying.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import part
from ratingpriv.partition.index.arrays import Sensitive

_HAIR = 1e-12


@part
def variance(g: Any, known: Any, total: Any, squares: Any, shift: Any, ignore: bool) -> Any:
    """Return SD² of g records; +inf where nothing is known."""
    if known == 0:
        return np.inf
    mean = total / known
    spread = max(squares - total * mean, 0.0)
    if ignore:
        return spread / known
    return (spread + (g - known) * (mean + shift) * (mean + shift)) / g


@part
def add_amounts(record: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> None:
    """Count one more record."""
    for q in range(len(sensitive.needed)):
        if sensitive.known[q, record]:
            x = sensitive.numbers[q, record]
            sums[q, 0] += 1.0
            sums[q, 1] += x
            sums[q, 2] += x * x


@part
def take_amounts(record: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> None:
    """Count one record less."""
    for q in range(len(sensitive.needed)):
        if sensitive.known[q, record]:
            x = sensitive.numbers[q, record]
            sums[q, 0] -= 1.0
            sums[q, 1] -= x
            sums[q, 2] -= x * x


@part
def clear_amounts(sensitive: Sensitive, sums: NDArray[np.float64]) -> None:
    """Begin anew."""
    for q in range(len(sensitive.needed)):
        for j in range(3):
            sums[q, j] = 0.0


@part
def diverse(g: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> bool:
    """Whether the SD of the g records counted is enough on every sensitive issue."""
    for q in range(len(sensitive.needed)):
        found = variance(g, sums[q, 0], sums[q, 1], sums[q, 2], sensitive.shift[q], sensitive.ignore)
        if found < sensitive.needed[q] * (1 - _HAIR):
            return False
    return True


@part
def diverse_with(record: Any, g: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> bool:
    """Whether the SD is still enough, a hair more even, with one more record beside the g counted."""
    for q in range(len(sensitive.needed)):
        x = sensitive.numbers[q, record]
        one = 1.0 if sensitive.known[q, record] else 0.0
        found = variance(
            g + 1, sums[q, 0] + one, sums[q, 1] + x, sums[q, 2] + x * x, sensitive.shift[q], sensitive.ignore
        )
        if found < sensitive.needed[q] * (1 + _HAIR):
            return False
    return True


@part
def diverse_without(record: Any, g: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> bool:
    """Whether the SD is still enough, a hair more even, without a record of the g counted."""
    for q in range(len(sensitive.needed)):
        x = sensitive.numbers[q, record]
        one = 1.0 if sensitive.known[q, record] else 0.0
        found = variance(
            g - 1, sums[q, 0] - one, sums[q, 1] - x, sums[q, 2] - x * x, sensitive.shift[q], sensitive.ignore
        )
        if found < sensitive.needed[q] * (1 + _HAIR):
            return False
    return True


@part
def helps(record: Any, g: Any, sensitive: Sensitive, sums: NDArray[np.float64]) -> bool:
    """Whether one more record raises the SD of an issue on which it is not enough yet."""
    for q in range(len(sensitive.needed)):
        shift, ignore = sensitive.shift[q], sensitive.ignore
        now = variance(g, sums[q, 0], sums[q, 1], sums[q, 2], shift, ignore)
        if now < sensitive.needed[q] * (1 - _HAIR):
            x = sensitive.numbers[q, record]
            one = 1.0 if sensitive.known[q, record] else 0.0
            then = variance(g + 1, sums[q, 0] + one, sums[q, 1] + x, sums[q, 2] + x * x, shift, ignore)
            if then > now:
                return True
    return False
