"""How the answers of a frontier are put together: what protects, what is shown, and what is said of it."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from golden.tables import build, counterexample_bisection, table2

from ratingpriv.audit.frontier import frontier as frontier_module
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.frontier import (
    _feasible,
    _scan,
    _with_ends,
    _with_partition,
    check_parameters,
    check_recode,
    feasible_and_smallest,
    frontier,
    frontier_cautions,
)
from ratingpriv.audit.frontier.result import FrontierRow, Interval, SmallestEpsilon
from ratingpriv.audit.frontier.search import Scanner, audit_parameters, smallest_for_k
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError

pytestmark = pytest.mark.small

TO_10 = build([(0,), (1,), (10,)])  # from 10 on nothing is protected
R_4 = build([(-3,), (4,), (None,)])  # from r = 4 on
ALIKE = build([(3,), (3,)])  # nothing changes with the distance
USELESS = "does, but from epsilon 10 on any two ratings are indistinguishable: this protects nothing"


def row(epsilon, *, protection=True):
    return FrontierRow(epsilon, 1, {}, {}, 0, 0, None, protection=protection)


def intervals(*ends):
    return tuple(Interval(*one) for one in ends)


def scanner_of(table, nulls="strict", **asked):
    return Scanner(table, check_parameters(nulls=nulls, **asked), Resources(1), Candidates(table, nulls))


# ---- what protects, and the smallest of it ----


@pytest.mark.parametrize(
    ("holding", "protecting", "smallest", "reason"),
    [
        ([(1, 3), (5, 7), (9, None)], [(1, 3), (5, 7), (9, 10)], 1, None),
        ([(2, 12)], [(2, 10)], 2, None),
        ([(2, 10)], [(2, 10)], 2, None),
        ([(2, 9), (10, 11), (12, None)], [(2, 9)], 2, None),
        ([(10, 11), (12, None)], [], None, f"10 {USELESS}"),
        ([(11, 12), (13, 14), (15, None)], [], None, f"11 {USELESS}"),
        ([], [], None, None),
    ],
)
def test_what_protects(holding, protecting, smallest, reason):
    held = {"paper": intervals(*holding), "ignore": intervals((0, None))}
    by_rule, found = feasible_and_smallest(held, Candidates(TO_10, "strict"), "paper")
    assert by_rule == {"paper": intervals(*protecting), "ignore": intervals((0, 10))}
    assert found == SmallestEpsilon(smallest, None, False, reason)


def test_everything_protects_where_no_distance_tells_ratings_apart():
    held = {"paper": intervals((0, 2), (3, None)), "ignore": ()}
    candidates = Candidates(ALIKE, "strict")
    by_rule, found = feasible_and_smallest(held, candidates, "paper")
    assert by_rule == held
    assert found == SmallestEpsilon(0, None, False)
    assert feasible_and_smallest(held, candidates, "ignore")[1] == SmallestEpsilon(None, None, False)


def test_a_null_that_keeps_nobody_apart_is_said_to_be_the_reason():
    _, found = feasible_and_smallest({"paper": intervals((5, None))}, Candidates(R_4, "strict"), "paper")
    assert found.reason == (
        "5 does, but from epsilon 4 on a missing rating keeps nobody apart any more (r of the scale): "
        "this protects nothing"
    )


@pytest.mark.parametrize("proved", [False, True])
@pytest.mark.parametrize(
    ("smallest", "at", "table", "expected"),
    [
        (SmallestEpsilon(2, None, False), 9, TO_10, (2, 9, None)),
        (SmallestEpsilon(2, None, False), 10, TO_10, (2, None, f"10 {USELESS}")),
        (SmallestEpsilon(2, None, False), 11, TO_10, (2, None, f"11 {USELESS}")),
        (SmallestEpsilon(None, None, False, "known"), 11, TO_10, (None, None, "known")),
        (SmallestEpsilon(None, None, False, "known"), None, TO_10, (None, None, "known")),
        (SmallestEpsilon(2, None, False), None, TO_10, (2, None, None)),
        (None, 9, TO_10, (None, 9, None)),
        (None, 10, TO_10, (None, None, f"10 {USELESS}")),
        (SmallestEpsilon(0, None, False), 0, ALIKE, (0, 0, None)),
        (SmallestEpsilon(None, None, False), None, ALIKE, (None, None, None)),
    ],
)
def test_the_smallest_by_partition_is_added_if_it_protects(smallest, at, table, expected, proved):
    found = _with_partition(smallest, at, Candidates(table, "strict"), proved=proved)
    neighbourhood, partition, reason = expected
    assert found == SmallestEpsilon(neighbourhood, partition, proved, reason)


# ---- which distances are shown ----


def test_a_hundred_distances_are_shown_where_more_matter():
    table = build([(rating,) for rating in range(120)])
    found = frontier(table, partition=False)
    assert (len(found.rows), found.complete) == (100, False)
    assert "rows-incomplete" in [caution.code for caution in found.cautions]
    found = frontier(build([(rating,) for rating in range(100)]), partition=False)
    assert (len(found.rows), found.complete) == (100, True)
    assert "rows-incomplete" not in [caution.code for caution in found.cautions]


@pytest.mark.parametrize(
    ("asked", "rows", "shown", "complete"),
    [
        ({}, 3, [0, 2, 7], False),
        ({}, 7, [0, 1, 2, 3, 4, 6, 7], True),
        ({"epsilon": [2.5, 1]}, 3, [1, 2.5], False),
    ],
)
def test_which_distances_are_shown(asked, rows, shown, complete):
    table = build([(1,), (2,), (4,), (8,)])
    found, all_of_them = _scan(scanner_of(table, **asked), Candidates(table, "strict"), rows)
    assert ([one.epsilon for one in found], all_of_them) == (shown, complete)


@pytest.mark.parametrize(
    ("most", "ends"),
    [
        (3, [0, 4, 9]),
        (4, [0, 3, 6, 9]),
        (9, [0, 1, 2, 3, 4, 5, 6, 7, 9]),
        (10, [*range(10)]),
        (11, [*range(10)]),
    ],
)
def test_ends_of_answers_are_shown_but_not_too_many(most, ends, monkeypatch):
    monkeypatch.setattr(frontier_module, "ROWS", most)
    scanner = scanner_of(build([(1,), (2,)]), l=None)
    scanner.scan([2.5])
    answers = {"paper": intervals((0, 1), (4, 5), (6, 7)), "ignore": intervals((2, 3), (8, 9), (9, None))}
    found = _with_ends(scanner, [scanner.rows[2.5]], answers)
    assert [one.epsilon for one in found] == sorted([*ends, 2.5])


def test_two_rows_are_the_least():
    assert len(frontier(table2(), partition=False, rows=2).rows) == 2
    with pytest.raises(ParameterError, match="rows"):
        frontier(table2(), partition=False, rows=1)


def test_at_given_distances_nothing_else_is_looked_for():
    found = frontier(counterexample_bisection(), l=1, epsilon=[1, 3], partition=False)
    assert ([one.epsilon for one in found.rows], found.complete) == ([1, 3], False)
    assert (found.feasible, found.feasible_by_rule, found.smallest_epsilon) == (None, {}, None)
    assert "rows-incomplete" not in [caution.code for caution in found.cautions]


# ---- where the given k and l hold ----

HOLDS_AT_0 = build([(0,), (0,), (1,), (1,), (5,), (5,)], [(1, 9, 1, 9, 1, 9)])


@pytest.mark.parametrize("rows", [2, 100])
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"l": 1}, [(0, None)]),
        ({"k": 2}, [(0, None)]),
        ({"k": 2, "l": 1}, [(0, None)]),
        ({"k": 3}, [(4, None)]),
        ({"k": 3, "l": 1}, [(4, None)]),
        ({"k": 6}, [(5, None)]),
        ({"k": 7}, []),
        ({"k": 7, "l": 1}, []),
        ({"l": 5}, []),
    ],
)
def test_where_k_and_l_hold(asked, expected, rows):
    candidates, scanner = Candidates(HOLDS_AT_0, "strict"), scanner_of(HOLDS_AT_0, **asked)
    found, complete = _scan(scanner, candidates, rows)
    assert complete == (rows == 100)
    answer = _feasible(scanner, candidates, found, complete=complete)
    assert answer == {"paper": intervals(*expected), "ignore": intervals(*expected)}


def test_the_rows_found_are_not_looked_at_again():
    table = build([(0,), (1,), (3,), (6,)])
    candidates, scanner = Candidates(table, "strict"), scanner_of(table, k=2)
    found, _ = _scan(scanner, candidates, 2)
    with mock.patch.object(frontier_module, "smallest_for_k", wraps=smallest_for_k) as asked:
        assert _feasible(scanner, candidates, found, complete=False)["paper"] == intervals((3, None))
    assert list(asked.call_args.args[-1]) == found


# ---- parameters ----


def test_parameters_as_given():
    found = check_parameters(k=2, l=1.5, epsilon=(3, 1, 3))
    assert (found.k, found.l, found.epsilon) == (2, 1.5, (1, 3))
    assert not found.partition
    nothing = check_parameters()
    assert (nothing.k, nothing.l, nothing.epsilon, nothing.has_target) == (None, None, None, False)
    assert check_parameters(epsilon=0.5).epsilon == (0.5,)


def test_a_partition_is_looked_for_only_where_it_is_wanted():
    assert all(one.partition is not None for one in frontier(table2(), partition=True).rows)
    content = frontier(table2(), k=2).to_dict()
    assert [row["partition"] for row in content["rows"]] == [None] * len(content["rows"])
    assert content["smallest_epsilon"]["partition"] is None


def test_no_distance_is_none_to_look_at():
    with pytest.raises(ParameterError, match="at least one distance"):
        check_parameters(epsilon=[])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"k": 2, "l": 1}, "no l with recodes"),
        ({}, "a k to be reached"),
    ],
)
def test_recodes_need_a_k_alone(asked, message):
    check_recode(check_parameters(k=2))
    with pytest.raises(ParameterError, match=message):
        check_recode(check_parameters(**asked))


@pytest.mark.parametrize(
    ("asked", "numeric", "k", "l"),
    [
        ({}, True, 1, 0.0),
        ({}, False, 1, None),
        ({"k": 3}, True, 3, 0.0),
        ({"k": 3, "l": 2}, True, 3, 2.0),
        ({"k": 3, "l": 2}, False, 3, 2.0),
    ],
)
def test_what_neighbourhoods_are_held_to(asked, numeric, k, l):  # noqa: E741
    parameters = check_parameters(nulls="wildcard", sensitive_nulls="ignore", **asked)
    found = audit_parameters(parameters, 1.5, numeric=numeric)
    assert (found.k, found.epsilon, found.l, found.nulls, found.sensitive_nulls, found.engine) == (
        k, 1.5, l, "wildcard", "ignore", "slicing",
    )  # fmt: skip


# ---- what is said of it ----


def said(asked, by_rule, *rows, complete=True):
    candidates = Candidates(TO_10, "strict")
    found = frontier_cautions(check_parameters(**asked), by_rule, rows, candidates, complete=complete)
    return {one.code: one.message for one in found}


@pytest.mark.parametrize(
    ("feasible", "cautioned"),
    [
        ([], False),
        ([(1, None)], False),
        ([(1, 5)], True),
        ([(1, 5), (6, None)], True),
        ([(1, 5), (6, 8)], True),
        ([(1, 5), (6, 8), (9, None)], True),
    ],
)
def test_a_set_that_is_not_all_from_the_smallest_on_is_said_to_be(feasible, cautioned):
    by_rule = dict.fromkeys(("paper", "ignore"), intervals(*feasible))
    assert ("feasible-not-monotone" in said({"l": 1}, by_rule)) is cautioned
    of_ignore = {"paper": (), "ignore": intervals(*feasible)}
    assert "feasible-not-monotone" not in said({"l": 1}, of_ignore)
    assert ("feasible-not-monotone" in said({"l": 1, "sensitive_nulls": "ignore"}, of_ignore)) is cautioned


def test_rules_that_differ_are_said_to():
    both, one = {"paper": intervals((1, None)), "ignore": ()}, {"paper": (), "ignore": ()}
    assert "sensitive-nulls-feasible" in said({"l": 1}, both)
    assert "sensitive-nulls-feasible" not in said({"l": 1}, one)
    assert said({}, {}) == {}


@pytest.mark.parametrize(
    ("asked", "complete", "cautioned"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"epsilon": 1}, False, False),
        ({"epsilon": 1}, True, False),
    ],
)
def test_rows_that_are_not_all_are_said_not_to_be(asked, complete, cautioned):
    found = said(asked, {}, row(1), row(2), complete=complete)
    assert ("rows-incomplete" in found) is cautioned
    assert not cautioned or "2 of them are" in found["rows-incomplete"]


def test_rows_without_protection_are_said_to_be():
    assert "no-protection" not in said({}, {}, row(1), row(2))
    assert said({}, {}, row(1), row(10, protection=False)) == {
        "no-protection": "no protection: from epsilon 10 on any two ratings are indistinguishable: "
        "this protects nothing"
    }


def test_no_distance_is_held_against_the_scale():
    table = build([(0, 1), (1, None), (1, 0)], scale=(0, 1))
    assert "epsilon-reaches-null-distance" not in [
        caution.code for caution in frontier(table, partition=False).cautions
    ]


def test_a_smallest_distance_by_partition_is_among_the_rows():
    table = build(np.random.default_rng(3).integers(0, 400, (12, 1)).tolist())
    found = frontier(table, k=3, rows=2, partition=True)
    at = found.smallest_epsilon.partition
    assert [one.epsilon for one in found.rows if one.epsilon == at] == [at]
    assert all(one.partition.found == (one.epsilon >= at) for one in found.rows)
    assert [one.epsilon for one in found.rows] == sorted(one.epsilon for one in found.rows)
