"""From what neighbourhoods add up to, to verdicts on them and the sums of these: Arrow in,
Arrow out.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.audit.judging import Aggregates, IssueAggregates, Judged
from ratingpriv.audit.parameters import AuditParameters
from ratingpriv.base.errors import ResourceError
from ratingpriv.base.tally import Histogram
from ratingpriv.proximity.counts import CountsBuilder
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import Neighbourhoods
from ratingpriv.spark.comparison import Comparison
from ratingpriv.spark.joining import starts, whole_runs

WEIGHT = -1
"""The place of a row that says of how many records a query is."""

_TOGETHER = 64 << 20  # bytes of rows, about, that are concluded from at a time


@dataclass(frozen=True, slots=True)
class Concluding:
    """Holds neighbourhoods to ``parameters``; can be pickled, so that tasks can have it."""

    parameters: AuditParameters
    comparison: Comparison

    @property
    def schema(self) -> pa.Schema:
        """A row a query; ``summed`` of the last row of a task, which has nothing else,
        are its aggregates.
        """
        fields = [("query", pa.int64()), ("size", pa.int64()), ("satisfied", pa.bool_())]
        for j in range(len(self.comparison.sensitive)):
            kinds = {
                "sd": "f8",
                "share": "f8",
                "distinct": "i8",
                "entropy": "f8",
                "largest": "i8",
                "known": "i8",
            }
            fields += [(f"{name}{j}", pa.from_numpy_dtype(kind)) for name, kind in kinds.items()]
        return pa.schema([*fields, ("weight", pa.int64()), ("summed", pa.binary())])

    def conclude(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of :attr:`schema`; ResourceError where a query has no weight,
        or not itself.

        ``batches`` are :data:`ratingpriv.spark.joining.FOUND`, all of a query one behind the other,
        ascending by place; :data:`WEIGHT` among them.
        """
        parts: list[Aggregates] = []
        for table in whole_runs(batches, ("query",), _TOGETHER):
            query, weight, neighbourhoods = self._neighbourhoods(table)
            nominal = [value.name for value in self.comparison.sensitive if value.nominal]
            judged = Judged.of(neighbourhoods, self.parameters, nominal)
            parts = [merged([*parts, Aggregates.of(judged, weight)])]
            columns: list[Any] = [query, neighbourhoods.sizes, judged.satisfied]
            moments = {column.name: column for column in judged.neighbourhoods.moments}
            for counts in judged.neighbourhoods.counts:
                unknown = counts.known == 0
                sd = np.zeros(len(query))
                if counts.name in moments:
                    sd = moments[counts.name].sd(
                        neighbourhoods.sizes, self.parameters.sensitive_nulls
                    )
                columns.append(pa.array(sd, mask=unknown | (counts.name not in moments)))
                values_known = (counts.share(), counts.distinct, counts.entropy)
                columns += [pa.array(values, mask=unknown) for values in values_known]
                columns += [counts.largest, counts.known]
            columns += [weight, pa.nulls(len(query), pa.binary())]
            yield pa.record_batch([pa.array(column) for column in columns], schema=self.schema)
        if parts:
            summed = {"summed": pa.array([pickle.dumps(parts[0])], pa.binary())}
            last = [summed.get(field.name, pa.nulls(1, field.type)) for field in self.schema]
            yield pa.record_batch(last, schema=self.schema)

    def _neighbourhoods(
        self, table: pa.Table
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Neighbourhoods]:
        """Return the queries of a table, of how many records each is, and their neighbourhoods."""
        first = np.flatnonzero(starts(table, ("query", "place")))
        query, value = (table.column(name).to_numpy()[first] for name in ("query", "place"))
        count = np.add.reduceat(table.column("count").to_numpy(), first)
        queries, row = np.unique(query, return_inverse=True)
        weight, sizes = (count[value == number] for number in (WEIGHT, 0))
        n = len(queries)
        if len(weight) != n or len(sizes) != n or np.any(sizes < weight):
            raise ResourceError("found neighbourhoods without the record itself: rows were lost")
        moments, counts = [], []
        # ascending in each neighbourhood, as on one machine
        for issue in self.comparison.sensitive:
            here = (value >= issue.first) & (value < issue.last)
            rows_here, times, code = row[here], count[here], value[here] - issue.first
            number = issue.numbers[code]
            decided = self.comparison.asked
            everything = issue.whole if decided.distances else None
            builder = CountsBuilder(issue.name, n, int(sizes.max()), decided, everything)
            builder.add_sparse(np.arange(n), rows_here, code, times)
            counts.append(builder.result(np.arange(n)))
            sums, squares = (
                _sums(rows_here, times * power, n) for power in (number, number * number)
            )
            n_known = counts[-1].known
            moments.append(
                SensitiveMoments(issue.name, n_known, sums, squares, issue.shift, issue.decimals)
            )
        parameters = self.parameters
        of = (parameters.epsilon, parameters.nulls, parameters.engine, sizes, tuple(moments))
        return queries, weight, Neighbourhoods(*of, counts=tuple(counts))


def merged(parts: Sequence[Aggregates]) -> Aggregates:
    """Return the aggregates of the records of all parts; each is of one record or more."""
    first = parts[0]
    return replace(
        first,
        sizes=Histogram.of(
            np.concatenate([part.sizes.sizes for part in parts]),
            np.concatenate([part.sizes.times for part in parts]),
        ),
        violators=sum(part.violators for part in parts),
        by_rule={rule: sum(part.by_rule[rule] for part in parts) for rule in first.by_rule},
        differing=sum(part.differing for part in parts),
        demands={name: sum(part.demands[name] for part in parts) for name in first.demands},
        issues=tuple(
            functools.reduce(IssueAggregates.merge, issues)
            for issues in zip(*(part.issues for part in parts), strict=True)
        ),
    )


def _sums(row: NDArray[np.int64], numbers: NDArray[Any], rows: int) -> NDArray[Any]:
    """Add up the numbers of each row, ascending; floats one after another, in their order."""
    if numbers.dtype.kind == "f":
        return np.bincount(row, weights=numbers, minlength=rows)
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(numbers)))
    return np.diff(before[np.searchsorted(row, np.arange(rows + 1))])
