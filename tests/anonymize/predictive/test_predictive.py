"""The method "predictive": identical groups, proved from the file; what is refused;
what never changes.
"""

import json

import naive.predictive as naive
import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize.methods import predictive
from ratingpriv.anonymize.predictive import diversity
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.data.table import QuasiColumn, Scale

pytestmark = pytest.mark.small


def table_of(records=60, issues=15, seed=0, density=0.4, sensitive=None, quasi=(), times=False):
    """Sparse ratings 1..5, among them records without any."""
    rng = np.random.default_rng(seed)
    rated = rng.random((records, issues)) < density * (np.arange(records) % 10 > 0)[:, None]
    record, issue = np.nonzero(rated)
    frame = {"record": record, "issue": issue, "rating": rng.integers(1, 6, len(record))}
    long = pl.DataFrame({**frame, "when": rng.integers(0, 10**6, len(record))} if times else frame)
    missing = pl.DataFrame({"record": np.arange(records), "issue": 0}).join(
        long, on="record", how="anti"
    )
    long = pl.concat([long, missing], how="diagonal_relaxed").sort(
        "record", "issue", maintain_order=True
    )
    table = RatingTable.from_long(
        long.with_columns(pl.col("issue").cast(pl.String)), timestamp="when" if times else None,
        scale=(1, 5),
    )  # fmt: skip
    if sensitive is not None:
        column = ratingpriv.data.table.parts.SensitiveColumn(
            "pay", np.array(sensitive, float), np.ones(records, bool)
        )
        table = table.replace(sensitive=(column,))
    return table.replace(quasi=tuple(quasi))


def rows_of(table):
    return [
        {
            table.issues[issue]: float(table.levels[table.codes[at]])
            for at, issue in enumerate(table.support(one).tolist(), int(table.indptr[one]))
        }
        for one in range(table.n_records)
    ]


@pytest.mark.parametrize("labels", ["rounded", "exact"])
@pytest.mark.parametrize("scheme", ["pure", "padded"])
def test_members_are_identical_and_no_rating_is_lost(scheme, labels):
    table = table_of()
    made = predictive(table, k=4, scheme=scheme, labels=labels, rng=1, threads=1)
    before, after = rows_of(table), rows_of(made.table)
    assert made.groups is not None
    assert made.groups.sizes.min() >= 4
    for members in made.groups.members():
        assert all(after[one] == after[members[0]] for one in members)
    assert all(set(old) <= set(new) for old, new in zip(before, after, strict=True))
    if scheme == "padded":
        assert all(len(new) == table.n_issues for new in after)
    elif labels == "exact":
        twin = naive.pure(before, [one.tolist() for one in made.groups.members()])
        for cells, members in zip(twin, made.groups.members(), strict=True):
            assert after[members[0]] == {
                name: float(f"{float(m):.15g}") for name, (m, _) in cells.items()
            }
    assert made.distortion.erased == 0
    assert made.table.scale == table.scale
    assert all(1 <= rating <= 5 for row in after for rating in row.values())
    for nulls in ("strict", "wildcard", "known"):
        assert ratingpriv.audit(made.table, k=4, epsilon=0, nulls=nulls).satisfied
    assert made.claims is not None
    assert made.claims.links.real == table.n_ratings
    assert made.claims.links.mean >= 1 / made.claims.largest
    assert (made.claims.exact is None) == (labels == "rounded")


def test_the_seed_decides_and_nothing_else():
    table = table_of(records=120)
    one = predictive(table, k=3, rng=5, threads=1, bins=6)
    for threads in (2, 4):
        assert rows_of(predictive(table, k=3, rng=5, threads=threads, bins=6).table) == rows_of(
            one.table
        )
    assert rows_of(predictive(table, k=3, rng=6, threads=1, bins=6).table) != rows_of(one.table)
    assert one.parameters.seed == 5
    assert any("seed 5" in note for note in one.notes)
    secret = predictive(table, k=3, threads=1)
    assert secret.parameters.seed is None
    again = predictive(table, k=3, threads=1, rng=secret.secret_seed)
    assert rows_of(again.table) == rows_of(secret.table)


