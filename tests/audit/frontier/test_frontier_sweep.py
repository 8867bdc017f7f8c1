"""One look at all pairs: the engine's numbers at many ε,
and the naive twin's answer for every ε.
"""

import itertools
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from unittest import mock

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import frontier as naive
from naive import moments as naive_moments
from properties.strategies import NULLS, mixed_tables, tables

from ratingpriv.audit.frontier import sweep as sweep_module
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.audit.frontier.result import FrontierParameters
from ratingpriv.audit.frontier.search import intervals_of
from ratingpriv.audit.frontier.sweep import Sweep, surely_kept
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import QuasiColumn
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import neighbourhoods


@contextmanager
def swept(**constants):
    """Look at all pairs even where that costs more; with other ``constants`` of the module."""
    with (
        mock.patch.multiple(sweep_module, **constants) if constants else nullcontext(),
        deciding(True),
    ):
        yield


def by_passes():
    """Look at every distance with the engine."""
    return deciding(False)


def deciding(pays):
    return mock.patch.object(Sweep, "pays", return_value=pays)


def search(table, **asked):
    return frontier(table, partition=False, threads=1, **asked)


def intervals(found):
    return [(one.start, one.below) for one in found]


def sweep_of(table, *, nulls="strict", resources=None, **asked):
    return Sweep(
        table,
        FrontierParameters(nulls=nulls, **asked),
        Candidates(table, nulls),
        resources or Resources(),
    )


def holding(changes, distances):
    """Whether it holds at each distance, by the changes that a sweep tells."""
    changes, good = dict(changes), True
    for distance in distances:
        good = changes.get(distance, good)
        yield good


batches = st.sampled_from([1, 1 << 15])
ls = st.sampled_from([0, 0.1, 0.5, 1, 1.5, 2, 1 / 3])


@given(
    table=tables(),
    k=st.none() | st.integers(1, 5),
    l=ls,
    nulls=st.sampled_from(NULLS),
    some=batches,
)
@settings(max_examples=60 * DEPTH)
def test_every_distance_is_decided_as_by_the_naive_twin(table, k, l, nulls, some):  # noqa: E741
    k = k if table.sensitive else k or 2
    l = l if table.sensitive else None  # noqa: E741
    with swept(_BATCH=some):
        found = search(table, k=k, l=l, nulls=nulls, rows=2)
    end = naive.unprotected(table, nulls)
    for rule, answer in found.feasible_by_rule.items():
        assert intervals(answer) == naive.protecting(naive.feasible(table, k, l, nulls, rule), end)


@given(
    table=mixed_tables(most_sensitive=2), k=st.integers(1, 4), l=ls, nulls=st.sampled_from(NULLS)
)
@settings(max_examples=40 * DEPTH)
def test_with_quasi_identifiers_as_the_engine_at_every_distance(table, k, l, nulls):  # noqa: E741
    l = l if table.sensitive else None  # noqa: E741
    with by_passes():
        by_engine = search(table, k=k, l=l, nulls=nulls, rows=1000)
    with swept():
        assert search(table, k=k, l=l, nulls=nulls, rows=1000).rows == by_engine.rows
        few = search(table, k=k, l=l, nulls=nulls, rows=2)
    assert by_engine.complete
    assert few.feasible_by_rule == by_engine.feasible_by_rule


@given(
    table=mixed_tables(most_sensitive=2),
    nulls=st.sampled_from(NULLS),
    threads=st.sampled_from([1, 2]),
)
@settings(max_examples=40 * DEPTH)
def test_neighbourhoods_as_of_the_baseline(table, nulls, threads):
    candidates = Candidates(table, nulls)
    asked = sorted({*candidates.sampled(9), 0.37, 2.0, 1e9})
    with swept(_BATCH=1):
        several = Sweep(table, FrontierParameters(nulls=nulls), candidates, Resources(threads))
        found = list(several.neighbourhoods(asked))
    assert [one.epsilon for one in found] == asked
    for one in found:
        plain = neighbourhoods(table, one.epsilon, nulls=nulls, engine="pairwise")
        assert one.sizes.tolist() == plain.sizes.tolist()
        for mine, theirs in zip(one.moments, plain.moments, strict=True):
            assert mine.known.tolist() == theirs.known.tolist()
            assert mine.sums.tolist() == pytest.approx(theirs.sums.tolist())
            assert mine.squares.tolist() == pytest.approx(theirs.squares.tolist())


