"""Modification: whatever the table, what comes out meets the target, or an error says why not."""

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from golden.tables import build, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import proximity
from naive.anonymize import difference, rows_of
from properties.strategies import NULLS, epsilons, tables

from ratingpriv import RatingTable
from ratingpriv.anonymize.methods import modify
from ratingpriv.anonymize.modification.changes import changed_table, clamp, no_changes
from ratingpriv.anonymize.modification.modify import STRATEGIES
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.audit import audit
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.partition.distortion.measure import distortion_of
from ratingpriv.partition.distortion.windows import choose_windows, measure
from ratingpriv.partition.groups import Groups


def check(table, found):
    asked, after = found.parameters, found.table
    rows = proximity.ratings(after)
    sizes = [
        sum(
            i == j or proximity.proximate(after, a, b, asked.epsilon, asked.nulls)
            for j, b in enumerate(rows)
        )
        for i, a in enumerate(rows)
    ]
    assert min(sizes) >= asked.k
    assert found.satisfied
    assert found.audit.sizes.tolist() == sizes
    assert found.kept.tolist() == list(range(table.n_records))
    assert after.record_ids.equals(table.record_ids)
    assert (after.issues, after.scale, after.sensitive) == (
        table.issues,
        table.scale,
        table.sensitive,
    )
    if table.scale is not None and after.n_ratings:
        assert table.scale.minimum <= after.levels[0] <= after.levels[-1] <= table.scale.maximum
    assert not table.integral or after.integral
    total, changed, filled, erased = difference(rows_of(table), rows_of(after))
    told = found.distortion
    assert (told.changed, told.filled, told.erased) == (changed, filled, erased)
    assert told.total == pytest.approx(float(total), rel=1e-12)
    assert asked.fabricate or filled == 0


@settings(max_examples=60 * DEPTH)
@given(
    table=tables(),
    k=st.integers(1, 5),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    fabricate=st.booleans(),
    strategy=st.sampled_from(["window", *STRATEGIES]),
)
def test_the_release_always_has_k_neighbours(table, k, epsilon, nulls, fabricate, strategy):
    if k > table.n_records:
        with pytest.raises(
            TargetNotReachedError,
            match=f"more than the.* largest k within reach is {table.n_records}",
        ):
            modify(table, k=k, epsilon=epsilon, nulls=nulls)
        return
    asked = {"k": k, "epsilon": epsilon, "nulls": nulls, "fabricate": fabricate, "threads": 1}
    if strategy == "paper" and not measure(table, epsilon).whole:
        strategy = "window"
    check(table, modify(table, **asked, strategy=strategy))
    if fabricate and strategy == "window":
        check(table, modify(table, **asked, fill="median"))


@settings(max_examples=40 * DEPTH)
@given(
    table=tables(most_issues=3),
    k=st.integers(1, 4),
    epsilon=epsilons,
    l=st.sampled_from([0.3, 1, 1.5, 2.5]),
)
def test_diversity_is_reached_or_the_error_says_why(
    table,
    k,
    epsilon,
    l,  # noqa: E741
):
    if not table.sensitive:
        with pytest.raises(ParameterError):
            modify(table, k=k, epsilon=epsilon, l=l)
        return

    try:
        found = modify(table, k=k, epsilon=epsilon, l=l, threads=1)
    except TargetNotReachedError as error:
        found = error
    if isinstance(found, TargetNotReachedError):
        assert "proved" in str(found) or "proves nothing" in str(found)
        assert not audit(table, k=k, epsilon=epsilon, l=l).satisfied
        assert found.best is None or (
            isinstance(found.best, Anonymized) and not found.best.satisfied
        )
        return
    check(table, found)
    assert audit(found.table, k=k, epsilon=epsilon, l=l).satisfied


@given(table=tables(), epsilon=epsilons, data=st.data())
def test_windows_cost_what_they_said_and_keep_the_order_of_ratings(table, epsilon, data):
    labels = np.array(data.draw(st.lists(
        st.integers(-1, 2), min_size=table.n_records, max_size=table.n_records
    )), dtype=np.int64)  # fmt: skip
    by, groups = measure(table, epsilon), Groups.of_labels(labels)
    windows, changes = (
        choose_windows(table, by, *groups.arranged(), fabricate=True),
        no_changes(table, by.numbers),
    )
    clamp(table, windows, changes)
    after = changed_table(table, changes, by.unit)
    found = distortion_of(table, after, np.arange(table.n_records))
    assert found.total == pytest.approx(windows.cost.sum() / by.unit, abs=1e-9)
    before, then = rows_of(table), rows_of(after)
    for group in groups.members():
        for j in range(table.n_issues):
            cells = [(before[i][j], then[i][j]) for i in group]
            both = sorted((x, y) for x, y in cells if x is not None and y is not None)
            assert [y for _, y in both] == sorted(y for _, y in both)
    for i in groups.unplaced:
        assert before[i] == then[i]


def test_a_table_that_holds_is_not_touched():
    found = modify(table2(), k=2, epsilon=1)
    assert found.distortion.total == 0
    assert found.optimal
    assert found.groups is not None
    assert found.groups.count == 0
    assert found.table.to_wide("polars").equals(table2().to_wide("polars"))


def test_only_who_is_at_risk_is_touched():
    """t6 has nobody within 1; the others have. It comes within 1 of two of them, not of all."""
    rows = [(1, 1), (1, 1), (2, 2), (3, 3), (3, 3), (5, 1)]
    table = build(rows, scale=(1, 5))
    found = modify(table, k=3, epsilon=1)
    assert found.distortion.records_touched == 1
    # to (3, 1) it is near (2, 2) only; (2, 1) takes 3, (3, 2) takes 3
    assert found.distortion.total == 2
    check(table, found)


