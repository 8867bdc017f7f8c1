"""Which distances matter: listed, sampled and searched,
by hand and as the distances of all pairs have it.
"""

import itertools

import numpy as np
import pytest
from golden.tables import build

from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.frontier import frontier

pytestmark = pytest.mark.small


def of(*ratings, scale=None, nulls="strict"):
    """The candidates of one issue with these ratings; None: not rated."""
    return Candidates(build([(rating,) for rating in ratings], scale=scale), nulls)


THIRDS = (1 / 3, 2 / 3, 1.0)
# distances: 0.001, 99999999999999.999 and 1e14, which float64 does not tell apart
LONG = (0, 0.001, 1e14)


# ---- all of them ----


@pytest.mark.parametrize(
    ("ratings", "asked", "expected"),
    [
        ((1, 2, 4, 8), {}, [0, 1, 2, 3, 4, 6, 7]),
        ((0.6, 0.1, 0.3), {}, [0, 0.2, 0.3, 0.5]),
        (THIRDS, {}, [0, 1 / 3, 1 - 2 / 3, 1 - 1 / 3]),
        ((3, 3), {}, [0]),
        ((None, None), {}, [0]),
        ((1, 3, None), {}, [0, 2, 3]),
        ((1, 3, None), {"scale": (1, 10)}, [0, 2, 10]),
        ((1, 3, None), {"scale": (1, 10), "nulls": "wildcard"}, [0, 2]),
        ((-3, -1, None), {}, [0, 2]),
        ((1, None), {}, [0, 1]),
        ((3, 5), {"nulls": "wildcard"}, [0, 2]),
    ],
)
def test_all_candidates(ratings, asked, expected):
    found = of(*ratings, **asked)
    assert found.listed(len(expected)) == expected
    assert found.listed(len(expected) - 1) is None
    assert found.top == expected[-1]
    assert found.sampled(20) == expected


def test_distances_that_float64_does_not_tell_apart_are_one():
    assert of(*LONG).listed(3) == [0, 0.001, 1e14]
    assert of(*LONG).listed(2) is None


def test_a_null_matters_only_where_some_rate_and_some_do_not():
    assert Candidates(build([(None,), (None,)], scale=(1, 5)), "strict").listed(9) == [0]
    assert Candidates(build([(1, 1), (2, 2), (1, 1), (2, 2)], scale=(1, 5)), "strict").listed(
        9
    ) == [0, 1]
    assert Candidates(build([(1, None), (None, 2), (None, None), (None, None)]), "strict").top == 2


def test_levels_that_nobody_has_do_not_matter():
    table = build([(1,), (2,), (5,)])
    assert Candidates(table.take(np.array([0, 1])), "strict").listed(9) == [0, 1]
    assert Candidates(table.take(np.array([0, 1])), "strict").span == 1


# ---- some of them ----


@pytest.mark.parametrize(
    ("low", "high", "middle"), [(0, 12, 3), (2.5, 3.5, 3), (3, 12, 4), (3, 4, None), (0, 3, None)]
)
def test_r_is_a_middle_before_all_others(low, high, middle):
    assert of(-9, -1, 3, None).middle(low, high) == middle


# ---- where nothing is protected ----


@pytest.mark.parametrize(
    ("ratings", "asked", "span", "unprotected"),
    [
        ((1, 2, 4), {}, 3, 3),
        ((0.1, 0.3), {}, 0.2, 0.2),
        (THIRDS, {}, 1 - 1 / 3, 1 - 1 / 3),
        ((3, 3), {}, 0, None),
        ((None, None), {}, 0, None),
        ((3, None), {}, 0, 3),
        ((-5, 2, None), {}, 7, 2),
        ((-5, 2, None), {"nulls": "wildcard"}, 7, 7),
        ((-5, -2, None), {}, 3, 3),
        ((1, 3, None), {"scale": (1, 10)}, 2, 2),
    ],
)
def test_where_nothing_is_protected(ratings, asked, span, unprotected):
    found = of(*ratings, **asked)
    assert (found.span, found.unprotected, found.nothing) == (span, unprotected, "nothing")


@pytest.mark.parametrize(("records", "span"), [([0, 1], 1 / 3), ([0], 0), ([1, 2], 1 - 2 / 3)])
def test_the_span_of_real_numbers_is_that_of_the_ratings_there_are(records, span):
    found = Candidates(build([(rating,) for rating in THIRDS]).take(np.array(records)), "strict")
    assert found.span == span
    assert found.top == 1 - 1 / 3  # off the grid every level decides how distances are compared


# ---- decimals of more digits than float64 tells apart ----

FOUR = (-0.01, -0.001, 0, 1e14)  # three distances are the same ε, 1e14, or the float64 after it


def test_a_middle_is_never_an_end_of_what_it_is_between():
    found = of(*FOUR)
    ends = found.listed(20)
    for low, high in itertools.combinations(ends, 2):
        between = [one for one in ends if low < one < high]
        middle = found.middle(low, high)
        assert middle in between if between else middle is None
    assert found.sampled(20) == ends


def test_a_search_over_them_ends():
    found = frontier(build([(rating,) for rating in FOUR]), k=3, rows=2, partition=False)
    assert found.smallest_epsilon is not None
    assert found.smallest_epsilon.neighbourhood is None  # at the top alone, where any two are near


def test_who_rates_nothing_has_no_span_of_levels_that_nobody_has():
    thirds = build([(1 / 3,), (2 / 3,), (None,), (None,)]).take(np.array([2, 3]))
    assert (Candidates(thirds, "strict").span, Candidates(thirds, "strict").unprotected) == (
        0,
        None,
    )
