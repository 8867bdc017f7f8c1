"""Who must go, who goes first and who comes back, by formulas written out for one record at a time."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from naive import proximity

from ratingpriv.anonymize.suppression import diversifying
from ratingpriv.anonymize.suppression.remaining import Neighbours, Remaining
from ratingpriv.audit.bounds import sd_ceiling
from ratingpriv.compute.resources import Resources
from ratingpriv.target import Target

pytestmark = pytest.mark.small

LEVELS = ([1, 2, 3, 4, 5], [0.1, 1.3, 2.2, 4.9], [-3.25, 0, 0.5, 7], [100, 101, 104])


@st.composite
def surveys(draw, most=14):
    """One question, and one or two sensitive ones."""
    n = draw(st.integers(2, most))
    levels = draw(st.sampled_from(LEVELS))
    value = st.one_of(st.none(), st.sampled_from(levels)) if draw(st.booleans()) else st.sampled_from(levels)
    column = st.lists(value, min_size=n, max_size=n).filter(any)
    ratings = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return build([(rating,) for rating in ratings], draw(st.lists(column, min_size=1, max_size=2)))


def begun(table, target):
    return Remaining(Neighbours(table, target, Resources(1, None, None), sensitive=True))


def values(column, records):
    """Return the sensitive ratings of some records, exact; None where null."""
    return [
        Fraction(str(float(column.values[record]))) if column.present[record] else None for record in records
    ]


def known(column, records):
    return [value for value in values(column, records) if value is not None]


def highest(column, near, target):
    """Return the square of the largest SD that a part of a neighbourhood, of k records or more, can have."""
    there = known(column, near)
    spread = statistics.pvariance(there) * len(there)
    nulls = len(near) - len(there)
    if target.sensitive_nulls == "ignore":
        bound = spread / max(target.k - nulls, 1)
    else:
        bound = spread + nulls * max(abs(v) for v in known(column, range(len(column.present)))) ** 2
        bound /= target.k
    ceiling = sd_ceiling(column, sensitive_nulls=target.sensitive_nulls)
    return float(bound) if math.isinf(ceiling) else min(float(bound), ceiling**2)


@given(
    table=surveys(), k=st.integers(1, 4), epsilon=st.sampled_from([0, 1, 2]),
    rule=st.sampled_from(["paper", "ignore"]), factor=st.sampled_from([0.999, 1.001]), data=st.data(),
)  # fmt: skip
@settings(max_examples=150 * DEPTH)
def test_who_must_go(table, k, epsilon, rule, factor, data):
    near = proximity.neighbourhoods(table, epsilon, "strict")
    target = Target(k=k, epsilon=epsilon, sensitive_nulls=rule)
    column = table.numeric_sensitive[0]
    own = [record for record in range(table.n_records) if column.present[record]]
    bounds = {record: highest(column, near[record], target) for record in own}
    l = math.sqrt(bounds[data.draw(st.sampled_from(own))]) * factor or 0.01  # noqa: E741
    remaining = begun(table, target)
    found = diversifying._must_go(remaining, remaining.moments[0], column, target, l)
    assert np.flatnonzero(found).tolist() == [record for record in own if bounds[record] < l**2]


@given(
    table=surveys(most=40), epsilon=st.sampled_from([0, 1, 2]), rule=st.sampled_from(["paper", "ignore"]),
    data=st.data(),
)  # fmt: skip
@example(build([(1,)] * 17, [[1, 2] * 8 + [None]]), 0, "paper", None)
@example(build([(1,)] * 16, [[1, 2] * 8]), 0, "ignore", None)
@settings(max_examples=100 * DEPTH)
def test_who_goes_first(table, epsilon, rule, data):
    """Nearest to the mean of its neighbourhood, over all columns; then least SD; then the position."""
    near = proximity.neighbourhoods(table, epsilon, "strict")
    remaining = begun(table, Target(k=1, epsilon=epsilon, sensitive_nulls=rule))
    short = list(range(table.n_records))
    if data is not None:
        short = sorted(data.draw(st.lists(st.sampled_from(short), unique=True, min_size=1)))
    sds = [one.sd(remaining.sizes, rule) for one in remaining.moments]
    keys = {}
    for record in short:
        apart = 0.0
        for column in table.numeric_sensitive:
            if column.present[record]:
                mean = statistics.mean(known(column, near[record]))
                apart += abs(float(values(column, [record])[0] - mean))
        keys[record] = (round(apart, 9), round(min(float(sd[record]) for sd in sds), 9), record)
    found = diversifying._least_spread(remaining, table, np.array(short), rule).tolist()
    assert len(found) == max(1, math.ceil(len(short) / 16))
    ties = [key[:2] for key in keys.values()]
    assume(len(set(ties)) == len(ties) or len({key[0] for key in keys.values()}) == 1 or len(found) == 1)
    best = sorted(keys.values())[: len(found)]
    assert [keys[record][:2] for record in found] == [key[:2] for key in best]


@pytest.mark.parametrize("k", [3, 4])
def test_who_comes_back_has_k_around_it_and_leaves_the_others_diverse(k):
    table = build([(1,)] * 4 + [(5,)], [[1, 5, 3, 3, 1]])
    target = Target(k=k, epsilon=0)
    remaining = begun(table, target)
    remaining.suppress(np.array([False, False, False, True, True]))
    diversifying._put_back(remaining, target, 1.2, [4, 3])
    assert remaining.alive.tolist() == [True, True, True, True, False]
    diversifying._put_back(remaining, target, 0.0, [4])
    assert not remaining.alive[4]


def test_the_last_chosen_is_tried_first(monkeypatch):
    tried = []
    monkeypatch.setattr(diversifying, "_put_back", lambda *given: tried.extend(given[-1]))
    left = []
    suppress_of = Remaining.suppress
    monkeypatch.setattr(
        Remaining, "suppress", lambda self, gone: left.append(np.flatnonzero(gone)) or suppress_of(self, gone)
    )
    told = []
    table = build([(1,)] * 12, [[3] * 8 + [1, 5, 1, 5]])
    target = Target(k=2, epsilon=0, l=1.8)
    kept, possible = diversifying.diversify(begun(table, target), table, target, told.append)
    assert possible.all()
    assert tried == [int(gone[0]) for gone in left][::-1]
    assert told == list(range(1, len(left) + 1))
    assert int(kept.sum()) == 12 - len(left)


def test_the_doubt_of_float64_is_wide_where_numbers_are_far_from_zero():
    """Squares of 10^16 leave nothing of deviations of a thousandth."""
    near = [math.pi * step / 1000 for step in range(4)]
    table = build([(1,)] * 4 + [(9,)] * 4, [[sign * 1e8 + value for sign in (1, -1) for value in near]])
    target = Target(k=4, epsilon=1)
    remaining = begun(table, target)
    l = 0.9 * statistics.pstdev(near)  # noqa: E741
    found = diversifying._must_go(remaining, remaining.moments[0], table.numeric_sensitive[0], target, l)
    assert not found.any()


def test_the_doubt_of_float64_is_narrow_in_a_crowd():
    table = build([(1,)] * 2000, [[1, 2, 3, 4, 5] * 400])
    target = Target(k=2000, epsilon=0)
    remaining = begun(table, target)
    for factor, gone in ((1 - 1e-6, False), (1 + 1e-6, True)):
        l = math.sqrt(2) * factor  # noqa: E741
        found = diversifying._must_go(remaining, remaining.moments[0], table.numeric_sensitive[0], target, l)
        assert set(found.tolist()) == {gone}
