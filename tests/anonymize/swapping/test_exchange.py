"""The laws of an exchange: group tables stay, every permutation is equally likely, nothing else is told."""

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize.swapping.exchange import bits_of, bits_of_the_system, exchange, permuted
from ratingpriv.partition import Groups


def cells(table: RatingTable) -> dict[str, list[object]]:
    """Every column of a table in plain Python, None where nothing is there."""
    columns: dict[str, list[object]] = {name: [None] * table.n_records for name in table.issues}
    for record in range(table.n_records):
        for entry in range(int(table.indptr[record]), int(table.indptr[record + 1])):
            name = table.issues[int(table.indices[entry])]
            columns[name][record] = float(table.levels[table.codes[entry]])
    for secret in table.sensitive:
        pairs = zip(secret.values.tolist(), secret.present.tolist(), strict=True)
        columns[secret.name] = [value if there else None for value, there in pairs]
    for own in table.quasi:
        values = [*own.values.to_list(), None]
        columns[own.name] = [values[code] for code in own.codes.tolist()]
    return columns


@st.composite
def grouped_tables(draw):
    n = draw(st.integers(4, 14))
    rated = st.one_of(st.none(), st.integers(1, 5))
    names = ("q1", "q2", "q3")
    columns = {name: draw(st.lists(rated, min_size=n, max_size=n)) for name in names}
    columns["pay"] = draw(st.lists(rated, min_size=n, max_size=n))
    ages = st.one_of(st.none(), st.sampled_from(["20", "30"]))
    columns["age"] = draw(st.lists(ages, min_size=n, max_size=n))
    frame = pl.DataFrame(
        {"id": [f"p{i}" for i in range(n)], **columns},
        schema={"id": pl.String, **dict.fromkeys((*names, "pay"), pl.Int64), "age": pl.String},
    )
    table = ratingpriv.read(frame, ratings=names, sensitive=["pay"], quasi=["age"], scale=(1, 5), id="id")
    labels = np.array(draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)))
    return table, Groups.of_labels(labels)


