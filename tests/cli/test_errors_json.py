"""Errors, with ``--json`` and without: one document on standard output, one message, no file."""

import json
import subprocess
import sys

import pytest
from json_contracts import faults
from typer.main import get_command

from ratingpriv.base import errors
from ratingpriv.cli import app
from ratingpriv.cli.options import Data
from ratingpriv.cli.output.exits import CODES, UsageError, code_of, error_dict, signal_document
from ratingpriv.cli.output.invocation import command, invocation, nested, remember
from ratingpriv.cli.output.step import run_here

GOOD = "id,a,b\n1,3,2\n2,3,2\n"


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(GOOD, encoding="utf-8")
    return tmp_path / "data.csv"


def subclasses(kind):
    return {kind}.union(*map(subclasses, kind.__subclasses__()))


def test_every_error_has_a_code():
    ours = {
        one
        for one in subclasses(errors.RatingPrivError)
        if one.__module__ == "ratingpriv.base.errors"
    }
    assert ours <= CODES.keys()
    words = [CODES[one] for one in CODES]
    assert len(set(words)) == len(words)
    assert "unexpected" not in words
    for one in subclasses(errors.RatingPrivError):  # that of its base, where it has none
        assert code_of(one.__new__(one), one.exit_code) in words
    assert code_of(ZeroDivisionError(), 3) == "unexpected"


USAGE = [
    (["audit", "data.csv", "--kk", "2"], "usage", "option"),
    (["audit", "data.csv"], "usage", "k"),
    (["adit", "data.csv"], "usage", "command"),
    (["synthesize", "-o", "x.csv"], "usage", "option"),  # prints no JSON, and has no --json
    (["audit", "data.csv", "--k", "two", "--epsilon", "1"], "parameter", "k"),
    (["audit", "data.csv", "--k", "9", "--epsilon", "1", "--l", "1"], "parameter", "l"),
    (["attack", "data.csv", "--sample", "0"], "parameter", "sample"),
    (["attack", "data.csv", "--fail-above", "1"], "parameter", "fail-above"),
    (
        [
            "audit",
            "data.csv",
            "--k",
            "9",
            "--epsilon",
            "1",
            "--known",
            "2",
            "--known-items",
            "top:0",
        ],
        "parameter",
        "known-items",
    ),
    (["query", "run", "audit/degree-chek"], "unknown_query", "query"),
    (["store", "status", "--store", "neo4j://ann:secret@host"], "parameter", "store"),
    (["store", "status", "neo4j://ann:secret@host"], "usage", "arguments"),
]


@pytest.mark.parametrize("asked", USAGE, ids=lambda one: " ".join(one[0]))
def test_wrong_usage(cli, data, asked):
    words, code, parameter = asked
    ended = cli(*words, "--json")
    said = json.loads(ended.stdout)
    assert (ended.exit_code, said["exit_code"], said["code"]) == (2, 2, code)
    assert " ".join(said["message"].split()) in " ".join(ended.stderr.split())
    assert [one["parameter"] for one in said["problems"]] == (
        [] if parameter is None else [parameter]
    )
    assert "secret" not in ended.stdout + ended.stderr
    assert said["tool"]["command"].startswith("ratingpriv ")


def test_an_address_in_the_place_of_data_shows_no_credentials(cli, data):
    words = ("audit", "neo4j://ann:secret@host", "--k", 2, "--epsilon", 1, "-v")
    ended = cli(*words, "--json", "--junit", "j.xml")
    [problem] = json.loads(ended.stdout)["problems"]
    assert (ended.exit_code, problem["file"]) == (2, "neo4j://...@host")
    written = (data.parent / "j.xml").read_text(encoding="utf-8")
    assert "found no such file" in written
    assert "secret" not in ended.stdout + ended.stderr + written


