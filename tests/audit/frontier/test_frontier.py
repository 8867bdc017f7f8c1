"""The frontier: the papers' tables, the naive twin, and what goes wrong without care."""

import json

import pytest
from golden.tables import build, counterexample_bisection, table1, table2

from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.audit.frontier.result import Interval
from ratingpriv.base.errors import ParameterError

pytestmark = pytest.mark.small


def search(table, **asked):
    return frontier(table, partition=False, **asked)


# ---- the papers' tables ----


def test_table_1_row_by_row():
    found = search(table1())
    assert found.complete
    assert [row.epsilon for row in found.rows] == [0, 1, 3, 4, 5, 6]
    assert [row.max_k for row in found.rows] == [1, 1, 1, 2, 2, 5]
    assert [row.singletons for row in found.rows] == [5, 1, 1, 0, 0, 0]
    assert [row.pairs for row in found.rows] == [0, 2, 2, 3, 4, 10]
    at_5 = next(row for row in found.rows if row.epsilon == 5)
    assert at_5.max_l == {"issue 4": 2.0}
    assert found.rows[-1].max_l["issue 4"] == pytest.approx(2.2271, abs=1e-4)
    assert all(row.satisfied is None for row in found.rows)
    assert found.smallest_epsilon is None
    assert found.feasible is None
    assert found.satisfied


def test_smallest_epsilon_of_table_1_by_neighbourhoods_is_4():
    found = search(table1(), k=2)
    assert found.smallest_epsilon.neighbourhood == 4
    # from 5, the range of ratings, on nothing is protected
    assert found.feasible == (Interval(4, 5),)
    assert [row.satisfied for row in found.rows] == [False, False, False, True, False, False]
    assert [row.protection for row in found.rows] == [True, True, True, True, False, False]


def test_table_2_with_l_is_2_by_neighbourhoods():
    assert search(table2(), k=2, l=2).smallest_epsilon.neighbourhood == 2
    assert search(table2(), k=2, l=1.5).smallest_epsilon.neighbourhood == 1


def test_k_3_of_table_2_waits_for_nulls_to_stop_separating_and_is_no_answer():
    found = search(table2(), k=3)
    assert found.smallest_epsilon.neighbourhood is None
    assert found.smallest_epsilon.reason == (
        "epsilon 7 reaches it, but from epsilon 6 on any two ratings are indistinguishable: "
        "this protects nothing"
    )
    assert found.feasible == ()
    assert not found.satisfied
    assert "no-protection" in [caution.code for caution in found.cautions]
    assert search(table2(), k=7).feasible == ()
    assert not search(table2(), k=7).satisfied


# ---- l: bisection is unsound ----


def test_the_counterexample_to_bisection():
    table = counterexample_bisection()
    found = search(table, l=1)
    least = [row.max_l["issue 2"] for row in found.rows]
    assert [row.epsilon for row in found.rows] == [0, 1, 3, 4]
    assert least == pytest.approx([0, 1.0, 0.8165, 1.1180], abs=1e-4)
    assert found.feasible == (
        Interval(1, 3),
    )  # at 4 the SD suffices, and any two ratings are indistinguishable
    assert any(
        "not hold at every epsilon above the smallest" in warning for warning in found.warnings
    )
    assert "feasible-not-monotone" in [caution.code for caution in found.cautions]
    # halving from 4 tries 2, 1 (or 3): one that starts at 3 is sent upwards and never sees 1 and 2
    rows = [search(table, l=1, epsilon=e).rows[0] for e in (4, 3, 2, 1)]
    assert [row.max_l["issue 2"] >= 1 for row in rows] == [True, False, True, True]
    assert [row.satisfied for row in rows] == [False, False, True, True]


def test_no_epsilon_does():
    found = search(counterexample_bisection(), l=1.6)
    assert found.feasible == ()
    assert not found.satisfied
    assert any("cannot be reached" in warning for warning in found.warnings)


# ---- epsilon given ----


def test_named_distances_are_the_rows():
    found = search(table1(), k=2, epsilon=[5, 3.5, 4])
    assert [(row.epsilon, row.satisfied) for row in found.rows] == [
        (3.5, False),
        (4, True),
        (5, False),
    ]
    assert [row.protection for row in found.rows] == [True, True, False]
    assert found.smallest_epsilon is None
    assert found.satisfied
    assert not search(table1(), k=2, epsilon=3.9).satisfied


# ---- both rules for sensitive nulls ----


def test_both_rules_are_answered():
    table = build([(1,), (1,), (1,)], [(5, 5, None)])
    found = search(table, l=2)
    assert found.feasible_by_rule == {"paper": (Interval(0, None),), "ignore": ()}
    assert found.feasible == (Interval(0, None),)
    assert not search(table, l=2, sensitive_nulls="ignore").satisfied
    assert found.rows[0].max_l_by_rule["ignore"] == {"issue 2": 0.0}
    assert any(warning.startswith("missing sensitive ratings") for warning in found.warnings)


# ---- the form, and what is refused ----


def test_json(tmp_path):
    content = json.loads(json.dumps(search(table2(), k=2, l=2).to_dict(), allow_nan=False))
    assert content["schema"] == "ratingpriv.frontier/1"
    assert content["smallest_epsilon"] == {
        "neighbourhood": 2.0,
        "partition": None,
        "partition_proved": False,
        "reason": None,
    }
    assert content["selection"] is None
    assert content["feasible"] == [{"from": 2.0, "below": 6.0}]
    assert content["rows"][0].keys() == {
        "epsilon", "max_k", "max_l", "max_l_by_rule", "singletons", "pairs", "satisfied",
        "protection",
        "partition",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"k": 0}, "k"),
        ({"k": 1.5}, "k"),
        ({"l": -1}, "l"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": []}, "epsilon"),
        ({"nulls": "loose"}, "nulls"),
        ({"sensitive_nulls": "x"}, "sensitive_nulls"),
        ({"rows": 1}, "rows"),
    ],
)
def test_bad_arguments_are_named(asked, named):
    with pytest.raises(ParameterError) as refused:
        search(table1(), **asked)
    assert refused.value.name == named
