"""Joining cells, by rows made by hand: against plain loops, within a budget, and in any cutting."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from spark.emulated import cut

from ratingpriv.proximity.counts import entropy_at_least
from ratingpriv.spark import joining
from ratingpriv.spark.joining import join, row_bytes
from ratingpriv.spark.plan import Comparison, Profile, ValueCounts, compare, routed_schema
from ratingpriv.table import Scale

Row = tuple[int, int, int, bytes, tuple[int, ...], tuple[int | None, ...], int]
"""(hash, cell, role, key, codes, sensitive codes, weight)"""

MANY = np.sort(np.random.default_rng(5).random(90)) + 0.5  # no decimals: sums in float64


def comparison(*values: Any, records: int = 1000, width: int = 2) -> Comparison:
    """Ratings on 1..5 within 1, and sensitive issues of these values."""
    sensitive = [
        ValueCounts(
            f"s{j}", np.asarray(one, dtype=np.float64), np.full(len(one), max(1, records // len(one)))
        )
        for j, one in enumerate(values)
    ]
    issues = tuple(f"q{i}" for i in range(width))
    profile = Profile(
        issues, np.arange(1.0, 6), Scale(1, 5, True), records, records * width, tuple(sensitive)
    )
    return compare(profile, 1, entropy=Fraction(2))


def batch_of(rows: list[Row], by: Comparison) -> pa.RecordBatch:
    """Rows as they come to a task."""
    rows = sorted(rows, key=lambda row: row[:3])
    columns: list[Any] = [[row[at] for row in rows] for at in (0, 1, 2, 3)]
    columns.append([bytes(row[4]) for row in rows])
    columns += [[row[5][j] for row in rows] for j in range(len(by.sensitive))]
    columns.append([row[6] for row in rows])
    schema = routed_schema(by)
    arrays = [pa.array(column, type=one.type) for column, one in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema=schema)


def plainly(rows: list[Row], by: Comparison) -> Counter[tuple[Any, ...]]:
    """What each query finds, loop by loop: sums are exact fractions of the values."""
    found: Counter[tuple[Any, ...]] = Counter()
    for query in (row for row in rows if row[2] == 0):
        near = [
            row
            for row in rows
            if row[2] == 1
            and (row[0], row[1], row[3], len(row[4])) == (query[0], query[1], query[3], len(query[4]))
            and all(abs(a - b) <= 1 for a, b in zip(query[4], row[4], strict=True))
        ]
        answer: list[Any] = [query[3], bytes(query[4]), query[6], sum(row[6] for row in near)]
        for j in range(len(by.sensitive)):
            counts: Counter[int] = Counter()
            for row in near:
                code = row[5][j]
                if code is not None:
                    counts[code] += row[6]
            answer += [sum(counts.values()), max(counts.values(), default=0), len(counts)]
            answer.append(not counts or entropy_at_least(tuple(counts.values()), Fraction(2)))
            values = by.sensitive[j].values
            answer.append(f"{sum(count * float(values[code]) for code, count in counts.items()):.9g}")
        found[tuple(answer)] += 1
    return found


def answered(batches: list[pa.RecordBatch], by: Comparison) -> Counter[tuple[Any, ...]]:
    """The same of the step's results."""
    found: Counter[tuple[Any, ...]] = Counter()
    for batch in batches:
        for row in batch.to_pylist():
            answer = [row["key"], row["codes"], row["weight"], row["size"]]
            for j, column in enumerate(by.sensitive):
                answer += [row[f"{name}{j}"] for name in ("known", "largest", "distinct", "reaches")]
                total = (row[f"sums{j}"] + row[f"known{j}"] * column.shift) / 10**column.decimals
                answer.append(f"{total:.9g}")
            found[tuple(answer)] += 1
    return found


