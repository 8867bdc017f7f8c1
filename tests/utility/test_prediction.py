"""The rating model P0: mean, biases, factors."""

import numpy as np
import pytest
import threadpoolctl
from golden.tables import build
from naive import prediction as naive
from utility.releases import drawn

from ratingpriv.base.errors import ParameterError
from ratingpriv.utility.prediction import RatingModel, biases


@pytest.mark.parametrize(
    ("m", "n", "factors"), [(9, 5, 2), (5, 9, 3), (80, 70, 4), (12, 6, 10), (3, 1, 4)]
)
def test_the_model_is_that_of_the_definition(m, n, factors):
    rows = drawn(np.random.default_rng(m), m, n)
    rows[0] = [None] * n
    model = RatingModel.fit(build(rows), factors=factors)
    mean, of_record, of_issue = naive.biases(rows)
    assert model.mean == pytest.approx(mean)
    np.testing.assert_allclose(model.record_bias, of_record, atol=1e-12)
    np.testing.assert_allclose(model.issue_bias, of_issue, atol=1e-12)
    everything = naive.predictions(rows, factors)
    np.testing.assert_allclose(model.predicted_rows(np.arange(m)), everything, atol=1e-9)
    records, issues = np.divmod(np.arange(m * n), n)
    np.testing.assert_allclose(model.predicted(records, issues), everything.ravel(), atol=1e-9)
    assert model.factors == min(factors, min(m, n) - 1)
    assert model.record_bias[0] == 0
    assert not model.record_factors[0].any()


def test_biases_alone_are_the_model_without_factors():
    rows = drawn(np.random.default_rng(1), 12, 7)
    model = biases(build(rows))
    np.testing.assert_allclose(model.predicted_rows([3]), naive.predictions(rows, 0)[3:4])
    assert model.factors == 0
    with pytest.raises(ParameterError, match="factors"):
        RatingModel.fit(build([[1.0]]), factors=-1)


@pytest.mark.parametrize("size", [(6, 20), (90, 70)])  # both decompositions
def test_factors_are_in_order_and_their_sign_is_fixed(size):
    model = RatingModel.fit(build(drawn(np.random.default_rng(2), *size)), factors=5)
    largest = np.abs(model.issue_factors).argmax(axis=0)
    assert (model.issue_factors[largest, np.arange(5)] > 0).all()
    singular = np.linalg.norm(model.record_factors, axis=0)
    assert (np.diff(singular) < 0).all()
    np.testing.assert_allclose(model.issue_factors.T @ model.issue_factors, np.eye(5), atol=1e-9)


@pytest.mark.parametrize("size", [(30, 20), (120, 90)])
def test_threads_and_repetition_change_no_bit(size):
    table = build(drawn(np.random.default_rng(3), *size))
    first = RatingModel.fit(table)
    for threads in (1, 2):
        with threadpoolctl.threadpool_limits(threads):
            again = RatingModel.fit(table)
            rows = again.predicted_rows(np.arange(size[0]))
        assert np.array_equal(first.record_factors, again.record_factors)
        assert np.array_equal(first.issue_factors, again.issue_factors)
        assert np.array_equal(rows, first.predicted_rows(np.arange(size[0])))


def test_what_there_is_nothing_to_learn_from():
    for rows in ([[None, None]] * 3, [[3.0, 4.0]]):
        model = RatingModel.fit(build(rows, issues=2))
        assert model.factors == 0
        assert model.predicted_rows(np.arange(len(rows))).shape == (len(rows), 2)
    same = RatingModel.fit(build([[3.0, 3.0, 3.0]] * 70))  # nothing is left for the factors
    np.testing.assert_allclose(same.predicted_rows([5]), [[3.0, 3.0, 3.0]])


def test_rows_that_sum_to_zero_have_factors_all_the_same():
    # what is left sums to zero in every row and column: ones are no start for ARPACK
    sign = np.where(np.add.outer(np.arange(66), np.arange(66)) % 2, 1.0, -1.0)
    model = RatingModel.fit(build((3 + sign).tolist()), factors=1)
    np.testing.assert_allclose(model.predicted_rows(np.arange(66)), 3 + sign, atol=1e-9)


def test_sensitive_issues_take_no_part():
    rows = drawn(np.random.default_rng(5), 8, 5)
    bare, hidden = build(rows), build(rows, [[1, 2, 3, 4, 5, 1, 2, 3]])
    here, there = RatingModel.fit(bare), RatingModel.fit(hidden)
    assert np.array_equal(here.predicted_rows(np.arange(8)), there.predicted_rows(np.arange(8)))
