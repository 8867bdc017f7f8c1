"""What users type, as values."""

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

MEANT = {
    size: {"4GiB": 2**32, "4g": 2**32, "500MB": 5 * 10**8, "1.5 KiB": 1536, "7b": 7, "1T": 2**40},
    amount: {"500": 500, "0.25": 0.25},
    scale: {"-10:10": (-10.0, 10.0), "0.5:5": (0.5, 5.0)},
    delimiter: {r"\t": "\t", "tab": "\t", "::": "::"},
    number(): {"0.05": 0.05, "-0.0": 0.0},
    days: {" None": None, "3": 3.0},
}


@pytest.mark.parametrize("kind", MEANT)
def test_what_is_meant(kind):
    for text, value in MEANT[kind].items():
        assert (kind.of("x", text), type(kind.of("x", text))) == (value, type(value))


SIZES = ["GiB", "4 PiB", "0", "0.1", "1e3", "4GiBB", "4\u212aiB", "٤GiB", "9" * 400]
WHOLE = ["1_000", "١", "1e2", " ", "1.0", "9" * 30, "9007199254740993"]
SCALES = [":", "1:", "1:1", "a:b", "nan:5", "0:inf", "1:2:3", "1_0:20", "١:٥", "1: 5"]
ANY = ["-1", "nan", "inf", "", "soon", "1e-400", "1_0", "٥", "１", "0x10", " 1 ", "+5"]
NONE = [
    (size, SIZES),
    (whole(1), WHOLE),
    (scale, SCALES),
    (number(1), ANY),
    (number(), ANY),
    (days, ANY),
]


@pytest.mark.parametrize(
    ("kind", "texts"), [*NONE, (amount, ANY), (one_of("strict", "wildcard"), ANY)]
)
def test_what_is_none(kind, texts):
    for text in {*texts, *ANY}:
        with pytest.raises(ParameterError, match=re.escape(f"x: found '{text}', expected ")):
            kind.of("x", text)


def test_shares_are_fractions_or_per_cent_and_none_of_all():
    texts = {"0": 0, "0%": 0, "1%": 0.01, "0.01": 0.01, "99.9%": 0.999}
    assert {text: share.of("at-most", text) for text in texts} == texts
    for text in ("1", "100%", "-1%"):
        with pytest.raises(ParameterError, match="a share from 0 to below 1"):
            share.of("at-most", text)


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
