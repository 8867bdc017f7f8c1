"""One command in this process, and whether its end is one that ratingpriv may have."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from typer.testing import CliRunner

__all__ = ["Ended", "Finding", "judged", "run"]

SECONDS = 60
"""A command on a tiny input that takes longer hangs."""

_CODES = {0, 1, 2, 3, 130}
_NEVER = re.compile(
    r"unexpected [A-Z]\w+[:;]|Traceback|panicked at|RUST_BACKTRACE|core dumped|Fatal Python error"
)
_MESSAGE = re.compile(r"^(?:ratingpriv: error: |Error: )", re.MULTILINE)


class Finding(AssertionError):  # noqa: N818
    """What must not happen; ``case`` is what ``corpus`` needs to try it again, where that is one command."""

    case: dict[str, object] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; ``native`` is what compiled code wrote on the real stderr."""

    args: tuple[str, ...]
    code: int
    stdout: str
    stderr: str
    native: str

    @property
    def word(self) -> str:
        return str(self.code)


class _Hanging(BaseException):
    pass


def run(args: Sequence[str], *, stdin: bytes = b"", env: dict[str, str | None] | None = None) -> Ended:
    """Run the command line in this process, with its streams captured, and what compiled code prints too."""
    from ratingpriv.cli import app

    def hangs(*_: object) -> None:
        raise _Hanging

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(SECONDS)
    try:
        with _real_stderr() as native:
            ended = CliRunner().invoke(app, list(args), input=stdin, env=env)
    except _Hanging:
        raise Finding(f"{list(args)}: does not end within {SECONDS} s") from None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise Finding(f"{list(args)}: {ended.exception!r} came out") from ended.exception
    return Ended(tuple(args), ended.exit_code, ended.stdout, ended.stderr, native())


def judged(
    args: Sequence[str],
    *,
    stdin: bytes = b"",
    env: dict[str, str | None] | None = None,
    outputs: Sequence[str] = (),
    folder: Path | None = None,
) -> Ended:
    """Run a command and raise Finding unless it ended as it may; ``outputs`` are the files it may write.

    What lies in ``folder`` (default: the current directory) and is no output is an input: it is as it was.
    """
    folder = folder or Path()
    before = _contents(folder)
    try:
        return _judged(args, stdin, env, outputs, folder, before)
    except Finding as finding:
        if not stdin:
            packed = {name: base64.b64encode(content).decode() for name, content in before.items()}
            finding.case = {
                "why": str(finding)[:200],
                "args": [*args],
                "code": 2,
                "files": {},
                "base64": packed,
            }
        raise


def _judged(
    args: Sequence[str],
    stdin: bytes,
    env: dict[str, str | None] | None,
    outputs: Sequence[str],
    folder: Path,
    before: dict[str, bytes],
) -> Ended:
    ended = run(args, stdin=stdin, env=env)
    told = f"{list(args)} -> {ended.code}: {ended.stderr.strip()[-600:]}"
    for text in (ended.stderr, ended.stdout, ended.native):
        if found := _NEVER.search(text):
            if "unexpected" in found[0]:
                verbose = run([*args, "-v"], stdin=stdin, env=env).stderr
                places = re.findall(r'File ".*?([^/"]+/[^/"]+)", line (\d+)', verbose)
                told = f"{' < '.join(':'.join(place) for place in places[:-6:-1])} {told}"
            raise Finding(f"{found[0]} {told}")
    if ended.code not in _CODES:
        raise Finding(f"exit code: {told}")
    messages = len(_MESSAGE.findall(ended.stderr))
    if messages > 1 or (ended.code in (2, 3) and messages == 0):
        raise Finding(f"{messages} messages: {told}")
    if ended.native.strip():
        raise Finding(f"compiled code wrote {ended.native[:300]!r}: {told}")
    prints_another = {"-h", "--help", "--help-data", "--print-codebook"} & {*args}
    if "--json" in args and ended.stdout and not prints_another:
        _one_document(ended.stdout, told)
    _nothing_left(before, _contents(folder), outputs, ended, told)
    return ended


def _one_document(text: str, told: str) -> None:
    def refuse(constant: str) -> None:
        raise Finding(f"{constant} in JSON: {told}")

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        raise Finding(f"standard output is no JSON ({error}): {told}") from error


def _is_report(content: bytes) -> bool:
    """Whether it is what a JUnit file has of an error as well: that it happened."""
    return content.startswith(b"<?xml") and b"<testsuites" in content


def _nothing_left(
    before: dict[str, bytes], after: dict[str, bytes], outputs: Sequence[str], ended: Ended, told: str
) -> None:
    allowed = {name for output in outputs for name in (output, f"{output}.manifest.json")}
    for name, content in before.items():
        if name not in allowed and after.get(name) != content:
            raise Finding(f"{name!r}, an input, was changed: {told}")
        if name in allowed and ended.code in (2, 3) and after.get(name) != content:
            raise Finding(f"{name!r} was replaced and the command failed: {told}")
    for name in after.keys() - before.keys():
        if name not in allowed:
            raise Finding(f"{name!r} was left behind: {told}")
        if ended.code in (3, 130) or (ended.code == 2 and not _is_report(after[name])):
            raise Finding(f"{name!r} was written and the command failed: {told}")
        if name.endswith(".json") and not after[name].startswith(b"<?xml"):  # JUnit, under whatever name
            _one_document(after[name].decode("utf-8"), told)


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@contextlib.contextmanager
def _real_stderr() -> Iterator[object]:
    """Catch what is written to file descriptor 2, past Python; gives a function that returns it."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        said: list[str] = []
        try:
            yield lambda: said[0]
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            said.append(file.read().decode("utf-8", "replace"))
