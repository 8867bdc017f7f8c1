"""Attacks on parts of the records, without Spark, against the naive twin and the single machine."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from attack.attack_tables import assert_same, auxiliary, dated_table, situations
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attack as naive

from ratingpriv import RatingTable
from ratingpriv.attack import draw
from ratingpriv.attack.algorithms.methods import ALGORITHMS, answers_of
from ratingpriv.attack.similarity import supports_of
from ratingpriv.errors import ParameterError
from ratingpriv.spark.attacks.answers import attack_of, judged, sharpness_of
from ratingpriv.spark.attacks.scoring import (
    Layout,
    merge,
    partials_of,
    records_of_long,
    records_of_wide,
    score,
    spread,
    spreads_of,
)


def rows_of(table: RatingTable) -> list[pa.Table]:
    """Each record's rows, as a task reads them."""
    frame = table.to_long("polars").rename({table.origin.record_name: "record"})
    names = {table.origin.issue_name: "issue", table.origin.rating_name: "rating"}
    frame = frame.rename({old: new for old, new in names.items() if old in frame.columns})
    if table.timestamps is not None:
        frame = frame.rename({table.origin.timestamp_name: "when"})
    place = {name: position for position, name in enumerate(table.issues)}
    frame = frame.with_columns(pl.col("issue").cast(pl.String).replace_strict(place, return_dtype=pl.Int32))
    parts = frame.partition_by("record", maintain_order=True)
    return [part.to_arrow().cast(_plain(part.to_arrow().schema)) for part in parts]


def _plain(schema: pa.Schema) -> pa.Schema:
    kinds = {"large_string": pa.string()}
    return pa.schema([(field.name, kinds.get(str(field.type), field.type)) for field in schema])


def wide_rows_of(table: RatingTable) -> list[pa.Table]:
    """Each record's row."""
    frame = table.to_wide("polars")
    columns = {name: frame[name].cast(pl.Float64).to_arrow() for name in table.issues}
    ids = pa.array([str(one) for one in table.record_ids.to_list()])
    every = pa.table({"record": ids, **{f"c{j}": column for j, column in enumerate(columns.values())}})
    return [every.slice(row, 1) for row in range(every.num_rows)]


def dealt(rows: list[pa.Table], tasks: int, size: int, seed: int) -> list[list[pa.RecordBatch]]:
    """The records dealt to tasks at random, in batches of ``size`` rows."""
    homes = np.random.default_rng(seed).integers(0, tasks, len(rows))
    found = []
    for task in range(tasks):
        mine = [part for part, home in zip(rows, homes, strict=True) if home == task]
        found.append(pa.concat_tables(mine).combine_chunks().to_batches(size) if mine else [])
    return found


def attacked(table, aux, requested, *, top=3, tasks=3, size=2, rows=3, seed=0, wide=False):
    """Attack as Spark does, with tasks that are called one after the other; give answers by algorithm."""
    own = [None if target < 0 else str(table.record_ids[target]) for target in aux.targets.tolist()]
    there = sorted({target for target in aux.targets.tolist() if target >= 0})
    place = {target: position for position, target in enumerate(there)}
    layout = Layout(table.issues, table.levels, table.scale, rows=rows)
    targets = np.array([place.get(target, -1) for target in aux.targets.tolist()])
    attack = attack_of(
        table.take(np.array(there, dtype=np.int64)), dataclasses.replace(aux, targets=targets),
        pa.array(own, pa.string()), supports_of(table), requested, absent=[aux.absent], top=top,
        layout=layout,
    )  # fmt: skip
    attack = pickle.loads(pickle.dumps(attack))  # noqa: S301
    if wide:
        parts = dealt(wide_rows_of(table), tasks, size, seed)
        read = records_of_wide
    else:
        parts = dealt(rows_of(table), tasks, size, seed)
        read = records_of_long
    first = [batch for part in parts for batch in score(read(part, layout), attack)]
    found = partials_of(merge(first, attack), attack.room)
    lengths = np.diff(table.indptr)
    own_ratings = np.array([0 if target < 0 else lengths[target] for target in aux.targets.tolist()])
    sharp = sharpness_of(attack, found, own_ratings)
    second = [batch for part in parts for batch in spread(read(part, layout), attack, sharp)]
    ids = [str(name) for name in table.record_ids.to_list()]
    answered = judged(attack, requested, found, spreads_of(second), own_ratings, ids)
    return {algorithm: one for (algorithm, _), one in answered.items()}


@settings(max_examples=15 * DEPTH, deadline=None)
@given(
    situations(),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.5, 3.0]),
    st.sampled_from([(1.5, 30.0), (0.01, 0.02), (1e3, 1e4)]),
    st.sampled_from(["date", "seconds", "none"]),
    st.integers(1, 4),
    st.integers(0, 99),
)
def test_scoreboard_rh_answers_as_the_naive_twin(situation, absent, phi, widths, stamps, tasks, seed):
    records, targets, known = situation
    table = dated_table(records, stamps=stamps)
    rho0, d0 = widths
    aux = auxiliary(known, targets, absent=absent)
    options = {"rho0": rho0, "d0": d0, "phi": phi}
    found = attacked(table, aux, {"scoreboard-rh": options}, tasks=tasks, seed=seed)["scoreboard-rh"]
    for t, target in enumerate(targets):
        expected = naive.scoreboard_rh(
            records, known[t], None if target < 0 else target, absent=absent, rho0=rho0, d0=d0, phi=phi,
            dates=stamps != "none",
        )  # fmt: skip
        assert_same(found, t, expected, phi=phi)


