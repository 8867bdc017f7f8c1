"""Every question before and after, as CSV."""

from __future__ import annotations

import csv
from pathlib import Path

from ratingpriv.base import escaping
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import replacing
from ratingpriv.utility.result import Utility

__all__ = ["write_questions"]

_SIDES = ("before", "after")
_KEYS = ("ratings", "mean", "sd")


def write_questions(result: Utility, path: str | Path, *, force: bool = False, csv_safe: bool = True) -> None:
    """Write a row a question: its name, ratings, mean, SD, the answers at each level, and what moved.

    Every column but ``question`` and ``moved`` is there twice, as ``..._before`` and ``..._after``. What
    there is none of is an empty cell.

    Parameters
    ----------
    csv_safe : whether names that a spreadsheet would take for formulas are escaped
        (:func:`ratingpriv.base.escaping.csv_safe`)

    Raises
    ------
    ParameterError
        The questions were not measured.
    OutputError, ResourceError
        As :func:`ratingpriv.base.files.replacing`.
    """
    details = result.measured["questions"].details if "questions" in result.measured else {}
    if "questions" not in details:
        raise ParameterError("questions", str(path), "questions that were measured")
    levels = [f"{level:.15g}" for level in details["levels"] or ()]
    names = [*_KEYS, *(f"answers_{level}" for level in levels)]
    with (
        replacing(path, force=force) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["question", *(f"{name}_{side}" for name in names for side in _SIDES), "moved"])
        for question in details["questions"]:
            name = question["name"]
            cells = [question[side][key] for key in _KEYS for side in _SIDES]
            counts = [question[side]["distribution"] or [None] * len(levels) for side in _SIDES]
            at_each = [count for both in zip(*counts, strict=True) for count in both]
            row = [escaping.csv_safe(name) if csv_safe else name, *cells, *at_each, question["moved"]]
            writer.writerow(["" if cell is None else cell for cell in row])
