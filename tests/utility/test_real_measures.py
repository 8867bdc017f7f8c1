"""Real data: what plain NumPy gave on the originals."""

from functools import cache

import numpy as np
import pytest
from utility.releases import ONE

import ratingpriv
from ratingpriv.utility.centroid import centroid
from ratingpriv.utility.clustering import clustering_coefficient
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.query_error import query_error
from ratingpriv.utility.standard_deviation import standard_deviation
from ratingpriv.utility.tables import worthless

pytestmark = pytest.mark.deep


@cache
def movielens(folder, issues):
    table = ratingpriv.read(folder / "ml-100k" / "u.data")
    return table if issues is None else table.select_issues(issues)


def measured(measure, *tables, **settings):
    return measure(Pair(*tables), rng=np.random.default_rng(0), resources=ONE, **settings)


@pytest.mark.parametrize(
    ("issues", "epsilon", "sd", "coefficient"),
    [("top:20", 1, 0.983, 0.064), ("top:20", 2, 0.983, 0.121), (None, 2, 0.921, 0)],
)
def test_the_originals_of_the_reference_table(test_data, issues, epsilon, sd, coefficient):
    table = movielens(test_data, issues)
    assert measured(standard_deviation, table, table).value == pytest.approx(sd, abs=5e-4)
    found = measured(clustering_coefficient, table, table, epsilon=epsilon)
    assert found.value == pytest.approx(coefficient, abs=5e-4)


def test_all_films_of_movielens(test_data):
    """⟨m, m⟩ = 16,942; most pairs of films have few raters in common, so that queries are drawn again."""
    table = movielens(test_data, None)
    found = measured(centroid, table, table)
    assert found.details["inner_products"]["original"] == pytest.approx(16_942, abs=0.5)
    other = measured(query_error, table, worthless(table, np.random.default_rng(1)))
    assert other.details["redrawn"] > 100
    assert 0.3 < other.value < 1.5
