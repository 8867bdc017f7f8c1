"""Names of files that are no UTF-8, options that are no text, and places without a name."""

import json
import os
import sys

import pytest

from ratingpriv.partition import certificate

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")

NAME = os.fsdecode(b"b\xff\xfe.csv")
AS_TEXT = r"b\udcff\udcfe.csv"


@pytest.fixture
def odd(table_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table_file(2).rename(tmp_path / NAME)
    return NAME


def test_a_certificate_names_its_data(cli, odd, tmp_path):
    ended = cli("partition", odd, "--k", 2, "--epsilon", 6, "--certificate", "c.json", "--groups", "g.csv")
    assert ended.exit_code == 1, ended.stderr  # of a table this small
    text = (tmp_path / "c.json").read_text(encoding="utf-8")
    assert json.loads(text)["dataset"]["name"] == odd
    assert AS_TEXT in text
    assert cli("partition", odd, "--check", "c.json").stdout.startswith("VALID, but this protects nothing: ")


def test_a_table_of_costs_names_its_data(cli, odd, tmp_path):
    ended = cli("recommend", odd, "--k", 2, "--epsilon", 1, "--method", "suppress", "-o", "t.csv")
    assert ended.exit_code == 0, ended.stderr
    rows = (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert rows
    assert all(row.startswith(AS_TEXT) for row in rows)


def test_what_is_written_is_said_when_it_is_there(cli, table_file, tmp_path, monkeypatch):
    """The second file fails: the first one is not there either, and nothing says that it is."""

    def full(*args, **settings):
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(tmp_path)
    words = ("--k", 2, "--epsilon", 1, "--certificate", "c.json", "--groups", "g.csv")
    with monkeypatch.context() as patch:
        patch.setattr(certificate, "write_certificate", full)
        ended = cli("partition", table_file(2), *words)
    assert (ended.exit_code, "wrote" in ended.stderr) == (3, False)
    assert not (tmp_path / "g.csv").exists()
    ended = cli("partition", table_file(2), *words)
    assert "wrote g.csv\nratingpriv: wrote c.json\n" in ended.stderr


@pytest.mark.parametrize("words", [
    ("audit", "--null"), ("audit", "--set delimiter="), ("recommend", "--method"), ("utility", "--measure"),
])  # fmt: skip
def test_an_option_that_is_no_text(cli, table_file, words):
    command, name = words
    option, setting = name.removeprefix("--").partition(" ")[::2]
    words = [f"--{option}", f"{setting}\udcff"]
    tables = [table_file(2), *([table_file(1)] if command == "utility" else [])]
    model = () if command == "utility" else ("--k", 2, "--epsilon", 1)
    ended = cli(command, *tables, *model, *words)
    assert ended.exit_code == 2
    expected = f"error: {option}: found '{setting}\\udcff', expected a text in UTF-8\n"
    assert ended.stderr == f"ratingpriv: {expected}"