@st.composite
def cells(draw: st.DrawFn, sensitive: tuple[int, ...]) -> list[Row]:
    """Cells of a task: some without queries, some without members, hashes that collide."""
    rows: list[Row] = []
    for hash_, cell in draw(
        st.lists(st.tuples(st.integers(-1, 1), st.integers(0, 2)), max_size=5, unique=True)
    ):
        codes = st.tuples(st.integers(0, 4), st.integers(0, 4))
        keys = st.sampled_from([b"\x03", b"\x03\x00", b""])
        for key, own in draw(st.lists(st.tuples(keys, codes), max_size=6, unique=True)):
            rows.append((hash_, cell, 0, key, own, (None,) * len(sensitive), draw(st.integers(1, 3))))
        secret = st.tuples(*(st.one_of(st.none(), st.integers(0, n - 1)) for n in sensitive))
        weight = st.sampled_from([1, 1, 2, 10**9])
        for key, own, known, many in draw(st.lists(st.tuples(keys, codes, secret, weight), max_size=10)):
            rows.append((hash_, cell, 1, key, own, known, many))
    return rows


@settings(max_examples=12 * DEPTH, deadline=None)
@given(st.data(), st.sampled_from([1, 2000, 8000, 1 << 24]), st.sampled_from([1, 4, 5000]))
def test_every_cell_is_told_apart(data: st.DataObject, budget: int, size: int) -> None:
    by = comparison([1, 2, 4], MANY, records=10**10)
    rows = data.draw(cells((3, len(MANY))))
    found = list(join(cut(batch_of(rows, by), size), by, budget))
    assert answered(found, by) == plainly(rows, by)


def survey(rng: np.random.Generator, queries: int, members: int, secrets: tuple[int, ...]) -> list[Row]:
    """One cell: queries, and members of which some are near none of them."""
    own = {tuple(rng.integers(0, 5, 4).tolist()) for _ in range(queries)}
    rows: list[Row] = [(7, 2, 0, b"\x0f", codes, (None,) * len(secrets), 1) for codes in sorted(own)]
    for _ in range(members):
        known = tuple(None if rng.random() < 0.1 else int(rng.integers(n)) for n in secrets)
        rows.append((7, 2, 1, b"\x0f", tuple(rng.integers(0, 5, 4).tolist()), known, int(rng.integers(1, 4))))
    return rows


@pytest.mark.parametrize("budget", [15_000, 50_000, 1 << 26])
def test_no_budget_and_no_order_changes_a_result(budget: int) -> None:
    by = comparison([1, 2, 4], MANY, width=4)
    rng = np.random.default_rng(1)
    rows = survey(rng, 25, 60, (3, len(MANY)))
    whole = (
        pa.Table.from_batches(join([batch_of(rows, by)], by, 1 << 26))
        .sort_by("codes")
        .drop(["least0", "least1"])
    )
    rng.shuffle(rows)
    found = pa.Table.from_batches(join(cut(batch_of(rows, by), 11), by, budget)).sort_by("codes")
    assert found.drop(["least0", "least1"]).equals(whole), "to the last bit, sums in float64 too"
    assert answered(found.to_batches(), by) == plainly(rows, by)
    assert found.column("sums1").type == pa.float64()


def test_no_cell_leaks_into_the_next_whether_it_has_queries_or_not() -> None:
    by = comparison()
    halo: list[Row] = [(1, 1, 1, b"\x03", (2, 2), (), 5)] * 3
    rows: list[Row] = [*halo, (1, 3, 1, b"\x03", (2, 3), (), 9)]
    for cell, own in ((2, (2, 2)), (4, (1, 1))):  # one key in two cells, a copy of one member in each
        rows += [(1, cell, 0, b"\x03", own, (), 1), (1, cell, 1, b"\x03", (2, 2), (), 1)]
    for budget in (1, 3000, 1 << 24):
        for size in (1, 2, 100):
            batches = join(cut(batch_of(rows, by), size), by, budget)
            assert [row["size"] for one in batches for row in one.to_pylist()] == [1, 1]


def test_the_least_entropies_are_at_one_row_each() -> None:
    by = comparison([1, 2, 4])
    rows: list[Row] = []
    for at, counts in enumerate([(2, 2), (1, 1), (3, 3), (4, 1, 1), (1, 3)]):
        key = bytes([3, at])
        rows.append((at, 0, 0, key, (1, 1), (None,), 1))
        rows += [(at, 0, 1, key, (1, 1), (value,), count) for value, count in enumerate(counts)]
    found = [row for one in join([batch_of(rows, by)], by, 1 << 24) for row in one.to_pylist()]
    assert [row["least0"] for row in found if row["least0"]] == [[1, 3]]
    assert min(row["entropy0"] for row in found) == found[-1]["entropy0"]
    rows = [row for row in rows if row[0] < 3]
    found = [row for one in join([batch_of(rows, by)], by, 1 << 24) for row in one.to_pylist()]
    assert [row["least0"] for row in found if row["least0"]] == [[1, 1]]
    assert {row["entropy0"] for row in found} == {1.0}


