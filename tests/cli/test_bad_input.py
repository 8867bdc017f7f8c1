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
    "duplicate record and issue": (
        b"user,item,rating\n1,a,3\n1,a,4\n2,a,3\n", ["--layout", "long"], "--set duplicates",
    ),
    "missing sensitive column": (GOOD.encode(), ["--sensitive", "zzz"], "zzz"),
    "a truncated gz": (gzip.compress(GOOD.encode() * 99)[:-20], [], "truncated|gzip|end"),
    "a truncated parquet": (b"PAR1" + b"\0" * 40, [], "arquet"),
    "l without a sensitive column": (GOOD.encode(), ["--l", "1"], "sensitive"),
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


@pytest.mark.parametrize("content", ["\ufeffid,a\n1,-3\n2,-3\n", "id,a\r\n1,-3\r\n2,-3\r\n"])
def test_a_byte_order_mark_crlf_and_a_negative_scale_are_fine(cli, tmp_path, content):
    (tmp_path / "data.csv").write_bytes(content.encode())
    assert cli("audit", tmp_path / "data.csv", "--k", 2, "--epsilon", 0, "--scale", "-10:10").exit_code == 0


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