def test_popoviciu_proves_an_l_out_of_reach():
    with pytest.raises(TargetNotReachedError, match=r"proved.*2\.5.*Popoviciu"):
        modify(table2(), k=2, epsilon=1, l=2.6)


def test_one_group_is_the_last_resort():
    """Four records, and the whole table is just diverse enough."""
    table = build([(1,), (2,), (4,), (5,)], [(1, 1, 1, 5)], scale=(1, 5))
    found = modify(table, k=2, epsilon=0, l=1.7)
    assert found.audit.sizes.tolist() == [4, 4, 4, 4]
    with pytest.raises(TargetNotReachedError, match="proves nothing") as caught:
        modify(table, k=2, epsilon=0, l=1.8)
    assert isinstance(caught.value.best, Anonymized)
    assert "largest l of issue 2: 1.732" in str(caught.value)


def test_nobody_rates_anything():
    empty = build([(None, None)] * 4, [(1, 2, 3, 2)])
    assert modify(empty, k=4, epsilon=1, l=0.5).distortion.total == 0
    with pytest.raises(TargetNotReachedError, match=r"largest l of issue 3: 0\.7071"):
        modify(empty, k=2, epsilon=1, l=0.8)
    column = build([(None, 1), (None, 5), (None, 1)], scale=(1, 5))
    assert modify(column, k=3, epsilon=1).distortion.total == 3


def test_nothing_is_made_up_on_demand():
    table = build([(5, 5), (5, 5), (5, None), (None, 5)], scale=(1, 5))
    assert modify(table, k=4, epsilon=1).distortion.filled == 2
    found = modify(table, k=4, epsilon=1, fabricate=False)
    assert found.distortion.filled == 0
    assert found.table.n_ratings == 0


def test_timestamps_stay_with_their_ratings():
    frame = pl.DataFrame({
        "record": ["a", "a", "b", "b", "c", "d"],
        "issue": ["x", "y", "x", "y", "x", "x"],
        "rating": [5, 1, 4, 5, 5, 1],
        "timestamp": [10, 20, 30, 40, 50, 60],
    })  # fmt: skip
    table = RatingTable.from_long(frame, timestamp="timestamp", scale=(1, 5))
    by, changes = measure(table, 1), no_changes(table, measure(table, 1).numbers)
    groups = Groups.of_labels(np.array([0, 0, 0, -1])).arranged()
    clamp(table, choose_windows(table, by, *groups, fabricate=True), changes)
    after = changed_table(table, changes, by.unit)
    assert after.timestamps is not None
    cells = zip(
        np.repeat(range(4), np.diff(after.indptr)).tolist(), after.indices.tolist(), strict=True
    )
    stamps = dict(zip(cells, after.timestamps.to_list(), strict=True))
    assert (stamps[0, 0], stamps[3, 0]) == (10, 60)
    known = {(0, 1): 20, (1, 1): 40, (2, 1): None}
    assert all(stamps.get(cell) in (stamp, None) for cell, stamp in known.items())


def test_the_seed_is_recorded_and_decides():
    rng = np.random.default_rng(5)
    table = build(rng.integers(1, 6, (60, 6)).tolist(), scale=(1, 5))
    found = [
        modify(table, k=4, epsilon=1, rng=seed, threads=t) for seed, t in ((3, 1), (3, 2), (4, 1))
    ]
    assert [one.parameters.seed for one in found] == [3, 3, 4]
    first, again = (one.table.to_wide("polars") for one in found[:2])
    assert first.equals(again)
    assert modify(table, k=4, epsilon=1, rng=np.random.default_rng(3)).parameters.seed is None


# ---- what nulls become ----


def test_a_group_gets_its_lower_median():
    rows = [(1,), (4,), (4,), (5,), (None,)]
    table = build(rows, scale=(1, 5))
    metric = modify(table, k=5, epsilon=3)
    median = modify(table, k=5, epsilon=3, fill="median")
    cells = [[row[0] for row in rows_of(one.table)] for one in (metric, median)]
    assert cells == [[1, 4, 4, 4, 1], [1, 4, 4, 4, 4]]
    assert (metric.distortion.total, median.distortion.total) == (2, 5)
    assert (metric.distortion.mean_filled, median.distortion.mean_filled) == (1, 4)


def test_medians_where_nothing_is_imputed_or_by_other_rules_are_refused():
    table = build([(1,), (5,), (None,)], scale=(1, 5))
    with pytest.raises(ParameterError, match=r"fill.*`fabricate=False`"):
        modify(table, k=2, epsilon=1, fill="median", fabricate=False)
    with pytest.raises(ParameterError, match=r"fill.*`strategy='paper'`"):
        modify(table, k=2, epsilon=1, fill="median", strategy="paper")
    with pytest.raises(ParameterError, match="fill"):
        modify(table, k=2, epsilon=1, fill="mean")
    assert modify(table, k=2, epsilon=1, fabricate=False).parameters.fill is None


def test_suppressing_a_0_costs_nothing_and_is_not_nothing():
    found = modify(build([(0, 3), (None, 3)], scale=(0, 5)), k=2, epsilon=1)
    assert (found.distortion.total, found.distortion.erased) == (0, 1)
    assert "nothing was changed" not in found.statement
    assert "1 cells touched" in repr(found)