@pytest.mark.parametrize(
    ("nulls", "sizes"), [("strict", [2, 2, 1, 2, 2]), ("wildcard", [4, 5, 3, 5, 4])]
)
def test_a_null_of_a_quasi_identifier_is_another_null_or_whatever_it_might_be(nulls, sizes):
    """From ε = 4 on, the width of the scale, a null of an issue keeps nobody apart.

    This one still does.
    """
    city = QuasiColumn(
        "city", np.array([0, -1, 1, -1, 0], dtype=np.int32), pl.Series(["A", "B"]), None
    )
    table = replace(build([(1,), (2,), (None,), (1,), (5,)], scale=(1, 5)), quasi=(city,))
    with swept():
        found = list(sweep_of(table, nulls=nulls).neighbourhoods([4.0, 9.0]))
    assert [one.sizes.tolist() for one in found] == [sizes, sizes]


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(160, 2))
    values[150:] = values[:10]  # equal records
    return values, rng.choice([1, 2, 2, 3, 5], 160)


SENSITIVE = {
    "stars, some unknown": lambda rng: [*rng.choice([1, 2, 3, 4, 5, None, None], 26).tolist(), 0],
    "thousandths far from 0": lambda rng: [
        *(400_000 + rng.integers(40, size=26) / 1000).tolist(),
        0,
    ],
    "real numbers": lambda rng: [*(100 * rng.normal(size=26)).tolist(), 0],
    "tenths that float64 does not hold": lambda rng: [
        *(1e9 + rng.integers(4, size=26) / 10).tolist(),
        -1e9,
    ],
}


@pytest.mark.parametrize("kind", SENSITIVE)
@pytest.mark.parametrize("rule", ["paper", "ignore"])
@pytest.mark.parametrize(("k", "some"), [(1, 1), (4, 100), (9, 1 << 15)])
def test_distances_are_decided_as_in_fractions(kind, rule, k, some):
    """From 0 on, where k need not hold yet, for l on both sides of SDs that there are."""
    rng = np.random.default_rng(len(kind) + k)
    ratings = [*rng.random(26).tolist(), 9.0]  # the last is nobody's neighbour
    table = build([(rating,) for rating in ratings], [SENSITIVE[kind](rng)])
    records = np.arange(0, 26, 2)
    near = {
        distance: [
            [other for other in range(27) if abs(ratings[other] - ratings[record]) <= distance]
            for record in records
        ]
        for distance in sorted({abs(one - other) for one in ratings[:26] for other in ratings[:26]})
    }
    squares = {
        distance: [
            naive_moments.variance(naive_moments.values(table.sensitive[0], of), rule)
            for of in groups
        ]
        for distance, groups in near.items()
    }
    reached = sorted({float(square) for found in squares.values() for square in found if square})
    for square, side in itertools.product(reached[5::40], (-1e-7, 1e-7)):
        l = square**0.5 * (1 + side)  # noqa: E741
        with swept(_BATCH=some):
            changes = sweep_of(table, k=k, l=l).failing(0.0, 1.0, records, rule)
        needed = Fraction(Decimal(repr(l))) ** 2
        for (distance, found), good in zip(squares.items(), holding(changes, squares), strict=True):
            large = min(map(len, near[distance])) >= k
            true = large and all(one is None or one >= needed for one in found)
            assert good <= true if kind.startswith("tenths") else good == true


