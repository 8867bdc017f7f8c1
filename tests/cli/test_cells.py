"""No message shows what stands in the data, and no name in the data forges a line,
unless asked for.

A marker stands in every kind of place of small files that are wrong in every kind of way. It is
looked for in all that a command prints, ``-v`` included: never there, and there with
``--show-cells`` where the message is about it.
"""

import csv
import json
import os
import re

import polars as pl
import pytest
from typer.testing import CliRunner

from ratingpriv.base.keys import Key, write_key
from ratingpriv.cli import app

EMAIL, ADDRESS, NUMBER = "SECRET-42@example.org", "203.0.113.7", "424242"
OUT_OF_SIGHT = "nothing"  # the message is not about what the cell holds
AUDIT = ["audit", "--k", "2", "--epsilon", "1"]
GOOD = "id,a,b\n1,2,3\n2,3,3\n3,5,1\n"
ROWS = "".join(f"r{i},{i % 3 + 1},{i % 2 + 1}\n" for i in range(6))

TEXTS = {
    "text in a rating": ("id,a,b\n1,{m},2\n2,3,4\n3,1,1\n", []),
    "a column that could be ids": (
        "a,b\n{m},2\n{m}x,4\n{m}y,1\n",
        ["--layout=wide", "--set", "header=yes"],
    ),
    "a record id twice": ("id,a,b\n{m},1,2\n{m},2,2\n", []),
    "text in a long rating": ("user,item,rating\n1,x,{m}\n2,x,3\n3,x,3\n", []),
    "a pair twice, the record": ("user,item,rating\n{m},x,1\n{m},x,2\n2,x,3\n", []),
    "no header": ("{m},1,2\n{m}x,3,4\n{m}y,3,4\n", []),
    "a missing column": ("id,{m},b\n1,2,3\n2,2,3\n", ["--sensitive", "zzz"], OUT_OF_SIGHT),
    "a column called so": ("id,{m},b\n1,x,3\n2,2,3\n3,2,3\n", [], "column 2: found text ('x')"),
    "a ragged line": ("id,a,b\n{m},1\n2,3,4\n3,3,4\n", [], OUT_OF_SIGHT),
    "no encoding": ("id,a,b\n1,2,2\n2,{m}é,4\n", []),
    "Netflix": ("1:\n7,3,2005-01-01\n{m},3,2005-01-01\n", ["--format", "netflix"]),
    "MovieLens": ("1\t2\t{m}\t8\n2\t2\t3\t8\n3\t2\t3\t8\n", ["--format", "movielens"]),
    "no Parquet": ("{m}", ["--format", "parquet"]),
}
NUMBERS = {
    "off the scale": ("id,a,b\n1,{m},2\n2,3,4\n", ["--scale", "1:5"]),
    "a decimal comma": ('id,a,b\n1,"{m},5",2\n2,3,4\n3,3,4\n', []),
}


def run(*args: object) -> tuple[int, str]:
    """Return the exit code, and all that was printed."""
    ended = CliRunner().invoke(app, [str(arg) for arg in args])
    assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
    return ended.exit_code, ended.stdout + ended.stderr


def hidden(mark: str, text: str) -> None:
    assert mark not in text
    assert mark[:9] not in text
    assert mark[-9:] not in text


def refused(mark: str, said: str | None, *args: object) -> None:
    code, text = run(*args, "-v")
    assert code == 2, text
    assert "Traceback" in text
    hidden(mark, text)
    hidden(mark, run(*args, "--json")[1])
    code, text = run(*args, "--show-cells")
    assert code == 2
    if said != OUT_OF_SIGHT:
        assert (mark if said is None else said) in text
        assert "--show-cells" not in text


@pytest.mark.parametrize("case", [*TEXTS, *NUMBERS])
def test_bad_files(tmp_path, case):
    for mark in (EMAIL, ADDRESS) if case in TEXTS else (NUMBER,):
        content, options, *said = {**TEXTS, **NUMBERS}[case]
        path = tmp_path / (
            "u.data"
            if case == "MovieLens"
            else "combined_data_1.txt"
            if "Net" in case
            else "data.csv"
        )
        text = content.replace("{m}", mark)
        path.write_bytes(text.encode("latin-1") if case == "no encoding" else text.encode())
        seen = mark[-5:] if case == "no encoding" else mark[:16] if case == "no Parquet" else None
        refused(mark, said[0] if said else seen, *AUDIT, path, *options)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"id": [1, 2], "a": [EMAIL, None]}, None),
        ({"id": [1, 2], EMAIL: ["x", "y"]}, "(first: line 1, column 2"),
        ({"user": [EMAIL, EMAIL], "item": ["x", "x"], "rating": [1, 2]}, None),
    ],
)
def test_bad_parquet(tmp_path, columns, said):
    pl.DataFrame(columns).write_parquet(tmp_path / "data.parquet")
    refused(EMAIL, said, *AUDIT, tmp_path / "data.parquet")


