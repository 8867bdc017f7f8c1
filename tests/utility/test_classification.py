"""Naive Bayes on ratings, and what it learns from a release (U3)."""

import dataclasses
import sys

import numpy as np
import polars as pl
import pytest
from golden.tables import build
from naive import learning as naive
from sklearn.naive_bayes import CategoricalNB
from utility.releases import ONE, drawn
from utility.releases import paired as pair

from ratingpriv import read
from ratingpriv.data.codebook.table_like import as_table
from ratingpriv.utility.classification import NaiveBayes, classification, features, target_of
from ratingpriv.utility.pair import Pair

FIVE = np.arange(1.0, 6.0)


def taught(rows, classes, of, tests, classifier="categorical"):
    """Classes that the classifier predicts for rows of ratings 1..5."""
    table, test = build(rows, scale=(1, 5)), build(tests, scale=(1, 5))
    used = np.arange(table.n_issues)
    training = features(table, np.arange(len(rows)), used, FIVE, classifier)
    model = NaiveBayes.trained(training, np.array(classes), of, FIVE, classifier)
    return model, features(test, np.arange(len(tests)), used, FIVE, classifier)


def measured(given, seed=0, trials=4, **settings):
    return classification(
        given, rng=np.random.default_rng(seed), resources=ONE, trials=trials, **settings
    )


def test_the_golden_prediction():
    model, tests = taught([(5,), (4,), (1,), (2,)], [0, 0, 1, 1], 2, [(4,), (None,), (1,)])
    share = np.exp(model.prior + tests @ model.weights)
    assert share[0] == pytest.approx([1 / 7, 1 / 14])  # A with 2/3
    assert (share[0] / share[0].sum())[0] == pytest.approx(2 / 3)
    assert model.predicted(tests).tolist() == [0, 0, 1]  # a null: a tie, and A


@pytest.mark.parametrize("seed", range(12))
def test_classes_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    rows, tests = drawn(rng, 9, 3), drawn(rng, 9, 3)
    classes = rng.integers(0, 3, 9).tolist()
    model, told = taught(rows, classes, 3, tests)
    scores = [naive.bayes(rows, classes, 3, 5, test) for test in tests]
    np.testing.assert_allclose(
        np.exp(model.prior + told @ model.weights), np.array(scores, dtype=float)
    )
    assert model.predicted(told).tolist() == [one.index(max(one)) for one in scores]
    normal, told = taught(rows, classes, 3, tests, "gaussian")
    expected = [naive.bayes_gaussian(rows, classes, 3, test) for test in tests]
    np.testing.assert_allclose(normal.prior + told @ normal.weights, expected, atol=1e-9)


# of 400, where the sums of logarithms differ by rounding
@pytest.mark.parametrize("seed", [4, 15, 26])
def test_a_tie_is_one_whatever_the_order_of_the_sums(seed):
    rng = np.random.default_rng(seed)
    rows, tests, classes = drawn(rng, 10, 5, 1.0), drawn(rng, 10, 5, 1.0), [0, 1] * 5
    scores = [naive.bayes(rows, classes, 2, 5, test) for test in tests]
    assert any(one[0] == one[1] for one in scores)
    model, told = taught(rows, classes, 2, tests)
    assert model.predicted(told).tolist() == [one.index(max(one)) for one in scores]


def test_scikit_learn_judges_where_nothing_is_null():
    rng = np.random.default_rng(1)
    rows, tests = drawn(rng, 60, 6, density=1.0), drawn(rng, 80, 6, density=1.0)
    classes = rng.integers(0, 3, 60)
    model, told = taught(rows, classes, 3, tests)
    prior = (np.bincount(classes, minlength=3) + 1) / 63
    judge = CategoricalNB(alpha=1, min_categories=5, class_prior=prior)
    judge.fit(np.array(rows, dtype=int) - 1, classes)
    assert model.predicted(told).tolist() == judge.predict(np.array(tests, dtype=int) - 1).tolist()


def test_issues_that_are_constant_say_nothing_to_the_gaussian():
    model, told = taught(
        [(3, 1), (3, 5), (3, 1)], [0, 1, 0], 2, [(1, 5), (5, 1), (None, None)], "gaussian"
    )
    assert not model.weights[[0, 2, 4]].any()
    assert model.predicted(told).tolist() == [1, 0, 0]


def separable(n=40):
    """The sensitive issue is what issue 1 says; the others say nothing."""
    rng = np.random.default_rng(3)
    side = rng.integers(0, 2, n)
    rows = [(1.0 + 4 * s, *rng.integers(1, 6, 2).astype(float)) for s in side]
    return build(rows, [side.astype(float).tolist()], scale=(1, 5)), side


def test_a_release_that_is_the_original_is_as_good():
    table, side = separable()
    here = measured(pair(table), target="issue 4")
    assert here.value == here.details["released_rows"]["accuracy"] == 1
    assert here == measured(pair(table, dataclasses.replace(table)), target="issue 4")
    assert here.details["majority"] == max(np.bincount(side)) / 40
    assert here.details["part"] == 20
    assert here.details["classes"] == 2


