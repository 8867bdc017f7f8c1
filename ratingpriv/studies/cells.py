"""The engine of experiments and figures: each cell is measured once, and kept in a journal.

A seed is a hash of the plan's seed and of the coordinates that it belongs to, so that adding a
method, a k or a data set changes no other cell. What is drawn to *measure* (queries, targets of an
attack) depends on the data set and the replicate alone: two releases of one original are measured
by the same draw, and compare.

A journal has one line of JSON a finished cell; the first says what the measurements are about. A
process may be killed at any moment: of the last line, which may be cut off, nothing is taken, and
the next run goes on there. A line that was finished and has changed since is refused, and so is a
journal of something else. The hash of a line tells accidents, not forgers: every result says which
cells a journal gave it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ratingpriv.base import checks
from ratingpriv.base.compute.compiling import pinned
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import OutputError, ResourceError
from ratingpriv.base.files import DISK_FAILED, check_writable
from ratingpriv.base.frames import typed_frame
from ratingpriv.base.provenance import VERSION
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.hashing import fingerprint

try:
    import fcntl
except ImportError:  # Windows: two processes at one journal are not kept apart
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import polars as pl

_OF_A_ROW = ("attack", "measure", "value", "low", "high", "original", "worthless", "reason")
COLUMNS = ("data", "method", "k", "epsilon", "l", "seed", *_OF_A_ROW)
"""The columns of the tidy table: a row for each measure (and attack) of each cell."""

_FEW = 8  # cells that plain Python measures of a small table sooner than numba is loaded
_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("data", "method", "attack", "measure", "reason"), str),
    **dict.fromkeys(("k", "seed", "measured", "of"), int),
}
"""The types of columns that are no Float64."""


type Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Cell:
    """One release to be made and measured; ``seed`` is the number of the replicate,
    not yet a seed.
    """

    data: str
    method: str
    k: int
    epsilon: float
    l: float | None = None  # noqa: E741 -- the theory's word
    seed: int = 0

    @property
    def key(self) -> str:
        """The coordinates as text: the cell's name in a journal."""
        return json.dumps(list(asdict(self).values()))


@dataclass(frozen=True, slots=True)
class Plan:
    """What all cells of an experiment have in common.

    Attributes
    ----------
    methods : for each name the method of :func:`ratingpriv.anonymize` and its options
    attacks : for each name what the adversary knows, in the words of :func:`ratingpriv.attack`
    measures : names of :data:`ratingpriv.studies.measuring.GROUPS`, and of
        :data:`ratingpriv.utility.measures.MEASURES`
    utility : settings of measures of utility, as :func:`ratingpriv.utility` has them
    exposure : E of exposure; None: each cell's own ε
    seed : what all seeds are made of
    """

    methods: Mapping[str, tuple[str, Mapping[str, Any]]]
    attacks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    utility: Mapping[str, Any] = field(default_factory=dict)
    exposure: float | None = None
    nulls: str = "strict"
    sensitive_nulls: str = "paper"
    seed: int = 0


def seed_of(seed: int, *coordinates: object) -> int:
    """Return the seed, 0..2**63 - 1, that belongs to ``coordinates`` under the plan's ``seed``."""
    text = json.dumps([seed, *coordinates])
    return int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:8]) >> 1


def run_cells(
    cells: Iterable[Cell],
    tables: Mapping[str, RatingTable],
    measure: Callable[[Cell], Rows],
    *,
    asked: Mapping[str, Any],
    journal: str | Path | None,
    resources: Resources,
    on_resume: Callable[[int, int], None] | None = None,
    on_cell: Callable[[int, Cell, Rows], None] | None = None,
) -> tuple[dict[Cell, Rows], frozenset[Cell]]:
    """Make and ``measure`` every cell that the journal does not have.

    Return the rows of each, by COLUMNS, and the cells that are the journal's. That is held to what
    was ``asked``, beside the data and the version. ``on_resume`` is called with (cells that are
    finished, cells in all) where some are, ``on_cell`` with how many are finished, each cell that
    was measured, as soon as it was, and its rows.
    """
    if journal is not None:
        checks.path("journal", journal)
    if on_resume is not None:
        checks.function("on_resume", on_resume)
    cells = tuple(dict.fromkeys(cells))
    # what is repeated so often is worth loading the compiler, however small the tables
    with (
        journal_of(journal, asked, tables) as opened,
        pinned("compiled" if len(cells) > _FEW else None),
    ):
        new = [cell for cell in cells if cell.key not in opened.finished]
        if len(new) < len(cells) and on_resume is not None:
            on_resume(len(cells) - len(new), len(cells))
        for done, cell in enumerate(new, start=len(cells) - len(new)):
            resources.report("cells", done, len(cells))
            rows = opened.measured(cell.key, partial(measure, cell))
            if on_cell is not None:
                on_cell(done + 1, cell, rows)
        resources.report("cells", len(cells), len(cells))
        measured: dict[Cell, Rows] = {
            cell: [
                asdict(cell) | {name: row[name] for name in _OF_A_ROW}
                for row in opened.finished[cell.key]
            ]
            for cell in cells
        }
        return measured, frozenset(cells).difference(new)


