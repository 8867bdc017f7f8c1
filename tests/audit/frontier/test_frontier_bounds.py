"""What two looks say of every distance between them: by hand, and against the naive twin."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import frontier as naive
from naive import moments as naive_moments
from naive.proximity import neighbourhoods as naive_neighbourhoods
from properties.strategies import NULLS, tables

from ratingpriv.audit.frontier import search as search_module
from ratingpriv.audit.frontier import sweep as sweep_module
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.frontier import check_parameters
from ratingpriv.audit.frontier.result import FrontierRow, Interval
from ratingpriv.audit.frontier.search import (
    Scan,
    Scanner,
    _bounds,
    _decided,
    _sure,
    feasible_set,
    intervals_of,
    smallest_for_k,
)
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import Neighbourhoods

pytestmark = pytest.mark.small

by_looks_alone = mock.patch.multiple(sweep_module, COMPARISONS=-1)


def scanner_of(table, *, nulls="strict", progress=None, **asked):
    resources = Resources(threads=1, progress=progress)
    return Scanner(table, check_parameters(nulls=nulls, **asked), resources, Candidates(table, nulls))


def of_values(*columns, **asked):
    """A scanner of a table with these sensitive columns; its ratings do not matter."""
    return scanner_of(build([(1,)] * len(columns[0]), columns), **asked)


def row(epsilon, max_k):
    return FrontierRow(epsilon, max_k, {}, {}, 0, 0, None)


def look(sizes, *issues, holds=True, decimals=0):
    """What was found near each record: how many, and of each issue how many are known, sums and squares."""
    moments = [
        SensitiveMoments(f"issue {number}", *map(np.array, issue), decimals=decimals)
        for number, issue in enumerate(issues, start=2)
    ]
    found = Neighbourhoods(0.0, "strict", "pairwise", np.array(sizes), tuple(moments))
    return Scan(row(0.0, min(sizes)), dict.fromkeys(SENSITIVE_NULLS, holds), found)


def moments_of(*groups):
    """(known, sums, squares) of the values near each record."""
    return tuple([sum(value**power for value in group) for group in groups] for power in range(3))


# ---- bounds ----


@pytest.mark.parametrize("decimals", [0, 1, 2])
@pytest.mark.parametrize(("farthest", "square"), [(-9, 81), (0.5, 0.25)])
@pytest.mark.parametrize("rule", SENSITIVE_NULLS)
def test_bounds_by_hand(decimals, farthest, square, rule):
    low = look([3], moments_of([3, 5]), decimals=decimals)  # and a null
    high = look([6], moments_of([3, 5, 1, 7]), decimals=decimals)  # and two nulls
    ((lower, upper),) = _bounds(of_values([farthest, None], l=1), low, high, rule)
    # what is added (34; 84) and taken off (8²/2; 16²/4), a billionth of it left to float64
    least, most = (2 - 66e-9) / 100**decimals, (20 + 148e-9) / 100**decimals
    if rule == "ignore":
        assert lower.tolist() == pytest.approx([least / 4], rel=1e-12)
        assert upper.tolist() == pytest.approx([most / 2], rel=1e-12)
    else:
        assert lower.tolist() == pytest.approx([least / 6], rel=1e-12)
        assert upper.tolist() == pytest.approx([(most + 2 * square) / 3], rel=1e-12)


@pytest.mark.parametrize("rule", SENSITIVE_NULLS)
@pytest.mark.parametrize(
    ("at_low", "at_high", "least", "most"),
    [
        ([], [], math.inf, math.inf),
        ([], [3, 5], 0, math.inf),
        ([3], [3], 0, 18e-9),
        ([3], [3, 5], 0, 2 + 66e-9),
    ],
)
def test_bounds_where_little_is_known(rule, at_low, at_high, least, most):
    low, high = (
        look([max(len(at_low), 1)], moments_of(at_low)),
        look([max(len(at_high), 1)], moments_of(at_high)),
    )
    ((lower, upper),) = _bounds(of_values([3, 5], l=1), low, high, rule)
    assert lower.tolist() == [least]
    assert upper.tolist() == pytest.approx([most], rel=1e-6)


def test_every_issue_has_bounds():
    scanner = of_values([1, 2], [1, 2], l=1)
    with pytest.raises(ValueError, match="longer"):
        _bounds(scanner, look([2], moments_of([1, 2])), look([2], moments_of([1, 2])), "paper")


@pytest.mark.parametrize(
    ("near", "elsewhere"),
    [
        (1_000_000_000, [-1e9]),  # near the middle value, from which numbers are counted: not as in decimals
        (1_000_000, [0.0, 0.0, 0.0, 0.0, 0.0, 5e9]),  # far from it: the sums of squares lose the SD
    ],
)
def test_sums_in_float64_are_sure_of_nothing_that_decimals_deny(near, elsewhere):
    """Between two looks at a pair, their mean comes in, and then a null: SD² is SS/3 there, not SS/2."""
    l = math.sqrt(2 / 300) * (1 + 1e-8)  # noqa: E741
    assert Fraction(Decimal(repr(l))) ** 2 > Fraction(2, 300)
    for whole, first in itertools.product(range(near, near + 40), range(8)):
        one, mean, other = (float(f"{whole}.{first + step}") for step in range(3))
        rated = [(0,), (0,), (1,), (2,), *[(9,)] * len(elsewhere)]
        scanner = scanner_of(build(rated, [[one, other, mean, None, *elsewhere]]), k=1, l=l)
        low, high = scanner.at(0.0), scanner.at(2.0)
        assert not low.found.moments[0].exact
        assert not _sure(scanner, low, high, "ignore")[:2].any()


@given(
    table=tables(most_records=3, most_issues=2),
    k=st.none() | st.integers(1, 3),
    l=st.sampled_from([0, 0.1, 0.5, 1, 1.5, 2, 500]),
    nulls=st.sampled_from(NULLS),
)
@settings(max_examples=30 * DEPTH)
def test_two_looks_never_say_too_much_of_what_is_between(table, k, l, nulls):  # noqa: E741
    scanner = scanner_of(table, nulls=nulls, k=k, l=l)
    epsilons = naive.candidates(table, nulls)
    looks = [scanner.at(epsilon) for epsilon in epsilons]
    near = [naive_neighbourhoods(table, epsilon, nulls) for epsilon in epsilons]
    for rule, (one, other) in itertools.product(
        SENSITIVE_NULLS, itertools.combinations(range(len(epsilons)), 2)
    ):
        low, high = looks[one], looks[other]
        sure, decided = _sure(scanner, low, high, rule), _decided(scanner, low, high, rule)
        bounds = [(lower.tolist(), upper.tolist()) for lower, upper in _bounds(scanner, low, high, rule)]
        for at, record in itertools.product(range(one, other), range(table.n_records)):
            large = len(near[at][record]) >= (k or 1)
            diverse = True
            for column, (lower, upper) in zip(table.sensitive, bounds, strict=True):
                group = naive_moments.values(column, near[at][record])
                square = naive_moments.variance(group, rule)
                assert lower[record] <= (math.inf if square is None else square)
                assert upper[record] >= (math.inf if square is None else square)
                diverse = diverse and naive_moments.at_least(group, l, rule)
            assert not sure[record] or (large and diverse)
        if decided:
            held = [naive.holds(table, epsilons[at], k, l, nulls, rule) for at in range(one, other)]
            assert held == [low.holds[rule]] * len(held)


# ---- which records are sure ----


@pytest.mark.parametrize(
    ("off", "sure", "fails"),
    [
        (2.5e-9, True, False),
        (1.5e-9, False, False),
        (0.0, False, False),
        (-1.5e-9, False, False),
        (-2.5e-9, False, True),
    ],
)
@pytest.mark.parametrize("l", [2, 3])
def test_sds_so_near_to_l_decide_nothing(off, sure, fails, l):  # noqa: E741
    near = ([2], [0.0], [2 * l**2 * (1 + off)])  # SD² = l² (1 + off); bounds are a billionth beside it
    scanner = of_values([1, 2], l=l)
    low, high = look([2], near, holds=False), look([3], near)
    assert _sure(scanner, low, high, "ignore").tolist() == [sure]
    assert _decided(scanner, low, high, "ignore") is fails


@pytest.mark.parametrize("rule", SENSITIVE_NULLS)
def test_any_sd_does_for_l_0(rule):
    low, high = look([2], moments_of([3, 3]), holds=False), look([3], moments_of([3, 3, 3]))
    assert _sure(of_values([3, 3, 3], l=0), low, high, rule).tolist() == [True]
    assert _sure(of_values([3, 3, 3], k=2, l=0), low, high, rule).tolist() == [True]
    assert _sure(of_values([3, 3, 3], k=3, l=0), low, high, rule).tolist() == [False]
    low, high = look([2], moments_of([0, 0]), holds=False), look([3], moments_of([0, 0, 0]))
    assert _decided(of_values([0, 0, 0], k=3, l=0), low, high, rule) is False


def test_without_a_k_one_record_is_enough():
    nothing_known = look([1, 1], moments_of([], [])), look([2, 2], moments_of([], []))
    assert _sure(of_values([None, None], l=5), *nothing_known, "paper").tolist() == [True, True]


@pytest.mark.parametrize(("second", "sure"), [([1, 9, 1, 9], True), ([4, 4, 4, 5], False)])
def test_every_issue_must_be_sure(second, sure):
    low, high = (look([size], moments_of([1, 9, 1, 9][:size]), moments_of(second[:size])) for size in (2, 4))
    scanner = of_values([1, 9, 1, 9], second, l=1)
    assert _sure(scanner, low, high, "paper").tolist() == [sure]
    assert _decided(scanner, low, high, "paper") is sure


def test_neighbourhoods_that_do_not_grow_stay_as_they_are():
    # SDs of 1, which is l: no bound of float64 can say so
    scanner = of_values([1, 3, 3, 3], k=2, l=1)
    near = moments_of([1, 3], [1, 3], [3, 3], [1])
    low = look([2, 2, 2, 1], near)
    high = look([2, 3, 2, 1], moments_of([1, 3], [1, 3, 3], [3, 3], [1]))
    assert _sure(scanner, low, high, "paper").tolist() == [True, False, False, False]


# ---- which intervals are decided ----


def test_it_holds_throughout_only_if_every_record_is_sure():
    scanner = of_values([1, 9, 1, 9], l=1)
    sure = [1, 9], [1, 9, 1, 9]
    low, high = (look([len(near)] * 2, moments_of(near, near)) for near in sure)
    assert _decided(scanner, low, high, "paper") is True
    low = look([2, 2], moments_of([1, 9], [1, 4]))
    high = look([4, 90], moments_of([1, 9, 1, 9], [1, 4, *[1] * 88]))
    assert _decided(scanner, low, high, "paper") is False


@pytest.mark.parametrize(
    ("high", "fails"),
    [
        (look([2, 3], moments_of([2, 6], [1, 9, 1])), True),  # the first has an SD of 2 throughout
        (look([3, 2], moments_of([2, 6, 9], [1, 9])), False),  # it may get one of l, and the second has one
        (look([3, 3], moments_of([2, 6, 9], [1, 9, 1])), False),
    ],
)
def test_one_record_that_fails_throughout_decides(high, fails):
    low = look([2, 2], moments_of([2, 6], [1, 9]), holds=False)
    scanner = of_values([2, 6, 9, 1], l=2.0000000001)  # bounds in float64 cannot tell it from 2
    assert _decided(scanner, low, high, "paper") is fails


@pytest.mark.parametrize(("most", "fails"), [(2, True), (3, False), (4, False)])
def test_too_few_records_at_the_upper_end_decide(most, fails):
    low, high = look([1], moments_of([1]), holds=False), look([most], moments_of([1, 9, 1, 9][:most]))
    assert _decided(of_values([1, 9], k=3, l=0), low, high, "paper") is fails


def test_few_records_decide_nothing_without_a_k():
    low, high = look([1], moments_of([1]), holds=False), look([2], moments_of([1, 9]))
    assert _decided(of_values([1, 9], l=2), low, high, "paper") is False


@pytest.mark.parametrize(
    ("first", "l", "fails"),
    [
        ([4, 4, 4, 5], 2, True),  # SD² is at most 0.75 / 2
        ([4, 4, 4, 5], 0.6, False),
        ([1, 9, 1, 9], 2, True),
        ([1, 9, 1, 9], 0.6, False),
    ],
)
def test_an_sd_that_stays_too_small_decides_in_any_issue(first, l, fails):  # noqa: E741
    low, high = (
        look([size], moments_of(first[:size]), moments_of([4, 4, 4, 5][:size]), holds=False)
        for size in (2, 4)
    )
    assert _decided(of_values(first, [4, 4, 4, 5], l=l), low, high, "paper") is fails


# ---- which records meet k and l at one look ----


def test_which_records_meet_k_and_l():
    found = look([1, 2, 3], moments_of([5], [1, 3], [1, 1, 1])).found
    assert of_values([1], k=2).meets(found, "paper").tolist() == [False, True, True]
    assert of_values([1], l=1).meets(found, "paper").tolist() == [False, True, False]
    assert of_values([1], l=0).meets(found, "paper").tolist() == [True, True, True]
    assert of_values([1], k=3, l=1).meets(found, "paper").tolist() == [False, False, False]


# ---- every distance that does, and how many looks it takes ----


@given(
    table=tables(most_records=4, most_issues=2),
    k=st.none() | st.integers(1, 3),
    l=st.sampled_from([0.1, 0.5, 1, 1.5, 2]),
    nulls=st.sampled_from(NULLS),
)
@settings(max_examples=30 * DEPTH)
def test_by_looks_alone_as_by_the_naive_twin(table, k, l, nulls):  # noqa: E741
    scanner, candidates = scanner_of(table, nulls=nulls, k=k, l=l), Candidates(table, nulls)
    start = 0.0 if k is None else smallest_for_k(table, k, candidates, nulls)
    if start is None:
        return
    with by_looks_alone:
        found = scanner.by_rule(feasible_set(scanner, candidates, start))
    for rule, answer in found.items():
        assert [(one.start, one.below) for one in answer] == naive.feasible(table, k, l, nulls, rule)


def looks_of(table, **asked):
    """At which distances it was looked, the answer by the paper's rule, and what was told of it."""
    told = []
    scanner = scanner_of(table, progress=lambda *one: told.append(one), **asked)
    with by_looks_alone, mock.patch.object(scanner, "at", wraps=scanner.at) as at:
        found = feasible_set(scanner, Candidates(table, "strict"), 0.0)["paper"]
    deciding = [(done, total) for what, done, total in told if what == "deciding every distance"]
    return [float(one.args[0]) for one in at.call_args_list], found, deciding


