"""Tables of known ratings: the golden examples, and random ones."""

import itertools

import polars as pl
from hypothesis import strategies as st

from ratingpriv import RatingTable

N = None
TABLE_1 = [[6, 1, N], [1, 6, N], [2, 5, N], [1, N, 5], [2, N, 6]]
TABLE_2 = [[3, 6, N], [2, 5, N], [4, 7, N], [5, 6, N], [1, N, 5], [2, N, 6]]
TABLE_3 = [*TABLE_2, [6, N, 6], [5, N, 5]]
CUBE = list(itertools.product((1, 5), repeat=3))
RING = [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)]


def table_of(rows, scale=None):
    columns = {f"q{issue}": [row[issue] for row in rows] for issue in range(len(rows[0]))}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64))
    return RatingTable.from_wide(frame, scale=scale)


@st.composite
def tables(draw):
    issues = draw(st.integers(1, 5))
    cell = st.none() | st.sampled_from([1.0, 2.0, 3.0, 5.0])
    rows = draw(st.lists(st.tuples(*[cell] * issues), min_size=1, max_size=9))
    return table_of(rows, draw(st.sampled_from([None, (1, 5)])))
