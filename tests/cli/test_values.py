"""What users type, as values."""

from __future__ import annotations

import re

import pytest

from ratingpriv.cli.options.types import (
    Amount,
    Days,
    Delimiter,
    NamedScale,
    OneOf,
    Rate,
    Real,
    Scale,
    Size,
    Whole,
)
from ratingpriv.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4GiB", 2**32),
        ("4g", 2**32),
        ("500MB", 5 * 10**8),
        ("1.5 KiB", 1536),
        ("1000", 1000),
        ("7b", 7),
        ("1T", 2**40),
    ],
)
def test_sizes(text, size):
    assert Size().read("memory", text) == size


@pytest.mark.parametrize(
    "text",
    ["", "GiB", "-1", "4 PiB", "0", "0.1", "1e3", "4GiBB", "nan", "4\u212aiB", "٤GiB", "1_0", "9" * 400],
)
def test_sizes_that_are_none(text):
    with pytest.raises(ParameterError, match="memory"):
        Size().read("memory", text)


def test_amounts_are_whole_or_shares():
    assert (Amount().read("sample", "500"), Amount().read("sample", "0.25")) == (500, 0.25)
    assert isinstance(Amount().read("sample", "500"), int)


@pytest.mark.parametrize(
    "text", ["1_000", "١", "0x10", "1e2", "", " ", "1.0", "9" * 30, " 1 ", "+5", "9007199254740993"]
)
def test_whole_numbers_that_are_none(text):
    with pytest.raises(ParameterError):
        Whole(1).read("k", text)


def test_scales():
    assert Scale().read("scale", "-10:10") == (-10.0, 10.0)
    assert Scale().read("scale", "0.5:5") == (0.5, 5.0)


@pytest.mark.parametrize(
    "text", ["", ":", "1:", "1:1", "a:b", "nan:5", "0:inf", "1:2:3", "1_0:20", "١:٥", "1: 5"]
)
def test_scales_that_are_none(text):
    with pytest.raises(ParameterError, match="MIN:MAX"):
        Scale().read("scale", text)


@pytest.mark.parametrize(("text", "meant"), [(r"\t", "\t"), ("tab", "\t"), ("::", "::")])
def test_delimiters(text, meant):
    assert Delimiter().read("delimiter", text) == meant


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(Rate(), "0.05", 0.05), (Real(), "-0.0", 0.0), (Days(), " None", None), (Days(), "3", 3.0)],
)
def test_numbers(kind, text, value):
    assert kind.read("x", text) == value


@pytest.mark.parametrize("kind", [Rate(), Real(), Days(), Amount(), OneOf("strict", "wildcard")])
@pytest.mark.parametrize(
    "text", ["-1", "nan", "inf", "", "soon", "1e-400", "1_0", "٥", "１", "0x10", " 1 ", "+5"]
)
def test_numbers_and_words_that_are_none(kind, text):
    with pytest.raises(ParameterError, match=re.escape(f"x: found '{text}', expected ")):
        kind.read("x", text)


@pytest.mark.parametrize("text", ["pay", "pay=", "=1:7", "pay=7", "pay=7:1", "pay=1:١"])
def test_scales_of_one_issue_that_are_none(text):
    with pytest.raises(ParameterError, match="NAME=MIN:MAX"):
        NamedScale().read("sensitive-scale", text)
    assert NamedScale().read("sensitive-scale", "a=b=1:7") == ("a=b", (1.0, 7.0))


def test_words_are_completed():
    assert [one.value for one in OneOf("strict", "wildcard").shell_complete(None, None, "w")] == ["wildcard"]
