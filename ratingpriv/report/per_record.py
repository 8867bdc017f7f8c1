"""What the audit found about each record, as a table for a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from ratingpriv import escaping
from ratingpriv.audit.result import AuditResult
from ratingpriv.errors import ParameterError
from ratingpriv.exposure.result import Exposure
from ratingpriv.files import replacing

__all__ = ["SUFFIXES", "check_suffix", "per_record_frame", "write_per_record"]

SUFFIXES = (".csv", ".parquet")
"""The formats that can be written, by the file name's suffix."""


def check_suffix(path: str | Path) -> Path:
    """Return ``path`` as a Path; ParameterError unless its suffix names a format that can be written."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError("per-record", str(path), "a file name that ends in " + " or ".join(SUFFIXES))
    return path


def per_record_frame(result: AuditResult) -> pl.DataFrame:
    """Return one row a record, in the order of the data.

    Columns: ``record`` (ids as in the data), ``size`` (Int64, |N(t)|), ``satisfied`` (Boolean) and for each
    sensitive issue ``sd:<issue>`` (Float64; not where issues are nominal), ``share:<issue>`` (Float64, of the
    commonest value), ``distinct:<issue>`` (Int64) and ``entropy:<issue>`` (Float64, bits): null where nothing
    can be learnt. Where something was left out of the data, ``selection`` says in each row what the sizes are
    about.
    """
    columns = {
        "record": result.record_ids.rename("record"),
        "size": pl.Series("size", result.sizes, dtype=pl.Int64),
        "satisfied": pl.Series("satisfied", result.satisfied_by_record, dtype=pl.Boolean),
    }
    for name in result.dataset.sensitive:
        if name in result.numeric:
            values = result.sd(name)
            known = np.where(np.isfinite(values), values, np.nan)
            columns[f"sd:{name}"] = pl.Series(f"sd:{name}", known, dtype=pl.Float64, nan_to_null=True)
        for column in _inference(result, name):
            columns[column.name] = column
    if result.exposure is not None:
        columns |= {series.name: series for series in _exposed(result.exposure)}
    if result.dataset.selection is not None:
        columns["selection"] = pl.Series("selection", [str(result.dataset.selection)] * len(result.sizes))
    return pl.DataFrame(list(columns.values()))


def _inference(result: AuditResult, name: str) -> Iterator[pl.Series]:
    """Yield what each neighbourhood gives away of a sensitive issue; null where nothing is known."""
    counts = result.counts(name)
    known = pl.Series(counts.known > 0)
    yield pl.Series(f"share:{name}", counts.share(), dtype=pl.Float64, nan_to_null=True)
    for what, values in (("distinct", counts.distinct), ("entropy", counts.entropy)):
        yield pl.Series(f"{what}:{name}", values).set(~known, None)


def _exposed(exposure: Exposure) -> tuple[pl.Series, ...]:
    """Return what was found about each record; null for one that was not examined."""
    worst = exposure.worst_by_record
    expected = pl.Series("exposure_expected", exposure.expected_by_record, dtype=pl.Float64, nan_to_null=True)
    fewest = pl.Series("exposure_worst", worst, dtype=pl.Int64)
    proved = pl.Series("exposure_worst_exact", exposure.worst_exact_by_record, dtype=pl.Boolean)
    examined = pl.Series(worst > 0)
    return expected, *(
        pl.select(pl.when(examined).then(s).alias(s.name)).to_series() for s in (fewest, proved)
    )


def write_per_record(
    result: AuditResult, path: str | Path, *, force: bool = False, csv_safe: bool = True
) -> None:
    """Write :func:`per_record_frame` to ``path`` (.csv or .parquet), for the user alone, whole or not at all.

    ``csv_safe`` : whether texts that a spreadsheet would take for formulas are escaped in a .csv
    (:func:`ratingpriv.escaping.csv_safe`).

    Raises
    ------
    ParameterError
        Another suffix.
    OutputError, ResourceError
        As :func:`ratingpriv.files.replacing`.
    """
    path = check_suffix(path)
    frame = per_record_frame(result)
    with replacing(path, force=force, private=True) as temporary, temporary.open("wb") as file:
        if path.suffix.lower() == ".parquet":
            frame.write_parquet(file)
        else:
            (_without_formulas(frame) if csv_safe else frame).write_csv(file)


def _without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    texts = [
        column.map_elements(escaping.csv_safe, return_dtype=pl.String)
        for column in frame
        if column.dtype == pl.String
    ]
    return frame.with_columns(texts).rename(escaping.csv_safe)
