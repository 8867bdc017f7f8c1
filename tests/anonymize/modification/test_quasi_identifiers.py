"""Modification of data with quasi-identifiers: k by the naive rules, no category invented,
nulls kept.
"""

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import quasi_groups as naive

from ratingpriv import RatingTable
from ratingpriv.anonymize.methods import modify
from ratingpriv.anonymize.modification.classes import classes_of, labels_of_classes
from ratingpriv.anonymize.modification.modify import STRATEGIES
from ratingpriv.base.errors import ParameterError

RULES = st.tuples(
    st.sampled_from(["strict", "wildcard"]), st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0])
)


def check(table, found, k, epsilon, nulls):
    """Everything that must hold of every release of ``table``."""
    released, kept = found.table, found.kept
    assert found.satisfied
    alike = naive.near(released, epsilon, nulls)
    assert all(sum(row) >= k for row in alike)
    before, after = naive.values(table), naive.values(released)
    erased = changed = 0
    for column, original in zip(released.quasi, table.quasi, strict=True):
        assert (column.name, column.within, column.recoded) == (
            original.name, original.within, original.recoded,
        )  # fmt: skip
    for position, row in zip(kept.tolist(), after, strict=True):
        for column, old, new in zip(table.quasi, before[position], row, strict=True):
            assert old is not None or new is None  # nothing is invented
            erased += old is not None and new is None
            if new is not None and new != old:
                assert column.within  # only numbers that may differ are moved
                known = [
                    x for own in before for x in [own[table.quasi.index(column)]] if x is not None
                ]
                assert min(known) <= new <= max(known)
                changed += 1
    cost = found.distortion.quasi
    assert (cost.erased, cost.changed) == (erased, changed)
    assert found.distortion.records_withheld == table.n_records - len(kept)
    assert released.record_ids.to_list() == table.record_ids.gather(kept).to_list()
    assert released.n_ratings == 0 or (
        released.levels.min() >= table.scale.minimum
        and released.levels.max() <= table.scale.maximum
    )
    if found.groups is not None:
        assert len(found.groups.labels) == table.n_records
        where = {position: at for at, position in enumerate(kept.tolist())}
        for members in found.groups.members():
            inside = [where[t] for t in members.tolist()]
            assert all(alike[a][b] for a in inside for b in inside)


WAYS = st.tuples(st.sampled_from(STRATEGIES), st.booleans())


@given(st.integers(0, 10**9), st.integers(2, 13), RULES, st.integers(2, 3), WAYS)
@settings(max_examples=60 * DEPTH)
def test_every_release_meets_all_rules(seed, n, rule, k, way):
    table = naive.random_table(np.random.default_rng(seed), n)
    nulls, epsilon = rule
    strategy, fabricate = way
    if any(column.within is not None for column in table.quasi) and strategy == "paper":
        with pytest.raises(
            ParameterError, match="no column with a tolerance of its own, as age has"
        ):
            modify(table, k=k, epsilon=epsilon, nulls=nulls, strategy=strategy)
        strategy = "window"
    found = modify(
        table,
        k=min(k, n),
        epsilon=epsilon,
        nulls=nulls,
        strategy=strategy,
        fabricate=fabricate,
        rng=1,
    )
    check(table, found, min(k, n), epsilon, nulls)


@given(st.integers(0, 10**9), st.integers(2, 20), st.integers(1, 4))
def test_classes_agree_have_k_and_lose_no_more_than_they_must(seed, n, k):
    table, k = naive.random_table(np.random.default_rng(seed), n), min(k, n)
    found = classes_of(table, k)
    assert found is not None
    after, before = naive.values(found.table), naive.values(table)
    assert sorted(t for members in found.members for t in members.tolist()) == list(
        range(len(found.kept))
    )
    exact = [i for i, column in enumerate(table.quasi) if not column.within]

    def key(row):
        return tuple(cell if i in exact else cell is None for i, cell in enumerate(row))

    keys = [{key(after[t]) for t in members.tolist()} for members in found.members]
    assert all(len(one) == 1 for one in keys)
    assert len({one for each in keys for one in each}) == len(keys)
    assert all(len(members) >= k for members in found.members)
    assert n - len(found.kept) < k
    sizes = {}
    for row in before:
        sizes[key(row)] = sizes.get(key(row), 0) + 1
    if all(size >= k for size in sizes.values()):
        assert after == before


