"""Raw columns of a typed file become a table: a row a record, or a row a rating."""

from __future__ import annotations

from collections.abc import Sequence

from ratingpriv.codebook.raw import RawData
from ratingpriv.formats.reading import ReadOptions
from ratingpriv.table import RatingTable
from ratingpriv_loaders import column_names

__all__ = ["not_needed", "table_of_raw"]


def not_needed(names: Sequence[str], options: ReadOptions) -> dict[str, str]:
    """Return the columns of a wide file that need not be read, with the role they are left out by."""
    from ratingpriv.codebook.applying import wanted

    if column_names.decide_layout(names, options) == "long":
        return {}
    left_out = {None: None, "identifier": "identifier", "drop": "drop"}
    return {
        name: role for name, role in wanted(names, options).items() if role in left_out and role is not None
    }


def table_of_raw(raw: RawData, options: ReadOptions) -> RatingTable:
    """Return the table of raw columns, by what is said of them."""
    from ratingpriv.codebook.applying import table_of

    return table_of(raw, options)
