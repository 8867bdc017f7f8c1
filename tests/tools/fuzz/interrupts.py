"""Ctrl-C at random milliseconds of every command that takes a while: 130, one line, and nothing left.

``make fuzz N=1000 KINDS=interrupts`` presses it in this process, where all is imported: thousands an hour.
``make fuzz N=1000 KINDS=processes`` presses it in a process each, from its first millisecond to its last;
only few of them run with the other kinds.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from fuzz.judging import Finding, run

__all__ = ["KINDS", "SHARES", "pressed", "problem_of"]

SHARES = {"processes": 0.01, "interrupts": 0.2}

COMMANDS = {
    "audit": ["audit", "d.csv", "--k", "2", "--epsilon", "1", "--per-record", "p.csv", "-o", "out.json"],
    "pipe": ["audit", "-", "--k", "2", "--epsilon", "1", "--json"],
    "parquet": ["audit", "d.parquet", "--k", "2", "--epsilon", "1"],
    "frontier": ["frontier", "d.csv", "--k", "3", "-o", "out.json"],
    "partition": ["partition", "d.csv", "--k", "2", "--epsilon", "2", "--certificate", "c.json", "--groups",
    "g.csv"],
    "anonymize": ["anonymize", "d.csv", "--k", "2", "--epsilon", "1", "--method", "modify", "-o", "r.csv",
    "--key",
                  "k.json"],
    "suppress": ["anonymize", "d.csv", "--k", "2", "--epsilon", "1", "--method", "suppress", "-o",
    "r.parquet"],
    "attack": ["attack", "d.csv", "--known", "2", "-o", "out.json"],
    "ingest": ["ingest", "d.csv", "--epsilon", "1", "--store", "embedded:s.grafeo", "--dataset", "d"],
    "query": ["query", "run", "audit/neighbourhood-sizes", "--param", "epsilon=1", "--dataset", "d",
    "--store", "embedded:there.grafeo"],
    "synthesize": ["synthesize", "-o", "new.csv", "--records", "20000"],
    "help": ["--help"],
}  # fmt: skip

_STORE = ("s.grafeo", "s.grafeo.wal", "there.grafeo", "there.grafeo.wal")


@functools.cache
def _inputs() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        for args in (
            ["synthesize", "-o", "d.csv", "--records", "300", "--issues", "6"],
            ["synthesize", "-o", "d.parquet", "--records", "300", "--issues", "6"],
            ["ingest", "d.csv", "--epsilon", "1", "--store", "embedded:there.grafeo", "--dataset", "d", "-q"],
        ):
            subprocess.run(_command(args), cwd=folder, check=True, capture_output=True)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


@functools.cache
def _seconds(name: str) -> float:
    """Return how long a command takes here when nobody interrupts it."""
    with tempfile.TemporaryDirectory() as folder:
        for file, content in _inputs().items():
            Path(folder, file).write_bytes(content)
        began = time.monotonic()
        subprocess.run(
            _command(COMMANDS[name]), cwd=folder, input=_inputs()["d.csv"], capture_output=True, check=False
        )
        return time.monotonic() - began


def _command(args: list[str]) -> list[str]:
    return [sys.executable, "-m", "ratingpriv", *args]


def interrupted(name: str, after: float, folder: Path) -> tuple[int, str]:
    """Run a command in ``folder``, press Ctrl-C ``after`` seconds; return the exit code and what it said."""
    for file, content in _inputs().items():
        (folder / file).write_bytes(content)
    env = {**os.environ, "TMPDIR": str(folder)}
    with (folder / "d.csv").open("rb") as stdin:
        process = subprocess.Popen(
            _command(COMMANDS[name]),
            cwd=folder,
            env=env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job of sh would ignore it
        )
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Finding(f"{name} after {after:.3f} s: does not end") from None
    return process.returncode, err.decode("utf-8", "replace")


def pressed(name: str, after: float) -> tuple[int, str]:
    """Run a command in this process and press Ctrl-C ``after`` seconds; return its exit code and words."""
    from ratingpriv.cli.output.signals import Interrupted, catch_signals

    kept = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    hook = sys.unraisablehook
    press = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # jobs of sh ignore it, and so would their children
    try:
        catch_signals()
        press.start()
        ended = run(COMMANDS[name], stdin=Path("d.csv").read_bytes())
        signal.signal(signal.SIGINT, lambda *_: None)
        return ended.code, ended.stderr + ended.native
    except Interrupted:  # outside of the command
        return 130, "ratingpriv: interrupted\n"
    finally:
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 0)
        press.cancel()
        press.join()
        for number, handler in kept:
            signal.signal(number, handler)
        sys.unraisablehook = hook


@functools.cache
def _warm_seconds(name: str) -> float:
    """Return how long a command takes in this process when all is imported."""
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for file, content in _inputs().items():
                Path(file).write_bytes(content)
            began = time.monotonic()
            run(COMMANDS[name], stdin=_inputs()["d.csv"])
    return time.monotonic() - began


def _in_this_process(rng: random.Random) -> str:
    name = rng.choice(sorted(COMMANDS))
    after = rng.uniform(0, 1.1 * _warm_seconds(name))
    for file, content in _inputs().items():
        Path(file).write_bytes(content)
    code, said = pressed(name, after)
    if found := problem_of(code, said):
        raise Finding(
            f"{found}: {name} after {after:.4f} s of {_warm_seconds(name):.4f} -> {code}: {said[-1500:]}"
        )
    return str(code)


def _in_a_process(rng: random.Random) -> str:
    name = rng.choice(sorted(COMMANDS))
    after = rng.uniform(0, 1.15 * _seconds(name))
    code, said = interrupted(name, after, Path())
    if _starting(code, said):
        return "before the first line"
    if found := problem_of(code, said):
        raise Finding(
            f"{found}: {name} after {after:.3f} s of {_seconds(name):.3f} -> {code}: {said[-1500:]}"
        )
    return str(code)


def _starting(code: int, said: str) -> bool:
    """Whether Python's own handler answered: the interpreter was starting, or imported the package itself."""
    ours = set(re.findall(r"/ratingpriv/(\S+?)\"", said)) - {"__init__.py", "lazy.py"}
    return not ours and ("KeyboardInterrupt" in said or (code == -2 and "ratingpriv:" not in said))


def problem_of(code: int, said: str) -> str:
    """Return what is wrong with how a command ended in the current directory, or an empty text."""
    if any(not line.startswith("ratingpriv: ") for line in said.splitlines()) or "error" in said:
        return "more than one line of ours"
    if code not in (0, 1, 130):
        return "the exit code"
    if code == 130 and said.splitlines()[-1:] != ["ratingpriv: interrupted"]:
        return "no word of it"
    left = {path.name for path in Path().iterdir()} - _inputs().keys() - {"s.grafeo"}
    odd = [one for one in left if one.endswith(".partial") or one.startswith(("ratingpriv-", "."))]
    return f"{sorted(left)} left" if odd or (code == 130 and left and not _whole(left)) else ""


def _whole(left: set[str]) -> bool:
    """Whether what a command wrote before it was stopped is whole: each file is renamed when it is."""
    known = {"p.csv", "out.json", "c.json", "g.csv", "r.csv", "r.csv.manifest.json", "k.json", "r.parquet",
             "r.parquet.manifest.json", "new.csv", *_STORE}  # fmt: skip
    return left <= known and all(Path(one).stat().st_size for one in left)


KINDS = {"interrupts": _in_this_process, "processes": _in_a_process}
