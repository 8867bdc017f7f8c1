"""Inference: what neighbourhoods give away of a sensitive issue, and demands on it.

Everything by hand.
"""

import math

import pytest

from ratingpriv import audit
from ratingpriv.audit.inference import inference_cautions
from ratingpriv.audit.judging import IssueAggregates
from ratingpriv.base.errors import ParameterError

pytestmark = pytest.mark.small
ENGINES = ("slicing", "pairwise")
THIRD = math.log2(3) - 2 / 3  # the entropy of 2:1


def codes_of(result):
    return [caution.code for caution in result.cautions]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("number", "epsilon", "shares", "distinct", "entropies"),
    [
        (1, 1, [1, 1, 1, 1 / 2, 1 / 2], [1, 1, 1, 2, 2], [0, 0, 0, 1, 1]),
        (1, 5, [2 / 3, 2 / 3, 2 / 3, 1 / 2, 1 / 2], [2] * 5, [THIRD, THIRD, THIRD, 1, 1]),
        (
            2,
            1,
            [1 / 3, 1 / 2, 1 / 3, 1 / 2, 1 / 2, 1 / 2],
            [3, 2, 3, 2, 2, 2],
            [math.log2(3), 1, math.log2(3), 1, 1, 1],
        ),
        (
            2,
            2,
            [1 / 2, 1 / 3, 1 / 2, 1 / 3, 1 / 2, 1 / 2],
            [3, 3, 3, 3, 2, 2],
            [1.5, math.log2(3), 1.5, math.log2(3), 1, 1],
        ),
    ],
)
def test_the_tables_of_the_papers(golden, engine, number, epsilon, shares, distinct, entropies):
    counts = audit(golden(number), k=1, epsilon=epsilon, engine=engine).counts("s")
    assert counts.share().tolist() == shares
    assert counts.distinct.tolist() == distinct
    assert counts.entropy.tolist() == pytest.approx(entropies, abs=1e-15)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_summary(golden, engine):
    found = audit(golden(1), k=2, epsilon=1, engine=engine).to_dict()["inference"]
    assert found == {
        "s": {
            "neighbourhoods": 5, "largest_share": 1.0, "record": "t2", "distinct": 1,
            "entropy": 0.0,
            "entropy_l": 1.0, "agreeing": 2, "alone": 1, "distance": None, "distance_record": None,
        }
    }  # fmt: skip
    found = audit(golden(1), k=2, epsilon=5, engine=engine).to_dict()["inference"]["s"]
    assert (found["agreeing"], found["alone"], found["distinct"], found["record"]) == (
        0,
        0,
        2,
        "t1",
    )
    # not 0.6666666666666666, which is below 2/3
    assert found["largest_share"] == 0.6666666666666667
    assert found["entropy_l"] == pytest.approx(2**THIRD)


@pytest.fixture
def nineteen(table_of):
    """19 of 20 equal answers, with an SD of 0.87."""
    return table_of([(1, 1)] * 19 + [(1, 5)])


def test_19_of_20_equal_answers_pass_l_and_are_warned_of(nineteen):
    result = audit(nineteen, k=5, epsilon=1, l=0.8)
    assert result.satisfied
    assert result.sd("s").min() > 0.8
    assert codes_of(result) == ["epsilon-covers-questions", "inference"]  # every rating is the same
    said = next(caution.message for caution in result.cautions if caution.code == "inference")
    assert "in 20 neighbourhoods one value of 's' has a share of more than 1 - 1/k = 0.8" in said
    assert result.inference["s"].largest_share == 0.95


@pytest.mark.parametrize("engine", ENGINES)
def test_the_largest_share_may_be_what_was_asked(nineteen, engine):
    allowed = audit(nineteen, k=5, epsilon=1, max_share=0.95, engine=engine)
    assert allowed.satisfied
    assert "inference" not in codes_of(allowed)
    refused = audit(nineteen, k=5, epsilon=1, max_share=math.nextafter(0.95, 0), engine=engine)
    assert not refused.satisfied
    assert refused.n_violators == 20
    assert refused.to_dict()["max_share"] == {
        "satisfied": False,
        "smallest": {"s": 0.95},
        "violators": 20,
    }
    assert "inference" in codes_of(refused)
    row = refused.violators(1)[0]
    assert (row.share, row.distinct) == ({"s": 0.95}, {"s": 2})