def test_diversity_does_not_change_the_groups():
    table = table_of(seed=3, density=0.15)
    plain = predictive(table, k=5, rng=2, threads=1)
    made = predictive(table, k=5, rng=2, threads=1, diversity=(2, 3))
    assert np.array_equal(plain.groups.labels, made.groups.labels)
    covered = diversity.coverage_of(made.groups.labels.astype(np.int32), made.table)
    assert diversity.check_diversity(covered, table, 2, 3)
    assert not diversity.check_diversity(
        diversity.coverage_of(plain.groups.labels.astype(np.int32), plain.table), table, 2, 3
    )
    assert made.claims.added_cells > 0
    assert made.claims.links.real == table.n_ratings
    assert made.claims.to_dict()["diversity"] == {
        "b": 2,
        "l": 3,
        "added_cells": made.claims.added_cells,
    }
    padded = predictive(
        table, k=5, rng=2, threads=1, diversity=(2, 3), scheme="padded", labels="exact"
    )
    assert padded.claims.added_cells == 0


def test_what_cannot_be_had_is_refused(monkeypatch):
    table = table_of()
    with pytest.raises(TargetNotReachedError, match="61 is more than the 60 records"):
        predictive(table, k=61)
    with pytest.raises(
        TargetNotReachedError, match=r"out of reach, proved: .* there are \d groups"
    ):
        predictive(table, k=10, diversity=(1, 40), rng=0, threads=1)
    monkeypatch.setattr(diversity, "BUDGET", 1)
    with pytest.raises(TargetNotReachedError, match="not decided"):
        predictive(table, k=10, diversity=(3, 2), rng=0, threads=1)
    with pytest.raises(ResourceError, match=r"60 x 15 = 900 ratings.*`memory`.*`scheme='pure'`"):
        predictive(table, k=4, scheme="padded", memory=5000)
    with pytest.raises(ParameterError, match="data with ratings"):
        predictive(table_of(density=0), k=4, scheme="padded")
    for wrong in ({"scheme": "x"}, {"labels": "x"}, {"centres": "x"}, {"factors": -1}, {"bins": 0},
                  {"diversity": (1,)}, {"diversity": "12"}, {"diversity": (0, 1)},
                  {"diversity": (1, 2), "labels": "exact"}, {"nulls": "known"}):  # fmt: skip
        with pytest.raises(ParameterError):
            predictive(table, k=4, **wrong)


def test_nobody_rated_anything_and_timestamps_are_not_released():
    made = predictive(table_of(density=0, records=7), k=3, rng=0, threads=1)
    assert (made.table.n_ratings, made.satisfied, made.claims.links.mean) == (0, True, None)
    made = predictive(table_of(times=True), k=4, rng=0, threads=1)
    assert made.table.timestamps is None
    assert any("timestamps are not released" in note for note in made.notes)


def test_sensitive_ratings_stay_and_an_l_that_fails_is_refused_with_the_largest():
    rng = np.random.default_rng(0)
    pay = rng.integers(1, 6, 60)
    table = table_of(sensitive=pay)
    made = predictive(table, k=6, l=0.1, rng=0, threads=1)
    assert made.table.sensitive[0].values.tolist() == pay.tolist()
    without = predictive(table_of(), k=6, rng=0, threads=1)
    assert rows_of(made.table) == rows_of(without.table)  # they take no part
    largest = made.audit.k_epsilon_l.max_l["pay"]
    assert predictive(table, k=6, l=largest, rng=0, threads=1).satisfied
    with pytest.raises(TargetNotReachedError, match=r"the largest l: pay: 0\.\d+;") as refused:
        predictive(table, k=6, l=largest + 0.01, rng=0, threads=1)
    named = float(str(refused.value).partition("pay: ")[2].partition(";")[0])
    assert largest - 1e-5 < named <= largest
    assert refused.value.best.audit.k_epsilon.satisfied


