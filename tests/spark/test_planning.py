"""Plans and routes: whoever is near a query comes to its home, once, whatever the plan is."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from spark.emulated import cut

from ratingpriv.spark.plan import Comparison, Profile, compare, routing_schema
from ratingpriv.spark.planning import Plan, fewest_rows, large, plan
from ratingpriv.spark.routing import homes, route
from ratingpriv.table import Scale

KEY = b"\x07"


def comparison(epsilon: float, width: int = 3, levels: int = 9) -> Comparison:
    """Whole ratings from 1 on."""
    scale = Scale(1, levels, True)
    issues = tuple(f"q{i}" for i in range(width))
    return compare(Profile(issues, np.arange(1.0, levels + 1), scale, 100, 100 * width), epsilon)


def table_of(rows: list[tuple[int, int, bytes, tuple[int, ...]]], by: Comparison) -> pa.Table:
    """(hash, role, key, codes) as routing takes them."""
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * 4
    columns[3] = [bytes(codes) for codes in columns[3]]
    columns.append([1] * len(rows))
    schema = routing_schema(by)
    return pa.table([pa.array(c, type=f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def both(
    codes: NDArray[Any], name: int = 5, key: bytes = KEY
) -> list[tuple[int, int, bytes, tuple[int, ...]]]:
    """Every row as a query and as a member."""
    return [(name, role, key, tuple(row)) for role in (0, 1) for row in codes.tolist()]


def counted(by: Comparison, found: Plan, table: pa.Table) -> dict[int, int]:
    """How many queries are at home in each cell, as Spark would sum them up."""
    asked = table.filter(pa.array(table.column("role").to_numpy() == 0)).combine_chunks()
    queries: Counter[int] = Counter()
    for batch in homes(cut(asked.to_batches()[0], 50), by, found):
        queries.update(dict(zip(*(column.to_pylist() for column in batch.columns), strict=True)))
    return dict(queries)


def check_routes(by: Comparison, found: Plan, table: pa.Table, size: int) -> dict[int, tuple[int, int]]:
    """Each query has one home, to which each member near it comes once; (queries, members) by cell."""
    home: dict[tuple[bytes, bytes], int] = {}
    there: dict[int, Counter[tuple[bytes, bytes]]] = {}
    for batch in route(cut(table.combine_chunks().to_batches()[0], size), by, found):
        for row in batch.to_pylist():
            name = row["key"], row["codes"]
            if row["role"] == 0:
                assert name not in home
                home[name] = row["cell"]
            else:
                there.setdefault(row["cell"], Counter())[name] += 1
    members = {(row["key"], row["codes"]) for row in table.to_pylist() if row["role"] == 1}
    assert len(home) == sum(row["role"] == 0 for row in table.to_pylist())
    for (key, codes), cell in home.items():
        for other in members:
            near = other[0] == key and all(
                by.lo[a] <= b <= by.hi[a] for a, b in zip(codes, other[1], strict=True)
            )
            if near:
                assert there.get(cell, Counter())[other] == 1
    assert all(set(own.values()) == {1} for own in there.values())
    return {
        cell: (sum(one == cell for one in home.values()), len(there.get(cell, ())))
        for cell in set(home.values()) | set(there)
    }


@settings(max_examples=10 * DEPTH, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 1500, 6000]),
    st.sampled_from([1.0, 0.3]),
    st.sampled_from([1, 7, 1000]),
    st.booleans(),
)
def test_any_plan_brings_together_who_is_near(
    seed: int, epsilon: float, budget: int, share: float, size: int, exactly: bool
) -> None:
    by = comparison(epsilon)
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, 9, (int(rng.integers(1, 40)), 3)), axis=0)
    few = np.unique(rng.integers(0, 9, (3, 3)), axis=0)
    table = table_of([*both(codes), *both(few, key=b"\x03")], by)
    drawn = pa.array(np.asarray(table.column("role")) * (rng.random(table.num_rows) < share) == 1)
    found = plan(by, {5: (len(codes) + len(few), len(codes) + len(few))}, table.filter(drawn), budget)
    if exactly:
        found = pickle.loads(pickle.dumps(found.counted(counted(by, found, table))))  # noqa: S301 -- its own
    check_routes(by, found, table, size)


def test_a_tree_parts_what_can_be_parted() -> None:
    by = comparison(1, levels=200)
    rng = np.random.default_rng(0)
    codes = np.unique(rng.integers(0, 200, (300, 3)), axis=0)
    table = table_of(both(codes), by)
    budget = 2 * 40 * (1 << 9)
    found = plan(by, {5: (len(codes), len(codes))}, table, budget)
    tree = found.trees[KEY]
    assert set(tree.salts[tree.place < 0].tolist()) == {1}, "no salts where thresholds do"
    cells = check_routes(by, found, table, 1000)
    assert len(cells) >= len(codes) / found.rows[KEY]
    assert max(queries for queries, _ in cells.values()) <= found.rows[KEY]
    assert sum(members for _, members in cells.values()) < 1.3 * len(codes), "few copies"


def test_a_sample_that_says_nothing_is_made_good_by_counting() -> None:
    by = comparison(4)  # nearly everybody is near every threshold
    codes = np.unique(np.random.default_rng(0).integers(0, 9, (150, 3)), axis=0)
    table = table_of(both(codes), by)
    budget = 40_000
    misled = plan(by, {5: (len(codes), len(codes))}, table.slice(len(codes), 9), budget)
    lone = plan(by, {5: (misled.rows[KEY] + 1, len(codes))}, table.slice(len(codes), 9), budget)
    assert max(counted(by, lone, table).values()) > lone.rows[KEY]
    better = lone.counted(counted(by, lone, table))
    held = counted(by, better, table)
    assert max(held.values()) <= better.rows[KEY]
    assert sum(held.values()) == len(codes)
    check_routes(by, better, table, 1000)
    assert better.cells == 1 + sum(int(tree.salts.sum()) for tree in better.trees.values())


def test_cells_of_two_keys_of_one_hash_have_numbers_of_their_own() -> None:
    by = comparison(0.5 + 0.5)
    codes = np.unique(np.random.default_rng(0).integers(0, 9, (60, 3)), axis=0)
    table = table_of([*both(codes), *both(codes, key=b"\x0b")], by)
    found = plan(by, {5: (2 * len(codes), 2 * len(codes))}, table, 4000)
    cells = [set(tree.cell[tree.place < 0].tolist()) for tree in found.trees.values()]
    assert len(cells) == 2
    assert not cells[0] & cells[1]
    assert 0 not in cells[0] | cells[1]
    check_routes(by, found, table, 1000)


def test_small_keys_have_no_plan() -> None:
    by = comparison(1)
    codes = np.unique(np.random.default_rng(0).integers(0, 9, (60, 3)), axis=0)
    table = table_of(both(codes), by)
    for sizes, budget in (({5: (60, 60)}, 1 << 26), ({}, 1), ({6: (60, 60)}, 1)):
        assert plan(by, sizes, table, budget).trees == {}
    assert plan(by, {}, table.slice(0, 0), 1).cells == 1
    (cell,) = check_routes(by, Plan(), table, 7)
    assert cell == 0
    assert 1 <= fewest_rows(by, 1) < fewest_rows(by, 1 << 20) < fewest_rows(by, 1 << 24)


@pytest.mark.parametrize("queries", [30, 60])
def test_only_what_would_be_cut_is_large(queries: int) -> None:
    by = comparison(1)
    codes = np.unique(np.random.default_rng(0).integers(0, 9, (60, 3)), axis=0)
    table = table_of(both(codes), by).filter(pa.array([False] * len(codes) + [True] * len(codes)))
    found = set()
    for budget in range(1000, 90_000, 1000):
        sizes = {"hash": [5], "queries": [queries], "members": [70], "key": [1], "codes": [3]}
        bounds = large(by, pa.table(sizes), budget)
        assert bounds in ({}, {5: (queries, 70)})
        assert bool(bounds) == bool(plan(by, {5: (queries, 70)}, table, budget).trees)
        found.add(bool(bounds))
    assert found == {True, False}


def test_short_keys_of_many_issues_are_not_sampled() -> None:
    by = comparison(1, width=2000)
    sizes = {
        "hash": [5, 6],
        "queries": [2000, 10**6],
        "members": [2000, 10**6],
        "key": [80] * 2,
        "codes": [20] * 2,
    }
    assert fewest_rows(by, 1 << 26) < 2000
    assert large(by, pa.table(sizes), 1 << 26) == {6: (10**6, 10**6)}


def test_keys_without_codes_are_never_parted() -> None:
    profile = Profile(("q0",), np.array([1.0, 2.0]), Scale(1, 9, True), 10, 10)
    by = compare(profile, 1)
    table = table_of([(5, 0, b"\x01", ()), (5, 1, b"\x01", ())], by)
    assert plan(by, {5: (1, 1)}, table, 1).trees == {}


@pytest.mark.parametrize("salts", [2, 3, 7])
def test_salts_are_about_even_and_follow_from_the_codes_alone(salts: int) -> None:
    from ratingpriv.spark.routing import _salt

    codes = np.array([(a, b, 0) for a in range(40) for b in range(40)], dtype=np.uint8)
    dealt = _salt(codes, salts)
    assert np.array_equal(dealt[::-1], _salt(codes[::-1], salts))
    assert np.bincount(dealt, minlength=salts).min() > 0.8 * len(codes) / salts
