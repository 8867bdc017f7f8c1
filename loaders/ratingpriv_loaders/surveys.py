"""Exports of survey tools: a text whose header is one of that tool's.

The words that tools use, in several languages, are in ``surveys.toml``.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.codebook.deciding import wanted
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.column_names import unique_names
from ratingpriv.data.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv_loaders.text.dialect import Opening, cut_opening, refuse_stray
from ratingpriv_loaders.text.layouts import TextReading
from ratingpriv_loaders.text.loader import DelimitedLoader, opening_text
from ratingpriv_loaders.wide_or_long import refuse_given

FREE_TEXT = "free text"
"""Why a column of free text is taken for a direct identifier: people write anything into it."""

_MOST_TITLES = 5  # lines that somebody wrote above a header

Rows = Sequence[Sequence[str]]
"""The first rows of a text, cut into cells; a row that cannot be cut is empty."""


@functools.cache
def _tools() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("surveys.toml").read_text(encoding="utf-8"))


def one_line(text: str) -> str:
    """Return a header's text on one line, without white space around it."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return a header's text as it is compared: without case, and without spaces, dots,
    dashes and such.
    """
    return "".join(
        character for character in text.casefold() if character not in " \xa0._-/'’\t\r\n"
    )


def _asked(names: Sequence[str], questions: Sequence[str]) -> dict[str, str]:
    return {
        name: one_line(text) for name, text in zip(names, questions, strict=True) if text.strip()
    }


def _headed(
    names: Sequence[str],
    reason: str,
    questions: Mapping[str, str],
    known: Mapping[str, tuple[str, str]],
    *,
    below: int = 0,
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> Opening:
    return Opening(
        "",
        True,
        tuple(names),
        below=below,
        questions=questions,
        known=known,
        reason=reason,
        chosen=chosen,
    )


class ExportLoader(DelimitedLoader):
    """Reads the CSV that a survey tool exports; a subclass says how its header is recognised."""

    name: ClassVar[str]
    description: ClassVar[str]
    not_shown: ClassVar[str] = ""
    """What stands where a question was not shown, beside nothing."""

    @property
    def words(self) -> dict[str, Any]:
        """What ``surveys.toml`` says of the tool: what it writes, folded;
        and why columns have roles.
        """
        return _tools()[self.name]  # type: ignore[no-any-return]

    @functools.cached_property
    def roles(self) -> dict[str, tuple[str, str]]:
        """(role, why) of the columns that the tool makes itself, by their folded head."""
        why = self.words["why"]
        return {word: (role, why[role]) for role in why for word in self.words[role]}

    def known_columns(
        self, names: Sequence[str], heads: Sequence[str]
    ) -> dict[str, tuple[str, str]]:
        """Return (role, why) of those of the columns that the tool makes itself.

        The first id only is one.
        """
        columns: dict[str, tuple[str, str]] = {}
        for name, head in zip(names, heads, strict=True):
            role = self.roles.get(folded(head))
            if (
                role is not None
                and role[0] == "id"
                and any(role_of == "id" for role_of, _ in columns.values())
            ):
                role = ("identifier", role[1])
            if role is not None:
                columns[name] = role
        return columns

    def patterned(
        self, names: Sequence[str], ids: Sequence[str] = ()
    ) -> dict[str, tuple[str, str]]:
        """Return (role, why) of columns beside answers,
        by a pattern of their names or import ids.
        """
        columns_found: dict[str, tuple[str, str]] = {}
        for name, import_id in itertools.zip_longest(names, ids, fillvalue=""):
            for kind in self.words["patterns"]:
                if re.search(kind["name"], name) or re.search(kind["id"], import_id):
                    columns_found.setdefault(name, (kind["role"], kind["why"]))
        return columns_found

    def recognised(self, rows: Rows) -> Opening | None:
        """Return what the header says, whatever stands above it,
        or None if it is none of this tool's.
        """
        raise NotImplementedError

    def nobodys(self, raw: RawData, options: ReadOptions) -> NDArray[np.bool_] | None:
        """Say of each row whether the tool marks it as nobody's answers; None: it marks none."""
        return None

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim a text whose header is this tool's,
        unless the user describes its lines and columns.
        """
        described = (options.issue, options.rating, options.timestamp, options.header)
        if (
            source.is_dir
            or options.layout == "long"
            or any(option_given is not None for option_given in described)
        ):
            return None
        try:
            opening = self._opening(source, options)
        except (DataError, ParameterError):  # explained by the loader of any text
            return None
        return None if opening is None else Detection(0.8, opening.reason)

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for."""
        opening = self.opened(source, options).opening
        record = next((name for name, (role, _) in opening.known.items() if role == "id"), None)
        if options.id is not None:
            record = column_names.resolve(
                opening.names, options.id, parameter="`id`", file=source.name
            )
        return Columns("wide", opening.names, True, record)

    def opened(self, source: Source, options: ReadOptions) -> TextReading:
        """Open an export; DataError where its header is none of this tool's."""
        if options.layout == "long" or options.header is False:
            option = "layout" if options.layout == "long" else "header"
            remedy = "say `format='delimited'` to describe the columns"
            refuse_given(options, [option], f"the format {self.name} fixes it", remedy)
        opening = self._opening(source, options)
        if opening is None:
            expected = f"the header of an export of {self.description.split(':')[0]}"
            problem = Problem(
                source.name, "another header", expected, "say `format='delimited'`", line=1
            )
            raise DataError(problem)
        return ExportReading(source, dataclasses.replace(options, layout="wide"), opening, self)

    def _opening(self, source: Source, options: ReadOptions) -> Opening | None:
        text, complete = opening_text(source, options)
        cut = cut_opening(text, options, file=source.name, whole=complete)
        rows = cut.rows
        if cut.runs or not rows[0] or len(rows[0]) > column_names.MOST_COLUMNS:
            return None
        opening = self.recognised(rows)
        titles = 0
        while opening is None and titles < min(_MOST_TITLES, len(rows) - 2):
            if sum(bool(cell.strip()) for cell in rows[titles]) > 1:  # no title, nor empty
                break
            titles += 1
            opening = self.recognised(rows[titles:]) if rows[titles] else None
        if opening is None:
            return None
        refuse_stray(cut, titles, options, file=source.name)
        return dataclasses.replace(
            opening, delimiter=cut.delimiter, line=cut.lines[titles], above=cut.above + titles
        )


