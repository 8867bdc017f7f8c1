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
    ended = cli(
        "partition", odd, "--k", 2, "--epsilon", 6, "--certificate", "c.json", "--groups", "g.csv"
    )
    assert ended.exit_code == 1, ended.stderr  # of a table this small
    text = (tmp_path / "c.json").read_text(encoding="utf-8")
    assert json.loads(text)["dataset"]["name"] == odd
    assert AS_TEXT in text
    assert cli("partition", odd, "--check", "c.json").stdout.startswith("VALID WITH RESERVATION: ")


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