def test_groups_are_made_among_equal_quasi_identifiers_only():
    town = QuasiColumn("town", np.array([0, 1, 2] * 20, dtype=np.int32), pl.Series(["a", "b", "c"]))
    ages = np.repeat(np.arange(4), 15).astype(np.int32)
    age = QuasiColumn("age", ages, pl.Series([20.0, 21, 22, 40]), within=2.0)
    made = predictive(table_of(quasi=(town, age)), k=5, rng=0, threads=1)
    keys = np.stack([one.codes for one in made.table.quasi], axis=1)
    for members in made.groups.members():
        assert len(np.unique(keys[members], axis=0)) == 1
    assert [one.within for one in made.table.quasi] == [None, 2.0]
    for nulls in ("strict", "wildcard", "known"):
        assert ratingpriv.audit(made.table, k=5, epsilon=0, nulls=nulls).satisfied
    assert "agree on town, age" in made.statement


def test_classes_of_fewer_than_k_lose_values_or_records_and_it_is_said():
    codes = np.array([0] * 28 + [1] * 2 + [-1] * 30, dtype=np.int32)
    town = QuasiColumn("town", codes, pl.Series(["a", "b"]))
    made = predictive(table_of(quasi=(town,)), k=5, rng=0, threads=1)
    assert made.distortion.quasi.erased == 2
    assert made.distortion.quasi.changed == 0
    assert "2 values of quasi-identifiers of 2 records were suppressed" in made.statement
    alone = QuasiColumn("town", np.array([0] * 58 + [1] * 2, dtype=np.int32), pl.Series(["a", "b"]))
    made = predictive(table_of(quasi=(alone,)), k=5, rng=0, threads=1)
    assert made.audit.k_epsilon.max_k >= 5
    lost = made.distortion
    assert lost.records_withheld + lost.quasi.erased > 0
    assert (made.groups.labels < 0).sum() == lost.records_withheld
    assert made.claims.links.real == lost.ratings - lost.ratings_withheld


def test_levels_are_those_of_the_data_where_no_scale_of_whole_numbers_was_declared():
    table = table_of()
    halves = table.replace(levels=table.levels / 2, scale=Scale(0.5, 2.5, declared=True))
    made = predictive(halves, k=4, rng=0, threads=1)
    assert set(np.unique(made.table.values)) <= {0.5, 1.0, 1.5, 2.0, 2.5}
    gap = table.replace(levels=np.array([1.0, 2, 3, 4, 9]), scale=Scale(1, 9, declared=False))
    assert set(np.unique(predictive(gap, k=4, rng=0, threads=1).table.values)) <= {1, 2, 3, 4, 9}


@pytest.mark.parametrize("options", [{"labels": "exact"}, {"scheme": "padded", "labels": "exact"}])
def test_the_written_file_verifies_at_epsilon_0_and_says_nothing_of_the_original(options, tmp_path):
    made = predictive(table_of(), k=4, rng=0, threads=1, **options)
    release = write_release(made, tmp_path / "r.csv", rng=1, threads=1)
    content = json.loads((tmp_path / "r.csv.manifest.json").read_text())
    assert content["method"]["scheme"] == options.get("scheme", "pure")
    assert "predictive" not in content
    assert release.to_dict()["predictive"] == made.claims.to_dict()
    found = verify(tmp_path / "r.csv", k=4, epsilon=0, threads=1)
    assert found.valid, found.problems


def test_movielens_is_more_exposed_than_theorem_5_2_says(test_data):
    table = ratingpriv.read(test_data / "ml-100k" / "u.data", issues="top:60")
    made = predictive(table, k=20, rng=0, threads=1)
    assert made.audit.k_epsilon.max_k >= 20
    assert made.claims.links.mean > 3 / 20  # all films, k = 20: 0.14; k = 5: 0.29
