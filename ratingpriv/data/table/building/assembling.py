"""The last step of every loader: from positions and ratings, or columns of them, to a checked RatingTable.

Loaders find out *where* ratings, ids and names are; what they need for the rest is here: splitting off the
sensitive issues, leaving out what is dropped, settling the scale, resolving or refusing repeated ratings, and
reporting what is wrong by file and line.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ratingpriv.data.table.building.columns import LocateCell, numbers_of, parts_from_columns
from ratingpriv.data.table.building.coordinates import DUPLICATES, Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.finishing import (
    Handling,
    Roles,
    dropped_issues,
    finished,
    fresh_name,
    issue_roles,
)
from ratingpriv.data.table.building.problems import (
    Locate,
    Place,
    Problems,
    missing_column,
    no_rows,
    number_text,
    unaccounted,
)
from ratingpriv.data.table.building.record_ids import factorised, normal_ids
from ratingpriv.data.table.parts import Parts
from ratingpriv.data.table.table import RatingTable

__all__ = [
    "DUPLICATES",
    "Coordinates",
    "Handling",
    "Locate",
    "LocateCell",
    "Place",
    "Problems",
    "Roles",
    "dropped_issues",
    "factorised",
    "finish_table",
    "fresh_name",
    "issue_roles",
    "missing_column",
    "no_rows",
    "normal_ids",
    "number_text",
    "numbers_of",
    "table_from_columns",
    "table_from_coordinates",
    "unaccounted",
]


def _table[**P](build: Callable[P, Parts]) -> Callable[P, RatingTable]:
    """Return ``build`` with its result as a RatingTable."""

    @functools.wraps(build)
    def table(*args: P.args, **kwargs: P.kwargs) -> RatingTable:
        return RatingTable.of(build(*args, **kwargs))

    return table


finish_table = _table(finished)
table_from_columns = _table(parts_from_columns)
table_from_coordinates = _table(parts_from_coordinates)
