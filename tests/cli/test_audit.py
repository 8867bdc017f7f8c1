"""``ratingpriv audit``: verdicts and outputs; and the numbers of three commands,
which are the library's.
"""

import importlib
import itertools
import json

import polars as pl
import pytest

import ratingpriv

MORE = {"audit": ["--show", 20], "frontier": ["--no-partition"], "partition": []}
GOLDEN = [
    *(
        ("audit", 1, {"k": 2, "epsilon": 1, "engine": engine}, 1)
        for engine in ("slicing", "pairwise")
    ),
    ("audit", 2, {"k": 2, "epsilon": 1, "l": 1.5}, 0),
    ("audit", 2, {"k": 2, "epsilon": 1, "l": 1.6}, 1),
    ("frontier", 1, {"k": 2}, 0),
    ("frontier", 2, {"k": 2, "l": 2}, 0),
    ("frontier", 2, {"k": 7}, 1),
    ("frontier", 1, {"l": 9}, 1),
    ("partition", 1, {"k": 2, "epsilon": 5}, 0),
    ("partition", 1, {"k": 2, "epsilon": 4}, 1),
    ("partition", 2, {"k": 2, "epsilon": 3, "l": 2}, 0),
    ("partition", 2, {"k": 2, "epsilon": 2, "l": 2}, 1),
]


@pytest.mark.parametrize(("command", "number", "asked", "code"), GOLDEN)
def test_golden_tables_are_the_librarys(cli, table_file, command, number, asked, code):
    words = [word for name, value in asked.items() for word in (f"--{name}", value)] + MORE[command]
    accept = ["epsilon-covers-range", "epsilon-covers-questions"]  # of 5 and 6 alone, at epsilon 1
    words += ["--scale", "1:7", *(word for code in accept for word in ("--accept", code)), "--json"]
    ended = cli(command, table_file(number), "--sensitive", "issue 4", *words)
    assert ended.exit_code == code, ended.stderr
    found = json.loads(ended.stdout)
    table = ratingpriv.read(table_file(number), sensitive=["issue 4"], scale=(1, 7))
    more = {"accept": accept} | ({"partition": False} if command == "frontier" else {})
    expected = getattr(ratingpriv, command)(table, **asked, **more).to_dict()
    assert found == {**expected, "tool": found["tool"]}


def test_the_page_is_for_people_and_what_was_detected_stands_beside_it(process, table_file):
    asked = ("audit", table_file(1), "--k", "2", "--epsilon", "1", "--sensitive", "issue 4")
    ended = process(*asked)
    assert (ended.returncode, ended.stdout.startswith("NOT SATISFIED: ")) == (1, True)
    assert "\x1b" not in ended.stdout + ended.stderr
    assert "as delimited" in ended.stderr
    assert process(*asked, "-q").stderr == ""
    assert "as delimited" not in process(*asked, "--format", "delimited").stderr


def test_standard_input(process):
    ended = process(
        "audit", "-", "--k", "2", "--epsilon", "0", "--json", input="id,a\n1,3\n2,3\n3,5\n4,5\n"
    )
    assert (ended.returncode, json.loads(ended.stdout)["dataset"]["records"]) == (0, 4)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_per_record_files(cli, table_file, tmp_path, suffix):
    path = tmp_path / f"records{suffix}"
    cli(
        "audit",
        table_file(1),
        "--k",
        2,
        "--epsilon",
        1,
        "--sensitive",
        "issue 4",
        "--per-record",
        path,
    )
    frame = pl.read_csv(path) if suffix == ".csv" else pl.read_parquet(path)
    of = [f"{what}:issue 4" for what in ("sd", "share", "distinct", "entropy")]
    assert frame.columns == ["record", "size", "satisfied", *of]
    assert frame["share:issue 4"].to_list() == [1, 1, 1, 0.5, 0.5]
    assert frame["distinct:issue 4"].to_list() == [1, 1, 1, 2, 2]
    assert frame["satisfied"].to_list() == [False, True, True, True, True]
    assert frame["sd:issue 4"].to_list() == [0, 0, 0, 2, 2]


def test_a_sample_is_called_one(cli, table_file):
    asked = ("audit", table_file(2), "--k", 1, "--epsilon", 1, "--json", "--sample", 3)
    first, second = (cli(*asked, "--seed", 1) for _ in range(2))
    assert json.loads(first.stdout)["dataset"]["records"] == 3
    assert "sample of 3 records (seed 1)" in first.stderr
    assert (first.exit_code, first.stdout) == (1, second.stdout)  # k = 1 asks for nothing


def test_every_option_reaches_the_reader_and_the_audit(cli, tmp_path):
    path = tmp_path / "long.txt"
    rows = "u;i;r;t a;x;1;1 a;y;5;2 a;z;9;3 a;s;2;4 b;x;?;5 b;y;4;6 b;s;3;7 b;y;2;8"
    path.write_text(rows.replace(" ", "\n") + "\n", encoding="latin-1")
    asked = (
        "audit --k 1 --epsilon 2 --json --layout long --id u --issue i --rating r --sensitive s "
        "--drop z "
        "--scale 1:5 --null ? --set timestamp=t --set delimiter=; --set encoding=latin-1 --set "
        "header=yes "
        "--set duplicates=mean --items top:2 --accept k-asks-nothing --accept epsilon-covers-range "
        "--accept nulls-wildcard --nulls wildcard --set sensitive-nulls=ignore --set memory=1GiB "
        "--accept epsilon-covers-questions"
    )
    ended = cli(asked, path)
    assert ended.exit_code == 0, ended.stderr
    found = json.loads(ended.stdout)
    expected = {"records": 2, "issues": 2, "ratings": 3, "sensitive": ["s"]}
    assert {name: found["dataset"][name] for name in expected} == expected
    assert (found["dataset"]["scale"]["min"], found["dataset"]["scale"]["max"]) == (1, 5)
    assert (found["parameters"]["nulls"], found["parameters"]["sensitive_nulls"]) == (
        "wildcard",
        "ignore",
    )


