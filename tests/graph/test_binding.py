"""Nothing that the header does not promise reaches an engine."""

import math
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.base.errors import ParameterError
from ratingpriv.graph import Parameter, Query, bind, parse_text


def asking(**types: str) -> Query:
    return asking_for(*(Parameter(name, type_, f"the {name}") for name, type_ in types.items()))


def asking_for(*params: Parameter) -> Query:
    return Query(
        "audit/x", "t", "d", params, (), (), (), (), "c", "e", "RETURN 1", Path("x.cypher")
    )


FIT: dict[str, list[tuple[object, object]]] = {
    "INTEGER": [(3, 3), (np.int8(3), 3), (-(2**63), -(2**63)), (2**63 - 1, 2**63 - 1)],
    "FLOAT": [(3, 3.0), (np.float32(0.1), 0.1), (-0.5, -0.5)],  # the decimal 0.1
    "STRING": [("", ""), ("a'\"`\n💥", "a'\"`\n💥")],
    "BOOLEAN": [(False, False), (np.True_, True)],
    "ANY": [(3, 3), ("3", "3"), ([1, "a", None, (2, 3)], [1, "a", None, [2, 3]])],
    "LIST<INTEGER>": [((1, np.int64(2)), [1, 2]), (np.array([1, 2]), [1, 2]), ([], [])],
    "LIST<FLOAT>": [([1, 2.5], [1.0, 2.5])],
    "LIST<LIST<INTEGER>>": [([[1], []], [[1], []])],
    "LIST<MAP>": [([{"a": 1, "b": None, "c": [1, 2]}], [{"a": 1, "b": None, "c": [1, 2]}])],
    "MAP": [({}, {}), ({"a": [{"b": [0.5, None]}]}, {"a": [{"b": [0.5, None]}]})],
}
WRONG: dict[str, list[object]] = {
    "INTEGER": [3.0, True, "3", 2**63, -(2**63) - 1, None],
    "FLOAT": [math.nan, math.inf, "1", True, None],
    "STRING": [3, None, b"x", "\ud800"],
    "BOOLEAN": [1, "true"],
    "ANY": [None, math.nan, 2**63, -(2**63) - 1, object()],
    "LIST<STRING>": ["abc", ["a", None]],
    "LIST<INTEGER>": [[1, 2.5]],
    "LIST<MAP>": [[1]],
    "MAP": [[("a", 1)], {1: 2}, {"a": math.nan}],
}


@pytest.mark.parametrize("type_", FIT)
def test_values_that_fit_and_values_that_do_not(type_: str) -> None:
    for value, bound in FIT[type_]:
        found = bind(asking(p=type_), {"p": value})["p"]
        assert found == bound
        assert type(found) is type(bound)
    for value in WRONG.get(type_, ()):
        with pytest.raises(ParameterError, match="p"):
            bind(asking(p=type_), {"p": value})


def test_a_place_in_a_list_is_named() -> None:
    with pytest.raises(ParameterError, match=r"ids\[2\]: found 3, expected a text"):
        bind(asking(ids="LIST<STRING>"), {"ids": ["a", "b", 3]})


def test_missing_and_unknown() -> None:
    with pytest.raises(ParameterError, match=r"epsilon: not given, .*the epsilon; audit/x needs"):
        bind(asking(k="INTEGER", epsilon="FLOAT"), {"k": 3})
    with pytest.raises(ParameterError, match="did you mean epsilon") as caught:
        bind(asking(k="INTEGER", epsilon="FLOAT"), {"k": 3, "epsilon": 1, "epsilom": 2})
    assert caught.value.name == "epsilom"
    with pytest.raises(ParameterError, match=r"a parameter of audit/x \(none\)"):
        bind(asking(), {"k": 3})


@pytest.mark.parametrize(
    ("given", "bound"),
    [
        ({}, {"reach": 1.5, "shift": 0, "k": 3}),
        ({"shift": 2}, {"reach": 1.5, "shift": 2, "k": 3}),
        ({"reach": 0.5, "shift": 0}, {"reach": 0.5, "shift": 0, "k": 3}),
    ],
)
def test_a_default_stands_for_what_is_not_given_only(
    given: dict[str, Any], bound: dict[str, Any]
) -> None:
    query = asking_for(
        Parameter("reach", "FLOAT", "how far", default=1.5),
        Parameter("shift", "INTEGER", "how much", default=0),
        Parameter("k", "INTEGER", "how many"),
    )
    assert bind(query, {**given, "k": 3}) == bound
    with pytest.raises(ParameterError, match="audit/x needs k"):
        bind(query, given)
    with pytest.raises(ParameterError, match="reach: not given"):
        bind(query, {**given, "reach": None, "k": 3})


