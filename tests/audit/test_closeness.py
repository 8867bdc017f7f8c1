"""t-closeness: the papers' example, plain loops, and SciPy's earth mover's distance as judge."""

from fractions import Fraction

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import inference
from naive.proximity import neighbourhoods as near
from properties.strategies import AUDIT_NULLS, epsilons, tables
from scipy.stats import wasserstein_distance

from ratingpriv import audit
from ratingpriv.partition import near_groups
from ratingpriv.proximity.counts import Whole

pytestmark = pytest.mark.small
ENGINES = ("slicing", "pairwise")
INCOMES = [3, 4, 5, 6, 11, 8, 7, 9, 10]  # [Li et al. 2007, Table 3]: three classes of three


@pytest.mark.parametrize("engine", ENGINES)
def test_the_example_of_the_paper(engine):
    """P1 = {3k, 4k, 5k} is 0.375 away from all, P2 = {6k, 8k,
    11k} is 0.167 away [Li et al. 2007, 3.1].
    """
    table = build([(1,)] * 3 + [(3,)] * 3 + [(5,)] * 3, [INCOMES])
    found = audit(table, k=3, epsilon=0, t_closeness=0.375, engine=engine)
    distances = found.counts("issue 2").distance()
    assert distances[[0, 3]].tolist() == [0.375, pytest.approx(1 / 6)]
    inferred = found.inference["issue 2"]
    assert (found.satisfied, inferred.distance, inferred.distance_record) == (True, 0.375, 0)
    below = audit(table, k=3, epsilon=0, t_closeness=0.3749, engine=engine)
    assert (below.satisfied, below.t_closeness.violators) == (False, 3)
    assert below.t_closeness.best == {"issue 2": 0.375}
    nominal = audit(table, k=3, epsilon=0, t_closeness=0.7, sensitive_kind="nominal", engine=engine)
    assert nominal.counts("issue 2").distance() == pytest.approx([2 / 3] * 9)
    assert nominal.satisfied


@given(
    tables(9, 3, 2), epsilons, st.sampled_from(AUDIT_NULLS), st.sampled_from(ENGINES), st.booleans()
)
@settings(max_examples=30 * DEPTH)
def test_it_is_what_plain_loops_find(table, epsilon, nulls, engine, nominal):
    kind = "nominal" if nominal else "interval"
    found = (
        audit(
            table,
            k=1,
            epsilon=epsilon,
            nulls=nulls,
            engine=engine,
            sensitive_kind=kind,
            t_closeness=0.25,
        )
        if table.sensitive
        else None
    )
    if found is None:
        return
    groups = near(table, epsilon, nulls)
    unmet = set()
    for column in table.sensitive:
        values = [
            Fraction(value) if there else None
            for value, there in zip(column.values.tolist(), column.present.tolist(), strict=True)
        ]
        ordered = not (nominal or column.nominal)
        expected = [
            inference.distance([values[i] for i in group], values, ordered=ordered)
            for group in groups
        ]
        unmet |= {at for at, one in enumerate(expected) if one is not None and one > Fraction(1, 4)}
        largest = max((one for one in expected if one is not None), default=None)
        told = found.inference[column.name]
        assert (told.distance is None) is (largest is None)
        if largest is not None:
            assert told.distance == pytest.approx(float(largest))
            assert expected[told.distance_record] == largest
            asked = {
                "k": 1,
                "epsilon": epsilon,
                "nulls": nulls,
                "engine": engine,
                "sensitive_kind": kind,
            }
            assert audit(
                table,
                **asked,
                t_closeness=max(
                    one.distance for one in found.inference.values() if one.distance is not None
                ),
            ).satisfied
    assert found.t_closeness.violators == len(unmet)


@pytest.mark.parametrize("seed", range(5))
def test_an_independent_judge(seed):
    """Numbers by SciPy, on their places among all values; words by the total variation distance."""
    rng = np.random.default_rng(seed)
    everybody = rng.integers(0, 7, 60) ** 2
    levels, whole = np.unique(everybody, return_counts=True)
    for _ in range(20):
        some = rng.choice(everybody, int(rng.integers(1, 12)))
        counts = np.array([[np.count_nonzero(some == level)] for level in levels])
        places = np.searchsorted(levels, some), np.searchsorted(levels, everybody)
        ordered, words = Whole(whole, True), Whole(whole, False)
        moved = wasserstein_distance(*places) / (len(levels) - 1)
        assert int(ordered.gaps(counts)[0]) / (ordered.unit * len(some)) == pytest.approx(moved)
        shares = np.abs(counts[:, 0] / len(some) - whole / len(everybody)).sum() / 2
        assert int(words.gaps(counts)[0]) / (words.unit * len(some)) == pytest.approx(shares)


def test_numbers_that_64_bits_do_not_hold_are_exact():
    whole = Whole(np.array([1 << 40, 1, 1 << 40]), True)
    (gap,) = whole.gaps(np.array([[1 << 30], [0], [0]]))
    assert Fraction(gap, whole.unit << 30) == Fraction(
        (1 << 40) + 1 + (1 << 40), 2 * ((1 << 41) + 1)
    )


@pytest.mark.parametrize(
    ("incomes", "t", "due"),
    [
        ([1, 1, 1, 1], 0.2, True),
        ([1, 1, 2, 2], 0.5, True),
        ([1, 1, 2, 2], 0.49, False),
        ([1, 1, 2, 2], 1, True),
    ],
)
def test_what_no_neighbourhood_could_fail_has_a_reservation(incomes, t, due):
    found = audit(build([(1,), (1,), (1,), (1,)], [incomes]), k=2, epsilon=0, t_closeness=t)
    assert found.satisfied
    assert ("demand-asks-nothing" in found.standing.reserved) is due


def test_groups_meet_it():
    rng = np.random.default_rng(4)
    ratings = [tuple(row) for row in rng.integers(1, 4, (60, 3)).tolist()]
    table = build(ratings, [rng.integers(1, 4, 60).tolist()])
    found = near_groups(table, 4, 2, t_closeness=0.1)
    groups = found.groups
    values = [Fraction(value) for value in table.sensitive[0].values.tolist()]
    assert (groups.count, found.left_out) == (11, 0)
    for number in range(groups.count):
        members = [values[i] for i in np.flatnonzero(groups.labels == number)]
        assert inference.distance(members, values, ordered=True) <= Fraction(1, 10)
    assert near_groups(table, 4, 2).groups.count > groups.count  # it was no accident
