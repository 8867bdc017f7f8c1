"""Small pieces of text: shares, counts, data that is safe to show on a terminal; pages as files."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from ratingpriv.base.escaping import printable as printable
from ratingpriv.base.files import replacing
from ratingpriv.base.numbers import in_full


def number(value: float) -> str:
    """Return what was measured in at most 6 significant digits: 1, 1.5, 0.2.

    What was asked for or is promised is no such number: `in_full` and `rounded_down` write those.
    """
    return f"{value:.6g}"


def share(part: int, whole: int) -> str:
    """Return ``part`` of ``whole`` as :func:`percent` does."""
    return _percentage(100 * part / whole)


def percent(rate: float) -> str:
    """Return a percentage that never rounds something to 0 % nor less than everything to 100 %."""
    return _percentage(100 * rate)


def chance(rate: float) -> str:
    """Return a percentage likewise, in three digits: ``9.35 %``."""
    return _percentage(100 * rate, ".3g")


def _percentage(value: float, form: str = ".1f") -> str:
    if 0 < value < 0.1:
        return "under 0.1 %"
    if 99.9 < value < 100:
        return "over 99.9 %"
    return f"{value:{form}}".removesuffix(".0") + " %"


def exact_percent(rate: float) -> str:
    """Return a share that was typed as a percentage, with every digit: ``0.05 %``."""
    return f"{format(Decimal(repr(rate)).scaleb(2).normalize(), 'f')} %"


def at_most(share: float) -> str:
    """Return a percentage that is not below ``share``, and 100 % only where that is the share."""
    thousandths = math.ceil(Fraction(repr(share)) * 1000)
    return (
        f"{thousandths / 10:g} %"
        if thousandths < 1000 or share == 1
        else f"{in_full(100 * share)} %"
    )


def count(amount: int, noun: str) -> str:
    """Return ``1 record``, ``1,234 records``."""
    return f"{amount:,} {noun}" + plural(amount, "", "s")


def plural(amount: int, one: str, more: str) -> str:
    """Return the word for one, or for any other number: ``has`` or ``have``."""
    return one if amount == 1 else more


def moved_most(questions: Sequence[Any]) -> list[Any]:
    """Return the items that had ratings, those first whose means changed most or were lost."""

    def change(one: Any) -> float:
        before, after = one["before"]["mean"], one["after"]["mean"]
        return math.inf if after is None else abs(after - before)

    rated = (one for one in questions if one["before"]["mean"] is not None)
    return sorted(rated, key=change, reverse=True)


def sentence(text: str) -> str:
    """Begin with a capital, unless that is a symbol such as k, and end with a full stop."""
    if not re.match(r"[klε]\b", text):
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", ":", "?")) else text + "."


def of_data(value: Any) -> Any:
    """Return what a template of HTML is given:
    of a text that is no markup control characters are escaped.
    """
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def write_text(text: str, path: str | Path, *, force: bool = False, private: bool = False) -> None:
    """Write a page as plain UTF-8 text to ``path``, whole or not at all; ``private``:
    for the user alone.
    """
    with replacing(path, force=force, private=private) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
