"""The frontier against the naive twin, on real-valued ratings,
and where not every distance is looked at.
"""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive import frontier as naive
from properties.strategies import NULLS, tables

from ratingpriv.audit.frontier import search as search_module
from ratingpriv.audit.frontier import sweep as sweep_module
from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.audit.frontier.result import FrontierParameters, Interval
from ratingpriv.audit.frontier.search import Search
from ratingpriv.audit.frontier.sweep import Sweep
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError


def search(table, **asked):
    return frontier(table, partition=False, **asked)


def intervals(found):
    return [(one.start, one.below) for one in found]


def search_of(table, *, nulls="strict", progress=None, memory=None, **asked):
    return Search(table, FrontierParameters(nulls=nulls, **asked), Resources(1, memory, progress))


# ---- the naive twin ----

limits = st.sampled_from([2, 3, 100])


@given(
    table=tables(),
    k=st.none() | st.integers(1, 6),
    l=st.none() | st.sampled_from([0, 0.1, 0.5, 1, 1.5, 2]),
    nulls=st.sampled_from(NULLS),
    rows=limits,
)
@settings(max_examples=100 * DEPTH)
def test_equal_to_the_naive_twin(table, k, l, nulls, rows):  # noqa: E741
    l = l if table.sensitive else None  # noqa: E741
    found = search(table, k=k, l=l, nulls=nulls, rows=rows)
    assert {row.epsilon: row.max_k for row in found.rows} == {
        row.epsilon: naive.largest_k(table, row.epsilon, nulls) for row in found.rows
    }
    if k is None and l is None:
        return
    end = naive.unprotected(table, nulls)
    for rule, answer in found.feasible_by_rule.items():
        everywhere = naive.feasible(table, k, l, nulls, rule)
        assert intervals(answer) == naive.protecting(everywhere, end)
    useless = [row.epsilon for row in found.rows if not row.protection]
    assert useless == [row.epsilon for row in found.rows if end is not None and row.epsilon >= end]
    assert not any(row.satisfied for row in found.rows if not row.protection)
    assert ("no-protection" in [caution.code for caution in found.cautions]) == bool(useless)
    if l is None:
        at = naive.smallest_epsilon(table, k, nulls)
        protects = at is not None and (end is None or at < end)
        assert found.smallest_epsilon.neighbourhood == (at if protects else None)
        assert (found.smallest_epsilon.reason is not None) == (at is not None and not protects)


@given(table=tables(most_sensitive=0), k=st.integers(1, 8), nulls=st.sampled_from(NULLS))
# 0.3 - 0.1 and 0.6 - 0.3 in float64
@example(table=build([(0.1,), (0.3,), (0.6,)]), k=2, nulls="strict")
@example(table=build([(1 / 3,), (2 / 3,), (1.0,)]), k=3, nulls="strict")
def test_smallest_for_k_equals_the_naive_twin(table, k, nulls):
    found = search_of(table, nulls=nulls).smallest_for_k(k)
    assert found == naive.smallest_epsilon(table, k, nulls)


@given(table=tables(), nulls=st.sampled_from(NULLS))
def test_rows_have_every_distance_at_which_a_size_changes(table, nulls):
    found = search(table, nulls=nulls)
    assert found.complete
    steps = {0.0}
    before = None
    for epsilon in naive.candidates(table, nulls):
        now = naive.proximity.neighbourhoods(table, epsilon, nulls)
        if now != before:
            steps.add(epsilon)
        before = now
    assert steps <= {row.epsilon for row in found.rows}


# ---- real-valued ratings ----


@pytest.fixture(scope="module")
def real_valued():
    rng = np.random.default_rng(7)
    return build(rng.normal(size=(150, 2)).tolist(), [rng.integers(1, 6, 150).tolist()])


def test_real_valued_smallest_epsilon_is_the_largest_distance_to_a_kth_nearest(real_valued):
    found = search(real_valued, k=5, rows=6)
    values = real_valued.to_wide("polars").select(real_valued.issues).to_numpy()
    distance = np.abs(values[:, None, :] - values[None, :, :]).max(axis=2)
    assert found.smallest_epsilon.neighbourhood == np.sort(distance, axis=1)[:, 4].max()
    assert not found.complete


def test_real_valued_feasible_set_at_its_borders(real_valued):
    found = search(real_valued, k=3, l=1.3, rows=6)
    assert found.feasible
    for interval in found.feasible:
        ends = [(interval.start, True), (np.nextafter(interval.start, 0), False)]
        if interval.below is not None:
            ends += [(interval.below, False), (np.nextafter(interval.below, 0), True)]
        for epsilon, good in ends:
            assert search(real_valued, k=3, l=1.3, epsilon=float(epsilon)).satisfied is good


@pytest.mark.parametrize("at_once", [True, False])
def test_distances_on_both_sides_of_r_are_decided(at_once, monkeypatch):
    # from r = 4 on everybody is near the null's 9. Where six are near and no other 9 is, the SD is
    # 8 √5 / 6: near -4 from 6 on, near -5 from 7 to 9, and near -9 from 11 to 13; among up to five
    # it is 3.2
    monkeypatch.setattr(Sweep, "pays", lambda *_: at_once)
    table = build([(-9,), (-5,), (-4,), (0,), (2,), (4,), (None,)], [(1, 1, 1, 1, 1, 9, 9)])
    found = search_of(table, l=3.1).feasible(0.0)["paper"]
    assert found == (Interval(4, 6), Interval(9, 11), Interval(13, None))


def test_where_there_is_no_room_every_distance_is_looked_at_or_it_says_so(real_valued, monkeypatch):
    asked = {"k": 3, "l": 1.3}
    exact = search_of(real_valued, **asked).feasible(0.0)
    some = build(np.arange(30.0)[:, None].tolist(), [[1, 2, 3] * 10])
    monkeypatch.setattr(search_module, "LISTED", 0)
    looked = [search_of(some, k=3, l=0.5, memory=memory).feasible(0.0) for memory in (None, 1)]
    assert looked[0] == looked[1]
    assert exact["paper"]
    monkeypatch.setattr(search_module, "LISTABLE", 3)
    monkeypatch.setattr(sweep_module, "_LAID_OUT", 1 << 40)
    with pytest.raises(ResourceError, match="raise `memory`"):
        search_of(real_valued, **asked).feasible(0.0)
