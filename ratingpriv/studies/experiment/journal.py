"""The journal of an experiment: one line of JSON a finished cell, beside the output.

The first line says what the experiment is about. A process may be killed at any moment: of the last line,
which may be cut off, nothing is taken, and the next run goes on there. A line that was finished and has
changed since is refused, and so is a journal of another experiment.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ratingpriv.base.errors import OutputError, ResourceError
from ratingpriv.base.files import DISK_FAILED, check_writable

try:
    import fcntl
except ImportError:  # Windows: two processes at one journal are not kept apart
    fcntl = None  # type: ignore[assignment]

__all__ = ["Journal", "journal_at"]

_HEAD = "ratingpriv experiment"


class Journal:
    """The cells that are finished; :func:`journal_at` opens one.

    Attributes
    ----------
    finished : the rows of each finished cell, by :attr:`ratingpriv.studies.experiment.cells.Cell.key`
    """

    def __init__(self, file: IO[bytes] | None = None, name: str = "", *, first: bytes = b"") -> None:
        self.finished: dict[str, list[dict[str, Any]]] = {}
        self._file, self._name, self._first = file, name, first

    def add(self, cell: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep the rows of a cell that is finished now; on disk when this returns.

        Raises
        ------
        ResourceError
            The disk is full or failed.
        """
        line = _line(cell, rows)
        self._write(self._first + line)
        self._first = b""
        self.finished[cell] = json.loads(line)["rows"]  # as whoever resumes has it

    def _write(self, line: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            if error.errno not in DISK_FAILED:
                raise
            raise ResourceError(
                f"{self._name}: {error.strerror}; free some space and run the same command again, "
                "which goes on from here"
            ) from error


@contextlib.contextmanager
def journal_at(path: str | Path | None, about: Mapping[str, Any]) -> Iterator[Journal]:
    """Open the journal at ``path``, or begin one; None: one that is kept nowhere.

    Parameters
    ----------
    path : the file, which only one process at a time may use
    about : what the experiment is about, by what a user can change; JSON's own types

    Raises
    ------
    OutputError
        The file is no journal, one of another experiment, one that was changed, or in use; or it cannot be
        written.
    """
    if path is None:
        yield Journal()
        return
    path = check_writable(path, force=True)
    if path.exists() and not path.is_file():
        raise OutputError(f"{path}: found a device or a pipe, expected a file: a journal is read again")
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}; choose another place") from error
    with open(handle, "r+b") as file:  # noqa: PTH123 -- a handle
        _take(file, path)
        content = file.read()
        journal = Journal(file, str(path))
        end = _read(journal, content, about, path)
        file.seek(end)
        file.truncate()
        if end:
            yield journal
            return
        journal = Journal(file, str(path), first=_first(about))
        try:
            yield journal
        finally:
            if (
                not content and not journal.finished
            ):  # nothing to go on from: no other run is to be stopped by it
                path.unlink(missing_ok=True)


def _take(file: IO[bytes], path: Path) -> None:
    """Lock the file for as long as it is open."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise OutputError(f"{path}: another process is at it; wait for its end") from error
        # some network file systems have no locks


def _read(journal: Journal, content: bytes, about: Mapping[str, Any], path: Path) -> int:
    """Take over the finished cells; return where the next line goes: 0 where there is no first line yet."""
    first = _first(about)
    if b"\n" not in content:
        if first.startswith(content):  # nothing, or a first line that was cut off
            return 0
        if not _is_head(content):
            raise _no_journal(path)
        return 0  # a first line, of another experiment, that was cut off: nothing was finished
    lines = content.split(b"\n")[:-1]  # what stands behind the last line end was cut off
    if lines[0] + b"\n" != first:
        raise _another(lines[0], about, path)
    end = len(first)
    for number, line in enumerate(lines[1:], start=2):
        try:
            found = json.loads(line)
            good = _line(found["cell"], found["rows"]) == line + b"\n"
        except (ValueError, KeyError, TypeError, RecursionError):
            good = False
        if not good:
            raise OutputError(
                f"{path}: line {number} is not as it was written; delete the journal to begin anew, or "
                "put back a copy of it"
            )
        journal.finished[found["cell"]] = found["rows"]
        end += len(line) + 1
    return end


def _another(line: bytes, about: Mapping[str, Any], path: Path) -> OutputError:
    """Return the error for a first line that is not the one expected: what is different, and what to do."""
    try:
        found = json.loads(line)
        before = found["about"] if found["journal"] == _HEAD else None
    except (ValueError, KeyError, TypeError, RecursionError):
        before = None
    if not isinstance(before, dict):
        return _no_journal(path)
    different = [name for name in {**before, **about} if before.get(name) != about.get(name)]
    return OutputError(
        f"{path}: this journal is of another experiment: {', '.join(different) or 'its first line'} changed "
        "since; put that back to go on, or delete the journal (and choose another output) to begin anew"
    )


def _no_journal(path: Path) -> OutputError:
    return OutputError(f"{path}: the file exists and is no journal of an experiment; choose another name")


def _is_head(content: bytes) -> bool:
    return content.startswith(json.dumps({"journal": _HEAD})[:-1].encode("ascii"))


def _first(about: Mapping[str, Any]) -> bytes:
    return (json.dumps({"journal": _HEAD, "about": dict(about)}) + "\n").encode("ascii")


def _line(cell: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the line of a cell, with a hash, so that half a line and a changed one are told from a whole."""
    content = {"cell": cell, "rows": [dict(row) for row in rows]}
    digest = hashlib.sha256(json.dumps(content, allow_nan=False).encode("ascii")).hexdigest()
    return (json.dumps({**content, "sha256": digest}) + "\n").encode("ascii")
