"""What an audit found about each record, as a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ratingpriv.exposure.result import Exposure

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditResult

__all__ = ["records_frame"]


def records_frame(result: AuditResult) -> pl.DataFrame:
    """Return one row a record, in the order of the data; see :meth:`ratingpriv.AuditResult.to_frame`."""
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
