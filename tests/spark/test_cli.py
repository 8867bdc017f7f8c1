"""``ratingpriv audit --engine spark`` as a process: its result, its files, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet
import pytest
from spark_samples import survey

from ratingpriv.spark.work import PREFIX

pytestmark = pytest.mark.spark

ASKED = ("--k", "3", "--epsilon", "1", "--l", "1", "--sensitive", "pay", "--show", "5", "--json")
SPARK = (
    "--engine", "spark", "--set", "spark-master=local[2]",
    "--set", "spark-conf=spark.sql.shuffle.partitions=2",
    "--set", "spark-conf=spark.driver.memory=1g",
)  # fmt: skip


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ratingpriv", "audit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def without_engine(text: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(text)
    del content["parameters"]["engine"], content["tool"]
    return content


def test_parquet(tmp_path: Path) -> None:
    data, place = tmp_path / "survey.parquet", tmp_path / "risk.parquet"
    pyarrow.parquet.write_table(survey(150), data)
    there = run(data, *ASKED, *SPARK, "--per-record", place, "--set", f"work={tmp_path / 'work'}")
    here = run(data, *ASKED)
    assert (there.returncode, here.returncode) == (1, 1)
    assert without_engine(there.stdout) == without_engine(here.stdout)
    assert pl.read_parquet(place / "*.parquet").height == 150
    assert sorted(one.name for one in tmp_path.iterdir()) == ["risk.parquet", "survey.parquet"]


@pytest.mark.parametrize("name", ["survey.csv", "survey.parquet"])
def test_what_is_no_parquet_is_said_and_no_cell(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"a secret that is no Parquet")
    ended = run(tmp_path / name, "--k", "2", "--epsilon", "1", *SPARK)
    assert ended.returncode == 2, ended.stderr
    assert "no Parquet" in ended.stderr
    assert "secret" not in ended.stderr + ended.stdout


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    data, work = tmp_path / "survey.parquet", tmp_path / "work"
    pyarrow.parquet.write_table(survey(30_000, 12), data)
    command = [
        sys.executable,
        "-m",
        "ratingpriv",
        "audit",
        data,
        *ASKED,
        *SPARK,
        "--set",
        f"work={work}",
    ]
    with subprocess.Popen(
        [*map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as process:
        try:
            while not any(work.glob(f"{PREFIX}*")) and process.poll() is None:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    assert json.loads(stdout)["schema"] == "ratingpriv.error/1"
    assert "interrupted" in stderr
    assert not work.exists()