PAIRS = build([(0,), (0,), (3,), (3,), (7,), (7,)], [(1, 9, 1, 9, 1, 9)])


@pytest.mark.parametrize(("l", "found"), [(0.5, (Interval(0, None),)), (10, ())])
def test_two_looks_are_enough_where_the_bounds_decide(l, found):  # noqa: E741
    assert looks_of(PAIRS, l=l) == ([0, 7], found, [])


def test_looks_go_on_where_the_bounds_do_not_decide():
    # SDs: 4 of each pair, of all, and of any two pairs: l itself, which no bound of float64 reaches
    looks, found, told = looks_of(PAIRS, l=4)
    assert found == (Interval(0, None),)
    assert sorted(looks) == [0, 3, 4, 7]
    assert told == [(3, None), (4, None)]


def test_distances_on_both_sides_of_r_are_decided():
    # from r = 4 on everybody is near the null's 9. Where six are near and no other 9 is, the SD is 8 √5 / 6:
    # near -4 from 6 on, near -5 from 7 to 9, and near -9 from 11 to 13; among up to five it is 3.2
    table = build([(-9,), (-5,), (-4,), (0,), (2,), (4,), (None,)], [(1, 1, 1, 1, 1, 9, 9)])
    scanner = scanner_of(table, l=3.1)
    with mock.patch.object(scanner, "at", wraps=scanner.at) as at:
        found = feasible_set(scanner, Candidates(table, "strict"), 0.0)["paper"]
    assert found == (Interval(4, 6), Interval(9, 11), Interval(13, None))
    assert [one.args[0] for one in at.call_args_list] == [0, 13, 4]


