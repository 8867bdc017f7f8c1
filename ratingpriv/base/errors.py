"""Every error ratingpriv raises on purpose.

::

    RatingPrivError                     exit code of the command line
    ├── ParameterError        2         an argument is missing, of the wrong type or out of range
    │   ├── UnknownDatasetError 2       the graph store has no dataset of this name
    │   └── UnknownQueryError   2       the Cypher library has no query of this name
    ├── DataError             2         the data cannot be read as ratings; carries every Problem
    │   ├── EncodingError     2         a file is no text in the encoding in which it was read
    │   └── UnknownFormatError  2       no loader recognises the data, or more than one claims it
    ├── OutputError           2         an output file exists already or cannot be written
    ├── CatalogueError        2         a file of the Cypher library is malformed
    ├── ResourceError         3         a disk, memory or a service failed
    │   └── StoreError          3       a graph store failed or refused; carries its address
    │       ├── StoreUnavailableError     nothing answers there, or there is no such file
    │       ├── ConnectionLostError       it answered, and then the connection broke
    │       ├── AuthenticationFailedError the user name or the password is wrong or missing
    │       ├── DatabaseMissingError      the server has no database of this name
    │       ├── UnsupportedServerError    the server is too old, or is no Neo4j
    │       ├── TlsMismatchError          one side encrypts and the other does not, or no trust
    │       ├── StoreLockedError          another process has the store's file open
    │       ├── NotAStoreError            the file is something else, or damaged
    │       ├── StoreFullError            the disk or the server's memory is full
    │       ├── QueryFailedError          the engine refused a query
    │       │   └── QueryTimedOutError    or ended it: it took longer than the engine lets one run
    │       ├── LoadFailedError           what arrived is not what was sent; or another load came
    │       └── DatasetIncompleteError 2  the dataset was not loaded to its end
    └── TargetNotReachedError 1         a privacy target was not reached; carries the best attempt

Errors keep the offending values as attributes; ``str(error)`` is the message a user reads: where,
what was found, what was expected, what to do. It is one line for each kind of problem, however many
cells have it and whatever their columns are called, and shows no cell of the data and no record's
id: messages end up in logs. :meth:`RatingPrivError.with_cells` shows them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ratingpriv.base.escaping import looks_like_data, printable

__all__ = [
    "AuthenticationFailedError",
    "CatalogueError",
    "ConnectionLostError",
    "DataError",
    "DatabaseMissingError",
    "DatasetIncompleteError",
    "EncodingError",
    "LoadFailedError",
    "NotAStoreError",
    "OutputError",
    "ParameterError",
    "Problem",
    "ProblemKind",
    "QueryFailedError",
    "QueryTimedOutError",
    "RatingPrivError",
    "ResourceError",
    "StoreError",
    "StoreFullError",
    "StoreLockedError",
    "StoreUnavailableError",
    "TargetNotReachedError",
    "TlsMismatchError",
    "UnknownDatasetError",
    "UnknownFormatError",
    "UnknownQueryError",
    "UnsupportedServerError",
]


class RatingPrivError(Exception):
    """Base of every error raised on purpose; ``exit_code`` is what the command line ends with."""

    exit_code = 2

    def __str__(self) -> str:
        return printable(super().__str__())

    def with_cells(self) -> str:
        """Return the message with what stands in the data, where it is about that."""
        return str(self)


class ParameterError(RatingPrivError, ValueError):
    """An argument is missing, of the wrong type or out of range.

    Attributes
    ----------
    name : the argument as the user knows it, e.g. ``epsilon``
    found : the value that was given; None: there was none
    given : that as a text, which shows no data
    expected : what would have been accepted
    remedy : what to do, or an empty string
    cell : what of the data it is about, such as a record's id; not in the message
    """

    def __init__(
        self, name: str, found: object, expected: str, remedy: str = "", *, cell: str | None = None
    ) -> None:
        self.name, self.found, self.expected, self.remedy, self.cell = (
            name,
            found,
            expected,
            remedy,
            cell,
        )
        self.given = "not given" if found is None else _shown_found(found)
        given = self.given if found is None else f"found {self.given}"
        super().__init__(
            f"{name}: {given}, expected {expected}" + (f"; {remedy}" if remedy else "")
        )

    def of(self, name: str) -> ParameterError:
        """Return the same of the argument that the user gave, where another one was made of it."""
        return ParameterError(name, self.found, self.expected, self.remedy, cell=self.cell)

    def with_cells(self) -> str:
        """Return the message, and ``cell``."""
        return str(self) + ("" if self.cell is None else f" ({_shown_cell(self.cell)})")


class UnknownDatasetError(ParameterError):
    """The graph store has no dataset of this name; ``known`` are the names of those that it has."""

    def __init__(self, found: object, known: Sequence[str]) -> None:
        self.known = tuple(known)
        some = ", ".join(map(repr, self.known[:10])) + (", ..." if len(self.known) > 10 else "")
        expected = (
            f"a dataset of this store ({some})"
            if known
            else "a dataset of this store, which has none"
        )
        super().__init__(
            "dataset", found, expected, "" if known else "load one with ratingpriv ingest"
        )


class UnknownQueryError(ParameterError):
    """The Cypher library has no query of this name, or not for this engine;
    ``near`` are similar ids.
    """

    def __init__(self, found: object, near: Sequence[str], engine: str | None = None) -> None:
        self.near = tuple(near)
        expected = "a query of the library" + (f" for the engine {engine}" if engine else "")
        hint = "did you mean " + " or ".join(self.near) + "? " if near else ""
        super().__init__("query", found, expected, hint + "ratingpriv query list shows them all")


_QUOTED, _COUNTED = re.compile("'[^']*'"), re.compile(r"[0-9][0-9,]*( [a-z]+?s?\b)?")
_PLACES, _NAMES = 3, 12  # that a message lists


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a file, and what to do about it.

    ``line`` is 1-based and counts every physical line, the header included; ``column`` is a
    column's name or its 1-based number. Either is None where it has no meaning (a missing file has
    no line). ``found`` describes without the cell's content, which is ``cell``.
    """

    file: str
    found: str
    expected: str
    remedy: str = ""
    line: int | None = None
    column: str | int | None = None
    cell: str | None = None

    def __str__(self) -> str:
        return self._message(cells=False)

    def with_cell(self) -> str:
        """Return the message with the cell's content, escaped and cut at 80 characters."""
        return self._message(cells=True)

    def _message(self, *, cells: bool) -> str:
        where = ", ".join([self.file, *self._place(cells=cells)])
        cell = f" ({_shown_cell(self.cell)})" if cells and self.cell is not None else ""
        return printable(f"{where}: found {self.found}{cell}, {self._judged}")

    def place(self, *, cells: bool) -> str:
        """Return where in its file it is, in words; with the cell's content if ``cells``."""
        where = ", ".join(self._place(cells=cells))
        return where + (
            f" ({_shown_cell(self.cell)})" if cells and where and self.cell is not None else ""
        )

    def _place(self, *, cells: bool) -> list[str]:
        line = [] if self.line is None else [f"line {self.line}"]
        shown = self.column is not None and (cells or not looks_like_data(str(self.column)))
        return [*line, f"column {self.column}"] if shown else line

    @property
    def _judged(self) -> str:
        return f"expected {self.expected}" + (f"; {self.remedy}" if self.remedy else "")

    @property
    def kind(self) -> tuple[str, ...]:
        """What it has in common with others of its kind: all but the place,
        numbers and the column's name.

        What is quoted beside a line is a name, too. Without a place the words alone tell two
        problems apart: two columns that the user named are two.
        """
        if self.line is None and self.column is None:
            return (self.file, self.found, self.expected, self.remedy)
        found = self.found if self.line is None else _QUOTED.sub("", self.found)
        texts = [found, self.expected, self.remedy]
        if self.column is not None and not str(self.column).isdecimal():
            texts = [text.replace(str(self.column), "") for text in texts]
        placed = (self.line is None, self.column is None)
        return (self.file, *(_COUNTED.sub(_thing, text) for text in texts), *map(str, placed))


