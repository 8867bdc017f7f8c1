"""Rows of a result as CSV or Parquet, whole or not at all: the same bytes for the same rows."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base import escaping
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import check_writable, replacing

if TYPE_CHECKING:
    import polars as pl

    from ratingpriv.audit.result import AuditResult
    from ratingpriv.utility.result import Utility

SUFFIXES = (".csv", ".parquet")
"""The formats that can be written, by the file name's suffix."""


def write_csv(
    frame: pl.DataFrame, path: str | Path, *, safe: bool = True, force: bool = False, private: bool = False
) -> None:
    """Write a frame to ``path``, whole or not at all; null is an empty cell.

    ``safe`` : whether texts that a spreadsheet would take for formulas are escaped, names of columns too
    """
    import polars as pl

    if safe:
        texts = pl.col(pl.String)
        frame = frame.with_columns(texts.map_elements(escaping.csv_safe, return_dtype=pl.String))
        frame = frame.rename({name: escaping.csv_safe(name) for name in frame.columns})
    with replacing(path, force=force, private=private) as temporary, temporary.open("wb") as file:
        frame.write_csv(file)


# ---- measures ----


def check_tidy(name: str, path: str | Path, *, force: bool = False) -> Path:
    """Refuse early a file of another suffix, or one that cannot be written.

    Raises
    ------
    ParameterError, OutputError
        The name ends neither in .csv nor in .parquet; as :func:`ratingpriv.base.files.check_writable`.
    """
    if not is_tidy(path):
        raise ParameterError(name, str(path), "a file name that ends in " + " or ".join(SUFFIXES))
    return check_writable(path, force=force)


def is_tidy(path: str | Path) -> bool:
    """Whether a file's name says that it is such a table."""
    return Path(path).suffix.lower() in SUFFIXES


def write_tidy(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    path: str | Path,
    *,
    force: bool = False,
    csv_safe: bool = True,
) -> None:
    """Write ``columns`` of ``rows`` to ``path``, whole or not at all; None, or no text, is an empty cell.

    ``csv_safe`` : whether texts that a spreadsheet would take for formulas are escaped in a .csv
    """
    from ratingpriv.studies.cells import tidy_frame

    frame = tidy_frame(rows, columns)
    if Path(path).suffix.lower() == ".csv":
        write_csv(frame, path, safe=csv_safe, force=force)
        return
    with replacing(path, force=force) as temporary:
        frame.write_parquet(temporary)


# ---- what an audit found about each record ----


def check_suffix(path: str | Path, *, folder: bool = False) -> Path:
    """Return ``path`` as a Path; ParameterError unless its suffix names a format that can be written.

    ``folder`` : it is to be a folder of parts, as Spark writes it.
    """
    path, suffixes = Path(path), (".parquet",) if folder else SUFFIXES
    if path.suffix.lower() not in suffixes:
        what = "folder" if folder else "file"
        raise ParameterError("per-record", str(path), f"a {what} name that ends in " + " or ".join(suffixes))
    return path


def write_per_record(
    result: AuditResult, path: str | Path, *, force: bool = False, csv_safe: bool = True
) -> None:
    """Write ``result.to_frame()`` to ``path`` (.csv or .parquet), for the user alone, whole or not at all.

    ``csv_safe`` : whether texts that a spreadsheet would take for formulas are escaped in a .csv
    (:func:`ratingpriv.base.escaping.csv_safe`).

    Raises
    ------
    ParameterError
        Another suffix.
    OutputError, ResourceError
        As :func:`ratingpriv.base.files.replacing`.
    """
    path = check_suffix(path)
    frame = result.to_frame()
    if path.suffix.lower() == ".csv":
        write_csv(frame, path, safe=csv_safe, force=force, private=True)
        return
    with replacing(path, force=force, private=True) as temporary:
        frame.write_parquet(temporary)


# ---- every question before and after ----

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
