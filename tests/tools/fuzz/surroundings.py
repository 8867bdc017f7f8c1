"""Where a command runs: environment variables, closed and odd standard streams, lost folders, limits."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from fuzz.companions import DATA, samples
from fuzz.judging import Finding

__all__ = ["KIND", "SHARE", "attempt"]

KIND = "surroundings"
SHARE = 0.01  # a process each

ODD = {
    "COLUMNS": ("0", "-1", "x", "", "1", "99999999999"), "LINES": ("0", "x"), "TERM": ("", "dumb", "x",
    "xterm\n"),
    "NO_COLOR": ("", "1"), "FORCE_COLOR": ("1",), "LANG": ("", "C", "tr_TR.UTF-8", "xx"), "LC_ALL": ("C",
    "POSIX", "x\ny"),
    "PYTHONIOENCODING": ("ascii", "utf-16", "latin-1:strict"), "PYTHONUTF8": ("0", "1"),
    "PYTHONWARNINGS": ("error", "x"),
    "HOME": ("", "/nonexistent", "/dev/null/no", "relative"), "TMPDIR": ("/nonexistent", "", "/dev/null",
    "relative"),
    "TZ": ("", "Mars/Olympus", "UTC+99"), "RATINGPRIV_STORE": ("", "x", "embedded:", "neo4j",
    "bolt://127.0.0.1:1"),
    "RATINGPRIV_THREADS": ("0", "x"), "RATINGPRIV_NO_SUCH": ("1",), "NEO4J_URI": ("", "x", "http://x"),
    "NUMBA_CACHE_DIR": ("/nonexistent", "/dev/null"), "NUMBA_NUM_THREADS": ("1",),
    "NUMBA_DISABLE_JIT": ("1", "x"),
    "POLARS_MAX_THREADS": ("1",), "OMP_NUM_THREADS": ("0", "x"), "XDG_CACHE_HOME": ("/nonexistent", ""),
    "MPLBACKEND": ("x",), "PATH": ("",), "_RATINGPRIV_COMPLETE": ("bash_source", "x", "bash_complete"),
}  # fmt: skip

_COMMANDS = (
    ["audit", "d.csv", "--k", "2", "--epsilon", "1"],
    ["audit", "-", "--k", "2", "--epsilon", "1", "--json"],
    ["frontier", "d.csv", "--k", "2", "--plot", "out.svg"],
    [
        "anonymize",
        "d.csv",
        "--k",
        "2",
        "--epsilon",
        "1",
        "--method",
        "suppress",
        "-o",
        "out.csv",
        "--sensitive",
        "pay",
    ],
    ["verify", "r.csv"],
    ["ingest", "d.csv", "--epsilon", "1", "--store", "embedded:s.grafeo"],
    ["store", "status"],
    ["query", "list"],
    ["version"],
    ["--help"],
)


def attempt(rng: random.Random) -> str:
    for name, content in samples().items():
        Path(name).write_bytes(content)
    env = dict(os.environ)
    for name in rng.sample(sorted(ODD), rng.choice((1, 1, 2, 3))):
        env[name] = rng.choice(ODD[name])
    command = [sys.executable, "-m", "ratingpriv", *rng.choice(_COMMANDS)]
    settings: dict[str, Any] = {"input": DATA.encode()}
    match rng.randrange(12):
        case 0:
            shell = 'exec "$@" <&-'
            command, settings = ["/bin/sh", "-c", shell, "sh", *command], {"stdin": subprocess.DEVNULL}
        case 1:
            settings = {"stdin": os.open(".", os.O_RDONLY)}
        case 2:
            shell = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
            command = ["/bin/sh", "-c", shell, "sh", *command]
        case 3:
            settings = {"stdin": os.open("written", os.O_WRONLY | os.O_CREAT)}
        case 4:
            limit = rng.choice((8, 16, 40))
            settings["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        case _:
            pass
    try:
        ended = subprocess.run(command, env=env, capture_output=True, timeout=100, check=False, **settings)
    except subprocess.TimeoutExpired:
        raise Finding(f"{command}: does not end") from None
    finally:
        if isinstance(settings.get("stdin"), int) and settings["stdin"] >= 0:
            os.close(settings["stdin"])
    said = ended.stderr.decode("utf-8", "replace")
    if "ratingpriv:" not in said and ("Fatal Python error" in said or "running getpath" in said):
        return "the interpreter's own"  # no folder to start in, a directory on standard input
    changed = {name: value for name, value in env.items() if os.environ.get(name) != value}
    told = f"{command} {changed} {list(settings)} -> {ended.returncode}: {said[-700:]}"
    if (
        ended.returncode not in (0, 1, 2, 3)
        or "unexpected " in said
        or "Traceback" in said
        or "panicked" in said
    ):
        raise Finding(told)
    if ended.returncode in (2, 3) and not (
        "error: " in said or "Error: " in said or "FAIL" in ended.stdout.decode()
    ):
        raise Finding(f"no message: {told}")
    if left := [path.name for path in Path().iterdir() if path.name.endswith(".partial")]:
        raise Finding(f"{left} left: {told}")
    return str(ended.returncode)
