"""Reading a file of SPSS, Stata or SAS in a process of its own.

The C library that reads them can be crashed by a damaged file, and takes its process along; so it has one
of its own. ``python -m ratingpriv_loaders.statistics.reader`` takes on standard input a line of JSON (what is
read, and how) and, where no path is given, the file's bytes; it gives on standard output a line of JSON (what
the file says of its variables, or what was wrong) and the data as an Arrow stream.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import IO, Any

from ratingpriv.unfinished import run_child

__all__ = ["ReaderError", "read_in_process"]

_SAID = (
    "column_names",
    "column_names_to_labels",
    "missing_ranges",
    "variable_measure",
    "original_variable_types",
    "number_rows",
    "notes",
    "file_label",
)


class ReaderError(Exception):
    """The file could not be read; ``kind`` is the name of what was raised, "crash" where nothing was."""

    def __init__(self, kind: str, reason: str) -> None:
        self.kind, self.reason = kind, reason
        super().__init__(reason)


def read_in_process(function: str, file: Path | bytes, **settings: Any) -> tuple[Any, dict[str, Any]]:
    """Call a function of pyreadstat in another process.

    Parameters
    ----------
    function : its name, as ``read_sav``
    file : a path, or the file's bytes

    Returns
    -------
    tuple of polars DataFrame, mapping
        the data, and what the file says of its variables, by pyreadstat's names

    Raises
    ------
    ReaderError
        It raised an error, or its process crashed.
    """
    import polars as pl

    path = None if isinstance(file, bytes) else str(file.absolute())
    asked = json.dumps({"function": function, "path": path, "settings": settings}).encode() + b"\n"
    line, _, data = _run(asked + (file if isinstance(file, bytes) else b"")).partition(b"\n")
    if not line:
        raise ReaderError("crash", "the program that reads it crashed")
    said = json.loads(line)
    if "error" in said:
        raise ReaderError(said["error"], said["reason"])
    said["variable_value_labels"] = {name: dict(pairs) for name, pairs in said["labels"].items()}
    return pl.read_ipc_stream(data), said


def _run(given: bytes) -> bytes:
    """Return what the process answers; nothing where it crashes."""
    command = [sys.executable, "-P", "-m", __name__]
    code, said, _ = run_child(command, given=given, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    return b"" if code else said


def _answer(given: IO[bytes], answers: IO[bytes]) -> None:
    """Read as ``given`` asks; write to ``answers``."""
    import io

    import pyreadstat

    asked = json.loads(given.readline())
    file = io.BytesIO(given.read()) if asked["path"] is None else asked["path"]
    try:
        frame, about = getattr(pyreadstat, asked["function"])(
            file, output_format="polars", **asked["settings"]
        )
    except Exception as error:  # whatever the library and its wrapper raise, it is about the file
        reason = str(error).splitlines()[0] if str(error) else ""
        answers.write(json.dumps({"error": type(error).__name__, "reason": reason}).encode() + b"\n")
        return
    said = {name: getattr(about, name) for name in _SAID}
    said["labels"] = {name: list(words.items()) for name, words in about.variable_value_labels.items()}
    answers.write(json.dumps(said).encode() + b"\n")
    frame.write_ipc_stream(answers)


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what the library prints is no answer
        _answer(sys.stdin.buffer, out)
