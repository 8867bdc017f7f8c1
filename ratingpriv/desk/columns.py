"""The file on the desk: what its columns seem to be, what a person says of them,
the codebook beside it.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ratingpriv.base.cautions import Caution
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.base.numbers import decimal_number
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.files.toml_file import read_codebook, toml_text
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.roles import ROLES, ColumnSpec
from ratingpriv.data.formats.describing import ProposedColumn, describe
from ratingpriv.data.formats.reading import read
from ratingpriv.data.table import RatingTable
from ratingpriv.desk.jobs import Job
from ratingpriv.report.plain import write_text

_ALIKE = 8
"""So many columns of one kind, one after another, are one row of the page."""
_OPENING = "Written by `ratingpriv desk`; every command takes it as --codebook."
_SEAL = "The desk replaces this file only while it is as it was written: "
_ORDER = "<"
"""Stands between the words of a scale, from low to high."""


_WORDED = ("text", "numbers and text")
"""Kinds of columns that hold words."""


class ForeignCodebookError(Exception):
    """A codebook that the desk did not write is in the way.

    It is replaced only if somebody says so.

    ``difference`` : the lines of a unified diff; ``sha256`` : of what would be replaced
    """

    def __init__(self, difference: list[str], sha256: str) -> None:
        super().__init__(sha256)
        self.difference, self.sha256 = difference, sha256


class StaleError(Exception):
    """The columns were changed in another tab since the page was made."""


@dataclass(frozen=True)
class Group:
    """Columns that are one row of the page: one, or several of one kind one after another."""

    columns: tuple[ProposedColumn, ...]
    spec: ColumnSpec

    @property
    def place(self) -> int:
        """The number of the first column, by which the fields of the form are called."""
        return self.columns[0].place

    @property
    def first(self) -> ProposedColumn:
        """The first column, which stands for all."""
        return self.columns[0]

    @property
    def last(self) -> ProposedColumn:
        """The last column."""
        return self.columns[-1]

    @property
    def counted_from_zero(self) -> bool:
        """Whether answers go down to 0, which often means that there is none."""
        codes = ("0", "0.0")
        return (
            self.first.minimum == 0
            and self.spec.role == "rating"
            and not {*codes} & {*self.spec.missing}
        )

    @property
    def in_no_order(self) -> bool:
        """Whether answers are words of which nobody has said which is more."""
        return self.first.kind in _WORDED and self.spec.role == "rating" and not self.spec.labels


@dataclass
class Columns:
    """What is known and said of the columns of a file.

    Attributes
    ----------
    path : the file; ``place`` : the folder for what is made of it
    encoding : in which it is read; None: as the codebook says, or UTF-8
    columns : as the file was described; empty where each of its rows is a rating
    specs : what each column is, by its name
    revision : how often that was said
    opened : first columns of groups that somebody took apart
    """

    path: Path
    place: Path
    encoding: str | None = None
    columns: tuple[ProposedColumn, ...] = ()
    specs: dict[str, ColumnSpec] = field(default_factory=dict)
    records: int = 0
    revision: int = 0
    cautions: tuple[Caution, ...] = ()
    opened: set[int] = field(default_factory=set)
    said_by_codebook: bool = False
    _book: Codebook = field(default_factory=Codebook)

    @property
    def book_path(self) -> Path:
        """Where the codebook is."""
        return self.place / f"{self.path.stem}.toml"

    @property
    def options(self) -> str:
        """The options, each after a blank, by which a command reads the file as it is read here."""
        if self.columns:
            return f" --codebook {self.book_path.name}"
        return "" if self.encoding is None else f" --encoding {self.encoding}"

    def describe(self, job: Job) -> None:
        """Look at the columns; a file with a row a rating has none."""
        job.step("looking at the columns")
        exists = self.book_path.exists()
        book = read_codebook(self.book_path) if exists else None
        try:
            described = describe(self.path, options=self._options(book, job))
        except DataError:
            read(self.path, options=self._options(book, job))  # or says what is wrong
            return
        self.records, self.cautions, self.said_by_codebook = (
            described.records,
            described.cautions,
            exists,
        )
        self._book = described.codebook if book is None else book
        if self.encoding is not None:
            self._book = dataclasses.replace(
                self._book, data={**self._book.data, "encoding": self.encoding}
            )
        self.specs = {column.name: column.spec for column in described.columns}
        self.columns = described.columns

    def read(self, job: Job) -> RatingTable:
        """Read the file as the columns were said to be."""
        job.step("reading the file")
        codebook = self.codebook if self.columns else None
        return read(self.path, options=self._options(codebook, job))

    def _options(self, codebook: Codebook | None, job: Job) -> ReadOptions:
        return ReadOptions(codebook=codebook, encoding=self.encoding, progress=job.report)

    @property
    def codebook(self) -> Codebook:
        """What is said, as a codebook: of data and commands what the one beside the file says."""
        return dataclasses.replace(self._book, columns=self.specs)

    def groups(self) -> Iterator[Group]:
        """Yield the rows of the page."""

        def kind(one: ProposedColumn) -> object:
            return one.role, one.kind, one.minimum, one.maximum, self.specs[one.name]

        for _, run in itertools.groupby(self.columns, key=kind):
            alike = tuple(run)
            together = len(alike) >= _ALIKE and alike[0].place not in self.opened
            for columns in (alike,) if together else ((one,) for one in alike):
                yield Group(columns, self.specs[columns[0].name])

    def said(self, form: Mapping[str, str]) -> dict[str, ColumnSpec]:
        """Return what a form says of each column.

        StaleError where it is of an older page, ParameterError (whose name is a column's) for what
        is wrong.
        """
        if form.get("revision") != str(self.revision):
            raise StaleError
        specs = dict(self.specs)
        for group in self.groups():
            if f"role{group.place}" in form:
                spec = _spec(group, form)
                specs |= {column.name: spec for column in group.columns}
        ids = [name for name, spec in specs.items() if spec.role == "id"]
        if len(ids) > 1:
            raise ParameterError(ids[1], "a second record id", "one column of record ids at most")
        return specs

    def save(self, specs: dict[str, ColumnSpec], replace: str = "") -> None:
        """Take what was said, and write the codebook.

        ForeignCodebookError where one is there that the desk did not write, or that was edited
        since, and ``replace`` is not its SHA-256.
        """
        codebook = dataclasses.replace(self._book, columns=specs)
        reasons = {column.name: column.reasons for column in self.columns}
        body = toml_text(codebook, reasons)
        text = f"# {_OPENING}\n# {_SEAL}{_sha256(body)}\n\n{body}"
        if self.book_path.exists():
            present = self.book_path.read_text("utf-8", "backslashreplace")
            if not _is_ours(present) and replace != _sha256(present):
                raise ForeignCodebookError(
                    list(_difference(self.book_path.name, present, text)), _sha256(present)
                )
        write_text(text, self.book_path, force=True, private=False)
        self.specs, self.revision = specs, self.revision + 1


def _spec(group: Group, form: Mapping[str, str]) -> ColumnSpec:
    """Return what a form says of the columns of a row."""
    name, old = group.first.name, group.spec
    words = {word: form.get(f"{word}{group.place}", "").strip() for word in _FIELDS}
    role = words["role"]
    if role not in ROLES:
        raise ParameterError(name, role, "one of the roles in the list")
    spec = old if role == old.role else ColumnSpec(role=role)
    if role in ("rating", "sensitive"):
        labels = tuple(word.strip() for word in words["order"].split(_ORDER) if word.strip())
        scale = None if labels else _scale(name, words["low"], words["high"])
        worded = role == "sensitive" and not labels and group.first.kind in _WORDED
        spec = dataclasses.replace(
            spec, labels=labels, scale=scale, kind="nominal" if worded else None
        )
    if role == "quasi":
        within = _number(name, words["within"]) if words["within"] else None
        spec = dataclasses.replace(spec, within=within)
    missing = tuple(
        dict.fromkeys(word.strip() for word in words["gone"].split(",") if word.strip())
    )
    has_missing = role not in ("drop", "identifier", "id")
    return dataclasses.replace(spec, missing=missing if has_missing else ())


_FIELDS = ("role", "low", "high", "order", "within", "gone")


def _scale(name: str, low: str, high: str) -> tuple[float, float] | None:
    if not low and not high:
        return None
    ends = _number(name, low), _number(name, high)
    if ends[0] >= ends[1]:
        raise ParameterError(
            name, f"{low} to {high}", "a scale from its lowest to its highest answer"
        )
    return ends


def _number(name: str, text: str) -> float:
    try:
        return decimal_number(text)
    except ValueError:
        raise ParameterError(name, text or "nothing", "a number") from None


def _difference(name: str, there: str, text: str) -> Iterator[str]:
    lines = there.splitlines(), text.splitlines()
    return difflib.unified_diff(
        *lines, fromfile=name, tofile="what the desk would write", lineterm=""
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _is_ours(text: str) -> bool:
    """Whether a codebook is as the desk wrote it."""
    head, _, body = text.partition("\n\n")
    return head.endswith(f"{_SEAL}{_sha256(body)}")