def test_targets_of_every_kind_say_the_same():
    table, side = separable()
    frame = (
        table.to_wide()
        .drop("issue 4")
        .with_columns(
            pl.Series("kept", ["ab"[s] for s in side]), pl.Series("known", ["ab"[s] for s in side])
        )
    )
    other = as_table(
        frame,
        id="record",
        scale=(1, 5),
        quasi=["known"],
        carry=["kept"],
        ratings=list(table.issues),
    )
    by_name = measured(pair(table), target="issue 4")
    for given, target in ((other, "known"), (other, "kept"), (table, pl.Series("side", side))):
        found = measured(pair(given), target=target)
        assert (found.value, found.low, found.high) == (by_name.value, by_name.low, by_name.high)
        assert found.details["training_target"] == "original"
    assert by_name.details["training_target"] == "release"


def test_a_target_that_is_an_issue_is_no_feature():
    rng = np.random.default_rng(4)
    rows = drawn(rng, 60, 2, density=1.0, values=rng.integers(1, 3, (60, 2)))
    found = measured(pair(build(rows, scale=(1, 5))), target="issue 1", trials=30)
    assert found.value < 0.75  # the other issue says nothing of it
    again = [(row[0], row[0]) for row in rows]
    assert measured(pair(build(again, scale=(1, 5))), target="issue 1").value == 1


def test_an_issue_that_only_the_release_has_is_no_feature():
    rng = np.random.default_rng(6)
    rows, side = drawn(rng, 60, 2, density=1.0), rng.integers(0, 2, 60).astype(float)
    original = build([(*row, None) for row in rows], [side.tolist()], scale=(1, 5))
    release = build(
        [(*row, 1 + 4 * s) for row, s in zip(rows, side, strict=True)],
        [side.tolist()],
        scale=(1, 5),
    )
    given = pair(original, release)
    assert measured(given, target="issue 4").details["released_rows"]["accuracy"] > 0.9
    found = measured(dataclasses.replace(given, issues_added=1), target="issue 4")
    assert found.details["released_rows"]["accuracy"] < 0.8


def test_training_learns_the_target_as_released_and_is_judged_by_the_original():
    table, side = separable()
    lied = dataclasses.replace(table.sensitive[0], values=1.0 - side)
    found = measured(pair(table, table.replace(sensitive=(lied,))), target="issue 4")
    assert found.value == 0
    bare = measured(pair(table, table.replace(sensitive=())), target="issue 4")
    assert bare.details["training_target"] == "original"
    assert bare.value == 1


def test_classes_ascend():
    names = dataclasses.replace(
        build([(1,)] * 3, [(2, 0, 1)]).sensitive[0], labels=("pear", "apple", "fig")
    )
    found = target_of(build([(1,)] * 3).replace(sensitive=(names,)), names.name)
    assert found.classes == ("apple", "fig", "pear")
    assert found.codes.tolist() == [1, 2, 0]
    numbers = target_of(build([(5,), (None,), (2,)]), "issue 1")
    assert (numbers.classes, numbers.codes.tolist()) == ((2.0, 5.0), [1, -1, 0])
    column = target_of(build([(5,), (None,), (2,)]), pl.Series("age", [float("nan"), 9.0, 3.0]))
    assert (column.classes, column.codes.tolist()) == ((3.0, 9.0), [-1, 1, 0])


def test_what_cannot_be_measured_is_not():
    table, _ = separable()
    assert "no target" in measured(pair(table)).reason
    assert "which" in measured(Pair(table, table), target="issue 4").reason
    assert "0 records" in measured(pair(table, pairing=[-1] * 40), target="issue 4").reason
    unanswered = dataclasses.replace(table.sensitive[0], present=np.zeros(40, dtype=bool))
    erased = table.replace(sensitive=(unanswered,))
    assert "nothing of the target" in measured(pair(table, erased), target="issue 4").reason
    assert measured(pair(erased, table), target="issue 4").value is None
    assert "two classes" in measured(pair(table), target=pl.Series("all", ["x"] * 40)).reason
    many = pl.Series("many", range(40))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[classification.__module__], "_MOST_WEIGHTS", 100)
        assert "40 classes" in measured(pair(table), target=many).reason


def test_gender_in_movielens_is_predicted_no_better_than_guessing(test_data):
    table = read(test_data / "ml-100k")
    users = (test_data / "ml-100k" / "u.user").read_text(encoding="latin-1").splitlines()
    gender = {user: sex for user, _, sex, *_ in (line.split("|") for line in users)}
    target = pl.Series("gender", [gender[str(one)] for one in table.record_ids])
    found = measured(pair(table), target=target, trials=10)
    assert found.details["majority"] == 670 / 943
    assert found.value == pytest.approx(0.697, abs=0.02)
    assert found.value < found.details["majority"]