@pytest.mark.parametrize(
    "name", ["secret@host/o.json", "sec//secret@host/a/o.json", "\x01secret@host/o.json"]
)
def test_an_address_in_the_place_of_an_output_shows_no_credentials(cli, data, name):
    ended = cli("audit", data, "--k", 2, "--epsilon", 1, "--json", "-o", f"neo4j://ann:{name}")
    assert ended.exit_code in (2, 3)
    assert "host" in ended.stderr
    assert "secret" not in ended.stdout + ended.stderr


def test_problems_of_a_file(cli, data):
    data.write_text("id,a,b\n1,3,x\n2,y,2\n3,1,\x1b[31m\n", encoding="utf-8")
    ended = cli("audit", data, "--k", 2, "--epsilon", 1, "--json", "-o", "out.json")
    said = json.loads(ended.stdout)
    assert (ended.exit_code, said["code"], said["total"]) == (2, "data", 3)
    assert [(one["line"], one["column"]) for one in said["problems"]] == [
        (2, "b"),
        (3, "a"),
        (4, "b"),
    ]
    assert {one["file"] for one in said["problems"]} == {str(data)}
    assert all(
        one["found"] and one["expected"] and one["parameter"] is None for one in said["problems"]
    )
    assert "\x1b" not in ended.stdout + ended.stderr
    assert f"ratingpriv: error: {said['message']}\n" in ended.stderr
    assert not (data.parent / "out.json").exists()


def test_a_message_names_options_and_columns_on_demand_only():
    error = errors.ParameterError("nulls", "x", "no `l` with `nulls='known'`", "leave `l` out")
    said = error_dict(error, error, 2)
    assert said["problems"][0]["expected"] == "no --l with --nulls known"
    assert said["problems"][0]["remedy"] == "leave --l out"
    assert not faults(said)
    assert not faults(error_dict(UsageError("option", "--no", "an option"), "no", 2))
    problem = errors.Problem("f.csv", "a text", "a number", line=1, column="ann@example.org")
    for wanted, column in ((False, None), (True, "ann@example.org")):
        invocation().cells = wanted
        assert error_dict(errors.DataError(problem), "wrong", 2)["problems"][0]["column"] == column
    remember([])


def test_a_store_that_is_not_there(cli, data):
    ended = cli("store", "list", "--store", "embedded:gone.grafeo", "--json")
    said = json.loads(ended.stdout)
    assert (ended.exit_code, said["code"]) == (3, "store_unavailable")
    assert said["store"] == "embedded:gone.grafeo"


def fail(error):
    def raising(*_, **__):
        raise error

    return raising


