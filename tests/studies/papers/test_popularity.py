"""Numbers of ratings, what is outside of the most rated, residual bits by rank: planted,
naive, MovieLens.
"""

import math

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import cells, dated_table
from attack.planting import crowd, long_table
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.popularity import counts, lacking, outside, ranking

from ratingpriv import RatingTable
from ratingpriv.studies.papers.counting import outside_most_rated, rating_counts, residual_bits

RECORDS = st.lists(cells([1, 2, 4, 5]), min_size=1, max_size=8)


@pytest.mark.small
def test_four_raters_of_one_film():
    """1, 2, 4, 5: 2 bits are lacking, and 1 bit where the rating is known within 1."""
    table = long_table([("a", "x", 1, 0), ("b", "x", 2, 10), ("c", "x", 4, 30), ("d", "x", 5, 100)])
    found = residual_bits(table)
    assert (found.rated[0], found.rating[0], found.prior) == (2, 1, 2)
    # 14 days: {a, b}, {a, b}, {c}, {d}
    assert found.date[0] == 0.5
    assert residual_bits(table, date_error=20).date[0] == pytest.approx(
        (1 + math.log2(3) + 1 + 0) / 4
    )


@pytest.mark.small
def test_a_rare_film_leaves_fewer_bits_and_gives_more():
    """What is lacking falls with the rank, as in [NS08, Fig. 7].

    What is gained, as its text says, rises.
    """
    found = residual_bits(crowd(60, 12, 0.4), rating_error=1)
    assert len(set(found.rated.tolist())) > 4
    assert np.all(np.diff(found.rated) <= 0)
    assert np.all(np.diff(found.prior - found.rated) >= 0)
    assert np.all(found.rating <= found.rated)


@pytest.mark.small
@settings(max_examples=40)
@given(
    RECORDS,
    st.sampled_from(["date", "seconds"]),
    st.sampled_from([0, 1, 2]),
    st.sampled_from([0, 3]),
)
def test_plain_loops_agree(records, stamps, rating_error, date_error):
    table = dated_table(records, stamps=stamps)
    exactly, at_least, largest = rating_counts(table, 6)
    for x in range(1, 7):
        assert (exactly[x - 1], at_least[x - 1]) == counts(records, x)
    assert largest == max(map(len, records))
    for top, shares in outside_most_rated(table, (1, 2, 5, 9), (1, 2)).items():
        assert shares == {x: outside(records, 5, top, x) for x in (1, 2)}
    dated = any(day is not None for record in records for _, day in record.values())
    found = residual_bits(
        table, rating_error=rating_error, date_error=date_error if dated else None
    )
    assert found.issue.tolist() == ranking(records, 5)
    for place, issue in enumerate(found.issue.tolist()):
        raters = counts([{issue: 1} for record in records if issue in record], 1)[0]
        assert found.rated[place] == math.log2(raters)
        assert found.rating[place] == pytest.approx(
            lacking(records, issue, rating_error, lambda c: c[0])
        )
        bits = lacking(records, issue, date_error, lambda c: c[1]) if dated else None
        assert found.date[place] == pytest.approx(math.nan if bits is None else bits, nan_ok=True)


@pytest.fixture(scope="module")
def movielens(test_data):
    """MovieLens with its films in the order of their numbers: ties go to the lower one."""
    path = test_data / "ml-100k" / "u.data"
    names = ["record", "issue", "rating", "timestamp"]
    rows = pl.read_csv(path, separator="\t", has_header=False, new_columns=names).sort("issue")
    return RatingTable.from_long(rows, timestamp="timestamp")


def test_numbers_of_ratings_on_movielens(movielens):
    """The jump at 20 is how people were chosen: the curve that [NS08, §5] talks about."""
    exactly, at_least, largest = rating_counts(movielens, 1000)
    assert exactly[19:25].tolist() == [32, 24, 23, 21, 21, 16]
    assert exactly[:19].sum() == 0
    assert (at_least[0], at_least[99], largest) == (943, 364, 737)


def test_outside_the_most_rated_on_movielens(movielens):
    shares = outside_most_rated(movielens, (100, 500, 1000), (1, 5, 10))
    rows = [[100 * share for share in row.values()] for row in shares.values()]
    expected = [[100, 99.9, 96.9], [97.8, 74.2, 51.6], [64.9, 22.6, 10.9]]
    assert np.array(rows) == pytest.approx(np.array(expected), abs=0.051)


def test_residual_bits_on_movielens(movielens):
    found = residual_bits(movielens, ranks=[1, 10, 100, 500, 1000])
    assert found.prior == pytest.approx(9.88, abs=0.005)
    assert found.rated == pytest.approx([9.19, 8.74, 7.77, 6.02, 4.00], abs=0.0051)
    assert found.rating == pytest.approx([8.78, 8.07, 7.24, 5.39, 3.10], abs=0.0051)
    assert found.date == pytest.approx([6.31, 5.85, 4.90, 3.40, 1.15], abs=0.0051)
