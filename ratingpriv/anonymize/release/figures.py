"""Whether the figures of a manifest are figures: of their types, and not negative where nothing can be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["check_figures"]

_COUNTS = (
    "changed", "filled", "erased", "records_touched", "records_withheld", "ratings", "cells",
    "ratings_withheld",
)  # fmt: skip
_MEANS = ("mean_before", "mean_after", "mean_filled", "sd_filled")


def check_figures(content: Mapping[str, Any]) -> None:
    """Check that the figures of a manifest are figures; KeyError or TypeError where they are not."""
    _count(content["records"]["released"])
    _count(content["records"]["withheld"])
    _count(content["issues"])
    _list_of(content["sensitive"], str)
    cost = _of(content["distortion"], dict)
    for name in _COUNTS:
        _count(cost[name])
    _amount(cost["total"])
    for name in _MEANS:
        if cost[name] is not None:
            _real(cost[name])
    shares = _of(cost["shares"], dict)
    for name in ("changed", "filled", "erased", "withheld"):
        if shares[name] is not None:
            _amount(shares[name])
    found = _of(content["verification"], dict)
    _of(found["satisfied"], bool)
    _of(found["read_from"], str)
    _count(found["largest_k"])
    _count(found["violators"])
    _amount(found["highest_risk"])
    _amount(found["average_risk"])
    if found["largest_l"] is not None:
        for value in _of(found["largest_l"], dict).values():
            if value is not None:
                _amount(value)
    for caution in _list_of(content["cautions"], dict):
        _of(caution["code"], str)
        _of(caution["message"], str)
    for name in ("method", "input", "versions", "release"):
        _of(content[name], dict)
    _of(content["method"]["name"], str)
    _of(content["method"]["statement"], str)
    _of(content["release"]["file"], str)


def _count(value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{_kind(value)} where a whole number >= 0 belongs")


def _real(value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{_kind(value)} where a number belongs")


def _amount(value: object) -> None:
    _real(value)
    if isinstance(value, int | float) and value < 0:
        raise TypeError("a negative number where none belongs")


def _of[T](value: object, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{_kind(value)} where {kind.__name__} belongs")
    return value


def _list_of(value: object, kind: type) -> list[Any]:
    for one in _of(value, list):
        _of(one, kind)
    return _of(value, list)


def _kind(value: object) -> str:
    return repr(value) if isinstance(value, int | float) or value is None else f"a {type(value).__name__}"