class ExportReading(TextReading):
    """An export, opened: a text whose answers are those of a tool."""

    def __init__(
        self, source: Source, options: ReadOptions, opening: Opening, tool: ExportLoader
    ) -> None:
        super().__init__(source, options, opening, format=tool.name)
        self._tool = tool

    def raw(self) -> RawData:
        """Return the columns as they stand there, with what the tool says of them."""
        raw = super().raw()
        nobodys = self._tool.nobodys(raw, self.options)
        if nobodys is not None and nobodys.any():
            raw = _without(raw, nobodys)
        return dataclasses.replace(raw, read=tuple(map(self._answers, raw.read)))

    def _answers(self, column: RawColumn) -> RawColumn:
        cells, words, not_shown = (
            column.cells,
            self.opening.chosen.get(column.name),
            self._tool.not_shown,
        )
        if not isinstance(cells, TextCells):
            return column
        if words is not None:
            # a "check all that apply" is 1 where the answer was chosen, if nothing but its words is
            # in it
            texts = [one_line(text) for text in cells.texts]
            if {texts[code] for code in cells.used[0].tolist()} == {"", one_line(words)}:
                chosen = np.array([bool(text) for text in texts])[cells.codes]
                ones = pl.Series(column.name, chosen.astype(np.uint8)).set(pl.Series(~chosen), None)
                return dataclasses.replace(column, cells=ones, labels=((1.0, one_line(words)),))
        elif not_shown and not_shown in cells.texts:
            answers = cells.texts.gather(cells.codes)
            return dataclasses.replace(
                column, cells=TextCells.of(answers.set(answers == not_shown, None))
            )
        return column


def _without(raw: RawData, gone: NDArray[np.bool_]) -> RawData:
    """Return the data without some rows, which are counted; DataError where that is all of them."""
    left = np.flatnonzero(~gone)
    if not len(left):
        actual = f"previews of the survey only, by their status: {len(gone):,}"
        raise DataError(
            Problem(raw.origin.name, actual, "answers of respondents", "export them again")
        )

    def column(one: RawColumn) -> RawColumn:
        cells = one.cells
        if isinstance(cells, TextCells):
            return dataclasses.replace(one, cells=TextCells(cells.texts, cells.codes[left]))
        return dataclasses.replace(one, cells=cells.gather(left))

    return dataclasses.replace(
        raw,
        read=tuple(map(column, raw.read)),
        records=len(left),
        locate=lambda row, name: raw.locate(int(left[row]), name),
        origin=dataclasses.replace(
            raw.origin, details={**raw.origin.details, "previews": len(gone) - len(left)}
        ),
    )


