"""Whether the figures of a manifest are figures: of their types, and not negative where nothing can be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["check_figures", "typed"]

_COUNTS = (
    "changed", "filled", "erased", "records_touched", "records_withheld", "ratings", "cells",
    "ratings_withheld",
)  # fmt: skip
_QUASI_COUNTS = ("cells", "changed", "erased", "records_touched", "withheld")
_RULES = ("equal", "within")
_MEANS = ("mean_before", "mean_after", "mean_filled", "sd_filled")


def check_figures(content: Mapping[str, Any]) -> None:
    """Check that the figures of a manifest are figures; KeyError or TypeError where they are not."""
    _count(content["records"]["released"])
    _count(content["records"]["withheld"])
    _count(content["issues"])
    _list_of(content["sensitive"], str)
    _check_columns(content)
    cost = typed(content["distortion"], dict)
    for name in _COUNTS:
        _count(cost[name])
    _amount(cost["total"])
    for name in _MEANS:
        if cost[name] is not None:
            typed(cost[name], int, float)
    if "quasi" in cost:
        for name in _QUASI_COUNTS:
            _count(typed(cost["quasi"], dict)[name])
        _amount(cost["quasi"]["moved"])
    shares = typed(cost["shares"], dict)
    for name in ("changed", "filled", "erased", "withheld"):
        if shares[name] is not None:
            _amount(shares[name])
    _check_utility(content.get("utility", {}))
    found = typed(content["verification"], dict)
    typed(found["satisfied"], bool)
    typed(found["read_from"], str)
    _count(found["largest_k"])
    _count(found["violators"])
    _amount(found["highest_risk"])
    _amount(found["average_risk"])
    if found["largest_l"] is not None:
        for value in typed(found["largest_l"], dict).values():
            if value is not None:
                _amount(value)
    _list_of(content["cautions"], dict)
    for caution in content["cautions"]:
        typed(caution["code"], str)
        typed(caution["message"], str)
        typed(caution.get("but", ""), str)
    _list_of(content.get("accepted", []), str)
    for name in ("method", "input", "versions", "release"):
        typed(content[name], dict)
    typed(content["method"]["name"], str)
    typed(content["method"]["statement"], str)
    typed(content["release"]["file"], str)


def _check_columns(content: Mapping[str, Any]) -> None:
    """Check what is said of columns beside the ratings; manifests of older versions say nothing of them."""
    for name in ("nominal", "carried"):
        _list_of(content.get(name, []), str)
    _list_of(content.get("quasi", []), dict)
    for rule in content.get("quasi", []):
        typed(rule["name"], str)
        if ("within" in rule) != (typed(rule["rule"], str) == "within") or rule["rule"] not in _RULES:
            raise TypeError("a rule of a quasi-identifier that is neither equal nor within a number")
        if "within" in rule:
            _amount(rule["within"])
    for words in typed(content.get("recoded", {}), dict).values():
        typed(words, str)
    if content.get("left_out") is not None:
        for number in typed(content["left_out"], dict).values():
            _count(number)


def _check_utility(content: object) -> None:
    """Check what is stated of a release's utility: by measure its numbers, or why there is none."""
    for measure in typed(content, dict).values():
        for name in ("value", "low", "high", "original", "worthless"):
            if typed(measure, dict)[name] is not None:
                typed(measure[name], int, float)
        if (measure["value"] is None) != bool(typed(measure.get("reason", ""), str)):
            raise TypeError("a measure of utility without a value, or else a reason")


def typed(value: Any, *kinds: type) -> Any:
    """Return ``value`` if it is of one of ``kinds``, else raise TypeError; a bool is no number."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{_kind(value)} where {' or '.join(kind.__name__ for kind in kinds)} belongs")
    return value


def _count(value: object) -> None:
    if typed(value, int) < 0:
        raise TypeError(f"{value} where a whole number >= 0 belongs")


def _amount(value: object) -> None:
    if typed(value, int, float) < 0:
        raise TypeError("a negative number where none belongs")


def _list_of(value: object, kind: type) -> None:
    for one in typed(value, list):
        typed(one, kind)


def _kind(value: object) -> str:
    return repr(value) if isinstance(value, int | float) or value is None else f"a {type(value).__name__}"
