"""The seed of the changes: the operating system's unless one is given, and nowhere but in the private key."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from golden.tables import build

from ratingpriv.anonymize import modify, suppress, write_release
from ratingpriv.base.errors import DataError
from ratingpriv.base.keys import read_key
from ratingpriv.data.table import RatingTable
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render


@pytest.fixture
def table() -> RatingTable:
    rng = np.random.default_rng(5)
    return build(rng.integers(1, 6, (60, 6)).tolist(), scale=(1, 5))


def test_without_a_seed_it_is_the_systems_and_nowhere_but_in_the_key(
    table: RatingTable, tmp_path: Path
) -> None:
    made = modify(table, k=4, epsilon=1)
    secret = made.secret_seed
    assert secret is not None
    assert secret.bit_length() > 64
    assert secret != modify(table, k=4, epsilon=1).secret_seed
    again = modify(table, k=4, epsilon=1, rng=secret)
    assert np.array_equal(again.table.values, made.table.values)  # it is what decides
    assert again.secret_seed is None
    release = write_release(made, tmp_path / "r.csv", key=tmp_path / "key")
    assert read_key(tmp_path / "key").facts["method_seed"] == secret
    public = [(tmp_path / name).read_text(encoding="utf-8") for name in ("r.csv", "r.csv.manifest.json")]
    for text in (*public, json.dumps(release.to_dict()), render(page_of(release)), repr(made)):
        assert str(secret) not in text
    assert made.parameters.seed is None
    assert not [note for note in release.warnings if "seed" in note]


def test_a_given_seed_is_public_and_the_result_warns(table: RatingTable, tmp_path: Path) -> None:
    release = write_release(modify(table, k=4, epsilon=1, rng=3), tmp_path / "r.csv", key=tmp_path / "key")
    assert json.loads(release.manifest_path.read_text(encoding="utf-8"))["method"]["seed"] == 3
    assert read_key(tmp_path / "key").facts["method_seed"] == 3
    assert any("the seed 3, which the manifest tells" in warning for warning in release.warnings)


def test_where_nothing_is_drawn_there_is_no_seed(table: RatingTable) -> None:
    assert suppress(table, k=1, epsilon=1).secret_seed is None
    assert modify(table, k=1, epsilon=1).secret_seed is None
    assert modify(table, k=1, epsilon=1, rng=3).notes == ()


@pytest.mark.parametrize("name", ["=1+1", "@SUM(A1)", "a;=1"])
def test_a_release_with_formulas_is_refused_and_never_escaped(name: str, tmp_path: Path) -> None:
    from ratingpriv import read

    (tmp_path / "d.csv").write_text(f'id,"{name}",b\n=ann,-1,2\nbob,-1,2\n', encoding="utf-8")
    made = modify(read(tmp_path / "d.csv"), k=2, epsilon=0)
    release = write_release(made, tmp_path / "r.csv")
    assert read(release.path).issues == (name, "b")
    with pytest.raises(
        DataError, match="found 1 names, ids or values that a spreadsheet takes for formulas"
    ) as caught:
        write_release(made, tmp_path / "s.csv", csv_safe=True)
    assert name in caught.value.with_cells()
    assert not (tmp_path / "s.csv").exists()
    with pytest.raises(DataError, match="found 2 names, ids or values"):
        write_release(made, tmp_path / "s.csv", csv_safe=True, ids="keep")
    write_release(
        modify(read(tmp_path / "d.csv", drop=[name]), k=2, epsilon=0), tmp_path / "t.csv", csv_safe=True
    )
