"""``ratingpriv audit``: verdicts, outputs, and the same numbers as the library's."""

from __future__ import annotations

import csv
import importlib
import itertools
import json

import polars as pl
import pytest

import ratingpriv

GOLDEN = [
    (1, 2, 1, None, 1, [1, 2, 2, 2, 2]),
    (2, 2, 1, 1.5, 0, [3, 2, 3, 2, 2, 2]),
    (2, 2, 1, 1.6, 1, None),
]


@pytest.mark.parametrize("engine", ["slicing", "pairwise"])
@pytest.mark.parametrize(("number", "k", "epsilon", "l", "code", "sizes"), GOLDEN)
def test_golden_tables(cli, table_file, tmp_path, engine, number, k, epsilon, l, code, sizes):  # noqa: E741
    asked = ["--k", k, "--epsilon", epsilon, "--sensitive", "issue 4", "--engine", engine, "--show", 20]
    asked += ["--json"] if l is None else ["--json", "--l", l]
    asked += ["--accept", "epsilon-covers-range"]
    ended = cli("audit", table_file(number), *asked, "--per-record", tmp_path / "records.csv")
    assert ended.exit_code == code
    found = json.loads(ended.stdout)
    assert found["k_epsilon_l" if l is not None else "k_epsilon"]["satisfied"] is (code == 0)
    table = ratingpriv.read(table_file(number), sensitive=["issue 4"])
    assert found == {
        **ratingpriv.audit(
            table, k=k, epsilon=epsilon, l=l, engine=engine, accept=["epsilon-covers-range"]
        ).to_dict(),
        "tool": found["tool"],
    }
    with (tmp_path / "records.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["record"] for row in rows] == [f"t{place}" for place in range(1, len(rows) + 1)]
    if sizes is not None:
        assert [int(row["size"]) for row in rows] == sizes


def test_summary_for_people(process, table_file):
    ended = process("audit", table_file(1), "--k", "2", "--epsilon", "1", "--sensitive", "issue 4")
    assert ended.returncode == 1
    assert ended.stdout.startswith("NOT SATISFIED: ")
    assert "\x1b" not in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


def test_what_was_detected_is_said_on_stderr_unless_quiet(process, table_file):
    asked = ("audit", table_file(1), "--k", "2", "--epsilon", "5", "--sensitive", "issue 4", "--json")
    assert "as delimited" in process(*asked).stderr
    assert process(*asked, "-q").stderr == ""
    assert "as delimited" not in process(*asked, "--format", "delimited").stderr


def test_show_cuts_the_list(cli, table_file):
    ended = cli("audit", table_file(1), "--k", 9, "--epsilon", 1, "--show", 2, "--json")
    found = json.loads(ended.stdout)
    assert (len(found["violators"]), found["k_epsilon"]["violators"]) == (2, 5)


def test_standard_input(process):
    ended = process("audit", "-", "--k", "2", "--epsilon", "0", "--json", input="id,a\n1,3\n2,3\n")
    assert (ended.returncode, json.loads(ended.stdout)["dataset"]["records"]) == (0, 2)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_per_record_files(cli, table_file, tmp_path, suffix):
    path = tmp_path / f"records{suffix}"
    cli("audit", table_file(1), "--k", 2, "--epsilon", 1, "--sensitive", "issue 4", "--per-record", path)
    frame = pl.read_csv(path) if suffix == ".csv" else pl.read_parquet(path)
    of = [f"{what}:issue 4" for what in ("sd", "share", "distinct", "entropy")]
    assert frame.columns == ["record", "size", "satisfied", *of]
    assert frame["share:issue 4"].to_list() == [1, 1, 1, 0.5, 0.5]
    assert frame["distinct:issue 4"].to_list() == [1, 1, 1, 2, 2]
    assert frame["satisfied"].to_list() == [False, True, True, True, True]
    assert frame["sd:issue 4"].to_list() == [0, 0, 0, 2, 2]


def test_force_replaces_outputs(cli, table_file, tmp_path):
    path = tmp_path / "out.json"
    path.write_text("old")
    assert cli("audit", table_file(1), "--k", 1, "--epsilon", 1, "-o", path, "--force").exit_code == 1
    assert json.loads(path.read_text(encoding="utf-8"))["parameters"]["k"] == 1


def test_a_sample_is_called_one(cli, table_file):
    asked = ("audit", table_file(2), "--k", 1, "--epsilon", 1, "--json", "--sample", 3)
    first, second, other = (cli(*asked, "--seed", seed) for seed in (1, 1, 7))
    assert json.loads(first.stdout)["dataset"]["records"] == 3
    assert "sample of 3 records (seed 1)" in first.stderr
    assert first.stdout == second.stdout
    assert other.exit_code == 1  # k = 1 asks for nothing


def test_every_data_option_reaches_the_reader(cli, tmp_path):
    path = tmp_path / "long.txt"
    path.write_text(
        "u;i;r;t\na;x;1;1\na;y;5;2\na;z;9;3\na;s;2;4\nb;x;?;5\nb;y;4;6\nb;s;3;7\nb;y;2;8\n",
        encoding="latin-1",
    )
    asked = (
        "audit --k 1 --epsilon 2 --json --layout long --id u --issue i --rating r --sensitive s --drop z "
        "--scale 1:5 --null ? --set timestamp=t --set delimiter=; --set encoding=latin-1 --set header=yes "
        "--set duplicates=mean --items top:2 --accept k-asks-nothing --accept epsilon-covers-range"
    )
    ended = cli(asked, path)
    assert ended.exit_code == 0, ended.stderr
    dataset = json.loads(ended.stdout)["dataset"]
    assert (dataset["records"], dataset["issues"], dataset["ratings"], dataset["sensitive"]) == (
        2,
        2,
        3,
        ["s"],
    )
    assert dataset["scale"] == {"min": 1, "max": 5}


def test_model_options_reach_the_audit(cli, table_file):
    asked = "audit --k 1 --epsilon 1 --json --nulls wildcard --set sensitive-nulls=ignore --set memory=1GiB"
    ended = cli(asked, table_file(1))
    parameters = json.loads(ended.stdout)["parameters"]
    assert (parameters["nulls"], parameters["sensitive_nulls"]) == ("wildcard", "ignore")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ([], 0),
        (["--set", "max-share=0.666666666666667"], 0),
        (["--set", "max-share=0.666666666666666"], 1),
        (["--set", "distinct=3"], 1),
        (["--set", "entropy=2"], 1),
        (["--set", "sensitive-kind=nominal", "--set", "distinct=2", "--set", "entropy=1"], 0),
    ],
)
def test_demands_on_sensitive_answers(cli, table_file, asked, code):
    """Table 1 at epsilon 5: 6, 1, 1 in three neighbourhoods, 1, 5 in two."""
    ended = cli("audit", table_file(1), "--k", 2, "--epsilon", 5, "--sensitive", "issue 4", "--json",
                "--accept", "epsilon-covers-range", *asked)  # fmt: skip
    assert ended.exit_code == code, ended.stderr
    found = json.loads(ended.stdout)
    assert found["inference"]["issue 4"]["largest_share"] == 0.6666666666666667
    for name in ("max_share", "distinct", "entropy"):
        demanded = any(word.startswith(f"{name.replace('_', '-')}=") for word in asked)
        assert (found[name] is not None) is demanded


