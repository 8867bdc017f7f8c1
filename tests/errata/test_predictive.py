"""Link privacy and padded means of Predictive Anonymization [CTWY10, §4.3 and §5.2]."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

import ratingpriv

pytestmark = pytest.mark.small


def test_the_padded_mean_divides_by_the_group():
    # "where m is the number of users in the database": of 100, two in the group, both 4 on a scale from 1
    group, database = [4, 4], 100
    assert Fraction(sum(group), database) == Fraction(2, 25) < 1
    assert Fraction(sum(group), len(group)) == 4


def confidences(rated):
    """k'/|C| of every released edge of a group: ``rated`` (member, item), an item nobody rated has none."""
    raters = [sum(column) for column in zip(*rated, strict=True)]
    return [Fraction(count, len(rated)) for count in raters if count]


def test_theorem_5_2_is_false_group_by_group():
    # claim: without prior knowledge an edge is predicted with a confidence of at most 1/k
    rows = list(itertools.product((0, 1), repeat=2))
    for rated in itertools.product(rows, repeat=3):  # every group of three, two items
        links = confidences(rated)
        if links:
            mean = sum(links) / len(links)
            assert mean >= Fraction(1, 3)
            assert (mean == Fraction(1, 3)) == all(link == Fraction(1, 3) for link in links)
    assert confidences([(1,), (1,)]) == [1]  # both of two rated it: certainty, and not 1/2


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("tenths", range(1, 10))
def test_theorem_5_2_is_false_under_its_own_premise(k, tenths):
    # independent ratings, each there with probability p; a released edge says that one of the k is there
    p = Fraction(tenths, 10)
    link = edge = Fraction(0)
    for rated in itertools.product((0, 1), repeat=k):
        weight = p ** sum(rated) * (1 - p) ** (k - sum(rated))
        edge += weight * any(rated)
        link += weight * rated[0]
    assert link / edge == p / (1 - (1 - p) ** k) > Fraction(1, k)


def bound_5_3(k, p):
    return Fraction(1, k) + p / (2 - k * p)


def test_theorem_5_3_fails_for_similar_users():
    # 16 users, four of whom rated the item: p = 1/4 = 1/k, as it demands. But groups are of similar users
    k, p = 4, Fraction(4, 16)
    assert bound_5_3(k, p) == Fraction(2, 4)
    assert confidences([(1,)] * 4) == [1]


def test_theorem_5_3s_premise_fails_for_popular_items():
    assert bound_5_3(4, Fraction(3, 5)) < 0  # p > 1/k: no bound of anything


def test_theorem_5_3s_premise_fails_on_movielens(test_data):
    table = ratingpriv.read(test_data / "ml-100k" / "u.data", issues="top:1")
    rated = sum(len(table.support(record)) for record in range(table.n_records))
    assert rated / 943 > 1 / 2  # the top film; p <= 1/k fails for every k from 2 on