def one_of_each(sizes, issues=1):
    """A table of so many records of each region, who all answer alike."""
    regions = [name for name, size in sizes.items() for _ in range(size)]
    frame = pl.DataFrame({f"q{i}": [3.0] * len(regions) for i in range(issues)})
    table = RatingTable.from_wide(frame, scale=(1, 5))
    return table.replace(quasi=(naive.quasi_column("region", regions),))


def test_records_or_quasi_identifiers_are_suppressed_whichever_costs_fewer_cells():
    # one record of 1 rating and 1 region costs 2 cells; to make it 3 without a region costs 3
    found = modify(one_of_each({"north": 4, "south": 4, "west": 1}), k=3, epsilon=1)
    assert found.kept.tolist() == list(range(8))
    assert (found.distortion.quasi.withheld, found.distortion.quasi.erased) == (1, 0)
    assert "1 record was suppressed: that costs fewer cells" in found.statement
    found = modify(one_of_each({"north": 4, "south": 4, "west": 1}, issues=5), k=3, epsilon=1)
    assert naive.values(found.table) == [[None], *[["north"]] * 3, [None], *[["south"]] * 3, [None]]
    assert "3 values of quasi-identifiers of 3 records were suppressed" in found.statement


def test_small_classes_lose_their_values_together():
    found = modify(one_of_each({"north": 4, "south": 2, "west": 1, "east": 1}), k=3, epsilon=1)
    assert naive.values(found.table) == [["north"]] * 4 + [[None]] * 4
    assert (found.distortion.total, found.distortion.quasi.erased) == (0, 4)
    assert (
        "Only records that agree on region were made alike: there are 2 such classes"
        in found.statement
    )


def test_l_that_a_class_cannot_reach_makes_it_join_others():
    frame = pl.DataFrame({"q": [3.0] * 8, "pay": [1.0, 1.0, 1.0, 1.0, 1.0, 5.0, 5.0, 1.0]})
    table = RatingTable.from_wide(frame, sensitive=["pay"], scale=(1, 5))
    table = table.replace(quasi=(naive.quasi_column("region", ["north"] * 4 + ["south"] * 4),))
    found = modify(table, k=3, epsilon=1, l=1.0, rng=1)
    check(table, found, 3, 1, "strict")
    assert found.audit.satisfied
    pay = found.table.sensitive[0].values
    for row in naive.near(found.table, 1, "strict"):
        assert np.std(pay[row]) >= 1


@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
def test_data_without_ratings_become_plainly_k_anonymous(nulls):
    table = naive.random_table(np.random.default_rng(4), 60, issues=1, within=False)
    bare = RatingTable.from_wide(
        pl.DataFrame({"q": [None] * 60}, schema={"q": pl.Float64}), scale=(1, 5)
    )
    bare = bare.replace(quasi=table.quasi)
    check(bare, modify(bare, k=4, epsilon=0, nulls=nulls, rng=1), 4, 0, nulls)


@given(st.integers(0, 10**9), st.integers(4, 20), st.integers(1, 3), st.data())
def test_a_class_that_is_shunned_is_none(seed, n, k, data):
    table = naive.random_table(np.random.default_rng(seed), n, nulls=0.6)
    keys = classes_of(table, k).keys
    known = keys[(keys >= 0).any(axis=1)]
    if len(known) == 0:
        return
    shunned = known[data.draw(st.lists(st.integers(0, len(known) - 1), min_size=1, unique=True))]
    again = classes_of(table, k, shunned)
    assert not {tuple(key) for key in again.keys.tolist()} & {
        tuple(key) for key in shunned.tolist()
    }
    assert all(len(members) >= k for members in again.members)


def test_rows_of_so_many_values_that_their_numbers_overflow_are_told_apart():
    rng = np.random.default_rng(1)
    keys = rng.integers(-1, 4, (300, 9)) * (1 << 20)
    keys[keys < 0] = -1
    assert np.array_equal(
        labels_of_classes(keys), np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    )