# ---- the smallest distance for k ----


LINE = build([(0,), (1,), (3,), (6,)])  # max k: 1 below 3, 2 from 3 on, 3 from 5 on, 4 from 6 on


@pytest.mark.parametrize(
    ("k", "known", "smallest", "looked"),
    [
        (2, [(2, 1), (3, 2)], 3, {0}),
        (2, [(0, 1), (2, 1), (3, 2)], 3, set()),
        (3, [(0, 1), (3, 2), (5, 3), (6, 4)], 5, set()),
        (1, [(0, 1), (6, 4)], 0, set()),
        (5, [(0, 1), (6, 4)], None, set()),
        (5, [], None, {0, 6}),
        (2, [(0, 1), (1, 1), (6, 4)], 3, {2, 3, 5}),
        (4, [(0, 1), (1, 1), (5, 3)], 6, {6}),
    ],
)
def test_what_is_known_is_not_looked_at_again(k, known, smallest, looked):
    with mock.patch.object(search_module, "meets_k", wraps=search_module.meets_k) as asked:
        found = smallest_for_k(
            LINE, k, Candidates(LINE, "strict"), "strict", known=[row(*one) for one in known]
        )
    assert found == smallest
    at = [float(one.args[2]) for one in asked.call_args_list]
    assert set(at) <= looked
    assert len(set(at)) == len(at)


