"""Raw columns of a typed file become a table: a row a record, or a row a rating."""

from __future__ import annotations

from collections.abc import Sequence

from ratingpriv.codebook.raw import RawData
from ratingpriv.formats.reading import ReadOptions
from ratingpriv.table import RatingTable
from ratingpriv_loaders import column_names

__all__ = ["TAKES", "not_needed", "table_of_raw"]

TAKES = ("codebook", "quasi", "identifier", "carry", "ratings", "keep", "only_null")
"""Reading options on roles that every loader of wide columns knows."""


def not_needed(names: Sequence[str], options: ReadOptions, *, file: str) -> dict[str, str]:
    """Return the columns of a wide file that need not be read, with the role they are left out by."""
    from ratingpriv.codebook.applying import wanted

    if column_names.decide_layout(names, options) == "long":
        return {}
    roles = wanted(names, options, file=file)
    return {name: role for name, role in roles.items() if role in ("identifier", "drop")}


def table_of_raw(raw: RawData, options: ReadOptions) -> RatingTable:
    """Return the table of raw columns, by what is said of them."""
    from ratingpriv.codebook.applying import table_of

    return table_of(raw, options)
