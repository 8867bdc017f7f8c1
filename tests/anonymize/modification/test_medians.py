"""Groups that become equal, by medians: against the definition, and against the general search."""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import group_cost
from properties.strategies import NULLS, tables

from ratingpriv.anonymize.methods import modify
from ratingpriv.anonymize.modification import _medians, grouping
from ratingpriv.anonymize.modification.dense import dense
from ratingpriv.base.compute.resources import Resources
from ratingpriv.partition.distortion.windows import FILLS, measure
from ratingpriv.partition.groups import Groups

NULL = 3
VALUES = np.array([-1, 0, 4], dtype=np.int16)
rows = st.lists(st.tuples(*[st.integers(0, NULL)] * 3), min_size=2, max_size=9)


def cost(members):
    """The distances to a median, nulls left out, item by item."""
    found = 0
    for column in zip(*members, strict=True):
        known = sorted(int(VALUES[code]) for code in column if code != NULL)
        found += sum(abs(x - known[len(known) // 2]) for x in known)
    return found


@given(rows=rows, data=st.data())
def test_joining_leaving_and_swapping_cost_what_the_medians_say(rows, data):
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
    labels[0], labels[-1] = 0, 1
    cells = _medians.cells_of(np.array(rows, dtype=np.uint8), VALUES)
    groups = _medians.counted(np.array(labels), 2, 1, cells)
    sets = [[i for i, label in enumerate(labels) if label == g] for g in (0, 1)]

    def of(some):
        return cost([rows[i] for i in some])

    alone = np.full(len(rows), np.inf)
    assert _medians.total(cells, np.array(labels), 2, alone) == of(sets[0]) + of(sets[1])
    for g, members in enumerate(sets):
        for i in sets[1 - g]:
            assert groups.joins[g, i] == of([*members, i]) - of(members)
        for i in members:
            others = [s for s in members if s != i]
            assert _medians.saved(i, g, groups, cells) == of(members) - of(others)

    def swapped(i, s):
        new = [
            [s if one == i else one for one in sets[0]],
            [i if one == s else one for one in sets[1]],
        ]
        return of(new[0]) + of(new[1])

    for i in sets[0]:
        partner = _medians.partner_of(i, 1, groups, cells, np.empty((2, 3), dtype=np.int64))
        best = min(swapped(i, s) for s in sets[1])
        now = of(sets[0]) + of(sets[1])
        assert (now if partner < 0 else swapped(i, partner)) == min(best, now)


@given(rows=rows, k=st.integers(1, 4), lonely=st.sampled_from([np.inf, 2.0]), data=st.data())
def test_moves_and_swaps_never_cost_and_keep_k(rows, k, lonely, data):
    m = len(rows)
    if m < k:
        return
    cells = _medians.cells_of(np.array(rows, dtype=np.uint8), VALUES)
    label, alone = np.empty(m, dtype=np.int64), np.full(m, lonely)
    seed = data.draw(st.integers(-1, m - 1))
    count = _medians.grow(cells, k, 0.02, seed, label)
    assert np.bincount(label[label >= 0], minlength=count).tolist() == [k] * (m // k)
    before = _medians.total(cells, label, count, alone)
    _medians.improve(cells, label, count, k, alone, np.arange(m), 8)
    assert _medians.total(cells, label, count, alone) <= before
    sizes = np.bincount(label[label >= 0], minlength=count)
    assert ((sizes >= k) | (sizes == 0)).all()
    assert lonely != np.inf or (label >= 0).all()


@settings(max_examples=40 * DEPTH)
@given(
    table=tables(),
    nulls=st.sampled_from(NULLS),
    fabricate=st.booleans(),
    fill=st.sampled_from(FILLS),
    data=st.data(),
)
def test_where_medians_count_they_cost_what_the_windows_do(table, nulls, fabricate, fill, data):
    by = measure(table, 0, nulls=nulls, fill=fill)
    if not by.whole:
        return
    dense_codes = dense(table, by, None)
    costs = grouping.costs_of(dense_codes.levels, by, fabricate=fabricate)
    numbers = grouping.numbers_of(dense_codes.codes, costs)
    if numbers is None:
        return
    members = data.draw(st.lists(st.integers(0, table.n_records - 1), min_size=1, unique=True))
    label = np.full(table.n_records, -1)
    label[members] = 0
    alone, cells = np.zeros(table.n_records), _medians.cells_of(*numbers)
    true = group_cost(table, np.array(members), 0.0, nulls=nulls, fabricate=fabricate, fill=fill)
    assert _medians.total(cells, label, 1, alone) == round(true * by.unit)


def likert(n, p, *, missing=0.0):
    """Answers 1..5 that go together, some of them missing."""
    rng = np.random.default_rng(1)
    answers = np.clip(np.rint(3 + rng.normal(size=(n, 1)) + rng.normal(size=(n, p))), 1, 5)
    answers[rng.random((n, p)) < missing] = np.nan
    rows = [[None if np.isnan(x) else int(x) for x in row] for row in answers]
    return build(rows, scale=(1, 5))


@pytest.mark.parametrize("nulls", NULLS)
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_groups_by_medians_are_as_good_as_those_of_the_general_search(nulls, share, monkeypatch):
    table = likert(300, 8, missing=share)
    found = [
        modify(table, k=6, epsilon=0, nulls=nulls, rng=seed).distortion.total for seed in (0, 1)
    ]
    monkeypatch.setattr(grouping, "numbers_of", lambda codes, costs: None)
    other = [
        modify(table, k=6, epsilon=0, nulls=nulls, rng=seed).distortion.total for seed in (0, 1)
    ]
    assert found != other  # it was another search
    assert sum(found) <= 1.02 * sum(other)


def test_many_blocks_are_grouped_alike_by_any_number_of_threads():
    codes = np.random.default_rng(0).integers(0, 5, (3000, 10)).astype(np.uint8)
    by = measure(likert(10, 2), 0)
    costs = grouping.costs_of(np.arange(1.0, 6.0), by, fabricate=True)
    alone = np.full(3000, np.inf)
    one, two = (
        grouping.cheap_groups(
            codes, 7, costs, alone, np.random.default_rng(1), Resources(threads=threads)
        )
        for threads in (1, 2)
    )
    assert np.array_equal(one, two)
    assert Groups.of_labels(one).sizes.min() >= 7
