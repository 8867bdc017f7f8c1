"""Commands with ``--engine spark``, in this process and on the session of the other tests."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.csv
import pytest
from spark_samples import survey
from typer.testing import CliRunner

from ratingpriv.cli import app
from ratingpriv.cli.options.spark import SparkOptions

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]

DATA = ("data.csv", "--id", "id", "--sensitive", "pay")


@pytest.fixture
def run(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command beside data.csv; gives its exit code and its JSON."""
    pyarrow.csv.write_csv(survey(60, 3, levels=3), tmp_path / "data.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(SparkOptions, "_session", lambda self: contextlib.nullcontext(spark))

    def called(*arguments: str) -> tuple[int, dict[str, Any]]:
        ended = CliRunner().invoke(app, [*arguments, "--json"])
        content = json.loads(ended.stdout)
        assert ended.exit_code in (0, 1), ended.stderr
        del content["tool"]
        content.pop("equal", None)  # not counted on Spark
        return ended.exit_code, content

    return called


def test_frontier(run: Any) -> None:
    asked = ("frontier", *DATA, "--k", "3", "--l", "1", "--no-partition")
    assert run(*asked, "--engine", "spark") == run(*asked)


def test_releases(run: Any, tmp_path: Path) -> None:
    target = ("--k", "3", "--epsilon", "1", "--method")
    there = ("--engine", "spark", "--keep-ids")
    code, here = run("anonymize", *DATA, *target, "suppress", "-o", "here.csv")
    assert (code, run("anonymize", *DATA, *target, "suppress", "-o", "r", *there)[0]) == (0, 0)
    released = pl.read_parquet(tmp_path / "r" / "*.parquet")
    assert released.height == here["records"]["released"]
    again = run(
        "audit", "r", *DATA[1:], "--k", "3", "--epsilon", "1", "--format", "parquet", "--engine", "spark"
    )
    code, made = run("anonymize", *DATA, *target, "suppress", "-o", "r2", *there)
    assert made["records"] == {name: here["records"][name] for name in made["records"]}
    assert again[0] == 0
    assert made["verification"]["largest_k"] == again[1]["k_epsilon"]["max_k"]
    assert [one["code"] for one in made["cautions"]] == [one["code"] for one in here["cautions"]]
    code, made = run("anonymize", *DATA, *target, "modify", "-o", "m", "--set", "small=withhold", *there)
    assert code == 0
    assert pl.read_parquet(tmp_path / "m" / "*.parquet").height == made["records"]["released"]
    code, none = run(
        "anonymize", *DATA, "--k", "61", "--epsilon", "1", "--method", "suppress", "-o", "n", *there
    )
    assert (code, none["release"], (tmp_path / "n").exists()) == (1, None, False)