SPELT: dict[str, dict[str, object]] = {
    "INTEGER": {"5": 5, "-5": -5, "9007199254740993": 2**53 + 1},
    "FLOAT": {"0.5": 0.5, "1": 1.0, "1e-3": 0.001, "0.30000000000000004": 0.1 + 0.2},
    "STRING": {"5": "5", "": ""},
    "BOOLEAN": {"TRUE": True, "false": False},
    "LIST<STRING>": {'["a", "b"]': ["a", "b"]},
    "LIST<FLOAT>": {"[1, 2.5]": [1.0, 2.5], "[0.30000000000000004]": [0.1 + 0.2]},
    "ANY": {
        "17": 17, "-17": -17, "017": "017", "9223372036854775807": 2**63 - 1,
        "9223372036854775808": "9223372036854775808", "-9223372036854775808": -(2**63),
        "-9223372036854775809": "-9223372036854775809", '"17"': "17", "t1": "t1", "-": "-",
        '"': '"',
        '""': "", '"t1': '"t1', 't1"': 't1"', '["t1", 2]': ["t1", 2], "[t1]": "[t1]",
    },
}  # fmt: skip
MISSPELT = {
    "INTEGER": ["9223372036854775808", "5.0", "1_000", "", "five", "9" * 30],
    "FLOAT": ["9007199254740993", "nan", "inf", "1,5"],
    "BOOLEAN": ["1"],
    "LIST<STRING>": ["a,b", '"ab"'],
    "LIST<INTEGER>": ["[1, null]"],
    "LIST<FLOAT>": ["[9007199254740993]", "[1e-400]"],
    "MAP": ["[]"],
}


@pytest.mark.parametrize("type_", {**SPELT, **MISSPELT})
def test_texts_that_spell_a_value_and_texts_that_do_not(type_: str) -> None:
    query = asking(p=type_)
    for text, value in SPELT.get(type_, {}).items():
        found = bind(query, parse_text(query, {"p": text}))["p"]
        assert found == value
        assert type(found) is type(value)
    for text in MISSPELT.get(type_, ()):
        with pytest.raises(ParameterError, match="p"):
            bind(query, parse_text(query, {"p": text}))


@given(
    st.text() | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(st.integers())
)
def test_what_is_bound_is_what_was_given(value: Any) -> None:
    for type_, kinds in (("INTEGER", int), ("STRING", str), ("BOOLEAN", bool)):
        try:
            bound = bind(asking(p=type_), {"p": value})["p"]
        except ParameterError:
            continue
        assert bound == value
        assert type(bound) is kinds


class Kind(IntEnum):
    """A whole number by another name: Python looks for it in a range one number at a time,
    for ever.
    """

    THIRD = 3


@pytest.mark.parametrize("type_", ["INTEGER", "ANY", "FLOAT"])
def test_whole_numbers_of_another_class_are_whole_numbers(type_: str) -> None:
    bound = bind(asking(p=type_), {"p": Kind.THIRD})["p"]
    assert bound == 3
    assert type(bound) in (int, float)


@pytest.mark.parametrize(
    "value",
    [
        [2**70], [1, -(2**63) - 1], [math.nan], [object()], ["a", "\ud800"], ["a\0"], [["a\0"]],
        [[2**63]],
        {"a": "b\0"}, {"a\0": 1}, {"\ud800": 1}, {"a": [1, {"b": math.inf}]},
    ],
)  # fmt: skip
def test_what_no_engine_keeps_is_refused_however_deep(value: Any) -> None:
    kinds = ["ANY", "LIST<ANY>"] if isinstance(value, list) else ["ANY", "MAP"]
    for type_ in kinds:
        with pytest.raises(ParameterError):
            bind(asking(p=type_), {"p": value})


def test_what_is_missing_may_be_missing_where_a_part_is_bound() -> None:
    query = asking(p="INTEGER", q="FLOAT")
    assert bind(query, {"p": 3}, partial=True) == {"p": 3}
    with pytest.raises(ParameterError, match="p: found 'x'"):
        bind(query, {"p": "x"}, partial=True)
