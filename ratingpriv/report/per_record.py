"""What the audit found about each record, as a table for a file."""

from __future__ import annotations

from pathlib import Path

from ratingpriv.audit.result import AuditResult
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import replacing
from ratingpriv.report.markup.rows import write_csv

__all__ = ["SUFFIXES", "check_suffix", "write_per_record"]

SUFFIXES = (".csv", ".parquet")
"""The formats that can be written, by the file name's suffix."""


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
