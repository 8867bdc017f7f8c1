"""Recommender error (U8)."""

import dataclasses

import numpy as np
import pytest
from golden.tables import build
from naive import learning, prediction
from utility.releases import ONE, drawn
from utility.releases import paired as pair

import ratingpriv
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.recommender import held_out, recommender, records_of, rmse


def rows_of(rng, m, n, density=0.8):
    """Ratings that have something to learn: of records, of issues and of both."""
    taste = rng.normal(size=(m, 2)) @ rng.normal(size=(2, n)) + rng.normal(size=(m, 1))
    return drawn(rng, m, n, density, np.clip(np.rint(3 + taste), 1, 5))


def measured(given, seed=0, **settings):
    return recommender(given, rng=np.random.default_rng(seed), resources=ONE, **settings)


def test_the_golden_error():
    table = build([(1, 5)], scale=(1, 5))
    assert rmse(np.array([4.0, 2, 5]), np.array([3.5, 2.5, 4]), table) == pytest.approx(
        np.sqrt(0.5)
    )
    assert rmse(np.array([1.0, 5]), np.array([-3.0, 9]), table) == 0  # clipped
    assert learning.rmse([4, 2, 5], [3.5, 2.5, 4], 1, 5) == pytest.approx(0.7071, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_errors_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    rows, released = rows_of(rng, 12, 6), rows_of(rng, 12, 6)
    original, release = build(rows, scale=(1, 5)), build(released, scale=(1, 5))
    found = measured(pair(original, release), factors=2, share=0.3, runs=1)
    gone = held_out(
        original, 0.3, np.random.default_rng(0),
        by_record=original.record_ids.arg_sort().to_numpy(), by_issue=np.arange(6),
    )  # fmt: skip
    cells = list(
        zip(records_of(original)[gone].tolist(), original.indices[gone].tolist(), strict=True)
    )
    truth = [rows[u][i] for u, i in cells]

    def left(table):
        return [[None if (u, i) in cells else table[u][i] for i in range(6)] for u in range(12)]

    def error(predictions):
        return learning.rmse(truth, [predictions[u][i] for u, i in cells], 1, 5)

    rest = left(rows)
    given = [value for row in rest for value in row if value is not None]
    columns = [[row[i] for row in rest if row[i] is not None] for i in range(6)]
    assert found.value == pytest.approx(error(prediction.predictions(left(released), 2)))
    details = found.details
    assert details["biases"] == pytest.approx(error(prediction.predictions(rest, 0)))
    assert details["global_mean"] == pytest.approx(error([[np.mean(given)] * 6] * 12))
    assert details["issue_mean"] == pytest.approx(
        error([[np.mean(column) for column in columns]] * 12)
    )
    direct = [(rows[u][i], released[u][i]) for u, i in cells if released[u][i] is not None]
    assert details["direct"]["coverage"] == pytest.approx(len(direct) / len(cells))
    assert details["direct"]["rmse"] == pytest.approx(
        learning.rmse(*zip(*direct, strict=True), 1, 5)
    )


def test_a_release_that_is_the_original_has_its_error():
    table = build(rows_of(np.random.default_rng(3), 30, 8), scale=(1, 5))
    here = measured(pair(table))
    # and by the way of any release
    assert here == measured(pair(table, dataclasses.replace(table)))
    assert here.details["direct"] == {"rmse": 0.0, "coverage": 1.0}
    assert here.details["held_out"] == here.details["predicted"] > 0


def test_what_cannot_be_measured_is_not():
    table = build(rows_of(np.random.default_rng(6), 6, 4))
    empty = build([[None] * 4] * 6)
    assert "which" in measured(Pair(table, table)).reason
    assert "no ratings" in measured(pair(table, empty)).reason
    assert "held out" in measured(pair(table, pairing=[-1] * 6)).reason
    assert "held out" in measured(pair(empty, table)).reason
    once = build([(1, None), (None, 2)])  # nobody has a rating to spare
    assert "held out" in measured(pair(once)).reason
    only = build([(1, 2)], scale=(1, 5))
    for kept in ((1, None), (None, 1)):
        found = measured(pair(only, build([kept], scale=(1, 5))), share=0.99, runs=20)
        assert found.reason == "the release has no other ratings to train on"


def test_movielens_is_predicted_as_the_field_knows_it(test_data):
    table = ratingpriv.read(test_data / "ml-100k")
    found = measured(pair(table), runs=1)
    assert found.value == pytest.approx(0.924, abs=0.01)
    assert found.details["biases"] == pytest.approx(0.945, abs=0.01)
    assert found.details["issue_mean"] == pytest.approx(1.028, abs=0.01)
    assert found.details["global_mean"] == pytest.approx(1.130, abs=0.01)


def test_no_rating_is_learnt_from_records_made_identical():
    """A group's rating is made of the one held out: it is no prediction of it."""
    rng = np.random.default_rng(5)
    rows = [[float(value) for value in row] for row in rng.integers(1, 6, size=(8, 12))]
    # each of five identical records
    noise = build([row for row in rows for _ in range(5)], scale=(1, 5))
    found = measured(pair(noise), runs=2)
    # noise; with what its equals have it is below
    assert found.value > found.details["global_mean"]


# ---- holding ratings out ----


def sparse(rng, m, n):
    """Records of which the first rates nothing, the second one issue."""
    rows = drawn(rng, m, n)
    rows[0], rows[1] = [None] * n, [3.0] + [None] * (n - 1)
    return build(rows)


def split(table, rng, share=0.1):
    return held_out(
        table, share, rng, by_record=np.arange(table.n_records), by_issue=np.arange(table.n_issues)
    )


@pytest.mark.parametrize("share", [0.1, 0.37, 0.999])
def test_each_record_loses_its_share_and_keeps_one(share):
    rng = np.random.default_rng(0)
    table = sparse(rng, 40, 12)
    counts, total, repeats = np.diff(table.indptr), np.zeros(40), 200
    for _ in range(repeats):
        lost = np.bincount(records_of(table)[split(table, rng, share)], minlength=40)
        assert (lost <= np.maximum(counts - 1, 0)).all()
        assert (np.abs(lost - np.minimum(counts * share, np.maximum(counts - 1, 0))) < 1).all()
        total += lost
    if share < 0.5:
        assert abs(total[2:].sum() / repeats - share * counts[2:].sum()) < 0.5


def test_every_rating_of_a_record_is_as_likely():
    rng = np.random.default_rng(1)
    table = build([(1, 2, 3, 4, 5)])
    drawn = sum(split(table, rng, 0.4).astype(int) for _ in range(2000))
    assert (np.abs(drawn - 800) < 5 * np.sqrt(2000 * 0.4 * 0.6)).all()
