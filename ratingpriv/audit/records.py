"""What an audit found about each record: arrays as long as the data, and a data frame of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.audit.exposure.result import Exposure
from ratingpriv.audit.judging import Judged, blocks
from ratingpriv.audit.worst import violator, worst_first
from ratingpriv.proximity.counts import SensitiveCounts

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditResult, Violator


@dataclass(frozen=True, slots=True, eq=False)
class AuditedRecords:
    """What is known of every record, where an engine has a list of them.

    Attributes
    ----------
    ids : polars Series (n,), as in the data
    judged : the records' neighbourhoods, and which of them meet what
    """

    ids: pl.Series
    judged: Judged
    _sd: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The size of each neighbourhood, int64 (n,)."""
        return self.judged.neighbourhoods.sizes

    @property
    def satisfied(self) -> NDArray[np.bool_]:
        """Whether each neighbourhood meets everything that was asked, bool (n,)."""
        return self.judged.satisfied

    def sd(self, name: str) -> NDArray[np.float64]:
        """Return the SD of an issue of numbers in each neighbourhood, float64 (n,); +inf: none is known."""
        if name not in self._sd:
            moments = next(one for one in self.judged.neighbourhoods.moments if one.name == name)
            deviations = np.empty(len(self.sizes), dtype=np.float64)
            for at in blocks(len(self.sizes)):
                deviations[at] = moments.part(at).sd(self.sizes[at], self.judged.parameters.sensitive_nulls)
            self._sd[name] = deviations
        return self._sd[name]

    def counts(self, name: str) -> SensitiveCounts:
        """Return how often the values of an issue occur in each neighbourhood, summed up."""
        return next(one for one in self.judged.neighbourhoods.counts if one.name == name)

    def violators(self, show: int | None) -> tuple[Violator, ...]:
        """Return the records that break the verdict, worst first, ``show`` at most; None: all."""
        return tuple(
            violator(self.judged, position, str(self.ids[position]))
            for position in worst_first(self.judged, show).tolist()
        )

    def first_with(self, name: str, largest: int, known: int) -> int | None:
        """Return the first record in whose neighbourhood ``largest`` of ``known`` values are the same."""
        if known == 0:
            return None
        counts = self.counts(name)
        for at in blocks(len(self.sizes)):
            found = np.flatnonzero((counts.largest[at] == largest) & (counts.known[at] == known))
            if len(found):
                return int(at.start + found[0])
        raise ValueError("the records are not those that were summed up")

    def frame(self, result: AuditResult) -> pl.DataFrame:
        """Return one row a record, in the order of the data; see :meth:`ratingpriv.AuditResult.to_frame`."""
        columns = {
            "record": self.ids.rename("record"),
            "size": pl.Series("size", self.sizes, dtype=pl.Int64),
            "satisfied": pl.Series("satisfied", self.satisfied, dtype=pl.Boolean),
        }
        for name in result.dataset.sensitive:
            if name in result.numeric:
                values = self.sd(name)
                known = np.where(np.isfinite(values), values, np.nan)
                columns[f"sd:{name}"] = pl.Series(f"sd:{name}", known, dtype=pl.Float64, nan_to_null=True)
            for column in _inference(self.counts(name)):
                columns[column.name] = column
        if result.exposure is not None:
            columns |= {series.name: series for series in _exposed(result.exposure)}
        if result.known is not None:
            columns |= {s.name: s for s in result.known.to_frame().drop("position")}
        if result.dataset.selection is not None:
            selection = [str(result.dataset.selection)] * len(self.sizes)
            columns["selection"] = pl.Series("selection", selection)
        return pl.DataFrame(list(columns.values()))


def _inference(counts: SensitiveCounts) -> Iterator[pl.Series]:
    """Yield what each neighbourhood gives away of a sensitive issue; null where nothing is known."""
    known = pl.Series(counts.known > 0)
    yield pl.Series(f"share:{counts.name}", counts.share(), dtype=pl.Float64, nan_to_null=True)
    for what, values in (("distinct", counts.distinct), ("entropy", counts.entropy)):
        yield pl.Series(f"{what}:{counts.name}", values).set(~known, None)


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
