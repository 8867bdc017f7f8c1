"""Nothing that the header does not promise reaches an engine."""

from __future__ import annotations

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
    return Query("audit/x", "t", "d", params, (), (), (), (), "c", "e", "RETURN 1", Path("x.cypher"))


@pytest.mark.parametrize(
    ("type_", "value", "bound"),
    [
        ("INTEGER", 3, 3),
        ("INTEGER", np.int8(3), 3),
        ("INTEGER", -(2**63), -(2**63)),
        ("INTEGER", 2**63 - 1, 2**63 - 1),
        ("FLOAT", 3, 3.0),
        ("FLOAT", np.float32(0.1), 0.1),  # the decimal
        ("FLOAT", -0.5, -0.5),
        ("STRING", "", ""),
        ("STRING", "a'\"`\n💥", "a'\"`\n💥"),
        ("BOOLEAN", False, False),
        ("BOOLEAN", np.True_, True),
        ("ANY", 3, 3),
        ("ANY", "3", "3"),
        ("LIST<INTEGER>", (1, np.int64(2)), [1, 2]),
        ("LIST<INTEGER>", np.array([1, 2]), [1, 2]),
        ("LIST<INTEGER>", [], []),
        ("LIST<FLOAT>", [1, 2.5], [1.0, 2.5]),
        ("LIST<LIST<INTEGER>>", [[1], []], [[1], []]),
        ("LIST<MAP>", [{"a": 1, "b": None, "c": [1, 2]}], [{"a": 1, "b": None, "c": [1, 2]}]),
        ("MAP", {}, {}),
    ],
)
def test_values_that_fit(type_: str, value: object, bound: object) -> None:
    found = bind(asking(p=type_), {"p": value})["p"]
    assert found == bound
    assert type(found) is type(bound)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("INTEGER", 3.0),
        ("INTEGER", True),
        ("INTEGER", "3"),
        ("INTEGER", 2**63),
        ("INTEGER", -(2**63) - 1),
        ("INTEGER", None),
        ("FLOAT", math.nan),
        ("FLOAT", math.inf),
        ("FLOAT", "1"),
        ("FLOAT", True),
        ("FLOAT", None),
        ("STRING", 3),
        ("STRING", None),
        ("STRING", b"x"),
        ("STRING", "\ud800"),
        ("BOOLEAN", 1),
        ("BOOLEAN", "true"),
        ("ANY", None),
        ("ANY", math.nan),
        ("ANY", 2**63),
        ("ANY", -(2**63) - 1),
        ("ANY", object()),
        ("LIST<STRING>", "abc"),
        ("LIST<STRING>", ["a", None]),
        ("LIST<INTEGER>", [1, 2.5]),
        ("LIST<MAP>", [1]),
        ("MAP", [("a", 1)]),
        ("MAP", {1: 2}),
        ("MAP", {"a": math.nan}),
    ],
)
def test_values_that_do_not(type_: str, value: object) -> None:
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
def test_a_default_stands_for_what_is_not_given_only(given: dict[str, Any], bound: dict[str, Any]) -> None:
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


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("INTEGER", "5", 5),
        ("INTEGER", "-5", -5),
        ("FLOAT", "0.5", 0.5),
        ("FLOAT", "1", 1.0),
        ("FLOAT", "1e-3", 0.001),
        ("FLOAT", "0.30000000000000004", 0.1 + 0.2),
        ("STRING", "5", "5"),
        ("STRING", "", ""),
        ("BOOLEAN", "TRUE", True),
        ("BOOLEAN", "false", False),
        ("LIST<STRING>", '["a", "b"]', ["a", "b"]),
        ("LIST<FLOAT>", "[1, 2.5]", [1.0, 2.5]),
        ("LIST<FLOAT>", "[0.30000000000000004]", [0.1 + 0.2]),
        ("INTEGER", "9007199254740993", 2**53 + 1),
        ("ANY", "17", 17),
        ("ANY", "-17", -17),
        ("ANY", "017", "017"),
        ("ANY", "9223372036854775807", 2**63 - 1),
        ("ANY", "9223372036854775808", "9223372036854775808"),
        ("ANY", "-9223372036854775808", -(2**63)),
        ("ANY", "-9223372036854775809", "-9223372036854775809"),
        ("ANY", '"17"', "17"),
        ("ANY", "t1", "t1"),
        ("ANY", "-", "-"),
        ("ANY", '"', '"'),
        ("ANY", '""', ""),
        ("ANY", '"t1', '"t1'),
        ("ANY", 't1"', 't1"'),
    ],
)
def test_texts_that_spell_a_value(type_: str, text: str, value: object) -> None:
    query = asking(p=type_)
    found = bind(query, parse_text(query, {"p": text}))["p"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("INTEGER", "9223372036854775808"), ("FLOAT", "9007199254740993"),
        ("LIST<FLOAT>", "[9007199254740993]"), ("LIST<FLOAT>", "[1e-400]"),
        ("INTEGER", "5.0"), ("INTEGER", "1_000"), ("INTEGER", ""), ("INTEGER", "five"), ("INTEGER", "9" * 30),
        ("FLOAT", "nan"), ("FLOAT", "inf"), ("FLOAT", "1,5"), ("BOOLEAN", "1"), ("LIST<STRING>", "a,b"),
        ("LIST<STRING>", '"ab"'), ("LIST<INTEGER>", "[1, null]"), ("MAP", "[]"),
    ],
)  # fmt: skip
def test_texts_that_do_not(type_: str, text: str) -> None:
    query = asking(p=type_)
    with pytest.raises(ParameterError, match="p"):
        bind(query, parse_text(query, {"p": text}))


