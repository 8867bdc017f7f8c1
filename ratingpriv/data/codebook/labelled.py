"""What SPSS and Stata say of a variable's values: words for them, and which of them mean missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ratingpriv.data.codebook.contents import cells_of_text
from ratingpriv.data.codebook.raw import RawColumn, TextCells


def declared_column(
    cells: pl.Series,
    ranges: Sequence[Mapping[str, Any]],
    words: Mapping[Any, Any],
    question: Any,
    **more: Any,
) -> RawColumn:
    """Return a column, values in ``ranges`` (of "lo" to "hi") as null; ``more`` are fields of RawColumn.

    ``words`` are those of values, and ``question`` the label of the variable; None: it has none.
    """
    missing, gone = {}, _in_ranges(cells, ranges)
    if gone is not None and (missing := cells_of_text(cells.filter(gone))):
        cells = cells.set(gone, None)
    return RawColumn(
        name=cells.name,
        cells=TextCells.of(cells) if cells.dtype in (pl.String, pl.Categorical) else cells,
        question=None if question is None else str(question),
        labels=_value_labels(words, ranges) if cells.dtype.is_numeric() else (),
        missing=missing,
        **more,
    )


def _in_ranges(cells: pl.Series, ranges: Sequence[Mapping[str, Any]]) -> pl.Series | None:
    """Whether each cell is in a range that means missing; None: there are none."""
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


def _value_labels(
    words: Mapping[Any, Any], ranges: Sequence[Mapping[str, Any]]
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
