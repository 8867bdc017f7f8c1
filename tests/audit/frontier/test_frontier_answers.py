"""How the answers of a frontier are put together: what protects, what is shown,
and what is said of it.
"""

import pytest
from golden.tables import build, table2

from ratingpriv.audit.frontier import frontier as frontier_module
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.frontier import (
    check_recode,
    frontier,
    protecting,
    smallest_of,
)
from ratingpriv.audit.frontier.result import FrontierParameters, Interval
from ratingpriv.audit.frontier.search import Search
from ratingpriv.base.errors import ParameterError
from ratingpriv.documents.frontier import SmallestEpsilon

pytestmark = pytest.mark.small

TO_10 = build([(0,), (1,), (10,)])  # from 10 on nothing is protected
R_4 = build([(-3,), (4,), (None,)])  # from r = 4 on
ALIKE = build([(3,), (3,)])  # nothing changes with the distance
USELESS = (
    "reaches it, but from epsilon 10 on any two ratings are indistinguishable: "
    "this protects nothing"
)
MISSING = "a missing rating separates no records (r of the scale): this protects nothing"


def intervals(*ends):
    return tuple(Interval(*one) for one in ends)


def codes(found):
    return [caution.code for caution in found.cautions]


@pytest.mark.parametrize(
    ("table", "holding", "expected", "smallest", "reason"),
    [
        (TO_10, [(1, 3), (5, 7), (9, None)], [(1, 3), (5, 7), (9, 10)], 1, None),
        (TO_10, [(2, 12)], [(2, 10)], 2, None),
        (TO_10, [(2, 10)], [(2, 10)], 2, None),
        (TO_10, [(2, 9), (10, 11), (12, None)], [(2, 9)], 2, None),
        (TO_10, [(10, 11), (12, None)], [], None, f"epsilon 10 {USELESS}"),
        (TO_10, [(11, 12), (13, 14), (15, None)], [], None, f"epsilon 11 {USELESS}"),
        (TO_10, [], [], None, None),
        (ALIKE, [(0, 2), (3, None)], [(0, 2), (3, None)], 0, None),
        (R_4, [(5, None)], [], None, f"epsilon 5 reaches it, but from epsilon 4 on {MISSING}"),
    ],
)
def test_what_protects(table, holding, expected, smallest, reason):
    candidates = Candidates(table, "strict")
    feasible = protecting(intervals(*holding), candidates)
    assert feasible == intervals(*expected)
    found = smallest_of(intervals(*holding), feasible, candidates)
    assert found == SmallestEpsilon(smallest, None, False, reason)


@pytest.mark.parametrize("rows", [2, 100])
@pytest.mark.parametrize(
    ("table", "k", "neighbourhood", "partition", "reason"),
    [
        (TO_10, 2, 9, None, f"epsilon 10 {USELESS}"),
        (TO_10, 3, None, None, f"epsilon 10 {USELESS}"),
        (TO_10, 4, None, None, None),
        (ALIKE, 2, 0, 0, None),
        (build([(0,), (1,), (2,), (9,), (10,)]), 2, 1, 2, None),
    ],
)
def test_the_smallest_by_partition_is_an_answer_if_it_protects(
    table, k, neighbourhood, partition, reason, rows
):
    found = frontier(table, k=k, partition=True, rows=rows)
    assert found.smallest_epsilon == SmallestEpsilon(neighbourhood, partition, True, reason)
    assert [row.epsilon for row in found.rows] == sorted(row.epsilon for row in found.rows)
    assert partition is None or partition in {row.epsilon for row in found.rows}


# ---- which distances are shown ----


@pytest.mark.parametrize("most", [120, 100])
def test_a_hundred_distances_are_shown_where_more_matter(most):
    found = frontier(build([(rating,) for rating in range(most)]), partition=False)
    assert (len(found.rows), found.complete) == (100, most == 100)
    incomplete = [
        caution.message for caution in found.cautions if caution.code == "rows-incomplete"
    ]
    assert len(incomplete) == (most > 100)
    assert all("100 distances are shown" in message for message in incomplete)


@pytest.mark.parametrize(
    ("asked", "rows", "shown", "complete"),
    [
        ({}, 3, [0, 2, 7], False),
        ({}, 7, [0, 1, 2, 3, 4, 6, 7], True),
        ({"epsilon": [2.5, 1]}, 3, [1, 2.5], False),
    ],
)
def test_which_distances_are_shown(asked, rows, shown, complete):
    found = frontier(build([(1,), (2,), (4,), (8,)]), rows=rows, **asked)
    assert ([one.epsilon for one in found.rows], found.complete) == (shown, complete)


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
    answers = {
        "paper": intervals((0, 1), (4, 5), (6, 7)),
        "ignore": intervals((2, 3), (8, 9), (9, None)),
    }
    monkeypatch.setattr(Search, "holding", lambda self, everything: answers)
    found = frontier(build([(1,), (20,)]), k=1)
    assert [one.epsilon for one in found.rows] == sorted({0, *ends, 19})


# ---- parameters ----


@pytest.mark.parametrize(
    ("asked", "message"), [({"k": 2, "l": 1}, "no l with recodes"), ({}, "a k to be reached")]
)
def test_recodes_need_a_k_alone(asked, message):
    check_recode(FrontierParameters(k=2))
    with pytest.raises(ParameterError, match=message):
        check_recode(FrontierParameters(**asked))


# ---- what is said of it ----


@pytest.mark.parametrize("rule", ["paper", "ignore"])
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
def test_a_set_that_is_not_all_from_the_smallest_on_is_said_to_be(
    rule, feasible, cautioned, monkeypatch
):
    for held in (dict.fromkeys(("paper", "ignore"), intervals(*feasible)),
                 {"paper": (), "ignore": (), rule: intervals(*feasible)}):  # fmt: skip
        monkeypatch.setattr(Search, "holding", lambda self, everything, held=held: held)
        found = codes(frontier(table2(), l=1, sensitive_nulls=rule))
        assert ("feasible-not-monotone" in found) is cautioned
        assert ("sensitive-nulls-feasible" in found) is (held["paper"] != held["ignore"])
        other = codes(
            frontier(table2(), l=1, sensitive_nulls="ignore" if rule == "paper" else "paper")
        )
        assert ("feasible-not-monotone" in other) is (cautioned and held["paper"] == held["ignore"])


def test_rows_without_protection_are_said_to_be():
    assert "no-protection" not in codes(frontier(TO_10, epsilon=[1, 2]))
    found = frontier(TO_10, epsilon=[1, 10]).cautions
    assert [one.message for one in found if one.code == "no-protection"] == [
        "no protection: from epsilon 10 on any two ratings are indistinguishable"
    ]
