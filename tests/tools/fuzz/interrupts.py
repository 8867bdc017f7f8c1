"""Ctrl-C and SIGTERM at random moments of ten commands: 130 or 143, one line, and nothing half-written.

``make fuzz N=500 KINDS=signals``: a process each, from the moment when it has its handlers to its end. With
the other kinds only few of them run.
"""

import contextlib
import functools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

__all__ = ["attempt", "stopped"]

TARGET = "--k 2 --epsilon 1"
STORE = "--dataset d --store embedded:"
COMMANDS = {
    "audit": f"audit - {TARGET} --per-record p.parquet -o out.json --json",
    "frontier": "frontier d.csv --k 3 -o out.json --plot f.svg",
    "partition": "partition d.csv --k 2 --epsilon 2 --certificate c.json --groups g.csv",
    "anonymize": f"anonymize d.csv {TARGET} --method modify -o r.csv --key k.json",
    "attack": "attack d.csv --known 2 -o out.json",
    "report": f"report d.csv {TARGET} --skip attack -o r.html",
    "ingest": f"ingest d.csv --epsilon 1 {STORE}s.grafeo",
    "query": f"query run mark.cypher --write -o q.csv {STORE}there.grafeo",
    "synthesize": "synthesize -o new.parquet --records 20000",
    "run": "run d.toml --quiet",
}
RUN = """\
[run]
data = "d.csv"
output = "."
steps = ["audit", "anonymize", "verify"]
gates = ["verify"]
[audit]
k = 2
epsilon = 1
[anonymize]
k = 2
epsilon = 1
method = "suppress"
"""
MARK = "MATCH (r:Record {dataset: $dataset})-[:PROXIMATE]->(o) SET r.seen = true RETURN count(o) AS n;"


@functools.cache
def _inputs() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "d.toml").write_text(RUN, encoding="utf-8")
        (folder / "mark.cypher").write_text(MARK, encoding="utf-8")
        for line in (
            "synthesize -o d.csv --records 300 --items 6",
            f"ingest d.csv --epsilon 1 {STORE}there.grafeo",
        ):
            subprocess.run(_command(line), cwd=folder, check=True, capture_output=True)
        return {path.name: path.read_bytes() for path in folder.iterdir()}


@functools.cache
def _alone(name: str) -> tuple[float, dict[str, int]]:
    """Return how long a command takes here when nobody stops it, and the lines of what it leaves."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, code, said, _ = _started(name, Path(folder), None, 0)
        assert code in (0, 1), said
        return seconds, {path.name: _lines(path) for path in Path(folder).iterdir() if path.is_file()}


def _command(line: str) -> list[str]:
    return [sys.executable, "-m", "ratingpriv", *line.split()]


def _lines(path: Path) -> int:
    """Return how many lines, or rows, a whole file has."""
    if path.suffix == ".parquet":
        return pl.read_parquet(path).height
    if path.suffix in (".json", ".key"):
        json.loads(path.read_bytes())
        return path.read_bytes().count(b'"state": "running"')  # of a step that nobody runs any more
    return 0 if path.suffix in (".grafeo", ".html") else path.read_bytes().count(b"\n")


def _started(
    name: str, folder: Path, number: int | None, after: float, *, group: bool = False
) -> tuple[float, int, str, str]:
    """Run a command; send it a signal ``after`` seconds. Returns its seconds, exit code and what it said."""
    for file, content in _inputs().items():
        (folder / file).write_bytes(content)
    (folder / "tmp").mkdir()
    with (folder / "d.csv").open("rb") as given:
        process = subprocess.Popen(
            _command(COMMANDS[name]), cwd=folder, env={**os.environ, "TMPDIR": str(folder / "tmp")},
            stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job of sh would ignore it
        )  # fmt: skip
        while process.poll() is None and not _has_handlers(process.pid):
            time.sleep(0.001)
        began = time.monotonic()
        if number is not None:
            time.sleep(after)
            (os.killpg if group else os.kill)(process.pid, number)
        try:
            out, err = process.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(f"{name} after {after:.3f} s: does not end") from None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
        raise AssertionError(f"{name} after {after:.3f} s: a process of it goes on")
    return time.monotonic() - began, process.returncode, err.decode(), out.decode()


def _has_handlers(pid: int) -> bool:
    """Whether a process catches SIGTERM: before that it is Python that starts, and answers as Python does."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def stopped(name: str, number: int, share: float, folder: Path, *, group: bool = False) -> str:
    """Stop a command of the list in an empty folder, at a share of its time; return how it ended.

    ``group``: its children get the signal, too, as they do at a terminal.
    """
    seconds, lines = _alone(name)
    after = share * seconds
    _, code, said, out = _started(name, folder, number, after, group=group)
    if found := _problem(code, number, said, out, folder, lines):
        moment = f"signal {number} after {after:.3f} s of {seconds:.3f}"
        raise AssertionError(f"{found}: {name}, {moment} -> {code}: {said[-1500:]}")
    return str(code)


def _problem(code: int, number: int, said: str, out: str, folder: Path, lines: dict[str, int]) -> str:
    """Return what is wrong with how a command ended, or an empty text."""
    if code not in (0, 1, 128 + number):
        return "the exit code"
    notes = said.splitlines()
    word = "ratingpriv: interrupted" if number == signal.SIGINT else "ratingpriv: terminated"
    if any(not line.startswith("ratingpriv: ") for line in notes) or "error" in said:
        return "more than a line of ours"
    if (code > 1) != (word in notes) or notes.count(word) > 1:
        return "not one word of it"
    if out.startswith("{"):
        json.loads(out)
    left = {path.name: path for path in folder.iterdir() if path.is_file()}
    if odd := [*(left.keys() - lines), *(path.name for path in (folder / "tmp").iterdir())]:
        return f"{odd} left"
    for name, path in left.items():
        try:
            whole = _lines(path) == lines[name]
        except (ValueError, pl.exceptions.PolarsError):
            whole = False
        if not whole:
            return f"{name} is half-written"
    if stores := [path.name for path in folder.iterdir() if path.is_dir() and path.name != "tmp"]:
        return f"{stores} left"
    return ""


def attempt(rng: random.Random) -> str:
    name, number = rng.choice(sorted(COMMANDS)), rng.choice((signal.SIGINT, signal.SIGTERM))
    return stopped(name, number, rng.uniform(0, 1.1), Path(), group=rng.random() < 0.5)