@given(grouped_tables(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_every_group_table_stays_missing_values_included(sample, seed):
    table, groups = sample
    made = exchange(table, groups, bits_of(np.random.default_rng(seed)))
    before, after = cells(table), cells(made.table)
    assert made.kept.tolist() == np.flatnonzero(groups.labels >= 0).tolist()
    for name in before:
        for label in range(groups.count):
            members = np.flatnonzero(groups.labels == label)
            slots = np.searchsorted(made.kept, members)
            assert Counter(before[name][i] for i in members) == Counter(after[name][i] for i in slots)
        for slot, source in enumerate(made.sources[name].tolist()):
            assert after[name][slot] == before[name][source]
            assert groups.labels[source] == groups.labels[made.kept[slot]]


@given(grouped_tables(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_filled_groups_lack_a_column_in_all_records_or_in_none(sample, seed):
    table, groups = sample
    made = exchange(table, groups, bits_of(np.random.default_rng(seed)), fill=True)
    before, after = cells(table), cells(made.table)
    for label in range(groups.count):
        members = np.flatnonzero(groups.labels == label)
        slots = np.searchsorted(made.kept, members)
        for name in table.issues:
            had = [before[name][i] for i in members if before[name][i] is not None]
            has = [after[name][i] for i in slots]
            if 2 * len(had) > len(members):
                assert None not in has
                assert set(has) <= set(had)
                assert not Counter(had) - Counter(has)
            else:
                assert set(has) == {None}


def of_columns(*columns: list[int]) -> RatingTable:
    names = {f"q{place}": column for place, column in enumerate(columns)}
    return ratingpriv.read(pl.DataFrame(names), ratings=list(names), scale=(1, 9))


class Keys:
    """Bits that order the cells of each column as a given permutation of them."""

    def __init__(self, permutations):
        self.permutations = iter(permutations)

    def __call__(self, count):
        keys = np.zeros((count, 2), dtype=np.uint64)
        keys[list(next(self.permutations)), 1] = np.arange(count, dtype=np.uint64)
        return keys


def releases(columns: list[list[int]]) -> Counter[tuple[tuple[object, ...], ...]]:
    """How often each set of rows comes out over all orders of the bits: of the product's own function."""
    table, size = of_columns(*columns), len(columns[0])
    groups, out = Groups.of_labels(np.zeros(size, dtype=np.int64)), Counter()
    orders = list(itertools.permutations(range(size)))
    for choice in itertools.product(orders, repeat=len(columns)):
        made = cells(exchange(table, groups, Keys(choice)).table)
        out[tuple(sorted(zip(*made.values(), strict=True), key=str))] += 1
    return out


def test_the_release_of_a_group_is_the_same_for_all_assignments_of_a_column():
    """Theorem 1 by enumeration: whatever is known of the other columns, the table of one is all it tells."""
    first, last = [1, 2, 2], [1, 1, 3]
    seen = {frozenset(releases([first, list(order)]).items()) for order in itertools.permutations(last)}
    assert len(seen) == 1
    whole = {tuple(sorted(zip(first, order, strict=True))) for order in itertools.permutations(last)}
    assert len(whole) > 1  # rows kept whole would tell


def test_every_order_of_bits_gives_another_permutation():
    labels = np.zeros(4, dtype=np.int64)
    orders = list(itertools.permutations(range(4)))
    assert {tuple(permuted(labels, Keys([order])).tolist()) for order in orders} == set(orders)


def surprise(counts: Counter[tuple[int, ...]], cells_in_all: int) -> float:
    """Chi squared of equal shares."""
    expected = sum(counts.values()) / cells_in_all
    return sum((times - expected) ** 2 / expected for times in counts.values()) + expected * (
        cells_in_all - len(counts)
    )


@pytest.mark.parametrize("source", ["system", "rng"])
def test_permutations_are_uniform(source):
    """24 orders, 23 degrees of freedom: chi squared above 66 once in a million."""
    labels = np.repeat(np.arange(3000), 4)
    bits = bits_of_the_system if source == "system" else bits_of(np.random.default_rng(1))
    moved = permuted(labels, bits).reshape(-1, 4) - 4 * np.arange(3000)[:, None]
    assert surprise(Counter(map(tuple, moved.tolist())), 24) < 66


def test_the_test_of_uniformity_rejects_a_wrong_shuffle():
    """The naive shuffle that draws from all places each time is not uniform, and is seen not to be."""
    rng, counts = np.random.default_rng(2), Counter[tuple[int, ...]]()
    for _ in range(3000):
        order = [0, 1, 2, 3]
        for place in range(4):
            other = int(rng.integers(4))
            order[place], order[other] = order[other], order[place]
        counts[tuple(order)] += 1
    assert surprise(counts, 24) > 66


def test_bits_of_the_system_differ_each_time():
    assert not np.array_equal(bits_of_the_system(8), bits_of_the_system(8))
    assert bits_of_the_system(8).shape == (8, 2)


def test_dates_go_with_their_ratings():
    frame = pl.DataFrame({
        "user": ["a", "a", "b", "b", "c", "c"], "item": ["x", "y"] * 3, "rating": [1, 2, 3, 4, 5, 1],
        "when": [10, 20, 30, 40, 50, 60],
    })  # fmt: skip
    table = RatingTable.from_long(frame, record="user", issue="item", rating="rating", timestamp="when")
    groups = Groups.of_labels(np.zeros(3, dtype=np.int64))
    made = exchange(table, groups, bits_of(np.random.default_rng(0))).table
    dated = dict(zip(frame["when"], frame["rating"], strict=True))
    assert made.timestamps is not None
    assert [dated[when] for when in made.timestamps.to_list()] == made.values.tolist()