@dataclass(slots=True)
class ProblemKind:
    """What is wrong in one way, in one place of a file or in many: one message.

    ``first`` are the first problems that were noted, ``count`` how many there are in all, in
    ``columns``; ``varied`` : not all of them found the very same.
    """

    first: list[Problem]
    count: int = 0
    columns: set[str] = dataclasses.field(default_factory=set)
    varied: bool = False

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> list[ProblemKind]:
        """Return the kinds of these problems, each where its first stands."""
        kinds: dict[tuple[str, ...], ProblemKind] = {}
        for problem in problems:
            kinds.setdefault(problem.kind, cls([])).add(problem)
        return list(kinds.values())

    def add(self, problem: Problem, times: int = 1) -> None:
        """Count a problem of this kind so many times."""
        self.count += times
        if problem.column is not None:  # a spreadsheet's has the cell behind it
            self.columns.add(str(problem.column).partition(" (cell ")[0])
        self.varied |= bool(self.first) and problem.found != self.first[0].found
        self.first.append(problem)
        if len(self.first) > 100:  # they come column by column
            self.first = self.in_order()[:_NAMES]

    def in_order(self) -> list[Problem]:
        """Return the first problems by their lines."""
        return sorted(
            self.first, key=lambda problem: math.inf if problem.line is None else problem.line
        )

    def message(self, *, cells: bool = False) -> str:
        """Return the one message, with the contents of the first cells if ``cells``."""
        ordered = self.in_order()
        first = ordered[0]
        if self.count == 1:
            return first.with_cell() if cells else str(first)
        named = len(self.columns)
        columns = f"{named:,} column{'s' * (named > 1)}"
        if first.line is None:
            where = (
                f"in {columns}" if named == self.count else f"in {self.count:,} cells of {columns}"
            )
            where = where if named else f"{self.count:,} times"
        elif first.column is None:
            where = f"in {self.count:,} lines"
        else:
            where = f"in {self.count:,} cells of {columns}"
        places = [place for one in ordered if (place := one.place(cells=cells))]
        places = places[: _NAMES if first.line is None else _PLACES]
        more = (
            f", ... ({self.count:,} in all)"
            if first.line is None and self.count > len(places)
            else ""
        )
        listed = f" (first: {'; '.join(places)}{more})" if places else ""
        like = " and the like" if self.varied else ""
        return printable(
            f"{first.file}: found {first.found}{like} {where}{listed}, {first._judged}"
        )


