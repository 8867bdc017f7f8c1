"""Rows of measures as a tidy table in a file, CSV or Parquet: the same bytes for the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import check_writable, replacing
from ratingpriv.report.markup.rows import write_csv
from ratingpriv.studies.experiment.tidy import tidy_frame

__all__ = ["check_tidy", "is_tidy", "write_tidy"]

_SUFFIXES = (".csv", ".parquet")


def check_tidy(name: str, path: str | Path, *, force: bool = False) -> Path:
    """Refuse early a file of another suffix, or one that cannot be written.

    Raises
    ------
    ParameterError, OutputError
        The name ends neither in .csv nor in .parquet; as :func:`ratingpriv.base.files.check_writable`.
    """
    if not is_tidy(path):
        raise ParameterError(name, str(path), "a file name that ends in " + " or ".join(_SUFFIXES))
    return check_writable(path, force=force)


def is_tidy(path: str | Path) -> bool:
    """Whether a file's name says that it is such a table."""
    return Path(path).suffix.lower() in _SUFFIXES


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
    frame = tidy_frame(rows, columns)
    if Path(path).suffix.lower() == ".csv":
        write_csv(frame, path, safe=csv_safe, force=force)
        return
    with replacing(path, force=force) as temporary:
        frame.write_parquet(temporary)
