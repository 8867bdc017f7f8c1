"""What SPSS and Stata say of a variable's values: words for them, and which of them mean missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

__all__ = ["in_ranges", "value_labels"]


def in_ranges(cells: pl.Series, ranges: Sequence[Mapping[str, Any]]) -> pl.Series | None:
    """Whether each cell is in a range (of "lo" to "hi") that means missing; None: there are no ranges."""
    found = None
    for one in ranges:
        low, high = one["lo"], one["hi"]
        if isinstance(low, str) != (cells.dtype == pl.String):
            continue
        if isinstance(low, str):
            here = cells.is_in([low.strip(), str(high).strip()])
        else:
            here = (cells >= low) & (cells <= high)
        found = here if found is None else found | here
    return None if found is None else found.fill_null(False)


def value_labels(
    words: Mapping[Any, Any], ranges: Sequence[Mapping[str, Any]] = ()
) -> tuple[tuple[float, str], ...]:
    """Return the words of values that are not missing, by value."""
    pairs = []
    for value, word in words.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            continue  # of a text variable, or of one of Stata's extended missing values
        numbers = [one for one in ranges if not isinstance(one["lo"], str)]
        if not any(one["lo"] <= value <= one["hi"] for one in numbers) and str(word).strip():
            pairs.append((float(value), str(word).strip()))
    return tuple(sorted(pairs))
