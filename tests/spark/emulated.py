"""The steps of the Spark engine in this process: shuffles are sorts, tasks are loops, no Java.

``profile_of`` and ``long_batches`` or ``wide_batches`` make of a table what a session would find out and
read; ``neighbourhoods_by_steps`` runs every step and gives back what one machine's engine gives.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv import RatingTable
from ratingpriv.proximity.counts import SensitiveCounts
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import Neighbourhoods
from ratingpriv.spark.assembling import assemble_long, assemble_wide
from ratingpriv.spark.joining import join
from ratingpriv.spark.plan import (
    Comparison,
    Profile,
    QuasiValues,
    ValueCounts,
    assembled_schema,
    compare,
    long_schema,
    members_schema,
    queries_schema,
    results_schema,
    routed_schema,
    routing_schema,
    wide_schema,
)
from ratingpriv.spark.planning import Plan, fewest_rows, plan
from ratingpriv.spark.routing import homes, route

__all__ = [
    "Found",
    "assembled",
    "cut",
    "long_batches",
    "members_and_queries",
    "neighbourhoods_by_steps",
    "profile_of",
    "steps",
    "wide_batches",
]

Hashing = Callable[[bytes], int]


@dataclass(frozen=True, slots=True)
class Found:
    """What the steps found: by record as one machine's engine has it, and the rows of the last step.

    ``batches`` : as :func:`ratingpriv.spark.plan.results_schema` says, as they came
    """

    neighbourhoods: Neighbourhoods
    comparison: Comparison
    batches: tuple[pa.RecordBatch, ...]


def profile_of(table: RatingTable) -> Profile:
    """What a pass over the data of ``table`` finds out."""
    sensitive = []
    for column in table.sensitive:
        values, counts = np.unique(column.values[column.present], return_counts=True)
        sensitive.append(ValueCounts(column.name, values, counts, column.labels))
    return Profile(
        issues=table.issues,
        levels=table.levels,
        scale=table.scale,
        records=table.n_records,
        ratings=table.n_ratings,
        sensitive=tuple(sensitive),
        quasi=tuple(
            QuasiValues(
                column.name,
                column.values.to_numpy()
                if column.values.dtype.is_float()
                else tuple(column.values.to_list()),
                column.within,
            )
            for column in table.quasi
        ),
    )


def _columns(table: RatingTable) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """(value, known) of every column, in the order of Comparison.columns."""
    columns = []
    record = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
    for issue in range(table.n_issues):
        here = table.indices == issue
        value, known = np.zeros(table.n_records), np.zeros(table.n_records, dtype=bool)
        value[record[here]], known[record[here]] = table.values[here], True
        columns.append((value, known))
    for moving in (False, True):
        for quasi in table.quasi:
            if (quasi.within is not None) == moving:
                values = (
                    quasi.values.to_numpy() if quasi.values.dtype.is_float() else np.arange(len(quasi.values))
                )
                known = quasi.codes >= 0
                value = np.zeros(table.n_records)
                value[known] = values[quasi.codes[known]]
                columns.append((value, known))
    columns += [(column.values, column.present) for column in table.sensitive]
    return columns


def cut(batch: pa.RecordBatch, size: int) -> Iterator[pa.RecordBatch]:
    """Batches of ``size`` rows, an empty one at times."""
    for number, first in enumerate(range(0, batch.num_rows, size)):
        if number % 3 == 1:
            yield batch.slice(0, 0)
        yield batch.slice(first, size)


def long_batches(table: RatingTable, size: int = 1000) -> Iterator[pa.RecordBatch]:
    """The ratings, sorted by record and issue; a record is called by its position, with eight digits."""
    record, issue, rating = (
        [np.arange(table.n_records)],
        [np.full(table.n_records, -1)],
        [np.zeros(table.n_records)],
    )
    for number, (value, known) in enumerate(_columns(table)):
        at = np.flatnonzero(known)
        record.append(at)
        issue.append(np.full(len(at), number))
        rating.append(value[at])
    records, issues, ratings = map(np.concatenate, (record, issue, rating))
    order = np.lexsort((issues, records))
    ids = [f"{one:08}" for one in records[order].tolist()]
    return cut(
        pa.record_batch(
            [
                pa.array(ids),
                pa.array(issues[order].astype(np.int32), mask=issues[order] < 0),
                pa.array(ratings[order], mask=issues[order] < 0),
            ],
            schema=long_schema(),
        ),
        size,
    )


def wide_batches(table: RatingTable, comparison: Comparison, size: int = 1000) -> Iterator[pa.RecordBatch]:
    """The records, as rows."""
    columns = [pa.array(value, mask=~known) for value, known in _columns(table)]
    ids = pa.array([f"{one:08}" for one in range(table.n_records)])
    return cut(pa.record_batch([ids, *columns], schema=wide_schema(comparison)), size)


def assembled(table: RatingTable, comparison: Comparison, *, long: bool = True, size: int = 1000) -> pa.Table:
    """The records as the assembling step leaves them."""
    batches = (
        assemble_long(long_batches(table, size), comparison)
        if long
        else assemble_wide(wide_batches(table, comparison, size), comparison)
    )
    return pa.Table.from_batches(batches, assembled_schema(comparison))


def members_and_queries(records: pa.Table, comparison: Comparison) -> tuple[pa.Table, pa.Table]:
    """Records grouped by everything, and by what is compared; what Spark does by groupBy."""
    sensitive = [f"s{j}" for j in range(len(comparison.sensitive))]
    one = records.append_column("weight", pa.array(np.ones(records.num_rows, dtype=np.int64)))
    found = []
    for names, schema in (
        (["key", "codes", *sensitive], members_schema(comparison)),
        (["key", "codes"], queries_schema()),
    ):
        grouped = one.group_by(names).aggregate([("weight", "sum")]).rename_columns([*names, "weight"])
        found.append(grouped.select(schema.names).cast(schema))
    return found[0], found[1]


def _routed(members: pa.Table, queries: pa.Table, comparison: Comparison, hashing: Hashing) -> pa.Table:
    """Queries and members as routing takes them."""
    schema = routing_schema(comparison)
    parts = []
    for role, part in ((0, queries), (1, members)):
        columns: dict[str, Any] = {name: part.column(name) for name in part.column_names}
        columns["hash"] = pa.array([hashing(key) for key in part.column("key").to_pylist()], type=pa.int64())
        columns["role"] = pa.array(np.full(part.num_rows, role), type=pa.int32())
        for field in schema:
            columns.setdefault(field.name, pa.nulls(part.num_rows, field.type))
        parts.append(pa.table([columns[name] for name in schema.names], schema=schema))
    return pa.concat_tables(parts)


def _planned(
    todo: pa.Table, comparison: Comparison, budget: int, share: float, size: int, counted: bool
) -> Plan:
    """What the driver does between grouping and routing."""
    role, hashes = todo.column("role").to_numpy(), todo.column("hash").to_numpy()
    sizes = {
        name: (int(np.sum(role[hashes == name] == 0)), int(np.sum(role[hashes == name] == 1)))
        for name in np.unique(hashes).tolist()
    }
    fewest = fewest_rows(comparison, budget)
    sizes = {name: both for name, both in sizes.items() if both[0] >= fewest}
    drawn = (role == 1) & (np.random.default_rng(0).random(len(role)) < share) & np.isin(hashes, list(sizes))
    found = plan(comparison, sizes, todo.filter(pa.array(drawn)), budget)
    if counted:
        queries: dict[int, int] = {}
        asked = todo.filter(pa.array(role == 0)).combine_chunks()
        for batch in homes(cut(asked.to_batches()[0], size), comparison, found):
            for cell, count in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                queries[cell] = queries.get(cell, 0) + count
        found = pickle.loads(pickle.dumps(found.counted(queries)))  # noqa: S301 -- its own
    return found


def _hash(key: bytes) -> int:
    return int.from_bytes(key[-6:], "little") * 40503 % 1009 - 500


def steps(
    records: pa.Table,
    comparison: Comparison,
    *,
    hashing: Hashing = _hash,
    planned: int | None = None,
    share: float = 1.0,
    counted: bool = True,
    size: int = 1000,
    budget: int = 1 << 26,
    tasks: int = 3,
    rng: np.random.Generator | None = None,
) -> list[pa.RecordBatch]:
    """Group, route, shuffle and join assembled records.

    Parameters
    ----------
    hashing : what routes keys; collisions are allowed
    planned : the budget that cells are planned for; None: one cell a hash
    share : of the members, that are sampled to plan; counted : whether cells are counted before routing
    size : rows of a batch; tasks : over how many the cells are spread; budget : bytes of one
    rng : rows of equal (hash, cell, role) come in a random order; None: as they are
    """
    members, queries = members_and_queries(records, comparison)
    todo = _routed(members, queries, comparison, hashing)
    found_plan = Plan()
    if planned is not None:
        found_plan = _planned(todo, comparison, planned, share, size, counted)
    batches = route(cut(todo.combine_chunks().to_batches()[0], size), comparison, found_plan)
    routed = pa.Table.from_batches(batches, routed_schema(comparison))
    if rng is not None:
        routed = routed.take(pa.array(rng.permutation(routed.num_rows)))
    routed = routed.sort_by([(name, "ascending") for name in ("hash", "cell", "role")])
    task = (routed.column("hash").to_numpy() * 7 + routed.column("cell").to_numpy()) % tasks
    found: list[pa.RecordBatch] = []
    for number in range(tasks):
        part = routed.filter(pa.array(task == number)).combine_chunks()
        if part.num_rows:
            found += join(cut(part.to_batches()[0], size), comparison, budget)
    return found


def neighbourhoods_by_steps(
    table: RatingTable,
    epsilon: float,
    *,
    nulls: str = "strict",
    entropy: Fraction | None = None,
    long: bool = True,
    size: int = 1000,
    **options: Any,
) -> Found:
    """Every record's neighbourhood, by all steps; ``options`` are those of :func:`steps`."""
    comparison = compare(profile_of(table), epsilon, nulls, entropy)
    records = assembled(table, comparison, long=long, size=size)
    batches = steps(records, comparison, size=size, **options)
    return Found(_by_record(table, records, comparison, batches, epsilon), comparison, tuple(batches))


