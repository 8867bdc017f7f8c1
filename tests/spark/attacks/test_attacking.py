"""Attacks on Spark: the answers of the single machine, for the same knowledge."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.attack import draw
from ratingpriv.attack.algorithms.methods import ALGORITHMS, answers_of
from ratingpriv.attack.knowledge import read_auxiliary
from ratingpriv.errors import ParameterError
from ratingpriv.spark.attacks.attacking import attack
from ratingpriv.table import RatingTable

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]

EXACT = ("matching", "n_candidates", "score_true", "better", "tied", "scores")
ROUNDED = ("eccentricity", "entropy_bits", "shannon_bits", "probabilities")


def written(path: Path, table: RatingTable, **drawing: Any) -> Path:
    """A file of what is drawn from a table."""
    aux = draw(table, **drawing).auxiliary
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["target", "issue", "rating"])
        for t, target in enumerate(aux.targets.tolist()):
            for at in range(aux.indptr[t], aux.indptr[t + 1]):
                rating = repr(float(aux.ratings[at]))
                out.writerow([table.record_ids[target], table.issues[aux.issues[at]], rating])
    return path


def assert_equal(
    found: Any, table: RatingTable, aux: Path, settings: tuple[bool, ...] = (False, True)
) -> None:
    """Spark's answers are those of the single machine."""
    requested: dict[str, dict[str, Any]] = {name: {} for name in ALGORITHMS}
    known = read_auxiliary(aux, table)
    for gone in settings:
        alone = answers_of(requested, table, _absent(known, gone))
        for one in found.attacks:
            there = alone[one.parameters["algorithm"]]
            here = one.absent if gone else one.attacked
            for name in EXACT:
                np.testing.assert_array_equal(getattr(here, name), getattr(there, name), err_msg=name)
            for name in ROUNDED:
                np.testing.assert_allclose(getattr(here, name), getattr(there, name), rtol=1e-9, atol=1e-9)
            for name in ("best", "candidates"):
                ids = [one.record_ids, table.record_ids]
                mine, theirs = (
                    [[None if at < 0 else of[at] for at in row] for row in np.atleast_2d(answers).tolist()]
                    for of, answers in zip(ids, (getattr(here, name), getattr(there, name)), strict=True)
                )
                assert mine == theirs


def _absent(known: Any, gone: bool) -> Any:
    import dataclasses

    return dataclasses.replace(known, absent=gone)


def survey(n: int = 150) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    rated = rng.random((n, 6)) < 0.7
    values = np.where(rated, rng.integers(1, 6, (n, 6)), np.nan)
    columns = {f"q{j}": values[:, j] for j in range(6)}
    return pl.DataFrame(columns).with_columns(pl.all().fill_nan(None)).with_columns(id=np.arange(n))


def test_a_survey(spark: Any, tmp_path: Path) -> None:
    frame = survey()
    table = RatingTable.from_wide(frame, id="id")
    aux = written(tmp_path / "aux.csv", table, known=3, wrong=1, rating_error=1, targets=12, rng=1)
    found = attack(spark.createDataFrame(frame.to_arrow()), aux=aux, id="id", memory=25_000)
    assert_equal(found, table, aux)
    assert (found.records, found.issues) == (150, 6)
    rows = found.strongest.to_frame()
    assert rows.columns[:3] == ["target", "match", "chance"]
    assert rows["target"].to_list() == [
        str(one) for one in found.strongest.record_ids.gather(found.strongest.truth)
    ]


def test_ratings_by_row_with_somebody_who_is_not_there(spark: Any, tmp_path: Path) -> None:
    table = RatingTable.from_wide(survey(80), id="id")
    aux = written(tmp_path / "aux.csv", table, known=2, targets=5, rng=2)
    with aux.open("a") as file:
        file.write("nobody,q0,3\nnobody,q1,2\n")
    long = table.to_long("polars").select("id", "issue", "rating").sample(fraction=1.0, shuffle=True, seed=1)
    long = long.with_columns(pl.col("issue").cast(pl.String))
    found = attack(spark.createDataFrame(long.to_arrow()), aux=aux, id="id", memory=6_400)
    assert_equal(found, table, aux)
    assert found.attacks[0].names[-1] == "nobody"
    assert found.attacks[0].truth[-1] == -1


def test_drawing_from_targets_that_are_named_or_sampled(spark: Any) -> None:
    df = spark.createDataFrame(survey(60).to_arrow())
    one = attack(df, target_ids=[7, 3], known=3, id="id")
    assert [attacked.names for attacked in one.attacks] == [("3", "7")] * len(ALGORITHMS)
    again, other = (attack(df, targets=9, known=2, id="id", rng=4, algorithm="best-candidate") for _ in "ab")
    assert again.strongest.to_frame().equals(other.strongest.to_frame())
    assert again.strongest.measures.targets + again.could_not_attack == 9
    codes = [caution.code for caution in again.strongest.cautions]
    assert codes == ["few-targets", "profiles-not-compared", "one-algorithm"]
    with pytest.raises(ParameterError, match="1 ids that no record has"):
        attack(df, target_ids=[7, 99], id="id")
    with pytest.raises(ParameterError, match="dates are not compared on Spark"):
        attack(df, targets=3, options={"dates": True}, id="id")


def test_users_of_movielens(spark: Any, tmp_path: Path) -> None:
    place = Path(os.environ.get("RATINGPRIV_TEST_DATA", "../shared/data")) / "ml-100k"
    if not place.exists():
        pytest.skip("no ml-100k in RATINGPRIV_TEST_DATA")
    long = ratingpriv.read(place).to_long("polars")
    long = long.rename(dict(zip(long.columns, ("record", "issue", "rating"), strict=False)))
    long = long.select("record", pl.col("issue").cast(pl.String), "rating").sort("record")
    names = pl.Enum(sorted(long["issue"].unique()))  # the order in which Spark has them
    table = RatingTable.from_long(long.with_columns(pl.col("issue").cast(names)))
    aux = written(tmp_path / "aux.csv", table, known=8, targets=120, rng=0)
    found = attack(spark.createDataFrame(long.to_arrow()), aux=aux, false_positives=False)
    assert found.strongest.measures.targets == 120
    assert_equal(found, table, aux, (False,))
