"""The laws of an exchange: group tables stay, every permutation is equally likely,
nothing else is told.
"""

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize.swapping.exchange import bits_of, bits_of_the_system, exchange, permuted
from ratingpriv.base.compute.resources import Resources
from ratingpriv.partition import Groups, near_groups


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
    table = ratingpriv.read(
        frame, ratings=names, sensitive=["pay"], quasi=["age"], scale=(1, 5), id="id"
    )
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
            assert Counter(before[name][i] for i in members) == Counter(
                after[name][i] for i in slots
            )
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
    """How often each set of rows comes out over all orders of the bits:
    of the product's own function.
    """
    table, size = of_columns(*columns), len(columns[0])
    groups, out = Groups.of_labels(np.zeros(size, dtype=np.int64)), Counter()
    orders = list(itertools.permutations(range(size)))
    for choice in itertools.product(orders, repeat=len(columns)):
        made = cells(exchange(table, groups, Keys(choice)).table)
        out[tuple(sorted(zip(*made.values(), strict=True), key=str))] += 1
    return out


def test_the_release_of_a_group_is_the_same_for_all_assignments_of_a_column():
    """Theorem 1 by enumeration: whatever is known of the other columns,
    the table of one is all it tells.
    """
    first, last = [1, 2, 2], [1, 1, 3]
    seen = {
        frozenset(releases([first, list(order)]).items()) for order in itertools.permutations(last)
    }
    assert len(seen) == 1
    whole = {
        tuple(sorted(zip(first, order, strict=True))) for order in itertools.permutations(last)
    }
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
    """The naive shuffle that draws from all places each time is not uniform,
    and is seen not to be.
    """
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
        "user": ["a", "a", "b", "b", "c", "c"], "item": ["x", "y"] * 3,
        "rating": [1, 2, 3, 4, 5, 1],
        "when": [10, 20, 30, 40, 50, 60],
    })  # fmt: skip
    table = RatingTable.from_long(
        frame, record="user", issue="item", rating="rating", timestamp="when"
    )
    groups = Groups.of_labels(np.zeros(3, dtype=np.int64))
    made = exchange(table, groups, bits_of(np.random.default_rng(0))).table
    dated = dict(zip(frame["when"], frame["rating"], strict=True))
    assert made.timestamps is not None
    assert [dated[when] for when in made.timestamps.to_list()] == made.values.tolist()


# ---- several groups


def orders_of(labels: list[int]) -> list[tuple[int, ...]]:
    """One order of the bits for each way to permute the cells within each group."""
    members = [
        [i for i, label in enumerate(labels) if label == group] for group in sorted({*labels})
    ]
    choices = itertools.product(*(itertools.permutations(own) for own in members))
    return [tuple(itertools.chain.from_iterable(choice)) for choice in choices]


def test_all_ways_to_permute_several_groups_are_equally_likely():
    """By enumeration over the product's own function: 5! orders of the bits,
    3! · 2! permutations.
    """
    labels = np.array([0, 1, 0, 1, 0])
    orders = itertools.permutations(range(5))
    seen = Counter(tuple(permuted(labels, Keys([order])).tolist()) for order in orders)
    assert len(seen) == 12
    assert {*seen.values()} == {10}
    assert all(labels[list(moved)].tolist() == labels.tolist() for moved in seen)
    assert {*seen} == {
        tuple(permuted(labels, Keys([order])).tolist()) for order in orders_of([0, 1, 0, 1, 0])
    }


def with_pay(first: list[int], pay: list[int]) -> RatingTable:
    frame = pl.DataFrame({"q": first, "pay": pay})
    return ratingpriv.read(frame, ratings=["q"], sensitive=["pay"], scale=(1, 9))