@pytest.mark.parametrize(
    "rows",
    [
        [(1, 0, 1, b"\x03", (1, 1), (), 1), (1, 0, 0, b"\x03", (1, 1), (), 1)],
        [(2, 0, 0, b"\x03", (1, 1), (), 1), (1, 0, 0, b"\x03", (1, 1), (), 1)],
        [(1, 1, 0, b"\x03", (1, 1), (), 1), (1, 0, 1, b"\x03", (1, 1), (), 1)],
    ],
    ids=["role", "hash", "cell"],
)
def test_rows_that_are_not_sorted_are_refused(rows: list[Row]) -> None:
    by = comparison()
    batches = [batch_of([row], by) for row in rows]
    for given_ in (batches, [pa.Table.from_batches(batches).combine_chunks().to_batches()[0]]):
        with pytest.raises(ValueError, match="not sorted"):
            list(join(given_, by, 1 << 20))


def test_a_query_that_is_there_twice_is_refused() -> None:
    by = comparison()
    rows: list[Row] = [(1, 0, role, b"\x03", (1, 1), (), 1) for role in (0, 0, 1)]
    with pytest.raises(ValueError, match="twice"):
        list(join([batch_of(rows, by)], by, 1 << 20))


def test_weights_of_billions_are_counted_exactly() -> None:
    by = comparison([1, 2], records=3 * 10**15)
    rows: list[Row] = [
        (1, 0, 0, b"\x03", (1, 1), (None,), 10**15 + 1),
        (1, 0, 1, b"\x03", (1, 1), (0,), 10**15 + 1),
        (1, 0, 1, b"\x03", (1, 2), (1,), 10**15 + 3),
        (1, 0, 1, b"\x03", (1, 2), (None,), 1),
    ]
    (found,) = [row for one in join([batch_of(rows, by)], by, 1 << 20) for row in one.to_pylist()]
    assert (found["size"], found["known0"], found["largest0"]) == (2 * 10**15 + 5, 2 * 10**15 + 4, 10**15 + 3)
    assert found["sums0"] == 10**15 + 3
    assert not found["reaches0"]
    assert math.isclose(found["entropy0"], 1)


@pytest.mark.parametrize(
    ("queries", "members", "secrets"),
    [(100, 260, (3,)), (25, 345, (90,))],
    ids=["few values", "many values"],
)
def test_a_task_holds_no_more_than_its_budget(
    queries: int, members: int, secrets: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # what compiling takes is not of interest
    by = comparison(*([1, 2, 4] if n == 3 else MANY for n in secrets), width=4)
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 5, (members, 4)).astype(np.uint8)
    asked = np.unique(codes[:queries], axis=0)

    def stream() -> Any:
        for role, part in ((0, asked), (1, codes)):
            for first in range(0, len(part), 20):
                own = part[first : first + 20]
                rows: list[Row] = [
                    (
                        0,
                        0,
                        role,
                        b"\x0f",
                        tuple(one),
                        tuple(int(sum(one)) % n if role else None for n in secrets),
                        1,
                    )
                    for one in own.tolist()
                ]
                yield batch_of(rows, by)

    batches = list(stream())
    budget = 60_000
    whole = int(row_bytes(by, np.array([1]), np.array([4]))[0]) * (members + len(asked))
    assert whole > 3 * budget
    tracemalloc.start()
    try:
        sizes = sum(batch.num_rows for batch in join(iter(batches), by, budget))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sizes == len(asked)
    assert peak < budget + _TABLES, f"{peak:,}"


_TABLES = 300_000  # the engine's own, whatever the rows


def test_files_of_a_large_cell_go_where_the_executor_has_room(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},/nowhere")
    assert joining._folder() == str(tmp_path)
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "/nowhere")
    assert joining._folder() is None
