"""Qualtrics: a row of names, one of questions, and one of import ids; the older form has no third."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ratingpriv.base.errors import Problem
from ratingpriv.data.codebook.deciding import wanted
from ratingpriv.data.codebook.raw import RawData, TextCells
from ratingpriv.data.formats.column_names import unique_names
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv_loaders.surveys.loader import FREE_TEXT, Export, ExportLoader, Rows, folded, one_line

_IMPORT = re.compile(r'^\{"ImportId":\s*"([^"]*)"')
_QUESTION = re.compile(r"^QID\d")
_TIMING = re.compile(
    r"_(First Click|Last Click|Page Submit|Click Count|DO(_.*)?|Browser|Version|Operating System|Resolution)$"
    r"|^Q_(Recaptcha|RelevantID|Duplicate|BallotBox|TotalDuration|URL|Language|DataPolicy|Unanswered|Straightlining)"
)
_TIMING_IDS = re.compile(
    r"(_FIRST_CLICK|_LAST_CLICK|_PAGE_SUBMIT|_CLICK_COUNT|_DO(_.*)?|_BROWSER|_VERSION|_OS|_RESOLUTION|_NPS_GROUP)$"
)
_SCORE = re.compile(r"^SC_")
_UPLOAD = re.compile(r"_FILE_(ID|NAME|SIZE|TYPE)$")
_NEW, _OLD = {"responseid", "recordeddate"}, {"responseid", "finished", "startdate", "enddate"}
_DIGIT = re.compile(r"\d")


class QualtricsLoader(ExportLoader):
    """Reads a CSV or TSV of Qualtrics, answers as numbers or as words."""

    name = "qualtrics"
    description = "Qualtrics: a CSV or TSV export with two or three header rows"

    def recognised(self, rows: Rows) -> Export | None:
        """Know the rows by import ids, or by columns that Qualtrics makes and that are named twice."""
        if len(rows) < 2 or len(rows[0]) < 3 or len(rows[1]) != len(rows[0]):
            return None
        heads = [one_line(head) for head in rows[0]]
        names = unique_names(heads)
        if not all(heads):
            return None
        for below in (1, 2):  # below names and questions, or names alone
            imports = [_IMPORT.match(cell.strip()) for cell in rows[below]] if len(rows) > below else []
            if len(imports) == len(heads) and sum(map(bool, imports)) * 2 > len(heads):
                ids = [found[1] if found else "" for found in imports]
                heads = [  # a question may be called Status, too
                    f"{head} {one}" if _QUESTION.match(one) and folded(head) in self.roles else head
                    for head, one in zip(heads, ids, strict=True)
                ]
                above = ("names and import ids in two", "names, questions and import ids in three")[below - 1]
                names = unique_names(heads)
                return _export(
                    rows, names, self.known_columns(names, heads), f"an export of Qualtrics: {above}", ids
                )
        known = self.known_columns(names, heads)
        dated = [place for place, name in enumerate(names) if name in known and _counted(rows[2:], place)]
        if len(dated) > 2 and not any(_DIGIT.search(rows[1][place]) for place in dated):
            return _export(rows, names, known, "an export of Qualtrics: names and questions in two")
        of_names, of_questions = set(map(folded, heads)), set(map(folded, rows[1]))
        if of_names >= _NEW or not of_questions >= _OLD:
            return None
        known = self.known_columns(names, [one_line(cell) for cell in rows[1]]) | known
        return _export(rows, names, known, "an older export of Qualtrics: names and questions in two")

    def refuse(self, raw: RawData, options: ReadOptions) -> None:
        """Note previews, unless something is said of the column Status: they make classes look larger."""
        column = next((one for one in raw.read if folded(one.name) == "status"), None)
        if column is None or not isinstance(column.cells, TextCells):
            return
        if wanted([one.name for one in raw.read], options).get(column.name) is not None:
            return
        preview = np.array([text.casefold() in self.words["previews"] for text in column.cells.texts])

        def problem(row: int) -> Problem:
            file, line, name = raw.locate(row, column.name)
            expected = "answers of respondents only"
            remedy = (
                f"delete the line, or say `drop=[{column.name!r}]` to count it as a record like the others"
            )
            return Problem(file, "a preview of the survey, by its status", expected, remedy, line, name)

        raw.problems.at(np.flatnonzero(preview[column.cells.codes]), problem)


def _counted(rows: Rows, place: int) -> bool:
    """Whether every row has a digit at a place, as dates, durations and addresses have."""
    whole = [row for row in rows if len(row) > place]
    return bool(whole) and all(_DIGIT.search(row[place]) for row in whole)


def _export(
    rows: Rows,
    names: tuple[str, ...],
    known: Mapping[str, tuple[str, str]],
    reason: str,
    ids: Sequence[str] = (),
) -> Export:
    """Return the header; columns that belong to questions and are none are known too."""
    found: dict[str, tuple[str, str]] = {}
    for name, import_id in zip(names, ids or [""] * len(names), strict=True):
        if _TIMING.search(name) or _TIMING_IDS.search(import_id):
            found[name] = ("drop", "Qualtrics's clicks, times, browsers, checks, and order of display")
        elif _SCORE.match(import_id):
            found[name] = ("drop", "Qualtrics's score, counted of other answers")
        elif _UPLOAD.search(import_id):
            found[name] = ("identifier", "Qualtrics: a file that somebody sent")
        elif "_TEXT" in import_id or name.endswith("_TEXT"):
            found[name] = ("identifier", FREE_TEXT)
    height = 3 if reason.endswith("three") else 2
    questions = {}
    if height - bool(ids) == 2:
        questions = {name: one_line(cell) for name, cell in zip(names, rows[1], strict=True) if cell.strip()}
    return Export(names, height, f"{reason} header rows", questions, found | dict(known))