@pytest.mark.parametrize(
    ("ratings", "smallest"),
    [
        ([0, 1], 1),
        ([2, 2], 0),
        ([0, 0.5, 1], 0.5),
        ([0, 1 / 3, 2 / 3], 1 / 3),
    ],
)
def test_the_smallest_distance_for_two(ratings, smallest):
    table = build([(one,) for one in ratings])
    with mock.patch.object(search_module, "meets_k", wraps=search_module.meets_k) as asked:
        assert smallest_for_k(table, 2, Candidates(table, "strict"), "strict") == smallest
    at = [float(one.args[2]) for one in asked.call_args_list]
    assert len(set(at)) == len(at)


# ---- rows and intervals ----


def test_each_distance_is_told_when_it_was_scanned():
    told = []
    scanner = scanner_of(LINE, progress=lambda *one: told.append(one))
    scanner.scan([0.0, 1.0, 5.0])
    scanner.scan([1.0, 2.0])
    scans = [(done, total) for what, done, total in told if what == "scanning distances"]
    assert scans == [(1, 3), (2, 3), (3, 3), (1, 1)]
    assert sorted(scanner.rows) == [0, 1, 2, 5]


def test_intervals_of_verdicts():
    assert intervals_of([0.0, 1.0, 2.0, 3.0], [True, True, False, True]) == (
        Interval(0, 2),
        Interval(3, None),
    )
    assert intervals_of([0.0, 1.0, 2.0], [False, True, False]) == (Interval(1, 2),)
    assert intervals_of([], []) == ()
    with pytest.raises(ValueError, match="shorter"):
        intervals_of([0.0, 1.0], [True])