@pytest.mark.parametrize("rule", ["paper", "ignore"])
@pytest.mark.parametrize("side", [-1, 1])
def test_it_is_not_sure_of_an_sd_that_float64_has_lost(rule, side):
    """Whole numbers that are far from 0 for their spread: it is sure or not,
    and never by rounding.
    """
    rng = np.random.default_rng(5)
    nine = np.array([9])
    for _ in range(50):
        small = rng.integers(40, size=9)
        needed = float(small.var()) * (1 + side * 1e-7)

        def sure(values, shift, needed=needed):
            sums, squares = np.array([values.sum()]), np.array([(values**2).sum()])
            moments = SensitiveMoments("", nine, sums, squares, shift, 0)
            return bool(surely_kept(needed, moments, nine, rule)[0])

        assert sure(small, 0) == (side < 0)
        assert not sure(small, 400_000_000)  # they were decimals
        assert not sure(400_000_000 + small, 0)


def test_an_sd_that_is_l_exactly_holds():
    table = build([(0.0,), (1 / 3,), (7.0,), (7.2,), (20.0,), (20.1,)], [(1, 2, 5, 6, 3, 4)])
    assert intervals(search(table, l=0.5, rows=2).feasible)[0][0] == 1 / 3
    assert intervals(search(table, l=0.5, rows=2).feasible) == naive.protecting(
        naive.feasible(table, None, 0.5, "strict", "paper"), 20.1
    )
    assert (
        search(table, l=0.5000000000000001, rows=2).feasible
        != search(table, l=0.5, rows=2).feasible
    )


def test_real_valued_sensitive_ratings_miss_on_the_safe_side():
    values = [(0.0,), (0.1,), (1 / 3,), (7.7,), (7.8,)]
    table = build(values, [(1 / 3, 2 / 3, 1 / 3, 0.0, 1 / 7)])
    for l in (1 / 6, 0.15, 0.1):  # noqa: E741 -- the SD of 1/3 and 2/3 is 1/6, which float64 cannot tell
        found = search(table, l=l, rows=2)
        with by_passes():
            assert search(table, l=l, rows=2).feasible == found.feasible


def test_distances_that_are_the_smallest_float64_are_told_apart():
    tiny = 5e-324
    table = build([(0.0,), (tiny,), (3 * tiny,), (8 * tiny,), (1 / 3,)], [(1, 2, 3, 5, 9)])
    asked = [0.0, tiny, 2 * tiny, 5 * tiny]
    with swept():
        sweep = sweep_of(table, k=2, l=0.5)
        sizes = [one.sizes.tolist() for one in sweep.neighbourhoods(asked)]
        changes = sweep.failing(0.0, 8 * tiny, np.arange(4), "paper")
        several = search(table, k=2, l=0.5, rows=2)
    assert sizes == [[1] * 5, [2, 2, 1, 1, 1], [2, 3, 2, 1, 1], [3, 3, 4, 2, 1]]
    assert changes == [(0.0, False), (5 * tiny, True)]
    with by_passes():
        assert search(table, k=2, l=0.5, rows=2).feasible == several.feasible


def test_the_end_of_what_is_asked_is_not_told_of():
    third = 1 / 3
    further = float(np.nextafter(third, 1))
    table = build([(0.0,), (third,), (-further,)], [(0, 2, 1)])
    sweep = sweep_of(table, l=0.9)
    assert sweep.failing(third, further, np.array([0]), "ignore") == [(third, True)]
    assert sweep.failing(third, 1.0, np.array([0]), "ignore") == [(third, True), (further, False)]


