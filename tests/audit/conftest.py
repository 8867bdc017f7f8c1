"""The worked examples of the papers as tables."""

from collections.abc import Callable

import polars as pl
import pytest

from ratingpriv import RatingTable

TABLE_1 = [(6, 1, None, 6), (1, 6, None, 1), (2, 5, None, 1), (1, None, 5, 1), (2, None, 6, 5)]
TABLE_2 = [
    (3, 6, None, 6),
    (2, 5, None, 1),
    (4, 7, None, 4),
    (5, 6, None, 1),
    (1, None, 5, 1),
    (2, None, 6, 5),
]
ROWS = {1: TABLE_1, 2: TABLE_2, 3: [*TABLE_2, (6, None, 6, 3), (5, None, 5, 2)]}


def make_table(rows: list[tuple[object, ...]], **more: object) -> RatingTable:
    """The last column is sensitive and called s; ids are t1, t2, ..."""
    names = [f"issue {column}" for column in range(1, len(rows[0]))]
    frame = pl.DataFrame(rows, schema=dict.fromkeys([*names, "s"], pl.Float64), orient="row")
    frame = frame.insert_column(0, pl.Series("id", [f"t{row}" for row in range(1, len(rows) + 1)]))
    return RatingTable.from_wide(frame, **{"id": "id", "sensitive": ["s"], **more})


@pytest.fixture
def table_of() -> Callable[..., RatingTable]:
    return make_table


@pytest.fixture
def golden() -> Callable[[int], RatingTable]:
    """Table 1, 2 or 3 of theory §3."""
    return lambda number: make_table(ROWS[number])
