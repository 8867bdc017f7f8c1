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


def write_frame(
    frame: pl.DataFrame,
    path: str | Path,
    *,
    csv_safe: bool = True,
    force: bool = False,
    private: bool = False,
) -> None:
    """Write a frame to ``path``, .csv or .parquet, whole or not at all; null is an empty cell.

    ``csv_safe`` : whether texts that a spreadsheet would take for formulas are escaped in a .csv,
    names of columns too (:func:`ratingpriv.base.escaping.csv_safe`)
    """
    import polars as pl

    is_csv = Path(path).suffix.lower() == ".csv"
    if is_csv and csv_safe:
        texts = pl.col(pl.String)
        frame = frame.with_columns(texts.map_elements(escaping.csv_safe, return_dtype=pl.String))
        frame = frame.rename({name: escaping.csv_safe(name) for name in frame.columns})
    with replacing(path, force=force, private=private) as temporary, temporary.open("wb") as file:
        (frame.write_csv if is_csv else frame.write_parquet)(file)


def check_tidy(name: str, path: str | Path, *, force: bool = False) -> Path:
    """Refuse early a file of another suffix, or one that cannot be written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ParameterError(name, str(path), "a file name that ends in " + " or ".join(SUFFIXES))
    return check_writable(path, force=force)


def write_tidy(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    path: str | Path,
    *,
    force: bool = False,
    csv_safe: bool = True,
) -> None:
    """Write ``columns`` of ``rows`` as :func:`write_frame` does; None, or no text,
    is an empty cell.
    """
    from ratingpriv.studies.cells import tidy_frame

    write_frame(tidy_frame(rows, columns), path, csv_safe=csv_safe, force=force)


def check_suffix(path: str | Path | None, *, folder: bool = False) -> None:
    """Refuse another format for what an audit found about each record: ParameterError.

    ``folder`` : it is to be a folder of parts, as Spark writes it.
    """
    suffixes = (".parquet",) if folder else SUFFIXES
    if path is not None and Path(path).suffix.lower() not in suffixes:
        what = "folder" if folder else "file"
        raise ParameterError(
            "per-record", str(path), f"a {what} name that ends in " + " or ".join(suffixes)
        )


def write_per_record(
    result: AuditResult, path: str | Path, *, force: bool = False, csv_safe: bool = True
) -> None:
    """Write ``result.to_frame()`` as :func:`write_frame` does, for the user alone."""
    check_suffix(path)
    write_frame(result.to_frame(), Path(path), csv_safe=csv_safe, force=force, private=True)


# ---- every question before and after ----

_SIDES = ("before", "after")
_KEYS = ("ratings", "mean", "sd")


def write_questions(
    result: Utility, path: str | Path, *, force: bool = False, csv_safe: bool = True
) -> None:
    """Write a row a question: its name, ratings, mean, SD, the answers at each level,
    and what moved.

    Every column but ``question`` and ``moved`` is there twice, as ``..._before`` and ``..._after``.
    What there is none of is an empty cell. ``csv_safe`` is as for :func:`write_frame`.
    ParameterError where the questions were not measured.
    """
    details = result.measured["questions"].details if "questions" in result.measured else {}
    if "questions" not in details:
        raise ParameterError("questions", str(path), "items that were measured")
    levels = [f"{level:.15g}" for level in details["levels"] or ()]
    names = [*_KEYS, *(f"answers_{level}" for level in levels)]
    with (
        replacing(path, force=force) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["question", *(f"{name}_{side}" for name in names for side in _SIDES), "moved"]
        )
        for question in details["questions"]:
            name = question["name"]
            cells = [question[side][key] for key in _KEYS for side in _SIDES]
            counts = [question[side]["distribution"] or [None] * len(levels) for side in _SIDES]
            at_each = [count for both in zip(*counts, strict=True) for count in both]
            row = [
                escaping.csv_safe(name) if csv_safe else name,
                *cells,
                *at_each,
                question["moved"],
            ]
            writer.writerow(["" if cell is None else cell for cell in row])
