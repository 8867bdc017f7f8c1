"""Nothing that the header does not promise reaches an engine."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.errors import ParameterError
from ratingpriv.graph import Parameter, Query, bind, parse_text


def asking(**types: str) -> Query:
    params = tuple(Parameter(name, type_, f"the {name}") for name, type_ in types.items())
    return Query("audit/x", "t", "d", params, (), (), (), (), "c", "e", "RETURN 1", Path("x.cypher"))


@pytest.mark.parametrize(
    ("type_", "value", "bound"),
    [
        ("INTEGER", 3, 3),
        ("INTEGER", np.int8(3), 3),
        ("INTEGER", -(2**63), -(2**63)),
        ("FLOAT", 3, 3.0),
        ("FLOAT", np.float32(0.5), 0.5),
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
        ("ANY", 2**64),
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
    with pytest.raises(ParameterError, match=r"epsilon: found None, .*the epsilon; audit/x needs"):
        bind(asking(k="INTEGER", epsilon="FLOAT"), {"k": 3})
    with pytest.raises(ParameterError, match="did you mean epsilon") as caught:
        bind(asking(k="INTEGER", epsilon="FLOAT"), {"k": 3, "epsilon": 1, "epsilom": 2})
    assert caught.value.name == "epsilom"
    with pytest.raises(ParameterError, match=r"a parameter of audit/x \(none\)"):
        bind(asking(), {"k": 3})


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("INTEGER", "5", 5),
        ("INTEGER", "-5", -5),
        ("FLOAT", "0.5", 0.5),
        ("FLOAT", "1", 1.0),
        ("FLOAT", "1e-3", 0.001),
        ("STRING", "5", "5"),
        ("STRING", "", ""),
        ("BOOLEAN", "TRUE", True),
        ("BOOLEAN", "false", False),
        ("LIST<STRING>", '["a", "b"]', ["a", "b"]),
        ("LIST<FLOAT>", "[1, 2.5]", [1.0, 2.5]),
        ("ANY", "17", 17),
        ("ANY", "-17", -17),
        ("ANY", "017", "017"),
        ("ANY", '"17"', "17"),
        ("ANY", "t1", "t1"),
        ("ANY", "-", "-"),
        ("ANY", '"', '"'),
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
        ("INTEGER", "5.0"), ("INTEGER", "1_000"), ("INTEGER", ""), ("INTEGER", "five"), ("INTEGER", "9" * 30),
        ("FLOAT", "nan"), ("FLOAT", "inf"), ("FLOAT", "1,5"), ("BOOLEAN", "1"), ("LIST<STRING>", "a,b"),
        ("LIST<STRING>", '"ab"'), ("LIST<INTEGER>", "[1, null]"), ("MAP", "[]"),
    ],
)  # fmt: skip
def test_texts_that_do_not(type_: str, text: str) -> None:
    query = asking(p=type_)
    with pytest.raises(ParameterError, match="p"):
        bind(query, parse_text(query, {"p": text}))


def test_an_unknown_name_is_left_for_bind() -> None:
    query = asking(k="INTEGER")
    with pytest.raises(ParameterError, match="did you mean k"):
        bind(query, parse_text(query, {"k": "1", "kk": "2"}))


@given(st.text() | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(st.integers()))
def test_what_is_bound_is_what_was_given(value: Any) -> None:
    for type_, kinds in (("INTEGER", int), ("STRING", str), ("BOOLEAN", bool)):
        try:
            bound = bind(asking(p=type_), {"p": value})["p"]
        except ParameterError:
            continue
        assert bound == value
        assert type(bound) is kinds


def test_a_type_that_no_header_can_have_takes_nothing() -> None:
    with pytest.raises(ParameterError, match="expected POINT"):
        bind(asking(p="POINT"), {"p": 1})
