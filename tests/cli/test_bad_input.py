"""Bad input: exit 2, one message on stderr, the same as JSON if that was requested, nothing written."""

from __future__ import annotations

import gzip
import json
import os

import pytest

GOOD = "id,a,b,s\n1,3,2,1\n2,3,2,5\n"
CASES = {
    "missing file": (None, [], "no such file"),
    "ragged line": (b"id,a,b\n1,2,3\n2,3\n", [], "line 3"),
    "text in a rating": (b"id,a,b\n1,2,x\n2,3,4\n", [], "column b"),
    "nan": (b"id,a,b\n1,2,nan\n2,3,4\n", [], "nan"),
    "duplicate record and issue": (
        b"user,item,rating\n1,a,3\n1,a,4\n2,a,3\n", ["--layout", "long"], "--set duplicates",
    ),
    "missing sensitive column": (GOOD.encode(), ["--sensitive", "zzz"], "zzz"),
    "NUL bytes": (b"id,a\n1,2\0\n2,3\n", [], "NUL"),
    "a truncated gz": (gzip.compress(GOOD.encode() * 99)[:-20], [], "truncated|gzip|end"),
    "a truncated parquet": (b"PAR1" + b"\0" * 40, [], "arquet"),
    "l without a sensitive column": (GOOD.encode(), ["--l", "1"], "sensitive"),
    "sensitive and none": (GOOD.encode(), ["--sensitive", "s", "--no-sensitive"], "no-sensitive"),
    "unknown format": (GOOD.encode(), ["--format", "spss"], "spss"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_bad_data(cli, tmp_path, case):
    content, options, message = CASES[case]
    path = tmp_path / ("data.csv.gz" if "gz" in case else "data.parquet" if "parquet" in case else "data.csv")
    if content is not None:
        path.write_bytes(content)
    outputs = ["--output", tmp_path / "out.json", "--per-record", tmp_path / "out.csv"]
    ended = cli("audit", path, "--k", 2, "--epsilon", 1, "--json", *options, *outputs)
    assert ended.exit_code == 2, ended.stderr
    said = json.loads(ended.stdout)
    assert (said["schema"], said["exit_code"]) == ("ratingpriv.error/1", 2)
    assert said["total"] >= len(said["problems"]) > 0
    assert f"ratingpriv: error: {said['message']}\n" in ended.stderr
    assert any(part.lower() in ended.stderr.lower() for part in message.split("|")), ended.stderr
    assert "ratingpriv: error: " in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--k", "0", "--epsilon", "1"], "k: found '0'"),
        (["--k", "2", "--epsilon", "nan"], "expected a finite number >= 0"),
        (["--k", "2", "--epsilon", "1", "--l", "-1"], "l: found"),
        (["--k", "2", "--epsilon", "1", "--nulls", "loose"], "strict, wildcard"),
        (["--k", "2", "--epsilon", "1", "--set", "sensitive-nulls=x"], "paper, ignore"),
        (["--k", "2", "--epsilon", "1", "--engine", "x"], "slicing, pairwise"),
        (["--k", "2", "--epsilon", "1", "--layout", "x"], "long, wide"),
        (["--k", "2", "--epsilon", "1", "--set", "duplicates=x"], "refuse, first, last, mean"),
        (["--k", "2", "--epsilon", "1", "--set", "memory=lots"], "4GiB"),
        (["--k", "2", "--epsilon", "1", "--sample", "99"], "sample: found"),
        (["--k", "2", "--epsilon", "1", "--scale", "5:1"], "MIN:MAX"),
        (["--k", "2", "--epsilon", "1", "--output", "-"], "--json"),
        (["--k", "2", "--epsilon", "1", "--per-record", "x.xlsx"], ".csv or .parquet"),
        (["--k", "2", "--epsilon", "1", "--per-record", "x.csv", "--output", "x.csv"], "another file"),
        (["--k", "2", "--epsilon", "1", "--output", "no/such/folder/x"], "does not exist"),
        (["--k", "2", "--epsilon", "1", "--output", "."], "directory"),
        (["--k", "2", "--epsilon", "1", "--frobnicate"], "--frobnicate"),
        (["--k", "2"], "--epsilon"),
    ],
)
def test_wrong_usage(cli, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(GOOD)
    ended = cli("audit", "data.csv", *options)
    assert ended.exit_code == 2
    assert ended.stdout == ""
    assert any(part in ended.stderr for part in message.split("|")), ended.stderr
    assert "Traceback" not in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_several_problems_of_one_file_are_listed(cli, tmp_path):
    (tmp_path / "data.csv").write_text("id,a,b\n1,x,2\n2,3,y\n3,1,z\n")
    said = cli("audit", tmp_path / "data.csv", "--k", 2, "--epsilon", 1).stderr
    assert [f"line {line}" in said for line in (2, 3, 4)] == [True] * 3


@pytest.mark.parametrize("content", ["\ufeff" + GOOD, GOOD.replace("\n", "\r\n")])
def test_a_byte_order_mark_and_crlf_are_fine(cli, tmp_path, content):
    (tmp_path / "data.csv").write_bytes(content.encode())
    assert cli("audit", tmp_path / "data.csv", "--k", 2, "--epsilon", 0, "--sensitive", "s").exit_code == 0


def test_a_negative_scale_can_be_given(cli, tmp_path):
    (tmp_path / "data.csv").write_text("id,a\n1,-3\n2,-3\n")
    assert cli("audit", tmp_path / "data.csv", "--k", 2, "--epsilon", 0, "--scale", "-10:10").exit_code == 0


def test_escape_sequences_of_the_data_are_shown_escaped(cli, tmp_path):
    (tmp_path / "data.csv").write_text("id,a\n1,\x1b[2J\n2,3\n")
    assert "\x1b" not in cli("audit", tmp_path / "data.csv", "--k", 2, "--epsilon", 0).stderr


@pytest.mark.skipif(os.name != "posix", reason="devices with a path")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audit", "DATA", "--k", 2, "--epsilon", 1, "--codebook", "/dev/zero"), "/dev/zero: "),
        (("audit", "DATA", "--k", 2, "--epsilon", 1, "--items", "@/dev/zero"), "a name a line; a file of"),
        (("experiment", "/dev/zero", "-o", "x.csv"), "expected a specification in TOML"),
        (("run", "/dev/zero"), "/dev/zero: found no file to be read, expected a codebook with [run]"),
    ],
)
def test_a_small_file_that_is_none(cli, table_file, tmp_path, monkeypatch, words, said):
    """It is bad input, and no failure of a disk."""
    monkeypatch.chdir(tmp_path)
    ended = cli(*(table_file(2) if word == "DATA" else word for word in words), "-q")
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert "Errno" not in ended.stderr