def _by_record(
    table: RatingTable,
    records: pa.Table,
    comparison: Comparison,
    batches: list[pa.RecordBatch],
    epsilon: float,
) -> Neighbourhoods:
    """Each record's row of the results: a join on (key, codes)."""
    results = pa.Table.from_batches(batches, results_schema(comparison))
    place = {
        pair: at
        for at, pair in enumerate(
            zip(*(results.column(c).to_pylist() for c in ("key", "codes")), strict=True)
        )
    }
    assert len(place) == results.num_rows, "a query was answered twice"
    by_id = dict(
        zip(
            map(int, records.column("record").to_pylist()),
            zip(*(records.column(c).to_pylist() for c in ("key", "codes")), strict=True),
            strict=True,
        )
    )
    assert sorted(by_id) == list(range(table.n_records))
    at = np.array([place[by_id[record]] for record in range(table.n_records)], dtype=np.int64)
    assert np.bincount(at, minlength=len(place)).tolist() == results.column("weight").to_pylist()

    def column(name: str) -> NDArray[Any]:
        return np.asarray(results.column(name).to_numpy())[at]

    moments, counts = [], []
    for j, one in enumerate(comparison.sensitive):
        known = column(f"known{j}")
        moments.append(
            SensitiveMoments(
                one.name, known, column(f"sums{j}"), column(f"squares{j}"), one.shift, one.decimals
            )
        )
        entropies = results.column(f"entropy{j}").to_numpy()
        some = results.column(f"known{j}").to_numpy() > 0
        bound = entropies[some].min(initial=np.inf) + 1e-9
        least = {
            tuple(key)
            for key, value in zip(results.column(f"least{j}").to_pylist(), entropies.tolist(), strict=True)
            if key is not None and value <= bound
        }
        reaches = None if comparison.entropy is None else column(f"reaches{j}")
        counts.append(
            SensitiveCounts(
                one.name,
                known,
                column(f"largest{j}"),
                column(f"distinct{j}"),
                column(f"entropy{j}"),
                tuple(sorted(least)),
                reaches,
            )
        )
    return Neighbourhoods(epsilon, "strict", "slicing", column("size"), tuple(moments), tuple(counts))
