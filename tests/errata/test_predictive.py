"""Link privacy and padded means of Predictive Anonymization [CTWY10, §4.3 and §5.2]."""

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.anonymize.predictive.homogenise import cells_of, padded_cells
from ratingpriv.base.compute.resources import Resources
from ratingpriv.utility.prediction import RatingModel

pytestmark = pytest.mark.small


def test_the_padded_mean_divides_by_the_group():
    # "where m is the number of users in the database": of 100, two in the group, both 4 on a scale
    # from 1
    group, database = [4, 4], 100
    assert Fraction(sum(group), database) == Fraction(2, 25) < 1
    assert Fraction(sum(group), len(group)) == 4


def test_the_products_padded_mean_divides_by_the_group():
    rows = [{"a": 4, "b": None}, {"a": 4, "b": 2}, *[{"a": 1, "b": 1}] * 98]
    table = ratingpriv.RatingTable.from_wide(pl.DataFrame(rows), scale=(1, 5))
    labels = np.array([0, 0] + [1] * 98, dtype=np.int32)
    model = RatingModel.fit(table)
    cells = padded_cells(table, labels, cells_of(table, labels), model, Resources())
    assert cells.means[0] == 4
    assert cells.means.min() >= 1


def test_an_exact_mean_gives_raters_away():
    # 3.5 of whole numbers: an even number of people rated; 3.2: five, or ten
    for mean, fewest in ((Fraction(7, 2), 2), (Fraction(16, 5), 5), (Fraction(3), 1)):
        possible = {
            len(rated)
            for size in range(1, 7)
            for rated in itertools.combinations_with_replacement(range(1, 6), size)
            if Fraction(sum(rated), size) == mean
        }
        assert min(possible) == fewest
        assert all(size % fewest == 0 for size in possible)
    # the product: five 3s and 4s with a mean of 3.2, in a group of five. Rounded it is a 3, as of
    # anybody
    table = ratingpriv.RatingTable.from_wide(pl.DataFrame({"a": [3, 3, 3, 3, 4]}), scale=(1, 5))
    made = ratingpriv.anonymize(table, "predictive", k=5, labels="exact", rng=0)
    assert made.table.levels.tolist() == [3.2]
    assert (made.claims.exact.prove_two, made.claims.exact.prove_all) == (1, 1)
    rounded = ratingpriv.anonymize(table, "predictive", k=5, rng=0)
    assert (rounded.table.levels.tolist(), rounded.claims.exact) == ([3], None)


def confidences(rated):
    """k'/|C| of every released edge of a group: ``rated`` (member, item),
    an item nobody rated has none.
    """
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


def test_a_release_of_the_product_says_what_theorem_5_2_denies():
    table = ratingpriv.RatingTable.from_wide(
        pl.DataFrame({"a": [1, 2, 3], "b": [1, None, None]}), scale=(1, 5)
    )
    links = ratingpriv.anonymize(table, "predictive", k=3, rng=0).claims.links
    # a: all three; b: one of three
    assert (links.mean, links.largest, links.above) == (4 / 6, 1, 0.5)
    assert links.mean > 1 / 3


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("tenths", range(1, 10))
def test_theorem_5_2_is_false_under_its_own_premise(k, tenths):
    # independent ratings, each there with probability p; a released edge says that one of the k is
    # there
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
    # 16 users, four of whom rated the item: p = 1/4 = 1/k, as it demands. But groups are of similar
    # users
    k, p = 4, Fraction(4, 16)
    assert bound_5_3(k, p) == Fraction(2, 4)
    assert confidences([(1,)] * 4) == [1]


def test_theorem_5_3s_premise_fails_for_popular_items():
    assert bound_5_3(4, Fraction(3, 5)) < 0  # p > 1/k: no bound of anything


def test_theorem_5_3s_premise_fails_on_movielens(test_data):
    table = ratingpriv.read(test_data / "ml-100k" / "u.data", issues="top:1")
    rated = sum(len(table.support(record)) for record in range(table.n_records))
    assert rated / 943 > 1 / 2  # the top film; p <= 1/k fails for every k from 2 on
