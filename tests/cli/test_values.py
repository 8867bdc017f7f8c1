"""What users type, as values."""

from __future__ import annotations

import re

import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli import options
from ratingpriv.cli.options.values import (
    amount,
    days,
    delimiter,
    named_scale,
    number,
    one_of,
    scale,
    share,
    size,
    whole,
)


@pytest.mark.parametrize(
    ("text", "found"),
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
def test_sizes(text, found):
    assert size.of("memory", text) == found


@pytest.mark.parametrize(
    "text",
    ["", "GiB", "-1", "4 PiB", "0", "0.1", "1e3", "4GiBB", "nan", "4\u212aiB", "٤GiB", "1_0", "9" * 400],
)
def test_sizes_that_are_none(text):
    with pytest.raises(ParameterError, match="memory"):
        size.of("memory", text)


def test_shares_are_fractions_or_per_cent_and_none_of_all():
    texts = {"0": 0, "0%": 0, "1%": 0.01, "0.01": 0.01, "99.9%": 0.999}
    assert {text: share.of("at-most", text) for text in texts} == texts
    for text in ("1", "100%", "-1%"):
        with pytest.raises(ParameterError, match="a share from 0 to below 1"):
            share.of("at-most", text)


def test_amounts_are_whole_or_shares():
    assert (amount.of("sample", "500"), amount.of("sample", "0.25")) == (500, 0.25)
    assert isinstance(amount.of("sample", "500"), int)


@pytest.mark.parametrize(
    "text", ["1_000", "١", "0x10", "1e2", "", " ", "1.0", "9" * 30, " 1 ", "+5", "9007199254740993"]
)
def test_whole_numbers_that_are_none(text):
    with pytest.raises(ParameterError):
        whole(1).of("k", text)


def test_scales():
    assert scale.of("scale", "-10:10") == (-10.0, 10.0)
    assert scale.of("scale", "0.5:5") == (0.5, 5.0)


@pytest.mark.parametrize(
    "text", ["", ":", "1:", "1:1", "a:b", "nan:5", "0:inf", "1:2:3", "1_0:20", "١:٥", "1: 5"]
)
def test_scales_that_are_none(text):
    with pytest.raises(ParameterError, match="MIN:MAX"):
        scale.of("scale", text)


@pytest.mark.parametrize(("text", "meant"), [(r"\t", "\t"), ("tab", "\t"), ("::", "::")])
def test_delimiters(text, meant):
    assert delimiter.of("delimiter", text) == meant


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(number(1), "0.05", 0.05), (number(), "-0.0", 0.0), (days, " None", None), (days, "3", 3.0)],
)
def test_numbers(kind, text, value):
    assert kind.of("x", text) == value


@pytest.mark.parametrize("kind", [number(1), number(), days, amount, one_of("strict", "wildcard")])
@pytest.mark.parametrize(
    "text", ["-1", "nan", "inf", "", "soon", "1e-400", "1_0", "٥", "１", "0x10", " 1 ", "+5"]
)
def test_numbers_and_words_that_are_none(kind, text):
    with pytest.raises(ParameterError, match=re.escape(f"x: found '{text}', expected ")):
        kind.of("x", text)


@pytest.mark.parametrize("text", ["pay", "pay=", "=1:7", "pay=7", "pay=7:1", "pay=1:١"])
def test_scales_of_one_issue_that_are_none(text):
    with pytest.raises(ParameterError, match="NAME=MIN:MAX"):
        named_scale.of("sensitive-scale", text)
    assert named_scale.of("sensitive-scale", "a=b=1:7") == ("a=b", (1.0, 7.0))


def test_a_group_of_options_has_their_default_values_in_python():
    printed = options.Printed(as_json=True)
    assert (printed.as_json, printed.force, printed.csv_safe) == (True, False, True)
    assert (printed.plot, printed.require, options.Rules().nulls) == (None, (), "strict")
    assert (options.Data().sensitive, options.Data().header) == ((), None)
