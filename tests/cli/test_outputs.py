"""``-o FILE`` means what the name says, in every command that has it."""

from __future__ import annotations

import csv
import json
import re
import stat
import tomllib

import pytest

COMMANDS = {
    "audit": ("--k", 2, "--epsilon", 2),
    "frontier": ("--no-partition",),
    "partition": ("--k", 2, "--epsilon", 4),
    "attack": ("--known", 2, "--targets", 3),
    "recommend": ("--k", 2, "--epsilon", 2, "--method", "suppress"),
}
BEGINNINGS = {".html": "<!DOCTYPE html>", ".md": "# ", ".json": "{", ".txt": ""}
ROWS = {"frontier", "attack", "recommend"}


@pytest.mark.parametrize("suffix", [*BEGINNINGS, ".csv"])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_suffix_says_what_is_written(cli, table_file, tmp_path, command, suffix):
    path = tmp_path / f"out{suffix}"
    ended = cli(command, table_file(2), *COMMANDS[command], "-o", path, "-q")
    if suffix == ".csv" and command not in ROWS:
        assert ended.exit_code == 2
        assert "FILE.csv has a row a record" in ended.stderr
        assert not path.exists()
        return
    assert ended.exit_code in (0, 1), ended.stderr
    text = path.read_text(encoding="utf-8")
    if suffix == ".csv":
        rows = list(csv.reader(text.splitlines()))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}
        return
    assert text.startswith(BEGINNINGS[suffix])
    if suffix == ".json":
        assert json.loads(text)["schema"].startswith(f"ratingpriv.{command}/")
        return
    headline = ended.stdout.splitlines()[0]
    assert headline.split(":", maxsplit=1)[0] in text.replace("\\", "")
    assert "How this was made" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_another_suffix_is_refused_before_anything_is_read(cli, tmp_path, command):
    for name in ("out", "out.doc", "out.html.gz", ".html"):
        ended = cli(command, tmp_path / "not there.csv", *COMMANDS[command], "-o", tmp_path / name)
        assert ended.exit_code == 2
        assert "expected a file name ending in .html" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_device_has_no_name_and_gets_json(cli, table_file):
    assert cli("audit", table_file(2), "--k", 2, "--epsilon", 1, "-o", "/dev/null", "-q").exit_code == 1


@pytest.mark.parametrize("suffix", [".toml", ".json", ".html", ".md", ".txt"])
def test_describe_writes_a_codebook_or_its_page(cli, table_file, tmp_path, suffix):
    path = tmp_path / f"d{suffix}"
    ended = cli("describe", table_file(1), "-o", path, "-q")
    assert ended.exit_code == 0, ended.stderr
    text = path.read_text(encoding="utf-8")
    proposed = suffix in (".toml", ".json")
    assert ("How this was made" in text) is not proposed
    assert ("--codebook" in ended.stdout) is proposed
    if proposed:
        assert {".toml": tomllib.loads, ".json": json.loads}[suffix](text)


@pytest.mark.parametrize("command", [("describe",), ("synthesize",), ("anonymize", "--k", 2, "--epsilon", 1)])
@pytest.mark.parametrize("name", ["o.doc", "o.html"])
def test_what_writes_data_refuses_pages(cli, table_file, tmp_path, command, name):
    data = () if command[0] == "synthesize" else (table_file(1),)
    if (command[0], name) in {("describe", "o.html"), ("anonymize", "o.doc")}:
        pytest.skip("describe has a page; a release of another name is in the format that was read")
    more = ("--method", "suppress") if command[0] == "anonymize" else ()
    ended = cli(command[0], *data, *command[1:], *more, "-o", tmp_path / name)
    assert ended.exit_code == 2
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("command", [("reproduce", "swlz11-3", "--quick"), ("demo",)])
def test_a_folder_is_not_called_as_a_file(cli, tmp_path, command):
    ended = cli(*command, "-o", tmp_path / "tour.html")
    assert ended.exit_code == 2
    assert "the name of a folder" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_utility_too(cli, table_file, tmp_path):
    data = table_file(2)
    assert (
        cli(
            "utility", data, data, "--truth", "ids", "--measure", "bias", "-o", tmp_path / "u.csv", "-q"
        ).exit_code
        == 0
    )
    rows = list(csv.DictReader((tmp_path / "u.csv").read_text().splitlines()))
    assert [row["measure"] for row in rows] == ["bias"]


def test_a_page_that_names_records_is_its_owners(cli, table_file, tmp_path):
    args = ("audit", table_file(2), "--k", 4, "--epsilon", 1, "-q")
    for name, show, mode in (("a.html", 2, 0o600), ("b.md", 2, 0o600)):
        cli(*args, "--show", show, "-o", tmp_path / name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode


def test_names_of_the_data_are_no_markup_and_no_formulas(cli, tmp_path):
    data = tmp_path / "<b>.csv"
    data.write_text("id,=1+1,<script>\na,1,2\nb,1,2\nc,5,5\n")
    for suffix in (".html", ".md"):
        ended = cli("audit", data, "--k", 2, "--epsilon", 1, "--show", 9, "-o", tmp_path / f"o{suffix}", "-q")
        assert ended.exit_code == 1, ended.stderr
        text = (tmp_path / f"o{suffix}").read_text(encoding="utf-8")
        assert "<script" not in text
        assert "<b>" not in re.sub("```.*?```", "", text, flags=re.DOTALL).replace("\\<b\\>", "")


def test_a_pdf_needs_a_browser_and_says_so_first(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = cli("audit", tmp_path / "not there.csv", "--k", 2, "--epsilon", 1, "-o", tmp_path / "o.pdf")
    assert ended.exit_code == 2
    assert "Chromium" in ended.stderr
