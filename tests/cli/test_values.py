"""What users type, as values."""

from __future__ import annotations

import pytest

from ratingpriv.cli.options import values
from ratingpriv.errors import ParameterError

pytestmark = pytest.mark.small


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
    assert values.bytes_of("memory", text) == size


@pytest.mark.parametrize("text", ["", "GiB", "-1", "4 PiB", "0", "0.1", "1e3", "4GiBB", "nan"])
def test_sizes_that_are_none(text):
    with pytest.raises(ParameterError, match="memory"):
        values.bytes_of("memory", text)


def test_amounts_are_whole_or_shares():
    assert (values.amount("sample", "500"), values.amount("sample", "0.25")) == (500, 0.25)
    assert isinstance(values.amount("sample", "500"), int)


@pytest.mark.parametrize("text", ["1_000", "١", "0x10", "1e2", "", " ", "1.0", "9" * 30])
def test_whole_numbers_that_are_none(text):
    with pytest.raises(ParameterError):
        values.whole("k", text, 1)


def test_scales():
    assert values.scale("scale", "-10:10") == (-10.0, 10.0)
    assert values.scale("scale", "0.5:5") == (0.5, 5.0)


@pytest.mark.parametrize("text", ["", ":", "1:", "1:1", "a:b", "nan:5", "0:inf", "1:2:3"])
def test_scales_that_are_none(text):
    with pytest.raises(ParameterError, match="MIN:MAX"):
        values.scale("scale", text)


@pytest.mark.parametrize(("text", "meant"), [(r"\t", "\t"), ("tab", "\t"), ("::", "::")])
def test_delimiters(text, meant):
    assert values.delimiter(text) == meant