_IMPORT = re.compile(r'^\{"ImportId":\s*"([^"]*)"')
_QUESTION = re.compile(r"^QID\d")
_NEW, _OLD = {"responseid", "recordeddate"}, {"responseid", "finished", "startdate", "enddate"}
_DIGIT = re.compile(r"\d")


def _import_ids(row: Sequence[str], columns: int) -> list[str] | None:
    """Return the import ids in a row that is one of import ids, most cells having one."""
    imports = [_IMPORT.match(cell.strip()) for cell in row]
    if len(imports) != columns or sum(map(bool, imports)) * 2 <= columns:
        return None
    return [match[1] if match else "" for match in imports]


def _with_digits(rows: Rows) -> list[int]:
    """Return the columns with a digit in every row, as dates, durations and addresses have."""
    bodies = (
        [row[column] for row in rows[2:] if len(row) > column] for column in range(len(rows[0]))
    )
    return [column for column, body in enumerate(bodies) if body and all(map(_DIGIT.search, body))]


class QualtricsLoader(ExportLoader):
    """Reads a CSV or TSV of Qualtrics, answers as numbers or as words."""

    name = "qualtrics"
    description = "Qualtrics: a CSV or TSV export with two or three header rows"

    def recognised(self, rows: Rows) -> Opening | None:
        """Know the rows by import ids, or by columns that Qualtrics
        makes and that are named twice.
        """
        if len(rows) < 2 or len(rows[0]) < 3 or len(rows[1]) != len(rows[0]):
            return None
        heads = [one_line(head) for head in rows[0]]
        if not all(heads):
            return None
        for below in (1, 2):  # below names and questions, or names alone
            ids = _import_ids(rows[below], len(heads)) if len(rows) > below else None
            if ids is not None:
                return self._imported(rows, heads, ids, below=below)
        return self._questioned(rows, heads)

    def _imported(
        self, rows: Rows, heads: Sequence[str], ids: Sequence[str], *, below: int
    ) -> Opening:
        """Return the header that a row of import ids ends."""
        heads = [  # a question may be called Status, too
            f"{head} {import_id}"
            if _QUESTION.match(import_id) and folded(head) in self.roles
            else head
            for head, import_id in zip(heads, ids, strict=True)
        ]
        names = unique_names(heads)
        columns_known = self.patterned(names, ids) | self.known_columns(names, heads)
        above = ("names and import ids in two", "names, questions and import ids in three")[
            below - 1
        ]
        reason = f"an export of Qualtrics: {above} header rows"
        questions = _asked(names, rows[1]) if below == 2 else {}
        return _headed(names, reason, questions, columns_known, below=below)

    def _questioned(self, rows: Rows, heads: Sequence[str]) -> Opening | None:
        """Return the header of names and questions alone,
        if the columns that Qualtrics makes are there.
        """
        names = unique_names(heads)
        columns_known = self.known_columns(names, heads)
        counted = [column for column in _with_digits(rows) if names[column] in columns_known]
        reason = "an export of Qualtrics: names and questions in two header rows"
        if len(counted) < 3 or any(_DIGIT.search(rows[1][column]) for column in counted):
            of_names, of_questions = set(map(folded, heads)), set(map(folded, rows[1]))
            if of_names >= _NEW or not of_questions >= _OLD:
                return None
            columns_known = (
                self.known_columns(names, [one_line(cell) for cell in rows[1]]) | columns_known
            )
            reason = "an older export of Qualtrics: names and questions in two header rows"
        return _headed(
            names, reason, _asked(names, rows[1]), self.patterned(names) | columns_known, below=1
        )

    def nobodys(self, raw: RawData, options: ReadOptions) -> NDArray[np.bool_] | None:
        """Say which rows are previews, unless something is said of the column Status.

        They would make classes look larger than they are.
        """
        column = next(
            (read_column for read_column in raw.read if folded(read_column.name) == "status"), None
        )
        if column is None or not isinstance(column.cells, TextCells):
            return None
        if (
            wanted([read_column.name for read_column in raw.read], options).get(column.name)
            is not None
        ):
            return None
        preview = np.array(
            [text.casefold() in self.words["previews"] for text in column.cells.texts]
        )
        return preview[column.cells.codes]  # type: ignore[no-any-return]