def test_a_sensitive_column_tells_its_group_tables_alone_though_the_groups_are_made_anew():
    """Theorem 1 with the groups computed from each assignment of the column,
    on which no demand is made.
    """
    first = [1, 8, 2, 9]

    def distribution(pay: list[int]) -> Counter[tuple[tuple[object, ...], ...]]:
        table, out = with_pay(first, pay), Counter()
        groups = near_groups(table, 2, 1).groups
        for choice in itertools.product(orders_of(groups.labels.tolist()), repeat=2):
            made = cells(exchange(table, groups, Keys(choice)).table)
            out[tuple(sorted(zip(*made.values(), strict=True)))] += 1
        return out

    known = [distribution(pay) for pay in ([1, 3, 2, 4], [2, 3, 1, 4], [1, 4, 2, 3], [2, 4, 1, 3])]
    assert len(known[0]) > 1
    assert all(each == known[0] for each in known)  # who of a group gave which makes no difference
    assert distribution([3, 1, 2, 4]) != known[0]  # another group table does


@given(st.lists(st.integers(1, 5), min_size=24, max_size=24), st.randoms(use_true_random=False))
@settings(max_examples=5, deadline=None)
def test_groups_do_not_depend_on_a_sensitive_column_without_a_demand_on_it(first, random):
    pay = list(range(1, 10)) * 3
    labels = []
    for _ in range(2):
        random.shuffle(pay)
        labels.append(
            near_groups(with_pay(first, pay[:24]), 3, 1, withhold_at_most=1).labels.tolist()
        )
    assert labels[0] == labels[1]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=6, max_size=6))
@settings(max_examples=4, deadline=None)
def test_a_covariance_loses_what_is_within_groups(pairs):
    """On complete data E[cov] = cov − w, w the pooled covariance within groups:
    over all permutations.
    """
    labels = [0, 0, 1, 0, 1, 1]
    groups, x, y = Groups.of_labels(np.array(labels)), *np.array(pairs, dtype=float).T
    table = of_columns([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    identity, found = orders_of(labels)[0], []
    # which rows meet depends on one column's order beside the other's
    for order in orders_of(labels):
        made = cells(exchange(table, groups, Keys([identity, order])).table)
        found.append(
            np.cov(*(np.array(column, dtype=float) for column in made.values()), bias=True)[0, 1]
        )
    within = sum(
        float(((x[own] - x[own].mean()) * (y[own] - y[own].mean())).sum())
        for own in (np.array(labels) == group for group in (0, 1))
    )
    assert np.mean(found) == pytest.approx(np.cov(x, y, bias=True)[0, 1] - within / 6, abs=1e-12)


def test_no_two_columns_are_kept_together():
    """Each column has a permutation of its own:
    a pair that stayed together would be one column more.
    """
    frame = pl.DataFrame({
        **{f"q{place}": [1 + n % 9 for n in range(60)] for place in range(3)},
        "pay": [1 + n % 5 for n in range(60)], "age": [str(n % 7) for n in range(60)],
    })  # fmt: skip
    table = ratingpriv.read(
        frame, ratings=["q0", "q1", "q2"], sensitive=["pay"], quasi=["age"], scale=(1, 9)
    )
    made = exchange(table, Groups.of_labels(np.zeros(60, dtype=np.int64)), bits_of_the_system)
    assert set(made.sources) == {"q0", "q1", "q2", "pay", "age"}
    for one, other in itertools.combinations(made.sources.values(), 2):
        assert not np.array_equal(one, other)
        assert np.count_nonzero(one == other) < 20  # of 60, one is expected
    assert all(np.count_nonzero(own == np.arange(60)) < 20 for own in made.sources.values())


def test_the_bits_that_tell_most_apart_decide_and_the_others_where_these_are_equal():
    keys = np.array([[3, 7], [2, 7], [9, 1], [0, 8], [1, 7]], dtype=np.uint64)
    labels = np.array([0, 0, 0, 1, 1])
    assert permuted(labels, lambda count: keys[:count]).tolist() == [2, 1, 0, 4, 3]


def test_an_exchange_is_told_about_column_by_column():
    table, told = build([(1, 2, 3), (2, 3, 4)]), []
    resources = Resources(progress=lambda *step: told.append(step))
    groups = Groups.of_labels(np.zeros(2, dtype=np.int64))
    exchange(table, groups, bits_of_the_system, resources=resources)
    assert told == [("exchanging ratings", done, 3) for done in range(3)]