@pytest.mark.parametrize(("known", "code"), [("1", 0), ("2", 1)])
def test_the_verdict_against_known_ratings_is_the_exit_code(cli, tmp_path, known, code):
    rows = "id,a,b,c t1,3,6, t2,2,5, t3,4,7, t4,5,6, t5,1,,5 t6,2,,6 t7,6,,6 t8,5,,5"
    (tmp_path / "table3.csv").write_text(rows.replace(" ", "\n") + "\n", encoding="utf-8")
    asked = ("audit --scale 1:7 --k 3 --epsilon 1 --accept epsilon-covers-questions --known", known)
    asked += (tmp_path / "table3.csv",)
    files = {"-o": tmp_path / "audit.json", "--junit": tmp_path / "audit.xml"}
    ended = cli(*asked, "--no-sensitive", "--json", *itertools.chain(*files.items()))
    content = json.loads(ended.stdout)
    assert (ended.exit_code, content["satisfied"], content["known"]["satisfied"]) == (
        code,
        False,
        code == 0,
    )
    page = " ".join(cli(*asked, "--no-sensitive", "--verbose").stdout.split())
    assert page.startswith("SATISFIED" if code == 0 else "NOT SATISFIED")
    assert "is not (k = 3, epsilon = 1)-anonymous" in page  # the other verdict is never left out
    assert ("<failure" in files["--junit"].read_text(encoding="utf-8")) == (code == 1)
    reported = cli("report", "--from", files["-o"], "-o", tmp_path / "report.html", "--quiet")
    assert (reported.exit_code, reported.stdout.splitlines()[0].startswith("SATISFIED")) == (
        code,
        code == 0,
    )
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "is not (k = 3, epsilon = 1)-anonymous" in html
    assert ("do not publish these data" in html) == (code == 1)


@pytest.fixture
def two(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("id,film\nann,3\nbob,2\n", encoding="utf-8")
    return path


def test_exposure_that_leaves_nothing_of_a_verdict(cli, two, tmp_path):
    asked = ("audit", two, "--id", "id", "--k", 2, "--epsilon", 1, "--exposure", 1, "--json")
    ended = cli(*asked, "--per-record", tmp_path / "r.csv")
    assert ended.exit_code == 1  # "but this protects nothing"
    found = json.loads(ended.stdout)
    expected = ratingpriv.audit(
        ratingpriv.read(str(two), id="id"), k=2, epsilon=1, exposure=1
    ).to_dict()
    assert found == {**expected, "tool": found["tool"]}
    expected = {"error": 1, "worst": 1, "certain": 2, "exact": True, "scale_declared": False}
    assert {name: found["exposure"][name] for name in expected} == expected
    assert pl.read_csv(tmp_path / "r.csv")["exposure_worst"].to_list() == [1, 1]


def test_a_search_that_ended_early_is_no_verdict(cli, table_file, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.import_module("ratingpriv.audit.known.verdict"), "BUDGET", 1)
    asked = ["audit", table_file(2), "--k", "2", "--epsilon", "1", "--known", "2", "--no-sensitive"]
    files = {"-o": tmp_path / "audit.json", "--junit": tmp_path / "audit.xml"}
    ended = cli(*asked, "--quiet", *itertools.chain(*files.items()))
    assert (ended.exit_code, ended.stdout.startswith("NOT DECIDED")) == (3, True)
    assert "<error" in files["--junit"].read_text(encoding="utf-8")
    reported = cli("report", "--from", files["-o"], "-o", tmp_path / "report.html", "--quiet")
    assert (reported.exit_code, reported.stdout.startswith("NOT DECIDED")) == (3, True)


def test_rows_go_where_the_help_says(cli, table_file, tmp_path):
    """``-o x.csv`` has a row a record, of an audit and of a partition, for the user alone."""
    for command, name in (("audit", "size"), ("partition", "group")):
        path = tmp_path / f"{command}.csv"
        ended = cli(
            command, table_file(1), "--k", 2, "--epsilon", 1, "--sensitive", "issue 4", "-o", path
        )
        assert ended.exit_code in (0, 1), ended.stderr
        frame = pl.read_csv(path)
        assert {"record", name} <= set(frame.columns)
        assert len(frame) == len(pl.read_csv(table_file(1)))
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_limit_below_what_the_data_take_is_refused(cli, table_file):
    asked = ("audit", table_file(1), "--k", 2, "--epsilon", 1, "--sensitive", "issue 4")
    ended = cli(*asked, "--set", "memory=10B")
    assert (ended.exit_code, "beside the data and the program" in ended.stderr) == (2, True)
    assert cli(*asked, "--set", "memory=1MiB").exit_code == cli(*asked).exit_code


def test_no_line_of_a_file_of_names_is_quoted_unasked(cli, table_file, tmp_path):
    """``@FILE`` may be any file, by a mistake or by another's codebook."""
    (tmp_path / "f").write_text("issue 1\nroot:hunter2:0\n")
    asked = ("audit", table_file(1), "--k", 2, "--epsilon", 1, "--sensitive", "issue 4")
    for option in ("--items", "--known-items"):
        words = (
            *asked,
            option,
            f"@{tmp_path / 'f'}",
            *(("--known", 1) if "known" in option else ()),
        )
        ended = cli(*words)
        assert ended.exit_code == 2
        assert "line 2" in ended.stderr
        assert "hunter2" not in ended.stdout + ended.stderr
        assert "hunter2" in cli(*words, "--show-cells").stderr
