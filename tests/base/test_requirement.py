"""Limits: one grammar, no value keeps none, an interval keeps one as a whole."""

from fractions import Fraction

import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.requirement import Requirement

NAMES = ("max_k", "success.scoreboard-rh")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_k>=5", ("max_k", ">=", 5.0)),
        (" max_k <= 1e-3 ", ("max_k", "<=", 0.001)),
        ("success.scoreboard-rh<=0.05", ("success.scoreboard-rh", "<=", 0.05)),
    ],
)
def test_the_grammar(text, expected):
    one = Requirement.of(text, NAMES)
    assert (one.measure, one.operator, one.limit) == expected
    assert Requirement.of(str(one), NAMES) == one


@pytest.mark.parametrize(
    "text",
    [
        "max_k",
        "max_k>5",
        "max_k>=",
        "max_k>=5%",
        "max_k>=٥",
        "max_k>=nan",
        "max_k<=inf",
        "",
        "k>=1",
        None,
    ],
)
def test_what_is_none_is_refused(text):
    with pytest.raises(
        ParameterError,
        match=r"require: .*one of max_k, success\.scoreboard-rh" if text == "k>=1" else "require",
    ):
        Requirement.of(text, NAMES)


@pytest.mark.parametrize(
    ("limit", "value", "ends", "met"),
    [
        ("max_k>=5", 5, {}, True),
        ("max_k>=5", None, {}, False),
        ("max_k<=5", None, {}, False),
        ("max_k<=0.3", 0.2, {"low": 0.1, "high": 0.3}, True),
        ("max_k<=0.3", 0.2, {"low": 0.1, "high": 0.30000001}, False),
        ("max_k>=0.1", 0.2, {"low": 0.1, "high": 0.9}, True),
        ("max_k>=0.15", 0.2, {"low": 0.1, "high": 0.9}, False),
        ("max_k<=0.01", Fraction(3, 300), {}, True),
        ("max_k<=0.333333333333333", Fraction(1, 3), {}, False),
        ("max_k<=0.3", Fraction(3, 10), {}, True),  # the float64 is less
        ("max_k<=0.3", 0.30000000000000004, {}, False),
    ],
)
def test_what_keeps_a_limit(limit, value, ends, met):
    judged = Requirement.of(limit, NAMES).judge(
        value, "it was not" if value is None else "", **ends
    )
    assert judged.met is met
    assert bool(judged.reason) == (value is None or (bool(ends) and not met))


@pytest.mark.parametrize(
    ("limit", "reason", "low", "high"),
    [
        ("max_k>=0.15", "it may be as low as 0.1", 0.1, 0.9),
        ("max_k<=0.25", "it may be as high as 0.9", 0.1, 0.9),
        ("max_k<=0.9", None, 0.1, 0.9),
    ],
)
def test_the_end_that_breaks_a_limit_is_told(limit, reason, low, high):
    told = Requirement.of(limit, NAMES).judge(0.2, low=low, high=high).to_dict()
    assert (told.get("reason"), told["low"], told["high"]) == (reason, low, high)