@pytest.mark.parametrize(
    "line",
    [
        "1,{m},3,",
        "1,a,{m},",
        "1,a,3,{m}",
        "1,a,424242,",
        "{m},a,3,\n{m},a,4,",
        "{m},zzz,3,",
        "1,a,3,\xff{m}",
    ],
)
def test_bad_auxiliary_files(tmp_path, line):
    (tmp_path / "data.csv").write_text(GOOD)
    mark = NUMBER if NUMBER in line else EMAIL
    text = f"target,issue,rating,date\n{line}\n2,a,3,\n".replace("{m}", mark)
    (tmp_path / "aux.csv").write_bytes(text.encode("latin-1"))
    said = OUT_OF_SIGHT if "\xff" in line or "zzz" in line else None
    refused(mark, said, "attack", tmp_path / "data.csv", "--aux", tmp_path / "aux.csv")


def test_every_command_that_reads_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bad = tmp_path / "data.csv"
    bad.write_text(f"user,item,rating,time\n1,x,3,{EMAIL}\n2,x,3,2020-01-01\n3,x,3,2020-01-01\n")
    refused(EMAIL, None, "attack", bad)
    refused(EMAIL, None, "ingest", bad, "--dataset", "d", "--epsilon", 1, "--ratings")
    bad.write_text(f"id,a,b\n1,{EMAIL},2\n2,3,4\n3,4,4\n")
    target = ["--k", 2, "--epsilon", 1]
    for command in (
        ["frontier", bad], ["partition", bad, *target], ["attack", bad],
        ["ingest", bad, "--dataset", "d", "--epsilon", 1],
        ["anonymize", "--accept", "found", bad, *target, "--method", "modify", "-o", "r.csv"],
        ["partition", bad, "--check", bad],
    ):  # fmt: skip
        refused(EMAIL, None, *command)


def test_what_we_did_not_expect(tmp_path, monkeypatch):
    from ratingpriv.data.formats import reading

    (tmp_path / "data.csv").write_text(GOOD)

    def fail(*args, **more):
        try:
            float(EMAIL)
        except ValueError as error:
            raise RuntimeError(f"{EMAIL}\nratingpriv: forged") from error

    monkeypatch.setattr(reading, "read", fail)
    code, text = run(*AUDIT, tmp_path / "data.csv", "-v")
    assert code == 3
    assert "ValueError" in text
    assert "unexpected RuntimeError" in text
    hidden(EMAIL, text)
    text = run(*AUDIT, tmp_path / "data.csv", "-v", "--show-cells")[1]
    assert text.count(EMAIL) == 3
    assert not re.search("^ratingpriv: forged", text, re.MULTILINE)


# ---- record ids ----


def ids_file(folder, name="data.csv"):
    rows = "".join(f"{EMAIL}{i},{1 + i % 3},{2 + i % 2},{i % 4}\n" for i in range(9))
    (folder / name).write_text(f"id,a,b,s\n{rows}")
    return folder / name


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_results_name_nobody_unless_asked(tmp_path, monkeypatch, as_json):
    monkeypatch.chdir(tmp_path)
    data = ids_file(tmp_path)
    commands = [
        ["audit", data, "--k", 6, "--epsilon", 0, "--sensitive", "s", "--l", 1, "--exposure", 1],
        ["partition", data, "--k", 8, "--epsilon", 0],
        [
            "partition",
            data,
            "--k",
            4,
            "--epsilon",
            1,
            "--method",
            "exact",
            "--sensitive",
            "s",
            "--l",
            9,
        ],
        ["attack", data, "--known", 2],
        ["attack", data, "--known", 2, "--per-target"],
        [
            "anonymize",
            "--accept",
            "found",
            data,
            "--k",
            3,
            "--epsilon",
            0,
            "--method",
            "modify",
            "-o",
            f"r{len(as_json)}.csv",
        ],
    ]
    for command in commands:
        code, text = run(*command, *as_json, "-v")
        assert code in (0, 1), text
        assert (EMAIL in text) == ("--per-target" in command), command
    for command in (commands[0], commands[4]):
        assert EMAIL in run(*command, *as_json, "--show", 3)[1]


