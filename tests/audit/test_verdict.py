"""Arguments, verdicts, violators, and both null rules."""

import math

import numpy as np
import pytest
from golden.tables import table1

from ratingpriv import AuditResult, audit
from ratingpriv.base.errors import ParameterError

pytestmark = pytest.mark.small


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k", 0), ("k", -1), ("k", 2.5), ("k", math.nan), ("k", "2"), ("k", True), ("k", None),
        ("epsilon", -1), ("epsilon", math.nan), ("epsilon", math.inf), ("epsilon", "1"),
        ("epsilon", None),
        ("l", -0.1), ("l", math.nan), ("l", math.inf), ("l", "1"),
        ("nulls", "loose"), ("sensitive_nulls", "both"), ("engine", "fast"),
        ("threads", 0), ("threads", 1.5), ("memory", 0),
        ("max_share", 0), ("max_share", 1.01), ("max_share", -0.1), ("max_share", math.nan),
        ("distinct", 0), ("distinct", 1.5), ("distinct", True), ("entropy", 0.9),
        ("entropy", math.inf),
        ("sensitive_kind", "ordinal"), ("sensitive_kind", None),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(golden, name, value):
    with pytest.raises(ParameterError, match=name) as caught:
        audit(golden(1), **{"k": 2, "epsilon": 1, name: value})
    assert caught.value.name == name


@pytest.mark.parametrize(
    "asked",
    [{"l": 1}, {"max_share": 0.5}, {"distinct": 1}, {"entropy": 1}, {"sensitive_kind": "nominal"}],
)
def test_demands_need_a_sensitive_issue(golden, asked):
    with pytest.raises(ParameterError, match="sensitive") as caught:
        audit(golden(1).drop(["s"]), k=2, epsilon=1, **asked)
    assert caught.value.name == next(iter(asked))


def test_a_table_without_records_is_refused(golden):
    with pytest.raises(ParameterError, match="at least one record"):
        audit(golden(1).take(np.array([], dtype=np.int64)), k=2, epsilon=1)


def test_k_above_n_is_plainly_not_satisfied(golden):
    result = audit(golden(1), k=1000, epsilon=6)
    assert (result.satisfied, result.n_violators, result.risk.share_below_k) == (False, 5, 1.0)


def test_violators_come_worst_first(golden):
    result = audit(golden(2), k=3, epsilon=1, l=2.1)
    assert [violator.record for violator in result.violators()] == [
        "t4",
        "t5",
        "t6",
        "t2",
        "t1",
        "t3",
    ]
    assert [violator.record for violator in result.violators(2)] == ["t4", "t5"]
    assert result.violators(0) == ()


def test_of_equally_small_neighbourhoods_the_one_that_agrees_comes_first(table_of):
    result = audit(
        table_of([(1, 1), (1, 2), (5, 3), (5, 3)]), k=3, epsilon=0, sensitive_kind="nominal"
    )
    assert [(one.record, one.share["s"]) for one in result.violators()] == [
        ("t3", 1.0), ("t4", 1.0), ("t1", 0.5), ("t2", 0.5),
    ]  # fmt: skip


@pytest.mark.parametrize("engine", ["slicing", "pairwise"])
def test_the_papers_null_rule_lets_5_5_null_pass(table_of, engine):
    table = table_of([(1, 5), (1, 5), (1, None)])
    paper, ignore = (
        audit(table, k=3, epsilon=0, l=2, sensitive_nulls=rule, engine=engine)
        for rule in ("paper", "ignore")
    )
    assert paper.satisfied
    assert not ignore.satisfied
    assert paper.sd("s") == pytest.approx([math.sqrt(25 / 3)] * 3)
    assert ignore.sd("s").tolist() == [0, 0, 0]
    assert paper.k_epsilon_l.by_rule == ignore.k_epsilon_l.by_rule
    assert paper.k_epsilon_l.by_rule["paper"].violators == 0
    assert paper.k_epsilon_l.by_rule["ignore"].violators == 3
    assert ignore.k_epsilon_l.max_l == {"s": 0.0}


@pytest.mark.parametrize("rule", ["paper", "ignore"])
def test_where_nothing_is_known_any_l_holds(table_of, rule):
    result = audit(table_of([(1, None), (1, None)]), k=2, epsilon=0, l=1000, sensitive_nulls=rule)
    assert result.satisfied
    assert result.k_epsilon_l.max_l == {"s": None}
    assert np.isposinf(result.sd("s")).all()


@pytest.mark.parametrize("rule", ["paper", "ignore"])
def test_largest_l_really_holds_and_the_next_float_does_not(golden, rule):
    best = audit(golden(1), k=2, epsilon=5, l=0, sensitive_nulls=rule).k_epsilon_l.max_l["s"]
    assert audit(golden(1), k=2, epsilon=5, l=best, sensitive_nulls=rule).satisfied
    above = math.nextafter(best, math.inf)
    assert not audit(golden(1), k=2, epsilon=5, l=above, sensitive_nulls=rule).satisfied


def test_representations_are_short_and_escaped(golden):
    table = golden(1)
    result = audit(table.replace(origin=type(table.origin)(name="<b>")), k=2, epsilon=1, l=1)
    assert isinstance(result, AuditResult)
    assert "NOT satisfied" in repr(result)
    assert "&lt;b&gt;" in result._repr_html_()
    assert "<b>" not in result._repr_html_()


def test_exposure_is_drawn_from_the_same_seed_unless_another_is_given():
    found = audit(table1(), k=2, epsilon=1, exposure=1)
    assert found.exposure.seed == audit(table1(), k=2, epsilon=1, exposure=1, rng=0).exposure.seed
    assert found.exposure.seed != audit(table1(), k=2, epsilon=1, exposure=1, rng=1).exposure.seed
