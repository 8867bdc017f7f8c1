"""Releases by swap from Python: what a seed costs, and the methods of scikit-learn."""

import json

import numpy as np
import polars as pl
import pytest
from release_samples import edit

import ratingpriv
from ratingpriv import Anonymizer
from ratingpriv.anonymize import Publish, swap, verify, write_release
from ratingpriv.base.errors import ParameterError


def people(n=60, seed=3):
    rng = np.random.default_rng(seed)
    columns = {
        f"q{c}": np.clip(1 + np.arange(n) % 3 + rng.integers(0, 3, n), 1, 5) for c in range(3)
    }
    return pl.DataFrame({"id": [f"p{i}" for i in range(n)], **columns})


def table():
    return ratingpriv.read(people(), ratings=["q0", "q1", "q2"], scale=(1, 5), id="id")


def codes(result):
    return {caution.code for caution in result.cautions}


@pytest.mark.parametrize("seed", [7, np.random.default_rng(7)])
def test_a_release_written_with_a_seed_has_a_reservation_and_tells_no_seed(tmp_path, seed):
    made = swap(table(), k=5, epsilon=2, rng=seed)
    release = write_release(made, tmp_path / "r.csv", key=tmp_path / "r.key")
    assert "seed-known" in codes(release)
    assert not release.standing.passes
    manifest = json.loads((tmp_path / "r.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["method"]["seed"] is None
    assert "seed-known" in codes(verify(tmp_path / "r.csv"))


def test_an_order_by_a_seed_has_it_too_and_the_operating_systems_bits_have_not(tmp_path):
    made = swap(table(), k=5, epsilon=2)
    assert "seed-known" not in codes(write_release(made, tmp_path / "r.csv"))
    again = write_release(swap(table(), k=5, epsilon=2), tmp_path / "s.csv", rng=7)
    assert "seed-known" in codes(again)


def test_two_exchanges_of_the_same_data_differ():
    first, second = (swap(table(), k=5, epsilon=2) for _ in range(2))
    assert np.array_equal(first.groups.labels, second.groups.labels)
    assert any(
        not np.array_equal(first.claims.sources[q], second.claims.sources[q]) for q in ("q0", "q1")
    )


def test_ids_are_never_kept(tmp_path):
    with pytest.raises(ParameterError, match="ids"):
        write_release(swap(table(), k=5, epsilon=2), tmp_path / "r.csv", ids="keep")
    assert not list(tmp_path.iterdir())


def test_the_estimator_of_scikit_learn():
    answers = people().drop("id").to_numpy()
    made = Anonymizer(k=5, epsilon=2, method="swap", scale=(1, 5), random_state=1)
    after = made.fit_transform(answers)
    assert sorted(after[:, 0]) == sorted(answers[made.kept_, 0])
    assert made.result_.claims.smallest >= 5


@pytest.mark.parametrize("place", [("distortion", "total", 3.0), ("distortion", "cells", 999)])
def test_costs_that_are_left_out_are_all_left_out_and_the_rest_adds_up(tmp_path, place):
    write_release(swap(table(), k=5, epsilon=2), tmp_path / "r.csv")
    assert verify(tmp_path / "r.csv").valid
    assert not verify(edit(tmp_path / "r.csv", place)).valid


@pytest.mark.parametrize("share", [0, 1.5])
def test_a_threshold_of_nobody_or_of_more_than_all_is_refused(tmp_path, share):
    with pytest.raises(ParameterError, match="found_at_most"):
        Publish(path=tmp_path / "r.csv", found_at_most=share)


def kinds(n=120):
    """People of two kinds, far apart, one after the other in the file,
    so that groups are runs of it.
    """
    rng = np.random.default_rng(5)
    columns = {f"q{c}": np.repeat([1, 4], n // 2) + rng.integers(0, 2, n) for c in range(3)}
    return pl.DataFrame({"id": [f"p{i}" for i in range(n)], **columns})


def test_order_ids_and_metadata_tell_of_no_group(tmp_path):
    """Records of a kind stand nowhere together,
    in a file and in one that can keep notes of its own.
    """
    read = ratingpriv.read(kinds(), ratings=["q0", "q1", "q2"], scale=(1, 5), id="id")
    for name in ("r.csv", "r.parquet"):
        write_release(swap(read, k=12, epsilon=1), tmp_path / name, key=tmp_path / f"{name}.key")
        content = (
            pl.read_csv(tmp_path / name)
            if name.endswith("csv")
            else pl.read_parquet(tmp_path / name)
        )
        of = (content["q0"] > 2).to_numpy()
        changes = int(np.count_nonzero(of[1:] != of[:-1]))
        assert 30 < changes < 90  # of 119 half: 5.5 standard deviations; 1 if groups stood together
        numbers = content[content.columns[0]].cast(pl.Int64).to_numpy()
        assert sorted(numbers.tolist()) == list(range(1, 121))
        assert 30 < np.count_nonzero(np.diff(of[np.argsort(numbers)].astype(int))) < 90
        key = json.loads((tmp_path / f"{name}.key").read_text(encoding="utf-8"))
        for group in key["groups"]:
            assert group["released"] == sorted(group["released"])
    text = (tmp_path / "r.parquet").read_bytes()
    assert not any(word in text for word in (b"permutation", b"p17", b"seed", b"groups"))


def test_the_recount_says_how_far_it_is_and_can_be_stopped(tmp_path):
    kinds().write_csv(tmp_path / "d.csv")
    read = ratingpriv.read(tmp_path / "d.csv", ratings=["q0", "q1", "q2"], scale=(1, 5), id="id")
    release = write_release(swap(read, k=12, epsilon=1), tmp_path / "r.csv", key=tmp_path / "r.key")
    steps = []

    def follow(what, done, total):
        if what == "counting group tables":
            steps.append((done, total))
            if len(steps) == 3:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify(release.path, original=tmp_path / "d.csv", key=tmp_path / "r.key", progress=follow)
    groups = len(json.loads((tmp_path / "r.key").read_text(encoding="utf-8"))["groups"])
    assert steps == [(done, groups) for done in range(3)]
