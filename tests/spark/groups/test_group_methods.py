"""Hamming groups one at a time, without Spark, against the single machine's functions on whole tables."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from depth import DEPTH
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from properties.strategies import mixed_tables, tables
from spark.emulated import assembled, cut, profile_of

from ratingpriv import RatingTable, audit
from ratingpriv.anonymize.suppression.suppress import suppress
from ratingpriv.comparison.levels import null_separates
from ratingpriv.errors import ParameterError, TargetNotReachedError
from ratingpriv.partition import partition
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.verifying import verify
from ratingpriv.spark.groups.methods import Done, Modifying, Partitioning, Suppressing
from ratingpriv.spark.groups.runs import whole_runs
from ratingpriv.spark.groups.tables import Grouping, grouping_of, groups_of
from ratingpriv.target import Target


def done(
    table: RatingTable,
    grouping: Grouping,
    step: Callable[..., Iterator[Any]],
    size: int = 1000,
    tasks: int = 2,
) -> tuple[list[dict[str, Any]], Done]:
    """Let tasks do what a step does to the groups; return rows, by record, and what was said."""
    step = pickle.loads(pickle.dumps(step))  # noqa: S301
    records = assembled(table, grouping.comparison).sort_by([("key", "ascending")])
    home = np.array([sum(key) % tasks for key in records.column("key").to_pylist()])
    rows, said = [], Done()
    for task in range(tasks):
        part = records.filter(pa.array(home == task)).combine_chunks()
        batches = cut(part.to_batches()[0], size) if part.num_rows else iter(())
        for batch in step(batches):
            for row in batch.to_pylist():
                if row["said"] is None:
                    rows.append(row)
                else:
                    said.add(Done.from_json(row["said"]))
    return sorted(rows, key=lambda row: str(row["record"])), said


def grouping(table: RatingTable, epsilon: float, **how: Any) -> Grouping:
    given_how: dict[str, Any] = {"whole_ids": False, "most": 10**6, "nulls": "strict", **how}
    return grouping_of(profile_of(table), epsilon, **given_how)


epsilons = st.sampled_from([0.0, 0.5, 1.0, 2.0])
ks = st.integers(1, 3)
sizes = st.sampled_from([1, 7, 1000])


@settings(max_examples=10 * DEPTH, deadline=None)
@given(st.one_of(tables(), mixed_tables()), ks, epsilons, sizes)
def test_the_same_records_are_suppressed(table: RatingTable, k: int, epsilon: float, size: int) -> None:
    assume(null_separates(table.scale, epsilon, "strict"))
    how = grouping(table, epsilon)
    rows, said = done(table, how, Suppressing(how, Target(k=k, epsilon=epsilon)), size)
    try:
        kept = suppress(table, k=k, epsilon=epsilon).kept
    except TargetNotReachedError:
        kept = np.empty(0, dtype=np.int64)
    gone = np.setdiff1d(np.arange(table.n_records), kept)
    assert [int(row["record"]) for row in rows] == gone.tolist()
    assert (said.withheld, said.records) == (len(gone), table.n_records)


@settings(max_examples=8 * DEPTH, deadline=None)
@given(st.one_of(tables(), mixed_tables()), st.integers(1, 2), epsilons, st.sampled_from([None, 0.5]))
def test_groups_are_a_partition(table: RatingTable, k: int, epsilon: float, l: float | None) -> None:  # noqa: E741
    assume(l is None or table.numeric_sensitive)
    assume(null_separates(table.scale, epsilon, "strict"))
    how = grouping(table, epsilon)
    target = Target(k=k, epsilon=epsilon, l=l)
    rows, said = done(table, how, Partitioning(how, target, "auto", "position", 20))
    names = {name: place for place, name in enumerate({row["group"] for row in rows} - {None})}
    labels = np.array([names.get(row["group"], -1) for row in rows])
    groups = Groups.of_labels(labels)
    assert verify(table, groups, k, epsilon, l).valid or len(groups.unplaced)
    proof = verify(table, groups, k, epsilon, l)
    assert proof.cliques.all()
    assert proof.diverse.all()
    assert (proof.sizes >= k).all()
    assert said.withheld == len(groups.unplaced)
    assert sorted(said.sizes.elements()) == sorted(groups.sizes.tolist())
    alone = partition(table, k=k, epsilon=epsilon, l=l)
    assert not (alone.proved_impossible and not said.withheld)
    assert not (alone.found and said.impossible)


@settings(max_examples=5 * DEPTH, deadline=None)
@given(tables(), ks, epsilons)
def test_what_is_modified_satisfies_the_target(table: RatingTable, k: int, epsilon: float) -> None:
    assume(null_separates(table.scale, epsilon, "strict"))
    how = grouping(table, epsilon)
    rows, said = done(table, how, Modifying(how, Target(k=k, epsilon=epsilon), {}, seed=3))
    again, _ = done(table, how, Modifying(how, Target(k=k, epsilon=epsilon), {}, seed=3), size=3, tasks=1)
    assert rows == again  # however records lie
    supports = [tuple(table.support(row).tolist()) for row in range(table.n_records)]
    kept = [row for row, support in enumerate(supports) if supports.count(support) >= k]
    assert [int(row["record"]) for row in rows] == kept
    assert [tuple(row["places"]) for row in rows] == [supports[row] for row in kept]
    assert said.withheld == said.in_too_small == table.n_records - len(kept)
    if not kept:
        return
    columns = {name: [dict(zip(row["places"], row["ratings"], strict=True)).get(place) for row in rows]
               for place, name in enumerate(table.issues)}  # fmt: skip
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Float64))
    if not columns:
        return
    released = RatingTable.from_wide(frame).replace(scale=table.scale)
    assert audit(released, k=k, epsilon=epsilon).satisfied
    changed = sum(
        np.count_nonzero(np.array(row["ratings"]) != table.values[table.indptr[at] : table.indptr[at + 1]])
        for row, at in zip(rows, kept, strict=True)
    )
    assert said.changed == changed


def test_what_is_refused() -> None:
    table = RatingTable.from_wide(pl.DataFrame({"a": [1, 2, 5, 5], "b": [1, 1, None, None]}))
    with pytest.raises(ParameterError, match=r"epsilon.*below 5, the scale's maximum"):
        grouping_of(profile_of(table), 5, whole_ids=False, most=9, nulls="strict")
    with pytest.raises(ParameterError, match="nulls"):
        grouping_of(profile_of(table), 1, whole_ids=False, most=9, nulls="wildcard")
    how = grouping(table, 1.0, most=1)
    with pytest.raises(ParameterError, match="a group of 2 records"):
        done(table, how, Suppressing(how, Target(k=2, epsilon=1.0)))


def test_ids_that_are_whole_numbers_are_ordered_as_numbers() -> None:
    frame = pl.DataFrame({"id": [10, 9, 100], "a": [1, 1, 1]})
    table = RatingTable.from_wide(frame, id="id")
    how = grouping(table, 0.0, whole_ids=True)
    records = assembled(table, how.comparison)
    records = records.set_column(0, "record", pa.array(["10", "9", "100"]))
    (group,) = groups_of(records.to_batches(), how)
    assert group.table.record_ids.to_list() == [9, 10, 100]


@given(st.lists(st.integers(1, 5), max_size=8), st.integers(1, 6), st.integers(1, 9))
def test_runs_are_never_cut(lengths: list[int], size: int, rows: int) -> None:
    values = [number for number, length in enumerate(lengths) for _ in range(length)]
    batch = pa.record_batch({"x": pa.array(values, pa.int64())})
    found = [part.column("x").to_pylist() for part in whole_runs(cut(batch, size), "x", rows)]
    assert [one for part in found for one in part] == values
    assert sum(len(set(part)) for part in found) == len(lengths)
    assert all(part for part in found)
