"""What the loaders of survey tools' exports share: a text whose header is one of that tool's.

The words that tools use, in several languages, are in ``tools.toml``.
"""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import polars as pl

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.raw import RawData, TextCells
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders import background
from ratingpriv_loaders.fixed_options import refuse_given
from ratingpriv_loaders.text.dialect import Opening, cut_opening
from ratingpriv_loaders.text.layouts import TextReading
from ratingpriv_loaders.text.loader import TAKES, opening_text

FREE_TEXT = "free text"
"""Why a column of free text is taken for a direct identifier: people write anything into it."""

_MOST_TITLES = 5  # lines that somebody wrote above a header

Rows = Sequence[Sequence[str]]
"""The first rows of a text, cut into cells; a row that cannot be cut is empty."""


@dataclass(frozen=True, slots=True)
class Export:
    """The header of an export.

    Attributes
    ----------
    names : a short name for each column, each once
    rows : how many rows the header has
    reason : how the tool was recognised, in words for the user
    questions : what was asked, by name
    known : (role, why) of the columns that the tool makes itself, by name
    options : of columns that hold an answer's own words where it was chosen and nothing where it was not
        ("check all that apply"): these words, by name
    """

    names: tuple[str, ...]
    rows: int
    reason: str
    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    known: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@functools.cache
def _tools() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("tools.toml").read_text(encoding="utf-8"))


def one_line(text: str) -> str:
    """Return a header's text on one line, without white space around it."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return a header's text as it is compared: without case, and without spaces, dots, dashes and such."""
    return "".join(character for character in text.casefold() if character not in " \xa0._-/'’\t\r\n")


class ExportLoader:
    """Reads the CSV that a survey tool exports; a subclass says how its header is recognised."""

    name: ClassVar[str]
    description: ClassVar[str]
    takes = TAKES
    not_shown: ClassVar[str] = ""
    """What stands where a question was not shown, beside nothing."""

    @property
    def words(self) -> dict[str, Any]:
        """What ``tools.toml`` says of the tool: what it writes, folded; and why columns have roles."""
        return _tools()[self.name]  # type: ignore[no-any-return]

    @functools.cached_property
    def roles(self) -> dict[str, tuple[str, str]]:
        """(role, why) of the columns that the tool makes itself, by their folded head."""
        why = self.words["why"]
        return {word: (role, why[role]) for role in why for word in self.words[role]}

    def known_columns(self, names: Sequence[str], heads: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return (role, why) of those of the columns that the tool makes itself; the first id only is one."""
        found: dict[str, tuple[str, str]] = {}
        for name, head in zip(names, heads, strict=True):
            role = self.roles.get(folded(head))
            if role is not None and role[0] == "id" and any(one == "id" for one, _ in found.values()):
                role = ("identifier", role[1])
            if role is not None:
                found[name] = role
        return found

    def recognised(self, rows: Rows) -> Export | None:
        """Return what the header says, or None if it is none of this tool's."""
        raise NotImplementedError

    def refuse(self, raw: RawData, options: ReadOptions) -> None:
        """Note rows that the tool marks as nobody's answers in the problems of ``raw``."""

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim a text whose header is this tool's, unless the user describes its lines and columns."""
        described = (options.issue, options.rating, options.timestamp, options.header)
        if source.is_dir or options.layout == "long" or any(one is not None for one in described):
            return None
        try:
            found = self._opened(source, options)
        except (DataError, ParameterError):  # explained by the loader of any text
            return None
        return None if found is None else Detection(0.8, found[0].reason)

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for."""
        export, _ = self._must_open(source, options)
        record = next((name for name, (role, _) in export.known.items() if role == "id"), None)
        if options.id is not None:
            record = column_names.resolve(export.names, options.id, parameter="`id`", file=source.name)
        return Columns("wide", export.names, True, record)

    def raw(self, source: Source, options: ReadOptions) -> RawData:
        """Return the columns as they stand there, with what the tool says of them."""
        export, opening = self._must_open(source, options)
        raw = TextReading(source, options, opening, format=self.name).raw()
        self.refuse(raw, options)
        columns = []
        for column in raw.read:
            cells, option = column.cells, export.options.get(column.name)
            if isinstance(cells, TextCells) and option is not None:
                # a "check all that apply" is 1 where the answer was chosen, if nothing but its words is in it
                texts = [one_line(text) for text in cells.texts]
                if {texts[code] for code in cells.used()[0].tolist()} == {"", one_line(option)}:
                    chosen = np.array([bool(text) for text in texts])[cells.codes]
                    ones = pl.Series(column.name, chosen.astype(np.uint8)).set(pl.Series(~chosen), None)
                    labels = ((1.0, one_line(option)),)
                    column = dataclasses.replace(column, cells=ones, labels=labels)
            elif isinstance(cells, TextCells) and self.not_shown and self.not_shown in cells.texts:
                answers = cells.texts.gather(cells.codes)
                shown = TextCells.of(answers.set(answers == self.not_shown, None))
                column = dataclasses.replace(column, cells=shown)
            columns.append(column)
        return dataclasses.replace(raw, read=tuple(columns))

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        with background.digest(source) as digest:
            table = table_of(self.raw(source, options), options)
            return table.replace(origin=dataclasses.replace(table.origin, sha256=digest()))

    def _must_open(self, source: Source, options: ReadOptions) -> tuple[Export, Opening]:
        if options.layout == "long" or options.header is False:
            option = "layout" if options.layout == "long" else "header"
            remedy = "say `format='delimited'` to describe the columns"
            refuse_given(options, [option], f"the format {self.name} fixes it", remedy)
        found = self._opened(source, options)
        if found is None:
            expected = f"the header of an export of {self.description.split(':')[0]}"
            problem = Problem(source.name, "another header", expected, "say `format='delimited'`", line=1)
            raise DataError(problem)
        return found

    def _opened(self, source: Source, options: ReadOptions) -> tuple[Export, Opening] | None:
        text, whole = opening_text(source, options)
        cut = cut_opening(text, options, file=source.name, whole=whole)
        rows = cut.rows
        if cut.runs or not rows[0] or len(rows[0]) > column_names.MOST_COLUMNS:
            return None
        export = self.recognised(rows)
        titles = 0
        while export is None and titles < min(_MOST_TITLES, len(rows) - 2):
            if sum(bool(cell.strip()) for cell in rows[titles]) > 1:  # no title, nor empty
                break
            titles += 1
            export = self.recognised(rows[titles:]) if rows[titles] else None
        if export is None:
            return None
        per_column = zip(export.names, *rows[titles : titles + export.rows], strict=True)
        opening = Opening(
            cut.delimiter,
            True,
            export.names,
            cut.lines[titles],
            above=cut.above + titles,
            below=export.rows - 1,
            questions=export.questions,
            known=export.known,
            heads={name: tuple(cells) for name, *cells in per_column},
        )
        return export, opening
