"""Hamming groups as tables: the records that rate the same issues, one group after the other.

Under ``strict``, with ε below the scale's maximum, records of different groups are never ε-proximate, nor are
records that differ on a quasi-identifier that has to be equal. So what a method does to a group alone, on one
machine, changes nobody's neighbours elsewhere, and the groups' releases together are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.comparison.levels import null_separates
from ratingpriv.errors import ParameterError
from ratingpriv.spark.groups.runs import whole_runs
from ratingpriv.spark.plan import Comparison, Profile, SensitiveValues, compare
from ratingpriv.spark.rows import decode
from ratingpriv.spark.session.refusals import refusal
from ratingpriv.table import Origin, QuasiColumn, RatingTable, Scale, SensitiveColumn
from ratingpriv.table.building.coding import smallest_code_type

__all__ = ["Grouped", "Grouping", "grouping_of", "groups_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """By what records are put into groups, and read from them.

    Attributes
    ----------
    comparison : makes keys and codes; the key says nothing but which issues a record rates, and its
        quasi-identifiers that have to be equal
    scale : the Scale of all data
    whole_ids : whether ids are whole numbers: records of a group are in their order
    most : a group of more records is refused
    """

    comparison: Comparison
    scale: Scale | None
    whole_ids: bool
    most: int


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """A group: its ``key``, and its records as a table of the issues that they rate, at ``places``."""

    key: bytes
    table: RatingTable
    places: NDArray[np.int64]


def grouping_of(profile: Profile, epsilon: float, *, whole_ids: bool, most: int, nulls: str) -> Grouping:
    """Return by what records are grouped.

    Raises
    ------
    ParameterError
        As :func:`ratingpriv.spark.plan.compare`; or a null separates no more, so that groups are not apart.
    """
    comparison = compare(profile, epsilon, nulls)
    if not null_separates(profile.scale, epsilon, nulls):
        maximum = 0.0 if profile.scale is None else profile.scale.maximum
        raise ParameterError(
            "epsilon", epsilon, f"an ε below {maximum:g}, the scale's maximum",
            "from there on records that rate other issues can be proximate, and no group can be looked at "
            "alone: use one machine, or choose another ε",
        )  # fmt: skip
    levels = len(profile.levels)
    sizes = [len(one.values) for one in comparison.moving_quasi]
    first = levels + np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))
    every = np.arange(int(first[-1]))
    made = replace(
        comparison, lo=every, hi=every, code_type=smallest_code_type(len(every)).name, by_support=True,
        rated=True, identical=False, complete=False, first_code=first[:-1],
        null_code=np.full(len(sizes), -1),
    )  # fmt: skip
    return Grouping(made, profile.scale, whole_ids, most)


def groups_of(batches: Iterable[Any], grouping: Grouping, rows: int = 1 << 16) -> Iterator[Grouped]:
    """Read groups.

    Parameters
    ----------
    batches : as :func:`ratingpriv.spark.plan.assembled_schema` says, whole groups, one after the other
    rows : so many records are decoded together, or a group of more

    Raises
    ------
    ParameterError
        A group has more records than ``grouping.most``.
    """
    for table in whole_runs(batches, "key", rows):
        batch = table.combine_chunks().to_batches()[0]
        encoded = batch.column("key").dictionary_encode()
        number = encoded.indices.to_numpy().astype(np.int64)
        bounds = np.concatenate((np.flatnonzero(np.diff(number)) + 1, [len(number)]))
        first = 0
        for last in bounds.tolist():
            if last - first > grouping.most:
                raise refusal(
                    "the data", f"a group of {last - first:,} records", f"at most {grouping.most:,}",
                    "keep the data as they are while they are read",
                )  # fmt: skip
            yield _group(batch.slice(first, last - first), grouping)
            first = last


def _group(batch: Any, grouping: Grouping) -> Grouped:
    comparison = grouping.comparison
    ids = pl.Series("record", batch.column("record"))
    if grouping.whole_ids:
        ids = ids.cast(pl.Int64)
    order = ids.arg_sort().to_numpy().astype(np.int64)
    batch, ids = batch.take(pa.array(order)), ids.gather(order)
    found = decode(comparison, batch.column("key"), batch.column("codes"))
    n, p = batch.num_rows, len(comparison.issues)
    width = len(found.places) // n
    places, codes = found.places[:width], found.codes.reshape(n, width)
    rated = int(np.searchsorted(places, p))
    quasi: list[QuasiColumn] = []
    for number in (places[rated:] - p).tolist():
        column = comparison.moving_quasi[number]
        mine = codes.T[rated + len(quasi)] - comparison.first_code[number]
        values = pl.Series(np.asarray(column.values, dtype=np.float64))
        quasi.append(QuasiColumn(column.name, mine.astype(np.int32), values, column.within, column.recoded))
    table = RatingTable(
        record_ids=ids,
        issues=tuple(comparison.issues[place] for place in places[:rated].tolist()),
        indptr=np.arange(n + 1, dtype=np.int64) * rated,
        indices=np.tile(np.arange(rated, dtype=np.int32), n),
        codes=codes[:, :rated].ravel().astype(smallest_code_type(len(comparison.levels))),
        levels=comparison.levels.copy(),
        scale=grouping.scale,
        sensitive=tuple(
            _sensitive(column, batch.column(f"s{j}")) for j, column in enumerate(comparison.sensitive)
        ),
        quasi=tuple(quasi),
        origin=Origin("group"),
    )
    return Grouped(batch.column("key")[0].as_py(), table, places[:rated])


def _sensitive(column: SensitiveValues, codes: Any) -> SensitiveColumn:
    present = np.asarray(codes.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    place = codes.fill_null(0).to_numpy().astype(np.int64)
    values = np.zeros(len(place))
    values[present] = column.values[place[present]]
    return SensitiveColumn(column.name, values, present, column.labels)
