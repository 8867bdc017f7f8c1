"""From the results of joins to aggregates, the worst records and rows by record: Arrow in, Arrow out.

A result row is one query: ``weight`` equal records (1, where there is no such column) and what was found of
their neighbourhood: ``size``, and of the sensitive issue j ``known{j}``, ``sums{j}``, ``squares{j}``,
``largest{j}``, ``distinct{j}``, ``entropy{j}``, ``reaches{j}`` and ``least{j}``. Rows by record have
``record``, too. Other columns do not matter. Nothing here holds more than one batch, and the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.audit.aggregates import Aggregates
from ratingpriv.audit.judging import Judged
from ratingpriv.audit.result import AuditParameters
from ratingpriv.audit.worst import WorstRecords
from ratingpriv.errors import ParameterError
from ratingpriv.proximity.counts import SensitiveCounts
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import Neighbourhoods

__all__ = ["SUMMED", "Concluding", "SensitiveNumbers", "merged_aggregates", "merged_worst"]

SUMMED = pa.schema([("summed", pa.binary())])
"""What a task sums its rows up to: one row of JSON."""


@dataclass(frozen=True, slots=True)
class SensitiveNumbers:
    """How the sums of a sensitive issue are to be read.

    Attributes
    ----------
    name : the issue
    nominal : whether its values are words
    shift, decimals : value = (number + shift) / 10**decimals, as in
        :class:`ratingpriv.proximity.moments.SensitiveMoments`
    """

    name: str
    nominal: bool = False
    shift: float = 0
    decimals: int = 0


@dataclass(frozen=True, slots=True)
class Concluding:
    """Sums up result rows; can be pickled, so that tasks can have it.

    Attributes
    ----------
    parameters : what the neighbourhoods are held to
    sensitive : the sensitive issues, in the order of the columns' numbers
    """

    parameters: AuditParameters
    sensitive: tuple[SensitiveNumbers, ...] = ()

    def neighbourhoods(self, batch: pa.RecordBatch) -> Neighbourhoods:
        """Return the rows of a batch as neighbourhoods.

        Raises
        ------
        ParameterError
            A number is missing.
        """
        parameters = self.parameters
        return Neighbourhoods(
            epsilon=parameters.epsilon,
            nulls=parameters.nulls,
            engine=parameters.engine,
            sizes=_whole(batch, "size"),
            moments=tuple(_moments(batch, j, one) for j, one in enumerate(self.sensitive)),
            counts=tuple(
                _counts(batch, j, one.name, decided=parameters.entropy is not None)
                for j, one in enumerate(self.sensitive)
            ),
        )

    def judged(self, batch: pa.RecordBatch) -> Judged:
        """Return the rows of a batch held to the parameters."""
        nominal = [one.name for one in self.sensitive if one.nominal]
        return Judged.of(self.neighbourhoods(batch), self.parameters, nominal)

    def aggregate(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the aggregates of all rows as one row of :data:`SUMMED`; nothing where there is no row."""

        def of(batch: pa.RecordBatch) -> Aggregates:
            weighted = "weight" in batch.schema.names
            return Aggregates.of(self.judged(batch), _whole(batch, "weight") if weighted else None)

        return _summed(of, batches)

    def worst(self, batches: Iterable[pa.RecordBatch], limit: int) -> Iterator[pa.RecordBatch]:
        """Yield the worst of all rows, which are by record, as one row of :data:`SUMMED`.

        ``limit`` : how many violators at most. Nothing is yielded where there is no row.
        """

        def of(batch: pa.RecordBatch) -> WorstRecords:
            ids = _column(batch, "record").cast(pa.string()).to_pylist()
            return WorstRecords.of(self.judged(batch), ids, limit)

        return _summed(of, batches)

    def by_record(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what is said of each record: rows of :attr:`record_schema` from rows by record."""
        rule, schema = self.parameters.sensitive_nulls, self.record_schema
        for batch in batches:
            judged = self.judged(batch)
            found = judged.found
            moments = {one.name: one for one in found.moments}
            columns: list[Any] = [batch.column("record").cast(pa.string()), found.sizes, judged.satisfied]
            for counts in found.counts:
                unknown = counts.known == 0
                if counts.name in moments:
                    columns.append(pa.array(moments[counts.name].sd(found.sizes, rule), mask=unknown))
                columns += [
                    pa.array(values, mask=unknown)
                    for values in (counts.share(), counts.distinct, counts.entropy)
                ]
            yield pa.record_batch([pa.array(one) for one in columns], schema=schema)

    @property
    def record_schema(self) -> pa.Schema:
        """The columns of ``AuditResult.to_frame()``, with ids as text."""
        fields = [("record", pa.string()), ("size", pa.int64()), ("satisfied", pa.bool_())]
        for one in self.sensitive:
            if not one.nominal and self.parameters.sensitive_kind != "nominal":
                fields.append((f"sd:{one.name}", pa.float64()))
            fields += [
                (f"share:{one.name}", pa.float64()),
                (f"distinct:{one.name}", pa.int64()),
                (f"entropy:{one.name}", pa.float64()),
            ]
        return pa.schema(fields)


def merged_aggregates(rows: Iterable[bytes]) -> Aggregates:
    """Return the aggregates of all tasks, in any order; ValueError where there is none."""
    return _merged(map(Aggregates.from_json, rows))


def merged_worst(rows: Iterable[bytes]) -> WorstRecords:
    """Return the worst records of all tasks, in any order; ValueError where there is none."""
    return _merged(map(WorstRecords.from_json, rows))


def _merged[T: (Aggregates, WorstRecords)](parts: Iterable[T]) -> T:
    """Merge about equally many at a time, so that no histogram is copied often."""
    waiting: list[tuple[int, T]] = []
    for one in parts:
        number = 1
        while waiting and waiting[-1][0] <= number:
            others, other = waiting.pop()
            number, one = number + others, other.merge(one)
        waiting.append((number, one))
    if not waiting:
        raise ValueError("no task had a row to sum up")
    whole = waiting.pop()[1]
    while waiting:
        whole = waiting.pop()[1].merge(whole)
    return whole


def _summed[T: (Aggregates, WorstRecords)](
    of: Callable[[pa.RecordBatch], T], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    whole: T | None = None
    for batch in batches:
        if batch.num_rows:
            part = of(batch)
            whole = part if whole is None else whole.merge(part)
    if whole is not None:
        yield pa.record_batch([pa.array([whole.to_json().encode()], pa.binary())], schema=SUMMED)


def _column(batch: pa.RecordBatch, name: str) -> pa.Array:
    """Return a column that has no null."""
    column = batch.column(name)
    if column.null_count:
        raise ParameterError(name, "a result without it", "every number of every result")
    return column


def _numbers(batch: pa.RecordBatch, name: str) -> NDArray[Any]:
    return np.asarray(_column(batch, name).to_numpy(zero_copy_only=False))


def _whole(batch: pa.RecordBatch, name: str) -> NDArray[np.int64]:
    return _numbers(batch, name).astype(np.int64, copy=False)


def _moments(batch: pa.RecordBatch, j: int, issue: SensitiveNumbers) -> SensitiveMoments:
    known = _whole(batch, f"known{j}")
    sums, squares = _numbers(batch, f"sums{j}"), _numbers(batch, f"squares{j}")
    return SensitiveMoments(issue.name, known, sums, squares, issue.shift, issue.decimals)


def _counts(batch: pa.RecordBatch, j: int, name: str, *, decided: bool) -> SensitiveCounts:
    least = batch.column(f"least{j}")
    return SensitiveCounts(
        name=name,
        known=_whole(batch, f"known{j}"),
        largest=_whole(batch, f"largest{j}"),
        distinct=_whole(batch, f"distinct{j}"),
        entropy=_numbers(batch, f"entropy{j}"),
        least=tuple(sorted({tuple(one) for one in least.filter(least.is_valid()).to_pylist()})),
        reaches=_numbers(batch, f"reaches{j}") if decided else None,
    )