@settings(max_examples=15 * DEPTH, deadline=None)
@given(
    situations(),
    st.booleans(),
    st.sampled_from([None, 0, 0.5, 1]),
    st.sampled_from([None, 0, 3]),
    st.sampled_from([0.0, 0.25, 0.75]),
    st.integers(1, 4),
)
def test_scoreboard_answers_as_the_naive_twin(situation, absent, tolerance, date_tolerance, alpha, tasks):
    records, targets, known = situation
    table = dated_table(records, scale=(-1, 9))
    if not all(any(day is not None for one in rows for _, day in one.values()) for rows in (records, known)):
        date_tolerance = None
    aux = auxiliary(known, targets, absent=absent)
    options = {"alpha": alpha, "rating_tolerance": tolerance, "date_tolerance": date_tolerance}
    found = attacked(table, aux, {"scoreboard": options}, tasks=tasks)["scoreboard"]
    for t, target in enumerate(targets):
        expected = naive.scoreboard(
            records, known[t], None if target < 0 else target, absent=absent, alpha=alpha,
            rating_tolerance=tolerance, date_tolerance=date_tolerance, width=10,
        )  # fmt: skip
        assert_same(found, t, expected)


@settings(max_examples=5 * DEPTH, deadline=None)
@given(situations(), st.booleans(), st.data())
def test_who_knows_how_many_ratings_there_are_narrows_candidates(situation, absent, data):
    records, targets, known = situation
    bounds = st.tuples(st.integers(0, 3), st.integers(1, 5))
    counts = [data.draw(bounds) for _ in targets]
    aux = auxiliary(known, targets, absent=absent, counts=counts)
    table = dated_table(records)
    for algorithm, twin in (("scoreboard-rh", naive.scoreboard_rh), ("scoreboard", naive.scoreboard)):
        found = attacked(table, aux, {algorithm: {}})[algorithm]
        for t, target in enumerate(targets):
            own = None if target < 0 else target
            expected = twin(records, known[t], own, absent=absent, counts=counts[t])
            assert_same(found, t, expected, phi=1.5 if algorithm == "scoreboard-rh" else None)


EXACT = ("best", "matching", "n_candidates", "score_true", "better", "tied", "candidates", "scores")


def survey(n: int = 120, seed: int = 3) -> RatingTable:
    rng = np.random.default_rng(seed)
    rated = rng.random((n, 8)) < 0.7
    values = rng.integers(1, 6, (n, 8))
    columns = {f"q{j}": np.where(rated[:, j], values[:, j], np.nan) for j in range(8)}
    frame = (
        pl.DataFrame(columns)
        .with_columns(pl.all().fill_nan(None))
        .with_columns(id=pl.Series([f"{row:04d}" for row in range(n)]))
    )
    return RatingTable.from_wide(frame, id="id")


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_however_records_are_dealt_the_answers_are_the_single_machines(wide, absent):
    table = survey()
    aux = draw(table, known=4, wrong=1, rating_error=1, targets=10, rng=1, absent=absent).auxiliary
    requested = {name: {} for name in ALGORITHMS}
    alone = answers_of(requested, table, aux, top=5)
    found = [
        attacked(table, aux, requested, top=5, tasks=tasks, size=size, rows=rows, wide=wide)
        for tasks, size, rows in ((1, 10**6, 10**6), (7, 13, 40))
    ]
    for name, one in alone.items():
        for other in (two[name] for two in found):
            for field in EXACT:
                np.testing.assert_array_equal(getattr(one, field), getattr(other, field), err_msg=field)
            for field in ("eccentricity", "entropy_bits", "shannon_bits", "probabilities"):
                np.testing.assert_allclose(getattr(one, field), getattr(other, field), rtol=1e-11, atol=1e-11)
            assert one.parameters == other.parameters
        for field in ("best", "candidates", "eccentricity", "entropy_bits", "shannon_bits"):
            np.testing.assert_array_equal(getattr(found[0][name], field), getattr(found[1][name], field))


def test_a_record_that_rates_twice_and_a_rating_from_nowhere_are_refused():
    table = survey(20)
    layout = Layout(table.issues, table.levels, table.scale)
    rows = rows_of(table)[0]
    twice = pa.concat_tables([rows, rows.slice(0, 1)])
    with pytest.raises(ParameterError, match="an issue twice in one record"):
        list(records_of_long(twice.to_batches(), layout))
    other = rows.set_column(2, "rating", pa.array(np.full(rows.num_rows, 7.5)))
    with pytest.raises(ParameterError, match="a rating that nobody had before"):
        list(records_of_long(other.to_batches(), layout))
