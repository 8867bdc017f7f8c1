"""The engine spark on the command line: what is refused before Spark starts.

What runs is in tests/spark.
"""

import contextlib
import subprocess
import sys

import pytest
from typer.main import get_command

from ratingpriv.base.errors import ParameterError, ResourceError
from ratingpriv.cli import app
from ratingpriv.cli.options.source import NOT_ON_SPARK
from ratingpriv.spark import session, work

ASKED = ("--k", "2", "--epsilon", "1")


ANSWERED = {
    "data", "layout", "id", "issue", "rating", "timestamp", "sensitive", "no_sensitive", "codebook",
    "print_codebook", "quasi", "identifier", "carry", "keep", "issues", "drop", "others", "scale",
    "sensitive_scale", "anywhere",
    "null", "only_null", "k", "epsilon", "l", "at_most", "accept", "nulls",
    "sensitive_nulls", "max_share", "sensitive_kind", "distinct", "entropy", "t_closeness",
    "per_record",
    "show", "csv_safe", "engine", "memory", "spark_master", "spark_conf", "work", "plot",
    "plot_kind",
    "require", "junit",
    "as_json", "output", "force", "setting", "verbose", "quiet", "show_cells",
    "dataset", "store",  # refused beside DATA, whatever computes
}  # fmt: skip


def test_every_option_is_answered_or_refused_by_name():
    """Whoever adds an option says here what it does on Spark, or there that it does nothing."""
    params = {param.name for param in get_command(app).commands["audit"].params} - {
        "help",
        "help_data",
    }
    assert params - ANSWERED == NOT_ON_SPARK
    assert params >= ANSWERED


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


def test_versions_that_will_not_do(monkeypatch):
    fake = type(sys)("pyspark")
    fake.__version__ = "3.5.1"
    monkeypatch.setitem(sys.modules, "pyspark", fake)
    with pytest.raises(ParameterError, match=r"3\.5\.1"):
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


class Rows:
    """Rows of Spark that write two parts, or fail after ``parts`` of them."""

    def __init__(self, parts):
        self.parts, self.write = parts, self

    def parquet(self, place):
        # neither Spark's own folder nor its file system decides
        scheme, place = place[:7], place[7:]
        assert (scheme, work.Path(place).is_absolute()) == ("file://", True)
        work.Path(place).mkdir()
        for number in range(self.parts):
            work.Path(place, f"part-{number}.parquet").touch()
        if self.parts < 2:
            raise OSError(28, "No space left on device")


class Session:
    """A session of Spark that reads a row of each part."""

    def __init__(self):
        self.read = self

    def parquet(self, place):
        self.rows = len([*work.Path(place[7:]).glob("*.parquet")])
        return self

    def count(self):
        return self.rows


def test_rows_that_other_machines_kept_are_missed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ResourceError, match=r"found 2 of 3 rows .* every executor"):
        work.write_whole(Session(), Rows(2), "r", 3)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("parts", [0, 1, 2])
def test_a_folder_is_there_whole_or_not_at_all(tmp_path, monkeypatch, parts):
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(OSError):
        work.write_whole(Session(), Rows(parts), "r", parts)
    left = sorted(one.name for one in tmp_path.rglob("*"))
    assert left == (["part-0.parquet", "part-1.parquet", "r"] if parts == 2 else [])