_ENOUGH = {"lastpage", "submitdate", "startlanguage"}
_FULL = (
    {"datesubmitted", "lastpage"},
    {"datumabgeschickt", "letzteseite"},
    {"datedesoumission", "dernièrepage"},
    {"fechadeenvío", "últimapágina"},
)
_CODED = re.compile(r"^([A-Za-z][A-Za-z0-9_]*(?:\[[^\]]*\])*)[.:]\s+(.*)$", re.DOTALL)
_BRACKETS = re.compile(r"\]?[\[\]]")


class LimeSurveyLoader(ExportLoader):
    """Reads a CSV of LimeSurvey, headed by codes, by codes and questions, or by questions."""

    name = "limesurvey"
    description = "LimeSurvey: a CSV export headed by question codes, questions, or both; a VV file"
    not_shown = "{question_not_shown}"

    def recognised(self, rows: Rows) -> Opening | None:
        """Know it by the columns that LimeSurvey puts in front."""
        heads = [one_line(head) for head in rows[0]]
        below = [one_line(cell) for cell in rows[1]] if len(rows) > 1 else []
        if len(below) == len(heads) and len(_ENOUGH.intersection(map(folded, below))) >= 2:
            reason = "an export of LimeSurvey (VV), questions in a row and their codes in a second"
            return self._export(below, heads, reason, below=1) if all(below) else None
        cut = [_CODED.match(head) for head in heads]
        codes = [match[1] if match else head for match, head in zip(cut, heads, strict=True)]
        folds = set(map(folded, codes))
        telling = len(folds & _ENOUGH) >= 2 or any(full <= folds for full in _FULL)
        if not telling or sum(folded(code) in self.roles for code in codes) < 3 or not all(heads):
            return None
        questions = [match[2] if match else "" for match in cut]
        headed = "question codes and questions" if any(questions) else "question codes or questions"
        return self._export(codes, questions, f"an export of LimeSurvey, headed by {headed}")

    def _export(
        self, codes: Sequence[str], questions: Sequence[str], reason: str, *, below: int = 0
    ) -> Opening:
        """Return the header of these codes and questions, a column each."""
        names = unique_names(_BRACKETS.sub("_", code).rstrip("_") for code in codes)
        questions_asked = {re.split(r"[\[_]", code)[0] for code in codes}
        times = [
            name
            for name in names
            if name.endswith("Time") and name.removesuffix("Time") in questions_asked
        ]
        columns_known = dict.fromkeys(times, ("drop", "LimeSurvey's timings")) | self.patterned(
            names
        )
        columns_known |= self.known_columns(names, codes)
        return _headed(names, reason, _asked(names, questions), columns_known, below=below)


_SHORT = 30  # characters of a question that may be its column's name


def _with_responses(heads: Sequence[str], below: Sequence[str], first: int) -> list[str]:
    """Return the second row with "Response" below the single answers
    from a column on that have none.
    """
    pairs = zip(heads[first:], below[first:], strict=True)
    return [*below[:first], *(cell or (head and "Response") for head, cell in pairs)]


