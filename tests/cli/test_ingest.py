"""``ratingpriv ingest``: what goes into a store, what is refused,
and what is left when it is stopped.
"""

import json
import os
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.stores import BARE, embedded, on, program
from ratingpriv.base.keys import Key, write_key
from ratingpriv.graph import open_store

__all__ = ["embedded", "on", "program"]

TABLE = ("--sensitive", "issue 4", "--scale", "1:7")


def table_of(*rows: str, path: Path) -> Path:
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def audit_of(commands, dataset, *options):
    ended = commands("audit", "--dataset", dataset, "--k", 2, "--json", *options)
    assert ended.exit_code in (0, 1), ended.stderr
    return json.loads(ended.stdout)


def test_it_says_what_went_in(on, table_file):
    name = on.name("two")
    ended = on("ingest", table_file(2), "--dataset", name, "--epsilon", 1, *TABLE, "--json")
    assert ended.exit_code == 0, ended.stderr
    said = json.loads(ended.stdout)
    assert (said["schema"], said["store"]) == ("ratingpriv.ingest/1", on.uri)
    found = said["dataset"]
    expected = {"name": name, "complete": True, "records": 6, "issues": 4, "ratings": 6, "pairs": 4}
    assert {key: found[key] for key in expected} == expected
    assert found["scale"] == {"min": 1.0, "max": 7.0, "declared": True}
    assert (found["epsilon_max"], found["nulls"], found["edges"], found["k"]) == (
        1.0,
        "strict",
        "all",
        None,
    )


def alone(*words, **environ):
    """Run a command that names no store."""
    from ratingpriv.cli import app

    return CliRunner().invoke(app, [str(word) for word in words], env={**BARE, **environ})


def test_alone_it_does_the_sensible_thing(on, table_file, tmp_path, monkeypatch):
    """The file's name, epsilon 1, the store of the environment;
    what it says to do next can be done.
    """
    monkeypatch.chdir(tmp_path)
    name = on.name("our survey")
    table_file(2).rename(f"{name}.csv")
    environ = {**on.environ, **({} if "grafeo" in on.uri else {"NEO4J_URI": on.uri})}
    ended = alone("ingest", f"{name}.csv", **environ)
    assert ended.exit_code == 0, ended.stderr
    found = json.loads(alone("store", "list", "--json", **environ).stdout)["datasets"]
    assert [one["epsilon_max"] for one in found if one["name"] == name] == [1.0]
    steps = re.findall(r"now: ratingpriv (.*)", ended.stderr)
    assert [words.split()[0] for words in steps] == ["audit", "query", "query"]
    for words in steps:
        asked = alone(*shlex.split(words), **environ)
        assert asked.exit_code in (0, 1), asked.stderr
    assert [path.suffix for path in tmp_path.glob("our-survey*")] == [".svg"]
    assert Path("ratingpriv.grafeo").exists() == ("grafeo" in on.uri)


@pytest.mark.parametrize("options", [["--edges", "at-risk", "--k", 2], ["--epsilon", 0]])
def test_what_it_says_to_do_next_is_of_what_went_in(
    embedded, table_file, tmp_path, monkeypatch, options
):
    monkeypatch.chdir(tmp_path)
    ended = embedded("ingest", table_file(2), *options)
    steps = re.findall(r"now: ratingpriv (.*)", ended.stderr)
    assert len(steps) == 3
    for words in steps:
        assert embedded.uri in words
        assert alone(*shlex.split(words)).exit_code in (0, 1)


def test_other_data_of_the_files_name_stay(embedded, table_file, tmp_path):
    (tmp_path / "other").mkdir()
    data, other = (
        table_file(2),
        table_of("id,a", "x,1", "y,1", path=tmp_path / "other" / "table2.csv"),
    )
    assert embedded("ingest", data).exit_code == 0
    refused = embedded("ingest", other)
    assert refused.exit_code == 2
    assert "--dataset table2 replaces them" in refused.stderr
    again = embedded("ingest", data, "--epsilon", 2)
    assert "replacing 'table2' of 20" in again.stderr
    assert audit_of(embedded, "table2", "--epsilon", 2)["dataset"]["records"] == 6
    assert embedded("ingest", other, "--dataset", "table2").exit_code == 0
    assert audit_of(embedded, "table2", "--epsilon", 1)["dataset"]["records"] == 2


