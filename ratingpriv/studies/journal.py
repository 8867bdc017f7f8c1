"""The journal of experiments, recommendations and figures: one line of JSON a finished cell.

The first line says what the measurements are about. A process may be killed at any moment: of the last line,
which may be cut off, nothing is taken, and the next run goes on there. A line that was finished and has
changed since is refused, and so is a journal of something else.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ratingpriv.base.errors import OutputError, ResourceError
from ratingpriv.base.files import DISK_FAILED, check_writable

try:
    import fcntl
except ImportError:  # Windows: two processes at one journal are not kept apart
    fcntl = None  # type: ignore[assignment]

_HEAD = "ratingpriv experiment"

type Rows = Sequence[Mapping[str, Any]]


class Journal:
    """The rows of each ``finished`` cell, by its coordinates as text; :func:`journal_at` keeps them."""

    def __init__(self, file: IO[bytes] | None = None, name: str = "", *, first: bytes = b"") -> None:
        self.finished: dict[str, Rows] = {}
        self._file, self._name, self._first = file, name, first

    def measured(self, cell: str, measure: Callable[[], Rows]) -> Rows:
        """Return the rows of a cell; where it is not finished, it is measured, and kept when this returns.

        ResourceError where the disk is full or failed.
        """
        if cell in self.finished:
            return self.finished[cell]
        line = _line(cell, measure())
        if self._file is not None:
            try:
                self._file.write(self._first + line)
                self._file.flush()
                os.fsync(self._file.fileno())
            except OSError as error:
                if error.errno not in DISK_FAILED:
                    raise
                raise ResourceError(
                    f"{self._name}: {error.strerror}; free some space and run the same command again, "
                    "which goes on from here"
                ) from error
        self._first = b""
        self.finished[cell] = json.loads(line)["rows"]  # as whoever resumes has it
        return self.finished[cell]


@contextlib.contextmanager
def journal_at(path: str | Path | None, about: Mapping[str, Any]) -> Iterator[Journal]:
    """Open the journal at ``path``, or begin one; None: one that is kept nowhere.

    Only one process at a time may use the file. ``about`` is what is measured, by what a user can change, of
    JSON's own types.

    Raises
    ------
    OutputError
        The file is no journal, one of something else, one that was changed, or in use; or it cannot be
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
        _lock(file, path)
        content, first = file.read(), _json_line({"journal": _HEAD, "about": dict(about)})
        lines = content.split(b"\n")[:-1]  # what stands behind the last line end was cut off
        if lines:
            _check_first(lines[0], about, first, path)
        elif not first.startswith(content) and not content.startswith(_json_line({"journal": _HEAD})[:-2]):
            raise _no_journal(path)
        journal = Journal(file, str(path), first=b"" if lines else first)
        for number, line in enumerate(lines[1:], start=2):
            try:
                cell = json.loads(line)
                written = _line(cell["cell"], cell["rows"]) == line + b"\n"
            except (ValueError, KeyError, TypeError, RecursionError):
                written = False
            if not written:
                raise OutputError(
                    f"{path}: line {number} is not as it was written; delete the journal to begin anew, or "
                    "put back a copy of it"
                )
            journal.finished[cell["cell"]] = cell["rows"]
        file.seek(sum(len(line) + 1 for line in lines))
        file.truncate()
        try:
            yield journal
        finally:
            if not content and not journal.finished:  # nothing to go on from: it is in no other run's way
                path.unlink(missing_ok=True)


def _lock(file: IO[bytes], path: Path) -> None:
    """Keep other processes from the file for as long as it is open."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise OutputError(f"{path}: another process is at it; wait for its end") from error
        # some network file systems have no locks


def _check_first(line: bytes, about: Mapping[str, Any], first: bytes, path: Path) -> None:
    """Refuse a first line that is not the one expected: what is different, and what to do."""
    if line + b"\n" == first:
        return
    try:
        before = json.loads(line)["about"]
        changed = [name for name in {**before, **about} if before.get(name) != about.get(name)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _no_journal(path) from None
    raise OutputError(
        f"{path}: this journal is of another experiment: {', '.join(changed) or 'its first line'} changed "
        "since; put that back to go on, or delete the journal (and choose another output) to begin anew"
    )


def _no_journal(path: Path) -> OutputError:
    return OutputError(f"{path}: the file exists and is no journal of an experiment; choose another name")


def _line(cell: str, rows: Rows) -> bytes:
    """Return the line of a cell, with a hash, so that half a line and a changed one are told from a whole."""
    content = {"cell": cell, "rows": [dict(row) for row in rows]}
    digest = hashlib.sha256(json.dumps(content, allow_nan=False).encode("ascii")).hexdigest()
    return _json_line({**content, "sha256": digest})


def _json_line(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content) + "\n").encode("ascii")