@given(st.text() | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(st.integers()))
def test_what_is_bound_is_what_was_given(value: Any) -> None:
    for type_, kinds in (("INTEGER", int), ("STRING", str), ("BOOLEAN", bool)):
        try:
            bound = bind(asking(p=type_), {"p": value})["p"]
        except ParameterError:
            continue
        assert bound == value
        assert type(bound) is kinds


class Kind(IntEnum):
    """A whole number by another name: Python looks for it in a range one number at a time, for ever."""

    THIRD = 3


@pytest.mark.parametrize("type_", ["INTEGER", "ANY", "FLOAT"])
def test_whole_numbers_of_another_class_are_whole_numbers(type_: str) -> None:
    bound = bind(asking(p=type_), {"p": Kind.THIRD})["p"]
    assert bound == 3
    assert type(bound) in (int, float)


@pytest.mark.parametrize(
    "value",
    [
        [2**70], [1, -(2**63) - 1], [math.nan], [object()], ["a", "\ud800"], ["a\0"], [["a\0"]], [[2**63]],
        {"a": "b\0"}, {"a\0": 1}, {"\ud800": 1}, {"a": [1, {"b": math.inf}]},
    ],
)  # fmt: skip
def test_what_no_engine_keeps_is_refused_however_deep(value: Any) -> None:
    kinds = ["ANY", "LIST<ANY>"] if isinstance(value, list) else ["ANY", "MAP"]
    for type_ in kinds:
        with pytest.raises(ParameterError):
            bind(asking(p=type_), {"p": value})


def test_lists_are_kept_however_deep_with_their_nulls() -> None:
    value = {
        "codes": [1, 2, None],
        "rows": [{"id": "a", "x": [0.5, True, None]}],
        "none": [],
        "far": [2**63 - 1],
    }
    assert bind(asking(p="MAP"), {"p": value}) == {"p": value}
    assert bind(asking(p="ANY"), {"p": [1, "a", None, (2, 3)]}) == {"p": [1, "a", None, [2, 3]]}


def test_what_is_missing_may_be_missing_where_a_part_is_bound() -> None:
    query = asking(p="INTEGER", q="FLOAT")
    assert bind(query, {"p": 3}, partial=True) == {"p": 3}
    with pytest.raises(ParameterError, match="p: found 'x'"):
        bind(query, {"p": "x"}, partial=True)


def test_a_list_of_ids_and_an_id_in_brackets_are_told_apart() -> None:
    query = asking(p="ANY")
    assert parse_text(query, {"p": '["t1", 2]'}) == {"p": ["t1", 2]}
    assert parse_text(query, {"p": "[t1]"}) == {"p": "[t1]"}