def test_epsilon_as_the_codebook_declares_it(embedded, table_file, tmp_path):
    book = tmp_path / "book.toml"
    book.write_text("[audit]\nepsilon = 2.5\n[ingest]\nepsilon = 3\n")
    for options, epsilon in (((), 3.0), (("--epsilon", 4), 4.0)):
        ended = embedded("ingest", table_file(2), "--codebook", book, "--json", *options)
        assert json.loads(ended.stdout)["dataset"]["epsilon_max"] == epsilon


def test_another_ingest_replaces_it_in_one_step(on, table_file):
    name = on.ingest(table_file(1), "same", 5, "--sensitive", "issue 4")
    again = ("ingest", table_file(2), "--dataset", name, "--epsilon", 1, *TABLE)
    ended = on(*again, "--ratings", "--json")
    assert f"replacing {name!r} of 20" in ended.stderr
    assert "5 records" in ended.stderr
    assert json.loads(ended.stdout)["dataset"]["ratings"] == 18  # the others go in if asked for
    assert on(*again).exit_code == 0  # and the same once more
    assert audit_of(on, name, "--epsilon", 1)["dataset"]["records"] == 6


def test_import_files(embedded, table_file, tmp_path, cli):
    files = ("--offline", tmp_path / "files")
    asked = ("ingest", table_file(2), "--dataset", "two", "--epsilon", 1, *TABLE, *files)
    ended = cli(*asked, "--json")
    assert ended.exit_code == 0, ended.stderr
    said = json.loads(ended.stdout)
    assert (said["nodes"], said["relationships"]) == (1 + 4 + 2 + 6, 6 + 6 + 4)
    assert Path(said["script"]).read_text(encoding="utf-8").startswith("#!/bin/sh")
    assert not Path("ratingpriv.grafeo").exists()
    again = cli(*asked)
    assert again.exit_code == 2
    assert "choose another name" in again.stderr
    assert embedded(*asked).exit_code == 2  # files or a store


def test_bad_data_leave_the_store_as_it_was(embedded, table_file, tmp_path):
    name = embedded.ingest(table_file(2), "two", 1, *TABLE)
    bad = table_of("id,a", "t1,1", "t1,2", path=tmp_path / "bad.csv")
    ended = embedded("ingest", bad, "--dataset", name, "--epsilon", 1)
    assert ended.exit_code == 2
    assert "bad.csv, line 3" in ended.stderr
    assert audit_of(embedded, name, "--epsilon", 1)["dataset"]["records"] == 6


def test_a_store_that_is_open_elsewhere(embedded, table_file):
    embedded.ingest(table_file(2), "two", 1, *TABLE)
    with open_store(embedded.uri):
        ended = embedded("ingest", table_file(1), "--dataset", "one", "--epsilon", 1)
    assert ended.exit_code == 3
    assert "has the store open; wait until it ends" in ended.stderr


def test_a_server_that_is_not_there_is_noticed_before_the_data_are_read(cli, tmp_path):
    fifo = tmp_path / "data.csv"
    os.mkfifo(fifo)  # who opened it to read would wait for ever
    ended = cli("ingest", fifo, "--dataset", "x", "--epsilon", 1, "--store", "bolt://127.0.0.1:1")
    assert ended.exit_code == 3
    assert "no Neo4j server responds" in ended.stderr


STOP = """
import os, signal
from ratingpriv.graph import embedded, neo4j
for sink in (embedded.EmbeddedSink, neo4j.Neo4jSink):
    def write(self, kind, *rest, before=sink._write):
        if kind == "pairs":
            os.kill(os.getpid(), signal.{signal})
            [None for _ in range(10**9)]
        before(self, kind, *rest)
    sink._write = write
"""


@pytest.mark.parametrize(("signal", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -9)])
def test_stopped_in_the_middle(embedded, program, table_file, signal, code):
    asked = ["ingest", table_file(2), "--dataset", "two", "--epsilon", 1, *TABLE]
    ended = program(STOP.format(signal=signal), *asked, "--store", embedded.uri, "-q")
    assert ended.returncode == code
    assert ended.stderr.count("\n") == (code > 0)
    refused = embedded("audit", "--dataset", "two", "--k", 2, "--epsilon", 1)
    assert refused.exit_code == 2
    assert (
        "dataset 'two' is not complete (0 of 4 pairs arrived); run the same ratingpriv ingest"
        in refused.stderr
    )
    [listed] = json.loads(embedded("store", "list", "--json").stdout)["datasets"]
    assert (listed["complete"], listed["loading"]) == (False, True)
    again = embedded(*asked)
    assert again.exit_code == 0, again.stderr
    assert "a load of 'two' broke off" in again.stderr
    assert audit_of(embedded, "two", "--epsilon", 1)["neighbourhood_sizes"]["pairs"] == 4


