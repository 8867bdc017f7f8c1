"""Steps that write import files, without Spark: pairs by definition, and the rows of one machine's files."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from golden.tables import table1
from hypothesis import assume, given
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import tables
from spark.emulated import assembled, cut, profile_of

from ratingpriv import RatingTable
from ratingpriv.errors import ParameterError
from ratingpriv.spark.graph import lines
from ratingpriv.spark.graph.pairing import (
    list_pairs,
    pairing_comparison,
    pairs_schema,
    tagged,
    tagged_schema,
)
from ratingpriv.spark.plan import Comparison, compare, routed_schema
from ratingpriv.spark.planning import Plan, plan
from ratingpriv.spark.routing import route
from ratingpriv_loaders.graph.offline import write_offline
from ratingpriv_loaders.graph.slices import slices


def records_of(table: RatingTable, at_risk: np.ndarray[Any, Any]) -> tuple[Comparison, pa.Table]:
    """Records with their positions, as the driver has them, and by what they were made."""
    ratings = lines.ratings_comparison(compare(profile_of(table), 0.0))
    records = assembled(table, ratings).sort_by("record")
    records = records.append_column("position", pa.array(np.arange(table.n_records)))
    return ratings, records.append_column("at_risk", pa.array(at_risk))


def routed(rows: pa.Table, comparison: Comparison, planned: Plan, hashes: int) -> pa.RecordBatch:
    """Queries and members as they come to a task, keys of one hash among each other."""
    hashed = [sum(key) % hashes for key in rows.column("key").to_pylist()]
    rows = rows.append_column("hash", pa.array(hashed, pa.int64()))
    risky = (rows.column("weight").to_numpy() & 1).astype(bool)
    parts = [
        part.append_column("role", pa.array(np.full(part.num_rows, role), pa.int32()))
        for role, part in ((0, rows.filter(pa.array(risky))), (1, rows))
    ]
    both = pa.concat_tables(parts).combine_chunks()
    sent = pa.Table.from_batches(route(both.to_batches(), comparison, planned), routed_schema(comparison))
    order = [(name, "ascending") for name in ("hash", "cell", "role")]
    return sent.sort_by(order).combine_chunks().to_batches()[0]


def text_of(batches: Iterable[pa.RecordBatch]) -> set[str]:
    found: list[str] = []
    for batch in batches:
        counts, texts = (batch.column(one).to_pylist() for one in ("count", "lines"))
        assert all(count == len(text.splitlines()) for count, text in zip(counts, texts, strict=True))
        found += "".join(texts).splitlines()
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.deep
@given(
    tables(most_records=8), st.sampled_from([0.0, 0.2, 1.0, 2.5, 6.0]), st.integers(2, 6),
    st.sampled_from([1, 40]), st.sampled_from([2_000, 6_000, 1 << 20]), st.sampled_from([1, 3, 50]),
    st.booleans(),
)  # fmt: skip
def test_pairs_are_those_of_the_definition(
    table: RatingTable, epsilon: float, k: int, hashes: int, budget: int, size: int, salted: bool
) -> None:
    try:
        found = compare(profile_of(table.replace(sensitive=())), epsilon)
    except ParameterError:
        assume(False)
    sizes = np.array([len(one) for one in proximity.neighbourhoods(table, epsilon)])
    assume((sizes < k).any())
    ratings, records = records_of(table.replace(sensitive=()), sizes < k)
    comparison = pairing_comparison(found, ratings)
    assume(comparison.by_support or table.n_ratings == table.n_records * table.n_issues)
    rows = pa.Table.from_batches(
        tagged(records.combine_chunks().to_batches(), ratings, comparison), tagged_schema()
    )
    planned = Plan()
    if salted:
        hashed = pa.array([sum(key) % hashes for key in rows.column("key").to_pylist()], pa.int64())
        sample = rows.append_column("hash", hashed)
        there = {one: (len(sizes), len(sizes)) for one in set(hashed.to_pylist())}
        planned = plan(comparison, there, sample, 3_000)
    batch = routed(rows, comparison, planned, hashes)
    step = pickle.loads(pickle.dumps(list_pairs))  # noqa: S301 -- its own
    try:
        listed = list(step(cut(batch, size), comparison, epsilon, table.scale, budget))
    except ParameterError as error:
        if budget == 1 << 20 or "records at risk, or more" not in str(error):
            raise
        return
    everything = pa.Table.from_batches(listed, pairs_schema()).sort_by(
        [("left", "ascending"), ("right", "ascending")]
    )
    expected = [(a, b, far) for a, b, far in proximity.pairs(table, epsilon) if sizes[a] < k or sizes[b] < k]
    ends = [everything.column(one).to_pylist() for one in ("left", "right")]
    assert list(zip(*ends, strict=True)) == [(a, b) for a, b, _ in expected]
    assert everything.column("distance").to_pylist() == pytest.approx([far for *_, far in expected])


def test_rows_that_are_not_sorted_are_refused() -> None:
    table = table1().replace(sensitive=())
    ratings, records = records_of(table, np.ones(table.n_records, dtype=bool))
    comparison = pairing_comparison(compare(profile_of(table), 1.0), ratings)
    rows = pa.Table.from_batches(
        tagged(records.combine_chunks().to_batches(), ratings, comparison), tagged_schema()
    )
    batch = routed(rows, comparison, Plan(), 5)
    wrong = batch.take(pa.array(np.arange(batch.num_rows)[::-1]))
    with pytest.raises(ValueError, match="not sorted"):
        list(list_pairs([wrong], comparison, 1.0, table.scale, 1 << 20))


def test_lines_are_those_of_one_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_SLICE", 3)
    table = table1()
    ids = pl.Series("id", [f"{one:08}" for one in range(table.n_records)])
    here = slices(table.replace(record_ids=ids), 'd "1"', epsilon=1.0, edges="at-risk", k=3, ratings=True)
    write_offline(here, tmp_path / "files")
    assert here.at_risk is not None

    def written(name: str) -> set[str]:
        return set((tmp_path / "files" / f"{name}-1.csv").read_text().splitlines())

    ratings, records = records_of(table, here.at_risk)
    records = records.append_column("number", pa.array(here.groups.group_of))
    for place in range(len(here.spec.levels)):
        records = records.append_column(f"size{place}", pa.array(here.sizes[:, place].astype(np.int64)))
    batches = records.combine_chunks().to_batches()
    levels = len(here.spec.levels)
    rows = lines.record_lines(batches, here.spec.name, ";", levels, whole_ids=False)
    assert text_of(rows) == written("record")
    numbered = text_of(lines.record_lines(batches, here.spec.name, ";", levels, whole_ids=True))
    assert {line.split(",")[1] for line in numbered} == {str(one) for one in range(table.n_records)}
    assert text_of(lines.membership_lines(batches)) == written("in_group")
    assert text_of(lines.rating_lines(batches, ratings, all_ratings=True)) == written("rated")
    secret = text_of(lines.rating_lines(batches, ratings, all_ratings=False))
    assert secret < written("rated")
    groups = pa.record_batch({
        "number": np.arange(len(here.groups.sizes)), "size": here.groups.sizes,
        "support": here.groups.support_sizes,
    })  # fmt: skip
    assert text_of(lines.group_lines([groups], here.spec.name)) == written("hamminggroup")
    found = [(one.left, one.right, one.distance) for one in here.pairs()]
    pairs = [pa.record_batch(list(map(pa.array, one)), schema=pairs_schema()) for one in found]
    assert text_of(lines.pair_lines(pairs)) == written("proximate")