@pytest.mark.parametrize("k", [None, 2])
def test_records_that_rated_nothing_are_one_anothers_neighbours(k):
    """They are a group, and somebody who is alone, between others:
    nobody is taken for one of them.
    """
    table = build([(1, 2), (2, 2), (None, None), (None, None), (None, 1), (4, None), (6, None)],
                  [(1, 1, 1, 5, 1, 3, 9)])  # fmt: skip
    with swept():
        sweep = sweep_of(table, k=k, l=2)
        sizes = [one.sizes.tolist() for one in sweep.neighbourhoods([0.0, 1.0, 2.0])]
        changes = [
            sweep.failing(0.0, 3.0, np.array(records), "paper") for records in ([2, 3], [5, 6], [4])
        ]
    assert sizes == [[1, 1, 2, 2, 1, 1, 1], [2, 2, 2, 2, 1, 1, 1], [2, 2, 2, 2, 1, 2, 2]]
    assert changes == [[(0.0, True)], [(0.0, False), (2.0, True)], [(0.0, False)]]


def test_numbers_too_long_for_float64_are_searched_by_the_engine():
    table = build([(-0.001,), (3,), (5,), (100000000000000,)], [(1, 2, 4, 1)])
    candidates = Candidates(table, "strict")
    assert candidates.numbers() is None
    found = search(table, l=0.5, rows=2)
    assert [one.start for one in found.feasible] == [99999999999995.0]
    assert search(table, l=0.5, rows=1000).feasible == found.feasible


def test_no_more_memory_is_taken_than_was_said(many):
    values, sensitive = many
    table = build(values.tolist(), [sensitive.tolist()])
    several = sweep_of(table, l=1, resources=Resources(memory=1000))
    assert several.neighbourhoods([0.1 * i for i in range(50)]) is None
    holes = build([(1 / 3, None), (2 / 3, 1.0), (None, 1.0)] * 9, [[1, 2, 3] * 9])
    several = sweep_of(holes, l=1, nulls="wildcard", resources=Resources(memory=1600))
    assert several.failing(0.0, 1.0, np.arange(27), "paper") is None


@pytest.mark.parametrize("seed", [0, 2])
def test_an_sd_of_exactly_l_among_real_numbers_is_decided_as_by_the_engine(seed):
    """Float64 cannot tell: in the second Hamming group, too."""
    rng = np.random.default_rng(seed)
    ratings = [(rating, None) for rating in rng.normal(size=9).tolist()]
    ratings += [(rating, 1.0) for rating in rng.normal(size=9).tolist()]
    table = build(ratings, [(rng.normal(size=18) * 1e3 + 1e6).tolist()])
    with by_passes():
        everywhere = search(table, rows=1000)
    assert everywhere.complete
    for epsilon in Candidates(table, "strict").sampled(40)[5:25:5]:
        found = neighbourhoods(table, epsilon)
        sds = found.moments[0].sd(found.sizes, "paper")
        for l in np.unique(sds[sds > 0])[:4].tolist():  # noqa: E741
            with swept():
                found = search(table, k=1, l=l, rows=2)
            for rule, answer in found.feasible_by_rule.items():
                largest = [row.max_l_by_rule[rule]["issue 3"] for row in everywhere.rows]
                holds = intervals_of(
                    [row.epsilon for row in everywhere.rows], [top >= l for top in largest]
                )
                ends = [(one.start, one.below) for one in holds]
                assert intervals(answer) == naive.protecting(
                    ends, naive.unprotected(table, "strict")
                )


@pytest.mark.parametrize("count", [2, 3, 4, 6, 30])
def test_few_distances_of_many_records_are_a_pass_each(count):
    """Whole numbers cost a pass some milliseconds, whatever the number of distances.

    All pairs seconds.
    """
    table = build(np.random.default_rng(0).integers(41, size=(3000, 4)).tolist())
    sweep = sweep_of(table)
    assert not sweep.pays([*range(count)])
    assert sweep.neighbourhoods([float(epsilon) for epsilon in range(count)]) is None


def test_many_distances_are_one_look():
    rng = np.random.default_rng(0)
    reals = sweep_of(build(rng.normal(size=(1500, 3)).tolist()))
    assert not reals.pays([0.0, 0.1])
    assert reals.pays([0.1 * place for place in range(20)])
    small = sweep_of(build(rng.integers(5, size=(200, 3)).tolist()))
    assert small.pays([0.0, 1.0, 2.0])