def journal_of(
    path: str | Path | None, asked: Mapping[str, Any], tables: Mapping[str, RatingTable]
) -> contextlib.AbstractContextManager[Journal]:
    """Open the journal of what is ``asked`` of some data, by this version.

    As :func:`journal_at`.
    """
    if path is None:
        return journal_at(None, {})
    data = {f"data {name}": fingerprint(table) for name, table in tables.items()}
    return journal_at(path, {"version": VERSION, "specification": dict(asked), **data})


def tidy_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pl.DataFrame:
    """Return ``columns`` of ``rows`` as a tidy frame; None, or no text, is null."""
    cells = {name: [None if row[name] == "" else row[name] for row in rows] for name in columns}
    return typed_frame(cells, {name: _TYPES.get(name, float) for name in columns})


# ---- the journal ----

_HEAD = "ratingpriv experiment"


class Journal:
    """The rows of each ``finished`` cell, by its coordinates as text;
    :func:`journal_at` keeps them.

    ``taken`` are the cells that an earlier process measured and this one asked for, in that order.
    """

    def __init__(
        self, file: IO[bytes] | None = None, name: str = "", *, first: bytes = b""
    ) -> None:
        self.finished: dict[str, Rows] = {}
        self.taken: dict[str, None] = {}
        self._own: set[str] = set()
        self._file, self._name, self._first = file, name, first

    def copy(self) -> Journal:
        """Return a journal with the same cells that is kept nowhere."""
        journal = Journal()
        journal.finished, journal.taken = dict(self.finished), dict(self.taken)
        return journal

    def measured(self, cell: str, measure: Callable[[], Rows]) -> Rows:
        """Return the rows of a cell; where it is not finished, it is measured,
        and kept when this returns.

        ResourceError where the disk is full or failed.
        """
        if cell in self.finished:
            if cell not in self._own:
                self.taken[cell] = None
            return self.finished[cell]
        self._own.add(cell)
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
                    f"{self._name}: {error.strerror}; free some space and run the same command "
                    f"again, "
                    "which goes on from here"
                ) from error
        self._first = b""
        self.finished[cell] = json.loads(line)["rows"]  # as whoever resumes has it
        return self.finished[cell]


@contextlib.contextmanager
def journal_at(path: str | Path | None, about: Mapping[str, Any]) -> Iterator[Journal]:
    """Open the journal at ``path``, or begin one; None: one that is kept nowhere.

    Only one process at a time may use the file, which is its owner's alone (0600). ``about`` is
    what is measured, by what a user can change, of JSON's own types.

    Raises
    ------
    OutputError
        The file is no journal, one of something else, one that was changed, or in use; or it cannot
        be written.
    """
    if path is None:
        yield Journal()
        return
    path = check_writable(path, force=True)
    if path.exists() and not path.is_file():
        raise OutputError(
            f"{path}: found a device or a pipe, expected a file: a journal is read again"
        )
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}; choose another place") from error
    with open(handle, "r+b") as file:  # noqa: PTH123 -- a handle
        _lock(file, path)
        content, first = file.read(), _json_line({"journal": _HEAD, "about": dict(about)})
        lines = content.split(b"\n")[:-1]  # what stands behind the last line end was cut off
        if lines:
            _check_first(lines[0], about, first, path)
        elif not first.startswith(content) and not content.startswith(
            _json_line({"journal": _HEAD})[:-2]
        ):
            raise _no_journal(path)
        with contextlib.suppress(OSError):  # another's file, or a file system without rights
            path.chmod(0o600)  # whatever the umask took away, and whatever was there
        journal = Journal(file, str(path), first=b"" if lines else first)
        for number, line in enumerate(lines[1:], start=2):
            try:
                cell = json.loads(line)
                written = _line(cell["cell"], cell["rows"]) == line + b"\n"
            except (ValueError, KeyError, TypeError, RecursionError):
                written = False
            if not written:
                raise OutputError(
                    f"{path}: line {number} is not as it was written; delete the journal to begin "
                    f"anew, or "
                    "put back a copy of it"
                )
            journal.finished[cell["cell"]] = cell["rows"]
        file.seek(sum(len(line) + 1 for line in lines))
        file.truncate()
        try:
            yield journal
        finally:
            # nothing to go on from: it is in no other run's way
            if not content and not journal.finished:
                path.unlink(missing_ok=True)


def _lock(file: IO[bytes], path: Path) -> None:
    """Keep other processes from the file for as long as it is open."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise OutputError(f"{path}: another process uses it; wait for its end") from error
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
        f"{path}: this journal is of another experiment: {', '.join(changed) or 'its first line'} "
        f"changed since; restore it to continue, or delete the journal (and choose another output) "
        "to begin anew"
    )


def _no_journal(path: Path) -> OutputError:
    return OutputError(
        f"{path}: the file exists and is no journal of an experiment; choose another name"
    )


def _line(cell: str, rows: Rows) -> bytes:
    """Return the line of a cell, with a hash, so that half a line and
    a changed one are told from a whole.
    """
    content = {"cell": cell, "rows": [dict(row) for row in rows]}
    digest = hashlib.sha256(json.dumps(content, allow_nan=False).encode("ascii")).hexdigest()
    return _json_line({**content, "sha256": digest})


def _json_line(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content) + "\n").encode("ascii")