def test_keys_releases_and_certificates_name_nobody(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = ids_file(tmp_path)
    run(
        "anonymize",
        "--accept",
        "found",
        data,
        "--k",
        3,
        "--epsilon",
        0,
        "--method",
        "modify",
        "-o",
        "r.csv",
        "--key",
        "key",
    )
    key = json.loads((tmp_path / "key").read_text())
    pairs = [(one["original"], one["released"]) for one in key["records"]]
    wrong = {
        "more": [*pairs[:-1], (f"{EMAIL}x", pairs[-1][1])],
        "lost": [*pairs[:-1], (pairs[-1][0], EMAIL)],
        "none": [*pairs[:-1], (pairs[-1][0], None)],
    }
    for name, changed in wrong.items():
        write_key(Key(*map(tuple, zip(*changed, strict=True))), name)
        refused(
            EMAIL, OUT_OF_SIGHT, "attack", data, "--release", "r.csv", "--truth", name, "--known", 2
        )
    refused(EMAIL, OUT_OF_SIGHT, "attack", data, "--release", data, "--truth", "key", "--known", 2)
    run("partition", data, "--k", 2, "--epsilon", 4, "--certificate", "proof.json")
    proof = json.loads((tmp_path / "proof.json").read_text())
    proof["groups"][0]["records"] += [f"{EMAIL}x", proof["groups"][0]["records"][0]]
    (tmp_path / "proof.json").write_text(json.dumps(proof))
    code, text = run("partition", data, "--check", "proof.json")
    assert code == 1
    hidden(EMAIL, text)


# ---- lines ----

FORGED = "a\nratingpriv: error: forged\u2028x\u0085y\x1b[2Kz\u202ew\u200bv\rSATISFIED"


def one_line_each(text: str) -> None:
    for line in text.split("\n"):
        assert line.isprintable(), line
        assert not line.startswith(("ratingpriv: error: forged", "SATISFIED", "x"))


@pytest.mark.parametrize("name", [FORGED, *FORGED.split("x")])
def test_names_begin_no_lines(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    quoted = '"' + name + '"'
    path = tmp_path / f"{name}.csv"
    path.write_bytes(f"id,{quoted},b\n1,2,3\n2,3,4\n3,3,4\n".encode())
    target, named = ["--k", 3, "--epsilon", 0], ["--sensitive", name.strip()]
    for command in (
        [*AUDIT, path, "--sensitive", "zzz"],  # lists the names
        [*AUDIT, path, *named, "--l", 1, "-v"],
        ["audit", path, *target, *named],
        ["partition", path, *target, *named, "--groups", f"{name}.groups"],
        ["frontier", path, *named],
        ["attack", path, "--known", 1, *named],
        [
            "anonymize",
            "--accept",
            "found",
            path,
            *target,
            "--method",
            "modify",
            "-o",
            f"{name}r.csv",
            *named,
        ],
        [*AUDIT, f"{name}.none"],
        [*AUDIT, path, "-o", f"no{name}/x"],
    ):
        one_line_each(run(*command)[1])
    path.write_bytes(f"id,{quoted},b\n1,2,3\n2,x,4\n3,3,4\n".encode())
    one_line_each(run(*AUDIT, path)[1])
    path.write_bytes(f"id,a,b\n{quoted},2,3\n{quoted},x,4\n3,3,4\n".encode())
    one_line_each(run(*AUDIT, path, "--show-cells")[1])


# ---- permissions ----


def test_what_names_records_is_its_owners_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = ids_file(tmp_path)
    target = ["--k", 3, "--epsilon", 0]
    commands = [
        ["audit", data, *target, "--per-record", "risk.csv", "--show", 3, "-o", "audit.json"],
        ["audit", data, *target, "--per-record", "risk.parquet", "--show", 3, "-o", "audit.txt"],
        ["partition", data, *target, "--groups", "groups.csv", "--certificate", "proof.json"],
        ["attack", data, "--known", 2, "--per-target", "-o", "attack.json"],
        [
            "anonymize",
            "--accept",
            "found",
            data,
            *target,
            "--method",
            "modify",
            "-o",
            "r.csv",
            "--key",
            "key",
        ],
    ]
    public = {"r.csv", "r.csv.manifest.json"}
    before = os.umask(0)
    try:
        for command in commands:
            assert run(*command)[0] in (0, 1)
        (tmp_path / "risk.csv").chmod(0o644)
        run(*commands[0], "--force")  # a private file is one whatever was there
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir() if path != data}
    assert len(modes) == 10
    assert {name for name, mode in modes.items() if mode != 0o600} == public


# ---- formulas ----


@pytest.mark.parametrize("safe", [True, False])
def test_no_cell_for_people_is_a_formula(tmp_path, monkeypatch, safe):
    monkeypatch.chdir(tmp_path)
    ids = ["=cmd|' /C calc'!A0", "-7", "@x", "a;=1"]
    answers = ["1,2,0", "1,2,1", "2,3,2", "2,3,3"]
    rows = "".join(f'"{one}",{cells}\n' for one, cells in zip(ids, answers, strict=True))
    (tmp_path / "data.csv").write_text(f"id,a,b,=s\n{rows}")
    given, target = (
        [] if safe else ["--set", "csv-safe=no"],
        ["--k", 2, "--epsilon", 0, "--sensitive", "=s"],
    )
    assert run("audit", "data.csv", *target, "--per-record", "risk.csv", *given)[0] == 0
    assert run("partition", "data.csv", *target, "--groups", "groups.csv", *given)[0] == 0
    assert run("ingest", "data.csv", "--dataset", "d", "--epsilon", 1, "--sensitive", "=s")[0] == 0
    asked = ["audit/record-ids", "--dataset", "d", "--csv", "-q", *given]
    (tmp_path / "rows.csv").write_text(CliRunner().invoke(app, ["query", "run", *asked]).stdout)
    expected = ["'=cmd|' /C calc'!A0", "-7", "'@x", "a;'=1"] if safe else ids
    for name in ("risk.csv", "groups.csv", "rows.csv"):
        with (tmp_path / name).open(newline="") as file:
            assert [row[0] for row in csv.reader(file)][1:] == expected, name
