"""Random tables: nulls, duplicates, ties, decimals, negative scales, one record, one issue, all null."""

from __future__ import annotations

from golden.tables import build
from hypothesis import strategies as st

from ratingpriv import RatingTable

__all__ = ["AUDIT_NULLS", "LEVELS", "NULLS", "epsilons", "tables"]

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
    rating = st.one_of(st.none(), st.sampled_from(levels)) if with_nulls else st.sampled_from(levels)
    rows = draw(st.lists(st.lists(rating, min_size=p, max_size=p), min_size=1, max_size=n))
    rows += draw(st.lists(st.sampled_from(rows), max_size=n))  # duplicates, Hamming groups of some size
    value = st.one_of(st.none(), st.sampled_from([1, 2, 3, 5]), st.sampled_from([0.1, -2.5, 1990, 0]))
    columns = [
        draw(st.lists(value, min_size=len(rows), max_size=len(rows)))
        for _ in range(draw(st.integers(0, most_sensitive)))
    ]
    scale = (min(levels), max(levels)) if draw(st.booleans()) else None
    return build(rows, columns, scale=scale)


epsilons = st.one_of(
    st.sampled_from([0, 0.1, 0.2, 0.25, 0.3, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 10, 13.5, 20]),
    st.sampled_from([1 / 3, 2 / 3, 0.6666666666666667, 1e-9, 1e300]),
    st.floats(0, 12, allow_nan=False),
)