class SurveyMonkeyLoader(ExportLoader):
    """Reads a CSV of SurveyMonkey, all answers, a column a choice or row.

    A column is called by its question where that has one column and is short (``Gender``), else by
    the question's number, and the number of the choice or row: ``Q3``, ``Q4_1``, ``Q4_2``.
    """

    name = "surveymonkey"
    description = "SurveyMonkey: a CSV export with two or three header rows"

    def recognised(self, rows: Rows) -> Opening | None:
        """Know it by the row or two below the names: without an id,
        "Response" below single answers.

        Where somebody has filled the second row, it repeats the first. Where there are three, the
        second has the rows of a grid and the third what was chosen in each.
        """
        if len(rows) < 3 or len(rows[0]) < 3 or len(rows[1]) != len(rows[0]):
            return None
        heads = [one_line(head) for head in rows[0]]
        if folded(heads[0]) not in self.roles:
            return None
        second, three = self._second_row(rows, heads)
        first = next((column for column, cell in enumerate(second) if cell), 0)
        below = _with_responses(heads, second, first)
        if first == 0 or not all([*heads[: first + 1], *below[first:]]):
            return None
        gaps = any(not head and cell for head, cell in zip(heads, second, strict=True))
        answers = {*self.words["responses"], *self.words["open"]}
        if not gaps and not any(folded(cell) in answers for cell in below):
            return None
        rows_said = "three" if three else "two"
        reason = f"an export of SurveyMonkey: questions and answers in {rows_said} header rows"
        return self._export(heads, below, first, reason, below=1 + three)

    def _second_row(self, rows: Rows, heads: Sequence[str]) -> tuple[list[str], bool]:
        """Return the second header row without what repeats the first,
        and whether it includes a third.
        """
        below = [one_line(cell) for cell in rows[1]]
        three = (
            len(rows) > 3 and len(rows[2]) == len(heads) and not below[0] and not rows[2][0].strip()
        )
        if three:
            below = self._joined(heads, below, [one_line(cell) for cell in rows[2]])
        repeated = ("" if folded(head) in self.roles else "Response" for head in heads)
        second = [
            other if cell and cell == head else cell
            for head, cell, other in zip(heads, below, repeated, strict=True)
        ]
        return second, three

    def _export(
        self, heads: Sequence[str], answers: Sequence[str], first: int, reason: str, *, below: int
    ) -> Opening:
        """Return the header of questions from column ``first`` on,
        with the answers that stand below them.
        """
        names, questions, chosen = list(heads[:first]), {}, {}
        starts = [column for column in range(first, len(heads)) if heads[column]]
        for number, (start, stop) in enumerate(
            zip(starts, [*starts[1:], len(heads)], strict=True), 1
        ):
            single, question = stop == start + 1, heads[start]
            short = single and len(question) <= _SHORT and not question.endswith("?")
            for column in range(start, stop):
                name_of_column = f"Q{number}" if single else f"Q{number}_{column - start + 1}"
                names.append(question if short else name_of_column)
                if folded(answers[column]) in self.words["responses"]:
                    questions[column] = question
                else:
                    questions[column], chosen[column] = (
                        f"{question} [{answers[column]}]",
                        answers[column],
                    )
        unique = unique_names(names)
        columns_known = self.known_columns(unique[:first], heads[:first])
        for column, words in chosen.items():
            if folded(words) in self.words["open"]:
                columns_known[unique[column]] = ("identifier", FREE_TEXT)
        texts_asked, options = (
            {unique[column]: text for column, text in texts.items()}
            for texts in (questions, chosen)
        )
        return _headed(unique, reason, texts_asked, columns_known, below=below, chosen=options)

    def _joined(
        self, heads: Sequence[str], rows: Sequence[str], columns: Sequence[str]
    ) -> list[str]:
        """Return the second and the third header row as one.

        What stands over columns holds for each.
        """
        joined, row = [], ""
        for head, cells_above, column in zip(heads, rows, columns, strict=True):
            row = cells_above or ("" if head else row)
            plain = folded(column) in self.words["responses"]
            joined.append(row if plain and row else " - ".join(filter(None, (row, column))))
        return joined


_POINTS = re.compile(r"^\d+(\.\d+)? / \d+$")
_DATED = re.compile(r"^\d{1,4}[-./年 ]+\d{1,2}[-./月 ]+\d{1,4}\D.*\d{1,2}[:.h時]\d{2}")


class GoogleFormsLoader(ExportLoader):
    """Reads the CSV of a Google Form's answers,
    in any of the languages that its first column is known in.

    There is nothing else to know it by: its other columns are called by their questions, and the
    score of a quiz and the e-mail address stand beside the time stamp where the form's owner asked
    for them.
    """

    name = "google-forms"
    description = "Google Forms: the CSV of a form's answers, a time stamp in front"

    def recognised(self, rows: Rows) -> Opening | None:
        """Know it by the name of the first column and the dates and times in it."""
        heads = [one_line(head) for head in rows[0]]
        body = [row[0].strip() for row in rows[1:] if row]
        if (
            folded(heads[0]) not in self.words["times"]
            or len(heads) < 2
            or not body
            or not all(heads)
        ):
            return None
        if not all(map(_DATED.match, body)):
            return None
        names = unique_names(heads)
        columns_known = {names[0]: ("drop", "Google Forms' time stamp")}
        for index, name in enumerate(names[1:3], start=1):
            if all(_POINTS.match(row[index]) for row in rows[1:] if len(row) == len(heads)):
                columns_known[name] = ("drop", "Google Forms' score of a quiz")
        columns_known |= self.known_columns(names[1:], heads[1:])
        reason = "answers to a Google Form: a time stamp, then a column a question"
        return _headed(names, reason, dict(zip(names, heads, strict=True)), columns_known)