# ---- a release beside its original ----

RELEASED = (*TABLE, "--epsilon", 3)
RELEASE = "id,issue 1,issue 2,issue 3,issue 4\n1,3,6,,6\n2,4,6,,4\n3,5,6,,1\n4,1,,5,1\n5,1,2,5,1\n"
KEY = Key(tuple(f"t{i}" for i in range(1, 7)), (1, None, 2, 3, 5, 4))


@pytest.fixture
def files(tmp_path):
    """A release of table 2, and its key."""
    (tmp_path / "release.csv").write_text(RELEASE)
    write_key(KEY, tmp_path / "release.key")
    return tmp_path / "release.csv", tmp_path / "release.key"


def rows(commands, query, *params):
    ended = commands("query", "run", query, "--json", *params)
    assert ended.exit_code == 0, ended.stderr
    return json.loads(ended.stdout)["rows"]


def test_before_and_after(on, table_file, files):
    name = on.ingest(
        table_file(2), "original", 3, "--sensitive", "issue 4", "--scale", "1:7", "--ratings"
    )
    release = ("ingest", files[0], *RELEASED, "--release-of", name, "--run", "one")
    ended = on(*release, "--key", files[1], "--json")
    assert ended.exit_code == 0, ended.stderr
    said = json.loads(ended.stdout)
    assert said["dataset"]["name"] == f"{name}/one"
    wanted = {
        "of": name,
        "run": "one",
        "dataset": f"{name}/one",
        "records": 5,
        "linked": True,
        "withheld": 1,
    }
    wanted["groups"] = None
    assert said["release"] == {**wanted, "distortion_known": True}
    (found,) = rows(on, "anonymize/distortion", "--dataset", name, "-p", "run=one")
    assert [found[key] for key in ("distortion", "changed", "filled", "erased")] == [5.0, 3, 1, 0]
    ended = on(*release, "-q")
    assert "no links to the original" in ended.stdout
    refused = on("query", "run", "anonymize/distortion", "--dataset", name, "-p", "run=one")
    assert (refused.exit_code, "with its key" in refused.stderr) == (2, True)
    assert on("store", "drop", name, "--yes").exit_code == 0
    assert f"{name}/one" not in on("store", "list").stdout


def test_an_original_that_is_not_there(embedded, table_file, files):
    embedded.ingest(table_file(2), "original", 3, "--sensitive", "issue 4")
    ended = embedded("ingest", files[0], *RELEASED, "--release-of", "other", "--run", "one")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "'other'" in ended.stderr
    assert "'original'" in ended.stderr  # the one that there is
    listed = embedded("store", "list", "--json").stdout
    assert [one["name"] for one in json.loads(listed)["datasets"]] == ["original"]


def test_a_survey_that_grows(on, table_file, tmp_path):
    """The second file has the first one's records and more; only these go in,
    and the audit is of all.
    """
    whole = table_file(2)
    first = table_of(
        *whole.read_text(encoding="utf-8").splitlines()[:5], path=tmp_path / "first.csv"
    )
    name, options = on.ingest(first, "grows", 1, *TABLE), ("--epsilon", 1, *TABLE, "--append")
    before = audit_of(on, name, "--epsilon", 1)
    refused = on("ingest", whole, "--dataset", name, "--epsilon", 2, *TABLE, "--append")
    assert refused.exit_code == 2
    assert "without --append" in refused.stderr
    ended = on("ingest", whole, "--dataset", name, *options)
    assert ended.exit_code == 0, ended.stderr
    assert "adding to the 4 records" in ended.stderr
    after = audit_of(on, name, "--epsilon", 1)
    again = on.ingest(whole, "whole", 1, *TABLE)
    wanted = audit_of(on, again, "--epsilon", 1)
    assert (before["dataset"]["records"], after["dataset"]["records"]) == (4, 6)
    assert {**after["dataset"], "name": ""} == {**wanted["dataset"], "name": ""}
    assert [after[key] for key in ("k_epsilon", "violators")] == [
        wanted[key] for key in ("k_epsilon", "violators")
    ]


@pytest.mark.parametrize("other", [("--offline", "files"), ("--release-of", "two", "--run", "a")])
def test_only_a_dataset_in_a_store_grows(embedded, table_file, other):
    ended = embedded("ingest", table_file(2), "--append", *TABLE, *other)
    assert ended.exit_code == 2
    assert "no --append" in ended.stderr or "--store" in ended.stderr
