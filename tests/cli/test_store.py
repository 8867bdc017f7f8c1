"""``ratingpriv store``, how stores are found and entered, and what is said when they cannot be."""

import json
import os
import pty
import select
import subprocess
import sys
import time

import pytest
from ports import free_port
from typer.testing import CliRunner

from cli.stores import BARE, embedded, on
from ratingpriv.cli import app

__all__ = ["embedded", "on"]


def run(*args, environ=None):
    return CliRunner().invoke(app, [str(arg) for arg in args], env={**BARE, **(environ or {})})


def at_a_terminal(args, answers, environ):
    """Run a command at a terminal of its own; ``answers``: what is typed when a text appears."""
    keep = {name: value for name, value in os.environ.items() if name not in BARE}
    terminal, theirs = pty.openpty()
    command = [sys.executable, "-m", "ratingpriv", *map(str, args)]
    child = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**keep, **environ},
        start_new_session=True,
    )
    os.close(theirs)
    seen, waiting, deadline = "", dict(answers), time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            try:
                piece = os.read(terminal, 4096)
            except OSError:  # it has ended
                break
            if not piece:
                break
            seen += piece.decode(errors="replace")
        for question in [question for question in waiting if question in seen]:
            os.write(terminal, f"{waiting.pop(question)}\n".encode())
    os.close(terminal)
    return child.wait(timeout=60), seen


def test_status_and_list(on, table_file):
    name = on.ingest(table_file(2), "two", 1, "--sensitive", "issue 4")
    status = json.loads(on("store", "status", "--json").stdout)
    assert (status["schema"], status["store"]) == ("ratingpriv.store/1", on.uri)
    assert status["version"].startswith(("grafeo 0.", "Neo4j 5.26", "Neo4j 20"))
    [found] = [one for one in status["datasets"] if one["name"] == name]
    assert (found["complete"], found["records"], found["pairs"]) == (True, 6, 4)
    text = on("store", "status").stdout
    assert f"  {name}: 6 records, 4 items" in text
    [line] = [line for line in on("store", "list").stdout.splitlines() if line.startswith(name)]
    assert line.split()[-1] == "complete"


def test_drop(on, table_file):
    name = on.ingest(table_file(2), "two", 1)
    refused = on("store", "drop", name)
    assert refused.exit_code == 2
    assert "--yes where there is no terminal" in refused.stderr
    unknown = on("store", "drop", "nope", "--yes")
    assert unknown.exit_code == 2
    assert "expected a dataset of this store" in unknown.stderr
    ended = on("store", "drop", name, "--yes")
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert f"removed {name!r} from" in ended.stderr
    assert on("store", "drop", name, "--yes").exit_code == 2


@pytest.mark.parametrize(("answer", "code", "left"), [("n", 1, 1), ("", 1, 1), ("y", 0, 0)])
def test_drop_asks(embedded, table_file, answer, code, left):
    embedded.ingest(table_file(2), "two", 1)
    asked = at_a_terminal(
        ["store", "drop", "two", "--store", embedded.uri], {"Remove it?": answer}, {}
    )
    assert asked[0] == code, asked[1]
    assert "6 records" in asked[1]
    assert len(json.loads(embedded("store", "list", "--json").stdout)["datasets"]) == left


def test_which_store(embedded, table_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("store", "status").exit_code == 3  # embedded:ratingpriv.grafeo, which is not there
    for environ, file in (
        ({}, "ratingpriv.grafeo"),
        ({"RATINGPRIV_STORE": "embedded:other.grafeo"}, "other.grafeo"),
    ):
        asked = ("ingest", table_file(2), "--dataset", file, "--epsilon", 1)
        assert run(*asked, environ=environ).exit_code == 0
        assert (tmp_path / file).exists()
        assert file in run("store", "list", environ=environ).stdout
    here = run(
        "store",
        "list",
        "--store",
        "embedded:ratingpriv.grafeo",
        environ={"RATINGPRIV_STORE": "embedded:no"},
    )
    assert "ratingpriv.grafeo" in here.stdout
    server = {"NEO4J_URI": f"bolt://127.0.0.1:{free_port()}"}
    assert "no Neo4j server responds" in run("store", "list", environ=server).stderr
    named = run("store", "list", environ={**server, "RATINGPRIV_STORE": "embedded:other.grafeo"})
    assert "other.grafeo" in named.stdout


SECRET = "sekret"  # noqa: S105 -- made up
COMMANDS = [
    ["store", "status"],
    ["store", "list"],
    ["store", "drop", "x", "--yes"],
    ["query", "run", "audit/dataset-summary", "--dataset", "x"],
    ["audit", "--dataset", "x", "--k", "2", "--epsilon", "1"],
    ["ingest", "DATA", "--dataset", "x", "--epsilon", "1"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_a_password_in_an_address_is_refused_and_not_repeated(command, table_file):
    command = [str(table_file(2)) if one == "DATA" else one for one in command]
    for args, environ in (
        ([*command, "--store", f"bolt://neo4j:{SECRET}@localhost"], {}),
        (command, {"RATINGPRIV_STORE": f"neo4j://neo4j:{SECRET}@localhost"}),
        ([*command, "-v", "--store", "neo4j"], {"NEO4J_URI": f"neo4j://neo4j:{SECRET}@localhost"}),
    ):
        ended = run(*args, environ=environ)
        assert ended.exit_code == 2, ended.stderr
        assert "NEO4J_PASSWORD" in ended.stderr
        assert SECRET not in ended.stderr + ended.stdout


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_no_server_and_a_file_that_is_no_store(command, table_file):
    data = table_file(2)
    before = data.read_bytes()
    command = [str(data) if one == "DATA" else one for one in command]
    for store, said in (
        (f"bolt://127.0.0.1:{free_port()}", "no Neo4j server responds"),
        (f"embedded:{data}", "the file is no ratingpriv store"),
    ):
        if command[0] == "ingest" and store.startswith("embedded:"):
            continue  # its input: tests of inputs that are kept
        ended = run(*command, "--store", store)
        assert (ended.exit_code, ended.stderr.count("\n")) == (3, 1)
        assert said in ended.stderr
        assert "start it, or correct the address" in ended.stderr or "embedded" in store
    assert data.read_bytes() == before


def test_wrong_password(neo4j_with_password):
    for environ in (
        {"NEO4J_PASSWORD": SECRET},
        {"NEO4J_USERNAME": "nobody", "NEO4J_PASSWORD": SECRET},
        {},
    ):
        ended = run("store", "status", "-v", "--store", neo4j_with_password.uri, environ=environ)
        assert ended.exit_code == 3
        assert "set NEO4J_USERNAME and NEO4J_PASSWORD" in ended.stderr
        assert SECRET not in ended.stderr + ended.stdout


def test_a_password_is_asked_for_at_a_terminal(neo4j_with_password):
    password = neo4j_with_password.environ["NEO4J_PASSWORD"]
    code, seen = at_a_terminal(
        ["store", "status", "--store", neo4j_with_password.uri],
        {"Password of neo4j at": password},
        {},
    )
    assert code == 0, seen
    assert "Neo4j 5.26" in seen
    assert password not in seen
