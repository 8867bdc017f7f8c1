"""A release read beside its original: roles, words and scale are never guessed anew from it."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.data.codebook.table_like import takes_frames
from ratingpriv.data.table import RatingTable

EXAMPLES = Path(__file__).parents[2] / "examples"


def beginning(folder, lines=31):
    """The first people of the survey: so few that releases keep few of
    the levels of each question.
    """
    path = folder / "survey.csv"
    text = (EXAMPLES / "survey.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(text[:lines]), encoding="utf-8")
    return path


METHODS = (("modify", 0), ("predictive", 0), ("suppress", 1))


@pytest.mark.parametrize(("method", "epsilon"), METHODS)
@pytest.mark.parametrize("with_manifest", [True, False])
def test_attack_reads_the_products_own_releases(cli, tmp_path, method, epsilon, with_manifest):
    data, release, key = beginning(tmp_path), tmp_path / "r.csv", tmp_path / "key.json"
    how = ("--epsilon", epsilon, "--k", 3, "--method", method, "--utility", "none", "--key", key)
    assert cli("anonymize", data, *how, "-o", release).exit_code in (0, 1)
    if not with_manifest:
        (tmp_path / "r.csv.manifest.json").unlink()
    for command in (("attack", data, "--release", release), ("utility", data, release)):
        ended = cli(*command, "--truth", key, "--json")
        assert ended.exit_code == 0, ended.stderr
    assert json.loads(cli("attack", data, "--release", release, "--truth", key, "--json").stdout)[
        "suite"
    ]


def test_a_column_is_what_it_is_in_the_original(cli, tmp_path):
    data = tmp_path / "d.csv"
    rows = [f"{n},{1 + n % 5},{1 + n % 4},{20 + n % 2},{n % 2},{'ab'[n % 2]}" for n in range(40)]
    data.write_text("\n".join(["id,q1,q2,age,hiv,city", *rows]) + "\n", encoding="utf-8")
    release, key = tmp_path / "r.csv", tmp_path / "key.json"
    said = (
        "--quasi",
        "age=5",
        "--quasi",
        "city",
        "--sensitive",
        "hiv",
        "--rating",
        "q1",
        "--rating",
        "q2",
    )
    how = ("--k", 2, "--epsilon", 1, "--method", "modify", "--utility", "none", "--key", key)
    assert cli("anonymize", data, *said, *how, "-o", release).exit_code in (0, 1)
    assert cli("attack", data, *said, "--release", release, "--truth", key).exit_code == 0


def test_frames_of_releases_have_the_columns_of_their_original():
    """Two levels left of five, which by themselves are taken for a choice of two, no rating."""
    rng = np.random.default_rng(0)
    before = pl.DataFrame({"id": range(60), **{f"q{n}": rng.integers(1, 6, 60) for n in range(4)}})
    after = before.with_columns(q0=(pl.col("q0") > 3).cast(pl.Int64) + 2)
    table = ratingpriv.read(before)
    found = ratingpriv.attack(table, after, truth="ids", known=2)
    assert found.pairs[0].after.dataset.records == 60
    read: list[RatingTable] = []

    @takes_frames
    def taken(table, release):
        read.extend([table, release])

    taken(before, after)
    assert read[1].issues == read[0].issues
    assert read[1].scale == read[0].scale
