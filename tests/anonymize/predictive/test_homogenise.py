"""What the records of a group are given, and what that gives away: golden numbers,
naive twins, laws.
"""

from fractions import Fraction

import naive.predictive as naive
import numpy as np
import pytest
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from ratingpriv.anonymize.predictive.groups import points_of
from ratingpriv.anonymize.predictive.homogenise import (
    added_cells,
    cells_of,
    exact_means,
    homogenised,
    link_confidence,
    padded_cells,
)
from ratingpriv.base.compute.resources import Resources
from ratingpriv.utility.prediction import RatingModel

# u1: a5 b3; u2: b4; u3: a1 c2; u4: c4
GOLDEN = build([[5, 3, None], [None, 4, None], [1, None, 2], [None, None, 4]], scale=(1, 5))
PAIRS = np.array([0, 0, 1, 1], dtype=np.int32)


def rows_of(table):
    return [
        dict(
            zip(
                table.support(one).tolist(),
                table.values[table.indptr[one] : table.indptr[one + 1]],
                strict=True,
            )
        )
        for one in range(table.n_records)
    ]


@st.composite
def grouped(draw, levels=(1, 2, 3, 4, 5), scale=(1, 5)):
    """A table of few records and issues, and groups of two or more."""
    issues, count = draw(st.integers(1, 5)), draw(st.integers(2, 9))
    row = st.lists(st.sampled_from([None, None, *levels]), min_size=issues, max_size=issues)
    table = build([draw(row) for _ in range(count)], scale=scale)
    labels = np.arange(count) % draw(st.integers(1, count // 2))
    order = draw(st.permutations(range(count)))
    return table, labels[order].astype(np.int32)


def members_of(labels):
    return [np.flatnonzero(labels == group).tolist() for group in range(int(labels.max()) + 1)]


def test_the_golden_table():
    cells = cells_of(GOLDEN, PAIRS)
    assert cells.indptr.tolist() == [0, 2, 4]
    assert cells.indices.tolist() == [0, 1, 0, 2]
    assert cells.means.tolist() == [5, 3.5, 1, 3]
    assert cells.raters.tolist() == [1, 2, 1, 2]
    assert (
        rows_of(homogenised(GOLDEN, PAIRS, cells, "exact"))
        == [{0: 5, 1: 3.5}] * 2 + [{0: 1, 2: 3}] * 2
    )
    rounded = homogenised(GOLDEN, PAIRS, cells, "rounded")
    assert rows_of(rounded) == [{0: 5, 1: 4}] * 2 + [{0: 1, 2: 3}] * 2
    assert (GOLDEN.n_ratings, rounded.n_ratings) == (6, 8)
    links = link_confidence(cells, 2)
    assert (links.edges, links.real, links.mean, links.largest, links.certain) == (8, 6, 0.75, 1, 4)
    assert (links.above, links.above_twice) == (0.5, 0.0)
    found = exact_means(cells, padded=False)
    assert found is not None
    # 3.5 alone: a 3 may be one person's
    assert (found.cells, found.prove_two, found.prove_all) == (4, 1, 1)


class Predictions:
    """A model that predicts what it is told."""

    def __init__(self, rows):
        self.rows = np.array(rows, dtype=float)

    def predicted_rows(self, records):
        return self.rows[np.asarray(records)]

    def predicted(self, records, issues):
        return self.rows[np.asarray(records), np.asarray(issues)]


def test_the_golden_padded_group_divides_by_its_size():
    table = build([[5, 3, None], [None, 4, 3]], scale=(1, 5))
    labels = np.zeros(2, dtype=np.int32)
    cells = padded_cells(
        table, labels, cells_of(table, labels), Predictions([[9, 9, 2.0], [4.4, 9, 9]]), Resources()
    )
    assert cells.means == pytest.approx([4.7, 3.5, 2.5])
    assert rows_of(homogenised(table, labels, cells, "rounded")) == [{0: 5, 1: 4, 2: 3}] * 2
    exact = exact_means(cells, padded=True)
    assert exact is not None
    assert (exact.prove_two, exact.prove_all) == (1, 1)  # only b is a mean of ratings alone


@settings(max_examples=60, deadline=None)
@given(grouped())
def test_pure_is_what_the_definition_says_and_loses_nothing(drawn):
    table, labels = drawn
    groups, rows = members_of(labels), rows_of(table)
    twin = naive.pure(rows, groups)
    cells = cells_of(table, labels)
    for group, given_ in enumerate(twin):
        at = slice(int(cells.indptr[group]), int(cells.indptr[group + 1]))
        assert cells.indices[at].tolist() == sorted(given_)
        for issue, mean, raters in zip(
            cells.indices[at], cells.means[at], cells.raters[at], strict=True
        ):
            assert (mean, raters) == (float(given_[issue][0]), given_[issue][1])
    released = rows_of(homogenised(table, labels, cells, "rounded"))
    exact = rows_of(homogenised(table, labels, cells, "exact"))
    for group, who in enumerate(groups):
        for user in who:
            assert set(rows[user]) <= set(released[user])
            assert released[user] == {
                issue: naive.nearest_level(mean, (1, 2, 3, 4, 5))
                for issue, (mean, _) in twin[group].items()
            }
            assert exact[user] == pytest.approx(
                {i: float(mean) for i, (mean, _) in twin[group].items()}
            )
    links, each = link_confidence(cells, 2), naive.confidences(twin, groups)
    assert links.edges == len(each) == sum(map(len, released))
    if each:
        assert links.mean == pytest.approx(float(sum(each) / len(each)))
        assert links.largest == float(max(each))
        assert links.above == pytest.approx(sum(one > Fraction(1, 2) for one in each) / len(each))
        assert links.percentile_95 == float(sorted(each)[-(-95 * len(each) // 100) - 1])
        largest = max(map(len, groups))
        # never below: an edge is there because somebody rated
        assert links.mean >= 1 / largest - 1e-12
        assert min(each) >= Fraction(1, largest)
        proved = exact_means(cells, padded=False)
        fractions = [
            (naive.least_denominator(m), len(g))
            for c, g in zip(twin, groups, strict=True)
            for m, _ in c.values()
        ]
        assert proved is not None
        assert proved.prove_two == sum(q >= 2 for q, _ in fractions)
        assert proved.prove_all == sum(q == size for q, size in fractions)


@settings(max_examples=20, deadline=None)
@given(grouped(levels=(-1, 0, 0.5, 2), scale=None))
def test_decimals_zeros_and_negative_ratings(drawn):
    table, labels = drawn
    twin = naive.pure(rows_of(table), members_of(labels))
    cells = cells_of(table, labels)
    assert cells.means.tolist() == [float(c[i][0]) for c in twin for i in sorted(c)]
    used = sorted({rating for row in rows_of(table) for rating in row.values()})
    released = rows_of(homogenised(table, labels, cells, "rounded"))
    for group, who in enumerate(members_of(labels)):
        assert released[who[0]] == {
            issue: naive.nearest_level(mean, [Fraction(one) for one in used])
            for issue, (mean, _) in twin[group].items()
        }


@settings(max_examples=20, deadline=None)
@given(grouped())
def test_padded_is_what_the_definition_says(drawn):
    table, labels = drawn
    model = RatingModel.fit(table, factors=2)
    cells = padded_cells(table, labels, cells_of(table, labels), model, Resources())
    every = range(table.n_issues)
    twin = naive.padded(
        rows_of(table), members_of(labels), every,
        lambda user, issue: float(model.predicted([user], [issue])[0]), 1, 5,
    )  # fmt: skip
    assert cells.means == pytest.approx([group[issue] for group in twin for issue in every])
    assert cells.raters.sum() == table.n_ratings


def test_added_cells_have_the_mean_prediction_and_nobodys_rating():
    cells = cells_of(GOLDEN, PAIRS)
    added = np.array([[0, 2], [1, 1]], dtype=np.int32)
    model = Predictions([[0, 0, 2], [0, 0, 7], [0, 3, 0], [0, 4, 0]])
    wider = added_cells(GOLDEN, PAIRS, cells, added, model)
    assert wider.indices.tolist() == [0, 1, 2, 0, 1, 2]
    assert wider.means.tolist() == [5, 3.5, 3.5, 1, 3.5, 3]  # (2 + 5) / 2: 7 is off the scale
    assert wider.raters.tolist() == [1, 2, 0, 1, 0, 2]
    assert link_confidence(wider, 2).real == 6
    with pytest.raises(AssertionError, match="is there"):
        added_cells(GOLDEN, PAIRS, cells, np.array([[0, 1]], dtype=np.int32), model)


@pytest.mark.parametrize("seed", range(3))
def test_distances_in_the_space_are_those_of_predicted_rows(seed):
    rng = np.random.default_rng(seed)
    cells = np.where(rng.random((30, 12)) < 0.4, rng.integers(1, 6, (30, 12)), 0)
    table = build([[int(x) or None for x in row] for row in cells], scale=(1, 5))
    for factors in (0, 1, 5, 10):
        model = RatingModel.fit(table, factors=factors)
        points = points_of(model)
        assert points.shape == (30, model.factors + 1)
        assert np.allclose(
            pdist(points), pdist(model.predicted_rows(np.arange(30))), atol=1e-9, rtol=1e-9
        )
