"""Anonymizer against scikit-learn's own checks, and against :func:`ratingpriv.anonymize`.

Every method passes all checks that scikit-learn runs on an estimator with ``fit`` and
``fit_transform``. Those of ``transform`` and ``predict`` do not apply, and scikit-learn leaves them
out by itself: there is neither, as there is none of ``sklearn.manifold.TSNE``. A scale is declared,
as the numbers that are tried do not look like ratings.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import ratingpriv
from ratingpriv import Anonymizer
from ratingpriv.base.errors import DataError, ParameterError, TargetNotReachedError

# every row but the second, which is alone, has company within 1
RATINGS = np.array([[1, 1, 2], [1, 5, 1], [1, 2, 2], [5, 5, np.nan], [4, 5, np.nan]])
KEPT = [0, 2, 3, 4]
SUPPRESS = Anonymizer(k=2, epsilon=1, method="suppress", scale=(1, 5), threads=1)


@parametrize_with_checks(
    [
        Anonymizer(k=2, epsilon=2, method="suppress", scale=(-1e6, 1e6), threads=1),
        Anonymizer(
            k=2,
            method="predictive",
            options={"factors": 1},
            scale=(-1e6, 1e6),
            random_state=0,
            threads=1,
        ),
    ]
)
def test_scikit_learns_own(estimator, check):
    check(estimator)


def test_an_array_comes_back_as_the_library_makes_it():
    made = clone(SUPPRESS)
    found = made.fit_transform(RATINGS)
    np.testing.assert_array_equal(found, RATINGS[KEPT])
    assert made.kept_.tolist() == KEPT
    assert made.audit_.satisfied
    assert made.distortion_.records_withheld == 1
    assert made.result_.satisfied
    assert made.get_feature_names_out().tolist() == ["x0", "x1", "x2"]
    same = ratingpriv.anonymize(RATINGS, "modify", k=2, epsilon=1, scale=(1, 5), rng=3)
    modified = Anonymizer(k=2, epsilon=1, scale=(1, 5), random_state=3).fit_transform(RATINGS)
    assert modified.shape == RATINGS.shape
    for place, name in enumerate(same.table.issues):
        expected = same.table.to_wide("polars")[name].cast(pl.Float64).fill_null(np.nan)
        np.testing.assert_array_equal(modified[:, place], expected)


def test_a_sparse_matrix_comes_back_sparse_with_its_zeros():
    dense = np.array([[0.0, 3], [0, 3], [2, 2], [2, 1]])
    there = np.array([[True, True], [True, True], [True, True], [False, True]])
    matrix = scipy.sparse.csr_array((dense[there], np.nonzero(there)), shape=dense.shape)
    made = Anonymizer(k=2, epsilon=0, method="suppress")
    found = made.fit_transform(matrix)
    assert made.kept_.tolist() == [0, 1]
    assert found.shape == (2, 2)
    assert found.nnz == 4  # the zeros are ratings
    np.testing.assert_array_equal(found.toarray(), dense[:2])
    words = Anonymizer(k=2, epsilon=0, method="suppress", sensitive=[0], scale=(0, 3))
    again = words.fit_transform(matrix)
    assert [one.name for one in words.result_.table.sensitive] == ["1"]
    np.testing.assert_array_equal(again.toarray(), dense[:2])


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_comes_back_as_one(kind):
    columns = {
        "who": list("abcde"),
        "x": [1, 1, 1, 5, 4],
        "y": [1, 5, 2, 5, 5],
        "pay": [1, 2, 5, 1, None],
    }
    frame = (
        pd.DataFrame(columns, index=[9, 8, 7, 6, 5]) if kind == "pandas" else pl.DataFrame(columns)
    )
    made = clone(SUPPRESS).set_params(id="who", sensitive=["pay"])
    found = made.fit_transform(frame)
    assert type(found) is type(frame)
    assert list(found.columns) == made.get_feature_names_out().tolist() == ["x", "y", "pay"]
    assert list(found["x"]) == [1, 1, 5, 4]
    if kind == "pandas":
        assert found.index.tolist() == [9, 7, 6, 5]
        assert found["pay"].isna().tolist() == [False, False, False, True]
    assert made.feature_names_in_.tolist() == list(columns)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_another_container_is_set(kind):
    names = ["a", "b", "c"]
    for given in (
        RATINGS,
        pd.DataFrame(RATINGS, columns=names),
        pl.DataFrame(RATINGS, schema=names, nan_to_null=True),
    ):
        found = clone(SUPPRESS).set_output(transform=kind).fit_transform(given)
        assert type(found).__module__.split(".")[0] == kind
        assert list(found.columns) == (["x0", "x1", "x2"] if given is RATINGS else names)
        assert [row[:2] for row in found.to_numpy().tolist()] == [
            row[:2] for row in RATINGS[KEPT].tolist()
        ]


def test_records_that_join_later_are_refused():
    made = clone(SUPPRESS).fit(RATINGS)
    assert not hasattr(made, "transform")
    with pytest.raises(TypeError, match="transform"):
        make_pipeline(made, clone(SUPPRESS)).fit(RATINGS)
    with pytest.raises(NotFittedError):
        clone(SUPPRESS).get_feature_names_out()


def test_what_is_wrong_is_said_as_the_library_says_it():
    with pytest.raises(ParameterError, match="k: not given"):
        Anonymizer(epsilon=1).fit(RATINGS)
    with pytest.raises(ParameterError, match="epsilon"):
        Anonymizer(k=2).fit(RATINGS)
    with pytest.raises(ParameterError, match="method"):
        Anonymizer(k=2, epsilon=1, method="magic").fit(RATINGS)
    with pytest.raises(ParameterError, match="colour"):
        Anonymizer(k=2, epsilon=1, options={"colour": 1}).fit(RATINGS)
    with pytest.raises(TargetNotReachedError):
        Anonymizer(k=6, epsilon=1).fit(RATINGS)
    with pytest.raises(DataError, match="email"):  # nobody said that it may be released
        Anonymizer(k=2, epsilon=1).fit(
            pd.DataFrame({"q1": [1, 2], "email": ["a@x.org", "b@x.org"]})
        )
