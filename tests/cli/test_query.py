"""``ratingpriv query``: the library is listed, shown and run;
mistakes are found before a store is opened.
"""

import csv
import io
import json
import shlex
from pathlib import Path

import pytest
from queries.runs import decompose

from cli.stores import embedded, on
from ratingpriv.base.keys import Key, write_key
from ratingpriv.graph import open_store
from ratingpriv.graph.queries import list_queries

__all__ = ["embedded", "on"]

SURVEY = "id,a,b,income\nt1,1,1,5\nt2,1,2,3\nt3,2,2,\nt4,5,5,1\n"
SIZES = ("query", "run", "audit/neighbourhood-sizes", "-p", "epsilon=1")


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    path.write_text(SURVEY, encoding="utf-8")
    return path


@pytest.fixture
def asked(on, survey):
    """Commands on a store that holds the survey, and its name there."""
    return on, on.ingest(survey, "survey", 1, "--sensitive", "income", "--scale", "1:5")


def test_the_list_names_every_question(cli):
    listed = cli("query", "list").stdout
    for one in list_queries():
        assert f"  {one.id}  " in listed
        assert one.query.title in listed
    assert ("load/" in listed, "partition/decompose/begin" in listed) == (False, False)
    assert "load/pairs" in cli("query", "list", "--all").stdout
    found = json.loads(cli("query", "list", "--json").stdout)
    assert found["schema"] == "ratingpriv.queries/1"
    assert [one["id"] for one in found["queries"]] == [one.id for one in list_queries()]
    merge = next(one for one in found["queries"] if one["id"] == "partition/merge")
    assert merge["iterated"]
    assert [param["name"] for param in merge["params"]] == ["dataset", "run", "a", "b"]
    assert len(merge["statements"]) > 4


@pytest.mark.parametrize("one", list_queries(everything=True), ids=lambda one: one.id)
def test_each_is_shown_with_its_cypher(cli, one):
    shown = cli("query", "show", one.id)
    assert shown.exit_code == 0
    for text in (*(part.statement.strip() for part in one.parts), one.query.example):
        assert text in shown.stdout
    assert json.loads(cli("query", "show", one.id, "--json").stdout)["queries"][0]["id"] == one.id


def test_rows_as_a_table(asked):
    commands, name = asked
    shown = commands(*SIZES, "--dataset", name)
    assert shown.exit_code == 0, shown.stderr
    assert [line.split() for line in shown.stdout.splitlines()] == [
        ["record", "position", "size"],
        ["t1", "0", "3"], ["t2", "1", "3"], ["t3", "2", "3"], ["t4", "3", "1"],
        ["4", "rows"],
    ]  # fmt: skip
    cut = commands(*SIZES, "--dataset", name, "--show", 1).stdout.splitlines()
    assert cut[-1] == "1 of 4 rows shown; --show N, --json or --csv give more"
    assert len(cut) == 3


def test_rows_as_json(asked):
    commands, name = asked
    found = json.loads(commands(*SIZES, "--dataset", name, "--json").stdout)
    assert found.pop("tool")["command"].endswith(f"--json --store {commands.uri}")
    columns, sizes = ["record", "position", "size"], [3, 3, 3, 1]
    assert found == {
        "schema": "ratingpriv.query/1", "query": "audit/neighbourhood-sizes", "store": commands.uri,
        "engine": "embedded" if commands.uri.startswith("embedded") else "neo4j", "changes": None,
        "dataset": {"name": name, "epsilon_max": 1.0, "nulls": "strict", "selection": None,
        "quasi": []},
        "parameters": {"dataset": name, "epsilon": 1.0}, "columns": columns,
        "rows": [dict(zip(columns, (f"t{n + 1}", n, size), strict=True)) for n,
        size in enumerate(sizes)],
    }  # fmt: skip


def test_rows_as_csv(asked):
    commands, name = asked
    levels = commands("query", "run", "audit/sensitive-levels", "--dataset", name, "--csv").stdout
    assert list(csv.reader(io.StringIO(levels))) == [
        ["issue", "rating", "records", "label"],
        ["income", "1.0", "1", ""], ["income", "3.0", "1", ""], ["income", "5.0", "1", ""],
        ["income", "", "1", ""],
    ]  # fmt: skip
    nodes = commands("query", "run", "browse/overview", "--dataset", name, "--csv").stdout
    first = next(csv.DictReader(io.StringIO(nodes)))
    assert json.loads(first["d"])["labels"] == ["Dataset"]


