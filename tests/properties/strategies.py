"""Random tables: nulls, duplicates, ties, decimals, negative scales, one record, one issue,
all null.
"""

from dataclasses import replace

import numpy as np
import polars as pl
from golden.tables import build
from hypothesis import strategies as st

from ratingpriv import RatingTable
from ratingpriv.data.table import QuasiColumn

__all__ = [
    "AUDIT_NULLS",
    "LEVELS",
    "NULLS",
    "epsilons",
    "mixed_tables",
    "quasi_columns",
    "tables",
    "without_ratings",
]

NULLS = ("strict", "wildcard")
AUDIT_NULLS = (*NULLS, "known")

LEVELS: dict[str, list[float]] = {
    "survey": [1, 2, 3, 4, 5],
    "two": [0, 1],
    "tenths": [0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
    "negative": [-5, -4, -3, -1],
    "around zero": [-10, -3.5, 0, 0.25, 7, 10],
    "float": [1 / 3, 2 / 3, 1.0, 4 / 3, 3.141592653589793],
}


@st.composite
def tables(
    draw: st.DrawFn, most_records: int = 12, most_issues: int = 5, most_sensitive: int = 2
) -> RatingTable:
    """A small table."""
    levels = LEVELS[draw(st.sampled_from(sorted(LEVELS)))]
    n = draw(st.integers(1, most_records))
    p = draw(st.integers(1, most_issues))
    with_nulls = draw(st.booleans())
    rating = (
        st.one_of(st.none(), st.sampled_from(levels)) if with_nulls else st.sampled_from(levels)
    )
    rows = draw(st.lists(st.lists(rating, min_size=p, max_size=p), min_size=1, max_size=n))
    # duplicates, Hamming groups of some size
    rows += draw(st.lists(st.sampled_from(rows), max_size=n))
    value = st.one_of(
        st.none(), st.sampled_from([1, 2, 3, 5]), st.sampled_from([0.1, -2.5, 1990, 0])
    )
    columns = [
        draw(st.lists(value, min_size=len(rows), max_size=len(rows)))
        for _ in range(draw(st.integers(0, most_sensitive)))
    ]
    scale = (min(levels), max(levels)) if draw(st.booleans()) else None
    return build(rows, columns, scale=scale)


QUASI: dict[str, list[float]] = {
    "ages": [18, 20, 25, 29, 30, 31, 65],
    "tenths": [0.1, 0.2, 0.3, 0.6, 0.7, 0.8],
    "around zero": [-2.5, -1, 0, 1, 1e9],
    "many digits": [-0.001, 3, 100000000000000],
    "float": [1 / 3, 2 / 3, 1.0],
    "nothing": [],
}


@st.composite
def quasi_columns(draw: st.DrawFn, records: int, name: str = "q") -> QuasiColumn:
    """A quasi-identifier: of words or of numbers, equal or within."""
    if draw(st.booleans()):
        values, within = pl.Series(["south", "north", "east"], dtype=pl.String), None
    else:
        numbers = QUASI[draw(st.sampled_from(sorted(QUASI)))]
        values = pl.Series(numbers, dtype=pl.Float64)
        within = draw(st.sampled_from([None, 0.0, 0.1, 0.3, 1 / 3, 1.0, 5.0, 11.5, 1e14, 1e300]))
    least = -1 if draw(st.booleans()) or not len(values) else 0
    code = st.integers(least, len(values) - 1)
    codes = draw(st.lists(code, min_size=records, max_size=records))
    return QuasiColumn(name, np.array(codes, dtype=np.int32), values, within)


def without_ratings(table: RatingTable) -> RatingTable:
    """The records without any issue: quasi-identifiers alone."""
    return replace(
        table,
        issues=(),
        indptr=np.zeros(table.n_records + 1, dtype=np.int64),
        indices=np.empty(0, dtype=np.int32),
        codes=np.empty(0, dtype=np.uint8),
        levels=np.empty(0),
        scale=None,
    )


@st.composite
def mixed_tables(draw: st.DrawFn, most_records: int = 10, most_sensitive: int = 0) -> RatingTable:
    """A small table with one to three quasi-identifiers, at times with no ratings beside them."""
    table = draw(tables(most_records, 3, most_sensitive))
    if draw(st.integers(0, 7)) == 0:
        table = without_ratings(table)
    columns = [
        draw(quasi_columns(table.n_records, f"q{i}")) for i in range(draw(st.integers(1, 3)))
    ]
    return replace(table, quasi=tuple(columns))


epsilons = st.one_of(
    st.sampled_from([0, 0.1, 0.2, 0.25, 0.3, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 10, 13.5, 20]),
    st.sampled_from([1 / 3, 2 / 3, 0.6666666666666667, 1e-9, 1e300]),
    st.floats(0, 12, allow_nan=False),
)
