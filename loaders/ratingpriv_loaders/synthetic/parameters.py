"""Checks of what shapes a synthetic model: every number has a range, every name can be read back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.formats.reading import NULL_TOKENS

_STEEPEST = 10.0  # rank^-10 of ten million ranks is still far from what float64 rounds to 0


def whole(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as int; it must be a whole number from ``low`` to ``high``."""
    number = checks.whole_number(name, value, low)
    if number > high:
        raise ParameterError(name, value, f"a whole number from {low} to {high}")
    return number


def share(name: str, value: object) -> float:
    """Return ``value`` as float; it must be a probability below 1."""
    number = checks.non_negative_number(name, value)
    if number >= 1:
        raise ParameterError(name, value, "a probability, at least 0 and below 1")
    return number


def exponent(name: str, value: object) -> float:
    """Return ``value`` as float; it must be an exponent of a power law, 0 to 10."""
    number = checks.non_negative_number(name, value)
    if number > _STEEPEST:
        raise ParameterError(name, value, f"a number from 0 to {_STEEPEST:g}")
    return number


def switch(name: str, value: object) -> bool:
    """Return ``value``; it must be True or False, not a text that looks like it."""
    if not isinstance(value, bool):
        raise ParameterError(name, value, "true or false")
    return value


def unique_names(name: str, value: object, taken: Sequence[str]) -> tuple[str, ...]:
    """Return distinct names, none of them ``taken``, that stay what they are in a file."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParameterError(name, value, "a list of names")
    names = tuple(value)
    for one in names:
        if not isinstance(one, str) or not one.isprintable() or one != one.strip() or one in NULL_TOKENS:
            raise ParameterError(name, one, "a name: text without spaces around it that does not mean null")
        if one in taken:
            raise ParameterError(name, one, "a name that the file has no other use for")
    if len(set(names)) < len(names):
        raise ParameterError(name, names, "every name once")
    return names