@pytest.mark.parametrize(
    ("error", "exit_code", "code"),
    [
        (MemoryError(), 3, "memory"),
        (OSError(5, "Input/output error", "data.csv"), 3, "system"),
        (PermissionError(13, "Permission denied", "data.csv"), 2, "system"),
        (ZeroDivisionError("division by zero"), 3, "unexpected"),
        (type("PanicException", (BaseException,), {})("polars"), 3, "unexpected"),
        (FileNotFoundError(2, "No such file or directory", "f\ng"), 2, "system"),
        (errors.DataError(errors.Problem("f", "x", "y", line=3)), 2, "data"),
        (errors.ResourceError("the disk is full"), 3, "resource"),
        (errors.TargetNotReachedError("no k holds"), 1, "target_not_reached"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_what_goes_wrong_on_the_way(cli, data, monkeypatch, error, exit_code, code):
    monkeypatch.setattr(Data, "read", fail(error))
    ended = cli("audit", data, "--k", 2, "--epsilon", 1, "--json")
    said = json.loads(ended.stdout)
    assert (ended.exit_code, said["exit_code"], said["code"]) == (exit_code, exit_code, code)
    assert said["message"] in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_signal_is_an_error_for_programs_too(environment, data):
    """Also where the main thread is in compiled code, which does not come back."""
    program = f"""
import hashlib, os, signal, sys, threading
from ratingpriv.cli.options import Data
def stopped(*_, **__):
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM)).start()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
Data.read = stopped
sys.argv = ["ratingpriv", "audit", {str(data)!r}, "--k", "2", "--epsilon", "1", "--json"]
from ratingpriv.__main__ import main
main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = json.loads(ended.stdout)
    assert (ended.returncode, said["exit_code"], said["code"]) == (143, 143, "terminated")
    assert said["tool"]["command"].startswith("ratingpriv audit")


def test_a_result_and_an_error_are_never_mixed(cli, data, monkeypatch):
    monkeypatch.setattr(
        "ratingpriv.cli.output.invocation.document_text", fail(OSError(5, "I/O error"))
    )
    ended = cli("audit", data, "--k", 2, "--epsilon", 1, "--json")
    assert (ended.exit_code, ended.stdout) == (3, "")
    monkeypatch.undo()
    ended = cli(
        "anonymize",
        "--accept",
        "found",
        data,
        "--k",
        3,
        "--epsilon",
        0,
        "--method",
        "suppress",
        "-o",
        "r.csv",
        "--json",
    )
    assert (ended.exit_code, json.loads(ended.stdout)["schema"]) == (1, "ratingpriv.anonymize/1")
    assert "error: " in ended.stderr


def test_json_from_a_configuration(cli, data):
    (data.parent / "c.toml").write_text("[audit]\njson = true\n", encoding="utf-8")
    ended = cli("audit", "gone.csv", "--k", 2, "--epsilon", 1, "--codebook", "c.toml")
    assert json.loads(ended.stdout)["code"] == "data"
    ended = cli("audit", "gone.csv", "--epsilon", 1, "--codebook", "c.toml")
    assert json.loads(ended.stdout)["code"] == "usage"


def test_the_command_is_told_without_secrets():
    remember(["anonymize", "my data.csv", "--order-seed", "42", "--order-seed=7", "--seed", "3"])
    assert (
        command() == "ratingpriv anonymize 'my data.csv' --order-seed ... --order-seed=... --seed 3"
    )
    for address in (
        "neo4j://ann:hidden@hidden@host", "bolt://host?password=hidden", "neo4j:ann:hidden@host",
        "neo4j+s://host#hidden", "ann:hidden@host", "neo4j://host/hidden",
    ):  # fmt: skip
        for words in (["--store", address], [f"--store={address}"]):
            remember(["store", "list", *words])
            assert "hidden" not in command()
            assert "ann" not in command()
    remember(["audit", "neo4j://ann:hidden@host"])  # not where an address belongs
    assert "hidden" not in command()
    remember(["audit", "a@b.csv", "--store", "neo4j://host:7687", "caf\udce9.csv"])
    assert command() == r"ratingpriv audit a@b.csv --store neo4j://host:7687 'caf\udce9.csv'"


@pytest.mark.parametrize("words", [
    ("reproduce", "--list"),
    ("audit", "DATA", "--k", 2, "--epsilon", 1, "--require", "list"),
    ("audit", "DATA", "--k", 2, "--epsilon", 1, "--print-codebook"),
])  # fmt: skip
def test_where_there_is_no_json_it_is_refused(cli, table_file, words):
    words = [table_file(2) if word == "DATA" else word for word in words]
    ended = cli(*words, "--json", "-q")
    assert ended.exit_code == 2
    assert (
        f"json: found 'with {words[-1] if words[-1] != 'list' else '--require list'}'"
        in ended.stderr
    )
    assert json.loads(ended.stdout)["code"] == "parameter"
    assert cli(*words, "-q").exit_code == 0


def test_what_is_tried_here_is_not_what_was_typed():
    """A signal after it answers the command that was typed."""
    remember(["run", "survey.toml", "--json"])
    ended = run_here(get_command(app), ["version", "--quite"], trial=True)
    assert (ended.code, command()) == (2, "ratingpriv run survey.toml --json")
    assert signal_document(15)
    with nested():
        remember(["version"])
        assert (command(), bool(signal_document(15))) == ("ratingpriv version", True)
    remember([])
