"""A command as a step of another one: an argument list, run in a process of its own.

The environment says to the process where its result goes, however it prints it: that is in no command line
and in no result.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Ended", "end_of_trial", "is_step", "keep", "run_step"]

_STEP, _TRIAL = "RATINGPRIV_STEP", "RATINGPRIV_TRIAL"
_FAILED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended.

    Attributes
    ----------
    code : its exit code
    page : what it printed
    document : its result as JSON; None: it makes none
    private : whether that names records
    message : of its error; None: there was none
    """

    code: int
    page: str
    document: dict[str, Any] | None = None
    private: bool = False
    message: str | None = None


def run_step(words: Sequence[str], *, trial: bool = False) -> Ended:
    """Run a command; on ``trial`` only its options are checked, and nothing goes to standard error."""
    import tempfile
    from subprocess import DEVNULL, PIPE

    from ratingpriv.partial import partial_folder
    from ratingpriv.unfinished import run_child

    with partial_folder(Path(tempfile.gettempdir(), "ratingpriv-step")) as folder:
        kept = folder / "result.json"
        given = {**os.environ, _STEP: str(kept), **({_TRIAL: "1"} if trial else {})}
        command = [sys.executable, "-P", "-m", "ratingpriv", *words]
        errors = DEVNULL if trial else None
        code, page, _ = run_child(command, ours=True, env=given, stdout=PIPE, stderr=errors)
        said = json.loads(kept.read_bytes()) if code >= 0 and kept.exists() else {}
    for number in (signal.SIGINT, signal.SIGTERM):
        if code in (128 + number, -number):  # a signal for the step alone is one for all
            signal.raise_signal(number)
    if code < 0:
        code, said = _FAILED, {"message": f"its process was ended by signal {-code}"}
        sys.stderr.write(f"ratingpriv: error: {words[0]}: {said['message']}\n")
    return Ended(code=code, page=page.decode(), **said)


def is_step() -> bool:
    """Whether this process is a step of another one."""
    return _STEP in os.environ


def end_of_trial() -> None:
    """End a command that is on trial, well; called where its data would be read."""
    if _TRIAL in os.environ:
        raise SystemExit(0)


def keep(
    document: Callable[[], dict[str, Any]] | None = None, *, private: bool = False, message: str | None = None
) -> None:
    """Hand a result, or the message of an error, to whom this is a step of; a document is made only then."""
    if not is_step():
        return
    path = Path(os.environ[_STEP])
    said = json.loads(path.read_bytes()) if path.exists() else {}
    if document is not None:
        said |= {"document": document(), "private": private}
    path.write_text(json.dumps({**said, "message": message}), encoding="utf-8")
