"""Who stays untouched, and the places next to them."""

import numpy as np
from golden.tables import build
from hypothesis import given
from hypothesis import strategies as st
from naive import proximity
from naive.anonymize import difference, rows_of
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.anonymize.modification import _anchoring as kernels
from ratingpriv.anonymize.modification.changes import changed_table, move_to_places, no_changes
from ratingpriv.anonymize.modification.dense import dense
from ratingpriv.anonymize.modification.grouping import places, untouched
from ratingpriv.anonymize.modification.plan import Task
from ratingpriv.base.compute.compiling import pinned
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.partition.distortion.windows import measure

ONE = Resources(threads=1)


@given(
    table=tables(),
    k=st.integers(2, 4),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    fabricate=st.booleans(),
)
def test_every_place_is_next_to_enough_untouched_records(table, k, epsilon, nulls, fabricate):
    by = measure(table, epsilon, nulls=nulls)
    if not by.whole:
        return
    target = Target(k=k, epsilon=epsilon, nulls=nulls)
    core = untouched(table, target, ONE)
    rng = np.random.default_rng(0)
    task = Task(table, by, target, fabricate=fabricate, resources=ONE)
    found = places(task, dense(table, by, None, 255), core, rng)
    assert found.records.tolist() == np.flatnonzero(~core).tolist()
    there = np.isfinite(found.cost)
    changes = no_changes(table, by.numbers)
    move_to_places(table, found.records[there], found.places[there], changes)
    after = changed_table(table, changes, by.unit)
    pairs = list(zip(rows_of(table), rows_of(after), strict=True))
    moved = [float(difference([pairs[i][0]], [pairs[i][1]])[0]) for i in found.records[there]]
    np.testing.assert_allclose(moved, found.cost[there] / by.unit, rtol=1e-12)
    rows = proximity.ratings(after)
    for i in found.records[there]:
        near = sum(
            bool(core[j]) and proximity.proximate(after, rows[i], rows[j], epsilon, nulls)
            for j in range(table.n_records)
        )
        assert near >= k - 1
    assert fabricate or not changes.imputed
    for i in np.flatnonzero(core):  # and these need nobody else
        near = sum(
            bool(core[j])
            and (i == j or proximity.proximate(after, rows[i], rows[j], epsilon, nulls))
            for j in range(table.n_records)
        )
        assert near >= k


def test_anchors_may_be_twice_epsilon_apart():
    """Between (1) and (3), which are no clique at ε = 1, there is room at (2)."""
    table = build([(1, 1), (1, 1), (3, 1), (3, 1), (2, 5)], scale=(1, 5))
    by = measure(table, 1)
    core = untouched(table, Target(k=2, epsilon=1), ONE)
    rng = np.random.default_rng(0)
    for k, cost in ((2, 3), (4, 3), (5, 3)):
        task = Task(table, by, Target(k=k, epsilon=1), resources=ONE)
        found = places(task, dense(table, by, None, 255), core, rng)
        assert found.cost.tolist() == [cost]
        assert found.places.tolist() == [[2, 2]]


def test_a_null_becomes_what_is_within_epsilon_and_on_the_scale():
    """Next to 2 at ε = 2 even a 0 would do, but the scale starts at 1.

    The median of the issue is 2.
    """
    table = build([(3, 2), (3, 2), (3, None)], scale=(1, 5))
    core = untouched(table, Target(k=2, epsilon=2), ONE)
    assert core.tolist() == [True, True, False]
    for fill, place in (("metric", 1), ("median", 2)):
        by = measure(table, 2, fill=fill)
        task = Task(table, by, Target(k=2, epsilon=2), resources=ONE)
        found = places(task, dense(table, by, None, 255), core, np.random.default_rng(0))
        assert (found.cost.tolist(), found.places.tolist()) == ([place], [[3, place]])


def test_places_next_to_many_are_not_found_in_plain_python(monkeypatch):
    """The arrays of a thousand records are small, and the steps are not: this took a quarter of
    a minute.
    """
    forms = []
    for form in ("run_plain", "run_compiled"):
        monkeypatch.setattr(kernels.anchor, form, lambda *_, form=form: forms.append(form))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    for records, form in ((20, "run_plain"), (1_000, "run_compiled")):
        rng = np.random.default_rng(3)
        table = build(rng.integers(1, 6, (records, 20)).astype(float).tolist())
        by = measure(table, 1.0, nulls="strict")
        task = Task(table, by, Target(k=5, epsilon=1.0), fabricate=True, resources=ONE)
        core = np.arange(records) % 4 > 0
        with pinned(None):
            places(task, dense(table, by, None, 255), core, rng)
        assert set(forms) == {form}
        forms.clear()
