"""Spark Connect: the same results from a client that has no Java of its own, by way of a server."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from spark_samples import long_of, said_of, survey

import ratingpriv
from ratingpriv.data.table import RatingTable

pytestmark = pytest.mark.spark


def test_audits_over_connect(tmp_path: Path) -> None:
    for module in ("grpc", "grpc_status", "google.rpc", "zstandard"):
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            found = None
        if found is None:
            pytest.skip(f"{module} is not installed (pip install 'pyspark[connect]')")
    program = Path(__file__).with_name("over_connect.py")
    # what Spark's own tests set, so that the server takes any free port and the client finds it
    environment = {
        **os.environ,
        "PYTHONPATH": str(program.parents[1] / "support"),
        "SPARK_TESTING": "1",
    }
    ended = subprocess.run(
        [sys.executable, program, tmp_path], env=environment,
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    said = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert said["class"].startswith("pyspark.sql.connect")  # no session of this process
    table = survey(60)
    asked: dict[str, Any] = {"k": 2, "epsilon": 1, "l": 1}
    assert said["wide"] == said_of(ratingpriv.audit(table, id="id", sensitive=["pay"], **asked))
    assert said["long"] == said_of(
        ratingpriv.audit(RatingTable.from_long(long_of(table), sensitive=["pay"]), **asked)
    )
    assert pl.read_parquet(str(tmp_path / "r" / "*.parquet")).height == 60
    assert sorted(one.name for one in tmp_path.iterdir()) == ["found.json", "r"]
