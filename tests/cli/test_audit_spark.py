"""The engine spark on the command line: what is refused before Spark starts. What runs is in tests/spark."""

from __future__ import annotations

import subprocess
import sys

import pytest

ASKED = ("--k", "2", "--epsilon", "1")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--engine", "spark", "--exposure", "1"], "no --exposure"),
        (["--engine", "spark", "--sample", "0.5"], "no --sample"),
        (["--engine", "spark", "--set", "threads=2"], "no --set threads"),
        (["--engine", "spark", "--set", "duplicates=first"], "no --set duplicates"),
        (["--engine", "spark", "--set", "timestamp=t", "--set", "sheet=1"], "no --set sheet"),
        (["--engine", "spark", "--per-record", "out.csv"], "ends in .parquet"),
        (["--engine", "spark", "--set", "spark-conf=spark.ui.port"], "K=V"),
        (["--engine", "pairwise", "--set", "spark-master=local[2]"], "without --engine spark"),
        (["--set", "work=somewhere"], "without --engine spark"),
    ],
)
def test_options_that_do_not_go_together(cli, table_file, options, words):
    ended = cli("audit", table_file(1), *ASKED, *options)
    assert ended.exit_code == 2
    assert words in ended.stderr


@pytest.mark.parametrize(
    ("data", "words"), [("absent.parquet", "no such file"), ("-", "a folder or a URI"), ("a[1].csv", "name")]
)
def test_data_that_spark_cannot_read(cli, tmp_path, monkeypatch, data, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a[1].csv").touch()
    ended = cli("audit", data, *ASKED, "--engine", "spark")
    assert ended.exit_code == 2
    assert words in ended.stderr


@pytest.mark.parametrize("option", ["--set=work=", "--per-record="])
def test_nothing_is_written_below_the_input(cli, tmp_path, option):
    folder = tmp_path / "data"
    folder.mkdir()
    ended = cli("audit", folder, *ASKED, "--engine", "spark", f"{option}{folder / 'more.parquet'}")
    assert ended.exit_code == 2
    assert "which is an input" in ended.stderr


def test_no_pyspark(cli, table_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    ended = cli("audit", table_file(1), *ASKED, "--engine", "spark")
    assert ended.exit_code == 2
    assert "pip install 'ratingpriv[spark]'" in ended.stderr


@pytest.mark.parametrize(("module", "version"), [("pyspark", "3.5.1"), ("pandas", "2.1.4")])
def test_versions_that_will_not_do(monkeypatch, module, version):
    from ratingpriv.errors import ParameterError
    from ratingpriv.spark.session import session

    fake = type(sys)("pyspark")
    fake.__version__ = version if module == "pyspark" else "4.1.0"
    monkeypatch.setitem(sys.modules, "pyspark", fake)
    monkeypatch.setattr(session.importlib.metadata, "version", lambda _: version)
    with pytest.raises(ParameterError, match=version):
        session.check_spark()


def test_importing_the_engine_does_not_import_pyspark(environment):
    program = (
        "import sys, ratingpriv.spark as s; s.audit; "
        "print([name for name in ('pyspark', 'pandas') if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
    )
    assert ended.stdout == "[]\n"