def test_the_caution_stands_above_1_minus_1_in_k_only(table_of):
    table = table_of([(1, 1), (1, 1), (1, 1), (1, 2)])  # three quarters
    assert "inference" not in codes_of(audit(table, k=4, epsilon=0))
    assert "inference" in codes_of(audit(table, k=3, epsilon=0))
    assert "inference" not in codes_of(audit(table, k=3, epsilon=0, max_share=0.75))
    assert "inference" in codes_of(audit(table, k=4, epsilon=0, max_share=0.7))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("values", "l", "holds"),
    [
        ([1, 2], 2, True),
        ([1, 2, 3], 3, True),  # log2(3) rounded, and 3 to its power, are traps
        ([1, 2, 3], math.nextafter(3, 4), False),
        ([1, 1, 2, 2, 3, 3], 3, True),
        ([1, 1, 2], 2, False),
        ([1, 1, 1, 1, 2, 3, 4, 5], 4, True),  # 4:1:1:1:1, two bits
        ([1, 1, 1, 1, 2, 3, 4, 5], math.nextafter(4, 5), False),
        ([1, 2, 3, 4, 5, 6, 7], 7, True),
        ([1], 1, True),
        ([1, 1], 1.0000000000000002, False),
    ],
)
def test_entropies_on_the_edge(table_of, engine, values, l, holds):  # noqa: E741
    table = table_of([(1, value) for value in values])
    result = audit(table, k=1, epsilon=0, entropy=l, engine=engine)
    assert result.entropy.satisfied is holds
    assert result.satisfied is holds
    best = result.entropy.best["s"]
    assert audit(table, k=1, epsilon=0, entropy=best, engine=engine).satisfied
    assert not audit(
        table, k=1, epsilon=0, entropy=math.nextafter(best, 99), engine=engine
    ).satisfied


@pytest.mark.parametrize("engine", ENGINES)
def test_a_null_is_no_value(table_of, engine):
    result = audit(table_of([(1, 5), (1, 5), (1, None)]), k=3, epsilon=0, l=2, engine=engine)
    assert result.satisfied  # by the paper's rule for the SD
    found = result.inference["s"]
    assert (found.agreeing, found.largest_share, found.distinct) == (3, 1.0, 1)
    assert "inference" in codes_of(result)


@pytest.mark.parametrize("engine", ENGINES)
def test_where_nothing_is_known_nothing_can_be_learnt(table_of, engine):
    table = table_of([(1, None), (1, None), (3, 2), (3, 4)])
    asked = {"max_share": 0.5, "distinct": 2, "entropy": 2, "engine": engine}
    result = audit(table, k=2, epsilon=0, **asked)
    assert result.satisfied
    assert result.inference["s"].neighbourhoods == 2
    unknown = audit(table.take([0, 1]), k=2, epsilon=0, **asked)
    assert unknown.satisfied
    assert unknown.to_dict()["inference"]["s"] == {
        "neighbourhoods": 0, "largest_share": None, "record": None, "distinct": None,
        "entropy": None,
        "entropy_l": None, "agreeing": 0, "alone": 0, "distance": None, "distance_record": None,
    }  # fmt: skip
    assert unknown.to_dict()["entropy"] == {
        "satisfied": True,
        "largest": {"s": None},
        "violators": 0,
    }
    alone = audit(table.take([0, 2]), k=2, epsilon=0).to_dict()["violators"]
    assert [row["share"] for row in alone] == [{"s": 1.0}, {"s": None}]  # the larger share first
    assert [row["distinct"] for row in alone] == [{"s": 1}, {"s": None}]


def test_codes_have_no_sd(golden):
    result = audit(golden(1), k=2, epsilon=1, sensitive_kind="nominal", distinct=2)
    assert not result.satisfied
    found = result.to_dict()
    assert found["parameters"]["sensitive_kind"] == "nominal"
    assert found["k_epsilon_l"] is None
    assert found["violators"][0] == {
        "record": "t1", "size": 1, "sd": None, "share": {"s": 1.0}, "distinct": {"s": 1},
        "entropy": {"s": 0.0},
    }  # fmt: skip
    with pytest.raises(ParameterError, match="SD of codes means nothing"):
        result.sd("s")
    with pytest.raises(ParameterError, match="sensitive items s"):
        result.counts("t")


def test_the_caution_counts_neighbourhoods():
    quiet = IssueAggregates("age", {}, neighbourhoods=9)
    one = IssueAggregates("pay", {}, neighbourhoods=9, above=3, agreeing=1, alone=2)
    (caution,) = inference_cautions([quiet, one], 3, 0.5)
    assert (
        "in 3 neighbourhoods one value of 'pay' has a share of more than 0.5 of the known"
        in str(caution)
    )
    assert "3 of them hold one known value only (2 of these are of" in str(caution)
    assert "more than 1 - 1/k = 0.6667 of" in str(*inference_cautions([one], 3, None))
    # not "= 1": nothing is
    assert "more than 1 - 1/k of" in str(*inference_cautions([one], 10**9, None))