class DataError(RatingPrivError, ValueError):
    """The data cannot be read as ratings.

    Attributes
    ----------
    problems : the first problems found, in the order of the file
    total : how many there are in all, or None if reading stopped before the end
    kinds : the problems by their kind, a message each
    """

    def __init__(
        self,
        problems: Problem | Sequence[Problem],
        total: int | None = None,
        kinds: Sequence[ProblemKind] | None = None,
    ) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.total = len(self.problems) if total is None else total
        self.kinds = tuple(ProblemKind.of(self.problems) if kinds is None else kinds)
        super().__init__(self._message(cells=False))

    def __str__(self) -> str:
        return str(self.args[0])  # a line a kind, each escaped

    def with_cells(self) -> str:
        """Return the message with what the cells hold that it is about."""
        return self._message(cells=True)

    def _message(self, *, cells: bool) -> str:
        lines = [kind.message(cells=cells) for kind in self.kinds]
        more = self.total - sum(kind.count for kind in self.kinds)
        return "\n".join(
            [*lines, f"... and {more} more problems of this file"] if more > 0 else lines
        )


class EncodingError(DataError):
    """A file is no text in the encoding in which it was read.

    Attributes
    ----------
    likely : others, the likeliest first: a codec's name, who writes it, and a word of the header as
        it has it ("" where the words may be somebody's)
    """

    def __init__(self, problem: Problem, likely: Sequence[tuple[str, str, str]]) -> None:
        self.likely = tuple(likely)
        super().__init__(problem)


