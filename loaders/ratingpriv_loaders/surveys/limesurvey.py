"""LimeSurvey: response id, dates and tokens first, then a column a question or subquestion: ``Q2[SQ001]``.

The brackets become ``Q2_SQ001``, as in LimeSurvey's exports for R and SPSS: a name with brackets would be a
pattern in a codebook.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ratingpriv.data.formats.column_names import unique_names
from ratingpriv_loaders.surveys.loader import FREE_TEXT, Export, ExportLoader, Rows, folded, one_line

_ENOUGH = {"lastpage", "submitdate", "startlanguage"}
_FULL = (
    {"datesubmitted", "lastpage"},
    {"datumabgeschickt", "letzteseite"},
    {"datedesoumission", "dernièrepage"},
    {"fechadeenvío", "últimapágina"},
)
_CODED = re.compile(r"^([A-Za-z][A-Za-z0-9_]*(?:\[[^\]]*\])*)[.:]\s+(.*)$", re.DOTALL)
_TIMES = re.compile(r"^(groupTime|questionTime)\d*$")
_BRACKETS = re.compile(r"\]?[\[\]]")
_OTHER = re.compile(r"_(other|comment|\w*comment)$", re.IGNORECASE)


class LimeSurveyLoader(ExportLoader):
    """Reads a CSV of LimeSurvey, headed by codes, by codes and questions, or by questions."""

    name = "limesurvey"
    description = "LimeSurvey: a CSV export headed by question codes, questions, or both; a VV file"
    not_shown = "{question_not_shown}"

    def recognised(self, rows: Rows) -> Export | None:
        """Know it by the columns that LimeSurvey puts in front."""
        heads = [one_line(head) for head in rows[0]]
        below = [one_line(cell) for cell in rows[1]] if len(rows) > 1 else []
        if len(below) == len(heads) and len(_ENOUGH.intersection(map(folded, below))) >= 2:
            reason = "an export of LimeSurvey (VV), questions in a row and their codes in a second"
            return self._export(below, heads, 2, reason) if all(below) else None
        cut = [_CODED.match(head) for head in heads]
        codes = [found[1] if found else head for found, head in zip(cut, heads, strict=True)]
        folds = set(map(folded, codes))
        telling = len(folds & _ENOUGH) >= 2 or any(full <= folds for full in _FULL)
        if not telling or sum(folded(code) in self.roles for code in codes) < 3 or not all(heads):
            return None
        questions = [found[2] if found else "" for found in cut]
        headed = "question codes and questions" if any(questions) else "question codes or questions"
        return self._export(codes, questions, 1, f"an export of LimeSurvey, headed by {headed}")

    def _export(self, codes: Sequence[str], questions: Sequence[str], rows: int, reason: str) -> Export:
        """Return the header of these codes and questions, a column each."""
        names = unique_names(_BRACKETS.sub("_", code).rstrip("_") for code in codes)
        asked = {re.split(r"[\[_]", code)[0] for code in codes}
        known = {}
        for name in names:
            if _OTHER.search(name):
                known[name] = ("identifier", FREE_TEXT)
            elif _TIMES.match(name) or (name.endswith("Time") and name.removesuffix("Time") in asked):
                known[name] = ("drop", "LimeSurvey's timings")
        known |= self.known_columns(names, codes)
        said = {name: question for name, question in zip(names, questions, strict=True) if question}
        return Export(names, rows, reason, said, known)
