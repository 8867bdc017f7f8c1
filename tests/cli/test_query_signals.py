"""Ctrl-C and SIGTERM while the embedded engine, which notices neither, is at a statement."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from ratingpriv.graph.embedded import EmbeddedStore

SAYING = """
from ratingpriv.__main__ import main
from ratingpriv.graph.embedded import EmbeddedStore

answer = EmbeddedStore._answer

def saying(self, execute, found, values):
    print("begun", flush=True)
    return answer(self, execute, found, values)

EmbeddedStore._answer = saying
main()
"""
LONG = "MATCH (a),(b),(c),(d),(e) RETURN count(*) AS n;"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "s.grafeo"
    with EmbeddedStore(path) as made:
        made.batch(lambda db: db.execute_cypher("UNWIND range(1, 300) AS i CREATE (:Mine {i: i})"))
    return path


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
@pytest.mark.parametrize("words", [("run", "-"), ("shell",), ("run", "-", "--write"), ("shell", "--write")])
def test_a_signal_ends_a_statement(environment, store, number, code, said, words):
    text = f"CREATE (x:Other) WITH x {LONG}" if "--write" in words else LONG
    command = [sys.executable, "-c", SAYING, "query", *words, "--store", f"embedded:{store}", "--quiet"]
    process = subprocess.Popen(
        command, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        try:
            process.stdin.write(f"{text}\n")
            process.stdin.close()
            assert process.stdout.readline() == "begun\n"
            process.send_signal(number)
            assert process.wait() == code
            printed = process.stdout.read().replace("begun\n", "")  # --write asks what is there before
            assert (printed, process.stderr.read()) == ("", f"ratingpriv: {said}\n")
        finally:
            process.kill()
    with EmbeddedStore(store, mode="read") as kept:
        counted = kept.batch(lambda db: db.execute_cypher("MATCH (n) RETURN count(*) AS n").to_list())
    assert counted == [{"n": 300}]