class UnknownFormatError(DataError):
    """No loader recognises the data, or the named loader does not exist."""


class OutputError(RatingPrivError, OSError):
    """An output file exists already, or its place cannot be written to."""


class ResourceError(RatingPrivError, RuntimeError):
    """A disk, memory or a service failed; not a statement about the data."""

    exit_code = 3


class CatalogueError(RatingPrivError):
    """A file of the Cypher library is malformed.

    A note (``__notes__``) names the file and the line.
    """

    def __str__(self) -> str:
        return "; ".join([super().__str__(), *getattr(self, "__notes__", ())])


class StoreError(ResourceError):
    """A graph store, at ``uri`` (without credentials), failed or refused."""

    def __init__(self, uri: str, found: str, remedy: str) -> None:
        self.uri, self.found, self.remedy = uri, found, remedy
        super().__init__(f"{uri}: {found}; {remedy}")


class StoreUnavailableError(StoreError):
    """Nothing answers at the store's address, or there is no such file."""


class ConnectionLostError(StoreError):
    """The store answered, and then the connection broke."""


class AuthenticationFailedError(StoreError):
    """The user name or the password is wrong or missing."""


class DatabaseMissingError(StoreError):
    """The server has no database of this name."""


class UnsupportedServerError(StoreError):
    """The server is too old, or is no Neo4j."""


class TlsMismatchError(StoreError):
    """One side encrypts and the other does not, or the server's certificate is not trusted."""


class StoreLockedError(StoreError):
    """Another process has the store's file open."""


class NotAStoreError(StoreError):
    """The file is something else than a store, or is damaged."""


class StoreFullError(StoreError):
    """The store's disk, or the server's memory for transactions, is full."""


class QueryFailedError(StoreError):
    """The engine refused a query."""


class QueryTimedOutError(QueryFailedError):
    """The engine ended a query that took longer than it lets one run."""


class LoadFailedError(StoreError):
    """What arrived in the store is not what was sent,
    or another load of the same dataset came between.
    """


class DatasetIncompleteError(StoreError):
    """The dataset was not loaded to its end, so that no answer from it could be trusted."""

    exit_code = 2  # the store works; it is the question that cannot be answered yet


class TargetNotReachedError(RatingPrivError):
    """A privacy target was not reached; ``best`` is the best attempt,
    of the operation's result type.
    """

    exit_code = 1

    def __init__(self, message: str, best: object = None) -> None:
        self.best = best
        super().__init__(message)


def _shown_found(found: object) -> str:
    """Return what was given as text.

    Of arrays, series and frames, which may hold data, the type alone.
    """
    plain = isinstance(found, str | bytes | list | tuple | dict | set | frozenset)
    if plain or not hasattr(found, "__len__"):
        with contextlib.suppress(ValueError):  # Python prints no number of thousands of digits
            return repr(found)
    return f"of type {type(found).__name__}"


def _thing(counted: re.Match[str]) -> str:
    """Return "# cell" of "1 cell" and of "12 cells"."""
    return "#" + (counted[1] or "").removesuffix("s")


def _shown_cell(cell: str) -> str:
    return repr(cell if len(cell) <= 80 else cell[:77] + "...")


def meant(word: str, known: Iterable[str], before: str = "") -> str:
    """Return the remedy that asks for the word of ``known`` that is nearly this one.

    Empty: none is.

    ``before`` : what stands before each of these words where they are written
    """
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {before}{close[0]}?" if close else ""