@pytest.mark.parametrize(("known", "code"), [("1", 0), ("2", 1)])
def test_the_verdict_against_known_ratings_is_the_exit_code(cli, tmp_path, known, code):
    rows = "id,a,b,c t1,3,6, t2,2,5, t3,4,7, t4,5,6, t5,1,,5 t6,2,,6 t7,6,,6 t8,5,,5"
    (tmp_path / "table3.csv").write_text(rows.replace(" ", "\n") + "\n", encoding="utf-8")
    asked = ("audit --scale 1:7 --k 3 --epsilon 1 --known", known, tmp_path / "table3.csv")
    files = {"-o": tmp_path / "audit.json", "--junit": tmp_path / "audit.xml"}
    ended = cli(*asked, "--no-sensitive", "--json", *itertools.chain(*files.items()))
    content = json.loads(ended.stdout)
    assert (ended.exit_code, content["satisfied"], content["known"]["satisfied"]) == (code, False, code == 0)
    page = " ".join(cli(*asked, "--no-sensitive", "--quiet").stdout.split())
    assert page.startswith("SATISFIED" if code == 0 else "NOT SATISFIED")
    assert "is not (k = 3, epsilon = 1)-anonymous" in page  # the other verdict is never left out
    assert ("<failure" in files["--junit"].read_text(encoding="utf-8")) == (code == 1)
    reported = cli("report", "--from", files["-o"], "-o", tmp_path / "report.html", "--quiet")
    assert (reported.exit_code, reported.stdout.splitlines()[0].startswith("SATISFIED")) == (code, code == 0)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "is not (k = 3, epsilon = 1)-anonymous" in html
    assert ("do not publish these data" in html) == (code == 1)


def test_a_search_that_ended_early_is_no_verdict(cli, table_file, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.import_module("ratingpriv.audit.known.verdict"), "BUDGET", 1)
    asked = ["audit", table_file(2), "--k", "2", "--epsilon", "1", "--known", "2", "--no-sensitive"]
    files = {"-o": tmp_path / "audit.json", "--junit": tmp_path / "audit.xml"}
    ended = cli(*asked, "--quiet", *itertools.chain(*files.items()))
    assert (ended.exit_code, ended.stdout.startswith("NOT DECIDED")) == (3, True)
    assert "<error" in files["--junit"].read_text(encoding="utf-8")
    reported = cli("report", "--from", files["-o"], "-o", tmp_path / "report.html", "--quiet")
    assert (reported.exit_code, reported.stdout.startswith("NOT DECIDED")) == (3, True)
