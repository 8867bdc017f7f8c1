"""A command as a step of another one: an argument list, run in a process of its own or in this one.

The environment says where its result goes, however it prints it: that is in no command line and in
no result.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.cli.output.invocation import nested

_STEP = "RATINGPRIV_STEP"
_TRIAL = ContextVar("ratingpriv.trial", default=False)
_FAILED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    code: int
    page: str  # what it printed
    document: dict[str, Any] | None = None  # its result as JSON
    message: str | None = None  # of its error


def run_step(words: Sequence[str]) -> Ended:
    """Run a command in a process of its own."""
    from subprocess import PIPE

    from ratingpriv.base.unfinished import run_child

    def run(place: str) -> tuple[int, str]:
        command = [sys.executable, "-P", "-m", "ratingpriv", *words]
        code, page, _ = run_child(command, ours=True, env={**os.environ, _STEP: place}, stdout=PIPE)
        return code, page.decode()

    ended = _ended(run)
    for number in (signal.SIGINT, signal.SIGTERM):
        if ended.code in (128 + number, -number):  # a signal for the step alone is one for all
            signal.raise_signal(number)
    if ended.code >= 0:
        return ended
    message = f"its process was ended by signal {-ended.code}"
    sys.stderr.write(f"ratingpriv: error: {words[0]}: {message}\n")
    return Ended(code=_FAILED, page=ended.page, message=message)


def run_here(root: Any, words: Sequence[str], *, trial: bool = False) -> Ended:
    """Run a command of ``root`` in this process, which is faster;
    on ``trial`` only check its options.
    """

    def run(place: str) -> tuple[int, str]:
        page, errors = io.StringIO(), io.StringIO() if trial else sys.stderr
        _TRIAL.set(trial)
        os.environ[_STEP] = place
        try:
            with nested(), contextlib.redirect_stdout(page), contextlib.redirect_stderr(errors):
                root.main(args=list(words), prog_name="ratingpriv")
        except SystemExit as end:
            return int(end.code or 0), page.getvalue()
        finally:
            del os.environ[_STEP]
        return 0, page.getvalue()

    return copy_context().run(_ended, run)


def _ended(run: Callable[[str], tuple[int, str]]) -> Ended:
    """Call what runs a command, and is told in which file it leaves its result."""
    from ratingpriv.base.partial import partial_folder

    with partial_folder(Path(tempfile.gettempdir(), "ratingpriv-step")) as folder:
        result_file = folder / "result.json"
        code, page = run(str(result_file))
        content = _said(result_file)
    return Ended(code=code, page=page, **content)


def _said(path: Path) -> dict[str, Any]:
    """Return what a step left; nothing where that is no whole document: how it ended,
    its exit code says.
    """
    try:
        return dict(json.loads(path.read_bytes()))
    except (FileNotFoundError, ValueError):
        return {}


def is_step() -> bool:
    """Whether this process is a step of another one, or runs one."""
    return _STEP in os.environ


def end_of_trial() -> None:
    """End a command that is on trial, well; called where its data would be read."""
    if _TRIAL.get():
        raise SystemExit(0)


def keep(
    document: Callable[[], dict[str, Any]] | None = None, *, message: str | None = None
) -> None:
    """Hand a result, or the message of an error, to whom this is a step of;
    a document is made only then.
    """
    if not is_step():
        return
    path = Path(os.environ[_STEP])
    content = _said(path)
    if document is not None:
        content["document"] = document()
    new_file = path.with_suffix(".new")  # a disk that is full leaves what was there before
    new_file.write_text(json.dumps({**content, "message": message}), encoding="utf-8")
    new_file.replace(path)
