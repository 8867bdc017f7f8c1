"""Neighbourhoods among the records that are left: counted anew, and by taking off and putting back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from golden.tables import build
from naive import proximity

from ratingpriv.anonymize.suppression import remaining as _remaining
from ratingpriv.anonymize.suppression.remaining import Neighbours, Remaining
from ratingpriv.compute.resources import Resources
from ratingpriv.proximity.join import Join, Limits, prepare
from ratingpriv.target import Target

pytestmark = pytest.mark.small


def random_table(seed, n=40):
    """Records on three issues, many of which rate equally, the last of which rates what nobody else does."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 7, (n, 2)).astype(object)
    ratings[rng.random((n, 2)) < 0.2] = None
    ratings = [*([*row, None] for row in ratings.tolist()), [None, None, 1]]
    hidden = rng.integers(1, 6, n + 1).astype(object)
    hidden[rng.random(n + 1) < 0.2] = None
    return build(ratings, [hidden.tolist()], scale=(1, 6))


def rates_what_nobody_else_does(table):
    rated = [frozenset(table.indices[a:b].tolist()) for a, b in itertools.pairwise(table.indptr.tolist())]
    alone = [rated.count(one) == 1 for one in rated]
    assert alone[-1]
    return alone


def expected(table, near, among):
    """Size, known, sum and sum of squares around every record among some, from the definition."""
    column = table.sensitive[0]
    found = []
    for record in range(table.n_records):
        left = [other for other in near[record] if among[other]]
        values = [float(column.values[other]) for other in left if column.present[other]]
        found.append((len(left), len(values), sum(values), sum(value**2 for value in values)))
    return found


def counted(sizes, moments, record):
    (one,) = moments
    unit = 10.0**one.decimals
    known, total = int(one.known[record]), float(one.sums[record])
    squares = float(one.squares[record]) + 2 * one.shift * total + known * one.shift**2
    return int(sizes[record]), known, (total + known * one.shift) / unit, squares / unit**2


def counting(table, epsilon=1, sensitive=True):
    of = Neighbours(table, Target(k=2, epsilon=epsilon), Resources(), sensitive=sensitive)
    assert isinstance(of._join, Join)
    return of, proximity.neighbourhoods(table, epsilon, "strict")


@pytest.mark.parametrize("limits", [None, Limits(direct=0, fuse=2, sort=2, split=1)])
@pytest.mark.parametrize("seed", range(4))
def test_neighbours_are_counted_whoever_asked_before(monkeypatch, seed, limits):
    def forced(table, epsilon, nulls, *, collapse):
        return prepare(table, epsilon, nulls, collapse=collapse, limits=limits)

    monkeypatch.setattr(_remaining, "prepare", forced)
    table, rng = random_table(seed), np.random.default_rng(seed)
    of, near = counting(table)
    n = table.n_records
    alone = rates_what_nobody_else_does(table)
    for share in (1, 0.9, 0.5, 0.05, 0.1, 0.9, 0.6, 0.05, 1):
        asking, members = rng.random(n) < share, rng.random(n) < 0.5
        sizes, moments = of.among(asking, members)
        right = expected(table, near, members)
        for record in np.flatnonzero(asking).tolist():
            found = counted(sizes, moments, record)
            assert found[:2] == ((0, 0) if alone[record] else right[record][:2])
            assert alone[record] or found == right[record]


@pytest.mark.parametrize("seed", range(4))
def test_records_go_and_come_back(seed):
    table, rng = random_table(seed), np.random.default_rng(seed + 10)
    of, near = counting(table)
    n = table.n_records
    alone = rates_what_nobody_else_does(table)
    remaining = Remaining(of)
    for _ in range(3):
        remaining.suppress(remaining.alive & (rng.random(n) < 0.2) | (np.arange(n) == n - 1))
        right = expected(table, near, remaining.alive)
        for record in np.flatnonzero(remaining.alive).tolist():
            assert counted(remaining.sizes, remaining.moments, record) == right[record]
    for record in np.flatnonzero(~remaining.alive).tolist():
        changed, sizes, moments = remaining.with_back(record)
        back = remaining.alive.copy()
        back[record] = True
        assert np.flatnonzero(changed).tolist() == [t for t in range(n) if back[t] and record in near[t]]
        right = expected(table, near, back)
        for one in np.flatnonzero(back).tolist():
            assert sizes[one] == right[one][0]
            assert alone[one] or counted(sizes, moments, one) == right[one]
        if rng.random() < 0.6:
            remaining.put_back(record, sizes, moments)