EXAMPLES = [
    one
    for one in list_queries(everything=True)
    if one.query.example.startswith("ratingpriv query run")
]


EIGHT = (
    "id,a,b,c,income t1,3,6,,6 t2,2,5,,1 t3,4,7,,4 t4,5,6,,1 t5,1,,5,1 t6,2,,6,5 t7,6,,6,3 "
    "t8,5,,5,2"
)


def test_every_example_of_the_library_runs(embedded, survey, tmp_path):
    assert len(EXAMPLES) > 20
    survey.write_text(EIGHT.replace(" ", "\n"))
    read = ("--sensitive", "income", "--scale", "1:7", "--epsilon", 2)
    embedded.ingest(survey, "survey", 2, *read[:4], "--ratings")
    ids = tuple(f"t{number}" for number in range(1, 9))
    write_key(Key(ids, ids), tmp_path / "key")
    release = ("--release-of", "survey", "--run", "a", "--key", tmp_path / "key")
    assert embedded("ingest", survey, *read, *release).exit_code == 0
    tied = [{"original": half, "released": half} for half in (ids[:4], ids[4:])]
    write_key(Key(ids, ids, {"groups": tied}), tmp_path / "groups")
    for run in ("s", "s2"):
        swapped = ("--release-of", "survey", "--run", run, "--key", tmp_path / "groups")
        assert embedded("ingest", survey, *read, *swapped).exit_code == 0
    groups = ("-p", "run=groups", "-p", "k=1", "-p", "epsilon=0", "--dataset", "survey/a")
    assert embedded("query", "run", "partition/clique-components", *groups).exit_code == 0
    for one in EXAMPLES:
        if one.id.startswith(("partition/", "browse/")) and not one.query.is_step:
            with open_store(embedded.uri) as store:
                decompose(store, "survey", 3, 2, run="a")
        ended = embedded(*shlex.split(one.query.example)[1:])
        expected = 2 if one.id == "quasi/at-risk" else 0  # the dataset has no quasi-identifiers
        assert ended.exit_code == expected, f"{one.query.example}\n{ended.stderr}"


def test_what_the_store_knows_need_not_be_said(asked):
    commands, name = asked
    whole = commands(
        "query", "run", "audit/degree-check", "--dataset", name, "-p", "epsilon=1", "-p", "k=5"
    )
    short = commands("query", "run", "audit/degree-check", "--dataset", name)
    assert (short.exit_code, short.stdout) == (whole.exit_code, whole.stdout) == (0, whole.stdout)
    assert "k=5" in short.stderr
    assert "epsilon=1" in short.stderr
    assert "problem" not in short.stdout  # a column that is shown as an error only
    # its one
    assert commands("query", "run", "audit/sensitive-sd", "--dataset", name).exit_code == 0


def test_everything_that_is_missing_is_named_with_a_line_that_works(asked, tmp_path):
    commands, name = asked
    file = tmp_path / "two.cypher"
    file.write_text("MATCH (d:Dataset {name: $dataset}) RETURN $left AS left, $right AS right")
    ended = commands("query", "run", file, "--dataset", name, "--json")
    problem = json.loads(ended.stdout)["problems"][0]
    assert ended.exit_code == 2
    assert all(one in problem["expected"] for one in ("left", "right"))
    line = problem["remedy"].partition(";")[0]
    words = shlex.split(line.replace("LEFT", "t1").replace("RIGHT", "2"))
    assert commands(*words[1:]).exit_code == 0


def test_nothing_that_a_query_removes_is_guessed(embedded, survey):
    embedded("ingest", survey, "--dataset", "survey", "--epsilon", "1")
    assert embedded("query", "run", "partition/decompose", "-p", "k=2").exit_code == 0
    # of its only run
    assert embedded("query", "run", "partition/members", "--csv").stdout.count("\n") == 5
    assert embedded("query", "run", "partition/runs/remove").exit_code == 2
    assert "greedy" in embedded("query", "run", "partition/runs/list").stdout


def test_which_dataset_is_asked_of_whoever_sits_there(embedded, survey, monkeypatch):
    for name in ("one", "two"):
        embedded("ingest", survey, "--dataset", name, "--epsilon", "1")
    monkeypatch.setattr("ratingpriv.cli.query.at_terminal", lambda: True)
    ended = embedded("query", "run", "audit/dataset-summary", input="two\n")
    assert (ended.exit_code, "one, two" in ended.stderr) == (0, True)
    assert "two" in ended.stdout
    assert embedded("query", "run", "audit/dataset-summary", input="\n").exit_code == 2
