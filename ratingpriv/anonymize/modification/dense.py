"""A table as a dense matrix of small codes, which is what groups are sought in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.distortion.windows import Measure
from ratingpriv.errors import ResourceError
from ratingpriv.table import RatingTable

__all__ = ["Dense", "dense"]

_ROOM = 4 << 30
_COARSE = 32  # levels that a group's cost is worked out with
_MOST = 255  # levels that uint8 codes tell apart, beside null


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """Codes of every cell.

    Attributes
    ----------
    codes : uint8 (n, p); positions in ``levels``, ``len(levels)`` where null
    levels : float64 (n_levels,), ascending, at most 32; numbers of the Measure
    exact : whether these are the table's own levels; otherwise ratings are rounded to them, which is good
        enough to choose groups with, and for nothing else
    """

    codes: NDArray[np.uint8]
    levels: NDArray[np.float64]
    exact: bool


def dense(table: RatingTable, by: Measure, memory: int | None, most: int = _COARSE) -> Dense:
    """Return the ratings of ``table`` as codes of at most ``most`` <= 255 levels.

    Raises
    ------
    ResourceError
        The matrix would take more than ``memory`` bytes (None: 4 GiB).
    """
    n, p = table.n_records, table.n_issues
    room = _ROOM if memory is None else memory
    if n * p > room:
        raise ResourceError(
            f"memory: found {n} records on {p} issues, {n * p} bytes to look for groups in, expected at most "
            f"{room}; select fewer issues (`issues='top:100'`), raise `memory`, or use `grouping='partition'`"
        )
    levels, of_code = _rounded(table, by.numbers, min(most, _MOST))
    codes = np.full((n, p), len(levels), dtype=np.uint8)
    records = np.repeat(np.arange(n), np.diff(table.indptr))
    codes[records, table.indices] = of_code[table.codes]
    return Dense(codes, levels, len(levels) == len(by.numbers))


def _rounded(
    table: RatingTable, numbers: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return (levels, the level of each of the table's codes)."""
    if len(numbers) <= most:
        return numbers, np.arange(len(numbers), dtype=np.uint8)
    reached = np.cumsum(np.bincount(table.codes, minlength=len(numbers)))
    used, new = np.unique(np.minimum(reached * most // (reached[-1] + 1), most - 1), return_inverse=True)
    middle = np.bincount(new, weights=numbers) / np.bincount(new)
    return middle[: len(used)], new.astype(np.uint8)
