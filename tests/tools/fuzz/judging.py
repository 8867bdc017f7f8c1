"""One command in this process, and whether its end is one that ratingpriv may have."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from typer.testing import CliRunner

__all__ = ["judged"]

_CODES = {0, 1, 2, 3, 130}
_NEVER = re.compile(
    r"unexpected [A-Z]\w+[:;]|Traceback|panicked at|RUST_BACKTRACE|core dumped|Fatal Python error"
)
_MESSAGE = re.compile(r"^(?:ratingpriv: error: |Error: )", re.MULTILINE)


def judged(args: Sequence[str], outputs: Sequence[str] = ()) -> int:
    """Run a command; return its exit code, or raise AssertionError unless it ended as it may.

    ``outputs`` are the files it may write. What else lies in the current directory is an input, and
    stays.
    """
    before = _contents()
    code, stdout, stderr, native = _run(args)
    told = f"{list(args)} -> {code}: {stderr.strip()[-600:]}"
    for text in (stderr, stdout, native):
        if found := _NEVER.search(text):
            raise AssertionError(f"{found[0]} {told}\n{_run([*args, '-v'])[2][-2000:]}")
    assert code in _CODES, f"exit code: {told}"
    messages = len(_MESSAGE.findall(stderr))
    assert messages == 1 or (messages == 0 and code not in (2, 3)), f"{messages} messages: {told}"
    assert not native.strip(), f"compiled code wrote {native[:300]!r}: {told}"
    if "--json" in args and stdout:
        _one_document(stdout, told)
    after = _contents()
    allowed = {name for output in outputs for name in (output, f"{output}.manifest.json")}
    for name, content in before.items():
        assert name in allowed or after.get(name) == content, (
            f"{name!r}, an input, was changed: {told}"
        )
        assert code not in (2, 3) or after.get(name) == content, f"{name!r} was replaced: {told}"
    for name in after.keys() - before.keys():
        assert name in allowed, f"{name!r} was left behind: {told}"
        junit = after[name].startswith(b"<?xml")  # which has an error as well: that it happened
        assert code in (0, 1) or (code == 2 and junit), (
            f"{name!r} was written and the command failed: {told}"
        )
        if name.endswith(".json") and not junit:
            _one_document(after[name].decode("utf-8"), told)
    return code


def _run(args: Sequence[str]) -> tuple[int, str, str, str]:
    """Run the command line; return exit code, output, errors,
    and what compiled code wrote as such.
    """
    from ratingpriv.cli import app

    sys.stderr.flush()
    real = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            ended = CliRunner().invoke(app, list(args))
        finally:
            os.dup2(real, 2)
            os.close(real)
        file.seek(0)
        native = file.read().decode("utf-8", "replace")
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise AssertionError(f"{list(args)}: {ended.exception!r} came out") from ended.exception
    return ended.exit_code, ended.stdout, ended.stderr, native


def _one_document(text: str, told: str) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in JSON: {told}")

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        raise AssertionError(f"standard output is no JSON ({error}): {told}") from error


def _contents() -> dict[str, bytes]:
    paths = (path for path in Path().rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes() for path in paths}
