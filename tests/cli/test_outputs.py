"""``-o FILE`` means what the name says, in every command that has it."""

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
    "recommend": ("--found-at-most", 0.5, "--withhold-at-most", 0.9, "--method", "modify"),
    "utility": ("DATA", "--truth", "ids", "--measure", "bias"),
}
BEGINNINGS = {".html": "<!DOCTYPE html>", ".md": "# ", ".json": "{", ".txt": ""}


@pytest.mark.parametrize("suffix", [*BEGINNINGS, ".csv"])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_suffix_says_what_is_written(cli, table_file, tmp_path, command, suffix):
    path, data = tmp_path / f"out{suffix}", table_file(2)
    asked = (data if word == "DATA" else word for word in COMMANDS[command])
    ended = cli(command, data, *asked, "-o", path, "-q")
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


def test_a_device_has_no_name_and_gets_json(cli, table_file):
    assert (
        cli("audit", table_file(2), "--k", 2, "--epsilon", 1, "-o", "/dev/null", "-q").exit_code
        == 1
    )


@pytest.mark.parametrize("suffix", [".toml", ".json", ".html", ".md", ".txt"])
def test_describe_writes_a_codebook_or_its_page(cli, table_file, tmp_path, suffix):
    path = tmp_path / f"d{suffix}"
    ended = cli("describe", table_file(1), "-o", path)
    assert ended.exit_code == 0, ended.stderr
    text = path.read_text(encoding="utf-8")
    proposed = suffix in (".toml", ".json")
    assert ("How this was made" in text) is not proposed
    assert ("--codebook" in ended.stdout) is proposed
    if proposed:
        assert {".toml": tomllib.loads, ".json": json.loads}[suffix](text)


def test_names_of_the_data_are_no_markup_and_no_formulas(cli, tmp_path):
    data = tmp_path / "<b>.csv"
    data.write_text("id,=1+1,<script>\na,1,2\nb,1,2\nc,5,5\n")
    for suffix in (".html", ".md"):
        ended = cli(
            "audit",
            data,
            "--k",
            2,
            "--epsilon",
            1,
            "--show",
            9,
            "-o",
            tmp_path / f"o{suffix}",
            "-q",
        )
        assert ended.exit_code == 1, ended.stderr
        text = (tmp_path / f"o{suffix}").read_text(encoding="utf-8")
        assert stat.S_IMODE((tmp_path / f"o{suffix}").stat().st_mode) == 0o600  # it names records
        assert "<script" not in text
        assert "<b>" not in re.sub("```.*?```", "", text, flags=re.DOTALL).replace("\\<b\\>", "")


def test_a_pdf_needs_a_browser_and_says_so_first(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = cli(
        "audit", tmp_path / "not there.csv", "--k", 2, "--epsilon", 1, "-o", tmp_path / "o.pdf"
    )
    assert ended.exit_code == 2
    assert "Chromium" in ended.stderr
