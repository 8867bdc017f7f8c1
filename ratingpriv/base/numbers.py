"""Numbers as texts: one ASCII grammar for what a user types,
how many digits a rating may have, strict JSON.

A number is kept only where float64 keeps it: at most 15 significant digits, a magnitude of at most
2**53, and not so small that it becomes 0. What has more is refused by name, never rounded:
9007199254740993 and 9007199254740992 are two numbers, and one float64.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

DIGITS = 15
"""Significant digits that float64 tells apart, whatever they are; leading and trailing zeros are
none.
"""

LARGEST = 1 << 53
"""The largest magnitude: whole numbers beyond it are not all float64 numbers."""

EXACT = "at most 15 significant digits, and up to 2**53 in magnitude"
"""What :func:`inexact` asks for, in words."""

WRITTEN = (
    "written as 5, 0.5 or 1e-3, with at most 15 significant digits and a magnitude up to 2**53"
)
"""What :func:`decimal_number` takes, in words."""

_TYPED = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_CELL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_WHOLE = re.compile(r"-?[0-9]+", re.ASCII)


def as_decimal(number: float) -> Fraction:
    """Return a float64 as the decimal that it prints as, exactly."""
    return Fraction(Decimal(repr(float(number))))


def in_full(value: float) -> str:
    """Return a number in full, as an option takes it: 1, 0.1, 0.30000000000000004."""
    return repr(float(value)).removesuffix(".0")


def rounded_down(value: float, digits: int = 6) -> str:
    """Return a number in at most so many significant digits, and never more than it is.

    For what is promised to be at least so large: 0.816496580927726 is 0.816496, not 0.816497.
    """
    return _rounded(value, digits, ROUND_FLOOR)


def rounded_up(value: float, digits: int = 6) -> str:
    """Return a number in at most so many significant digits, and never less than it is."""
    return _rounded(value, digits, ROUND_CEILING)


def two_digits(value: float | None) -> float | None:
    """Return a number as it is published of an original: it shows its size,
    and leads back to nobody.
    """
    return None if value is None else float(f"{value:.2g}")


def _rounded(value: float, digits: int, how: str) -> str:
    return in_full(float(Context(prec=digits, rounding=how).create_decimal(repr(float(value)))))


def json_value(value: Any) -> Any:
    """Return a value that JSON can say: it has no NaN and no infinities,
    which become texts as in Neo4j's.
    """
    if isinstance(value, dict):
        return {name: json_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def largest_l(max_l: Mapping[str, float | None]) -> str:
    """Return the largest l that holds for each sensitive issue, as ``pay: 0.57496, age: any``."""
    return ", ".join(
        f"{name}: {'any' if l is None else rounded_down(l)}"
        for name, l in max_l.items()  # noqa: E741
    )


def decimal_number(text: str, *, printed: bool = False) -> float:
    """Return the number that ``text`` spells in ASCII: ``-?digits[.digits][e[+-]digits]``;
    else ValueError.

    No blanks, underscores, plus sign, other scripts' digits, hexadecimals, NaN or infinity; -0.0 is
    0.0; and nothing that float64 does not keep (:func:`inexact`). ``printed``: take more than 15
    digits, too, where they are those that a float64 prints as: what a result says can be typed
    again, and nothing is rounded.
    """
    if not _TYPED.fullmatch(text) or (
        inexact(text) is not None and not (printed and _printed(text))
    ):
        raise ValueError(text[:80])
    return float(text) + 0.0


def _printed(numeral: str) -> bool:
    """Whether a number of some digits is the decimal that its float64 prints as."""
    value = float(numeral)
    return 0 < abs(value) <= LARGEST and Decimal(repr(value)) == Decimal(numeral)


def whole_number(text: str) -> int:
    """Return the whole number that ``text`` spells in ASCII digits; at most 2**53 in magnitude.

    ValueError where it is none: ``1e3``, ``5.0`` and ``+5`` are not.
    """
    if not _WHOLE.fullmatch(text) or len(text) > 40 or abs(int(text)) > LARGEST:
        raise ValueError(text[:80])
    return int(text)


def is_numeral(text: str) -> bool:
    """Whether ``text`` is a decimal number in the wider grammar of cells: also ``+5``,
    ``.5`` and ``5.``.
    """
    return _CELL.fullmatch(text) is not None


def inexact(numeral: str) -> str | None:
    """Return why float64 does not keep a decimal number (:func:`is_numeral`), in words; None:
    it does.
    """
    if len(numeral) <= DIGITS and "e" not in numeral and "E" not in numeral:
        return None
    mantissa = numeral.lower().partition("e")[0]
    digits = mantissa.lstrip("+-").replace(".", "").strip("0")
    if not digits:
        return None
    if len(digits) > DIGITS:
        return f"a number of {len(digits)} significant digits"
    value = float(numeral)
    if abs(value) > LARGEST or not math.isfinite(value):
        return "a number beyond 2**53"
    # so close to 0 there are fewer digits
    if value == 0 or Decimal(repr(value)) != Decimal(numeral):
        return "a number too close to 0 for float64"
    return None


def inexact_decimal(value: Decimal) -> str | None:
    """Return the same for a Decimal; NaN and infinity are for the caller."""
    return inexact(format(value, "e"))


def parser_said(error: ValueError) -> str:
    """Return what a parser of TOML or JSON said.

    A whole number of thousands of digits is refused by Python, with a remedy for who writes
    programs.
    """
    said = str(error)
    return "a whole number of more than 4,300 digits" if "int_max_str_digits" in said else said


def strict_json(
    text: bytes, *, whole: range = range(-LARGEST, LARGEST + 1), exact: bool = False
) -> Any:
    """Return what a JSON text in UTF-8 says; a ValueError says why it is none, without quoting it.

    Stricter than :func:`json.loads`, as it is from strangers: a key occurs once in an object, there
    is no NaN or Infinity, and no number that a float64 would round away (1e400, 400 digits).
    ``whole`` is what whole numbers may be; ``exact`` refuses every other number that float64 does
    not keep digit by digit, too (0.10000000000000001).
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            raise ValueError("an object with a key a second time")
        return content

    def constant(word: str) -> Any:
        raise ValueError(f"{word}, which is no number")

    def integer(digits: str) -> int:
        if len(digits) > len(str(whole.start)) or int(digits) not in whole:
            raise ValueError(f"a whole number of {len(digits)} characters, which is too large")
        return int(digits)

    def real(digits: str) -> float:
        value = float(digits)
        finite = math.isfinite(value)
        vanished = value == 0 and re.search(r"[1-9]", re.split("[eE]", digits)[0]) is not None
        kept = finite and not vanished and (value == 0 or Decimal(repr(value)) == Decimal(digits))
        if exact and not kept:
            raise ValueError("a number that float64 does not keep")
        if not finite or vanished:
            raise ValueError(
                "a number too small for a float64" if finite else "a number beyond a float64"
            )
        return value

    hooks: dict[str, Any] = {"object_pairs_hook": once, "parse_constant": constant}
    try:
        return json.loads(text.decode("utf-8"), parse_int=integer, parse_float=real, **hooks)
    except RecursionError:
        raise ValueError("lists in lists, too deep") from None
