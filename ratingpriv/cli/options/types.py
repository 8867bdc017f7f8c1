"""The kinds of value that options take, as click types.

A mistake is a ParameterError that names its option: ``memory: found 'lots', expected a size ...``.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Self

import click
from click.shell_completion import CompletionItem

from ratingpriv.errors import ParameterError
from ratingpriv.numbers import WRITTEN, decimal_number, whole_number

__all__ = [
    "Amount",
    "Days",
    "Delimiter",
    "Kind",
    "NamedPath",
    "NamedScale",
    "OneOf",
    "Rate",
    "Real",
    "Scale",
    "Setting",
    "Share",
    "Size",
    "Whole",
    "WholeOrAuto",
    "WholePair",
]

_UNITS = {
    "": 1, "b": 1,
    "k": 2**10, "kib": 2**10, "kb": 10**3,
    "m": 2**20, "mib": 2**20, "mb": 10**6,
    "g": 2**30, "gib": 2**30, "gb": 10**9,
    "t": 2**40, "tib": 2**40, "tb": 10**12,
}  # fmt: skip


class Kind(click.ParamType):  # type: ignore[type-arg]
    """A kind of value: ``parse`` turns text into it, or raises ValueError; ``expected`` says what is."""

    expected = ""

    def parse(self, text: str) -> Any:
        """Return the value that ``text`` stands for."""
        return text

    def read(self, name: str, text: str) -> Any:
        """Return the value, or raise ParameterError for the parameter ``name``."""
        try:
            return self.parse(text)
        except ValueError:
            raise ParameterError(name, text, self.expected) from None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the option's value; what is no text is a default, and of the right type."""
        if not isinstance(value, str):
            return value
        names = [] if param is None else [name[2:] for name in param.opts if name.startswith("--")]
        return self.read(names[0] if names else self.name, value)


class Whole(Kind):
    """A whole number of at least ``minimum``."""

    name = "N"

    def __init__(self, minimum: int) -> None:
        self.minimum, self.expected = minimum, f"a whole number >= {minimum}"

    def parse(self, text: str) -> int:
        """Return the number; no underscores, exponents or other scripts' digits."""
        number = whole_number(text)
        if number < self.minimum:
            raise ValueError(text)
        return number


class Real(Kind):
    """A finite number >= 0."""

    name = "X"
    expected = f"a finite number >= 0, {WRITTEN}"

    def parse(self, text: str) -> float:
        """Return the number; -0.0 is 0.0."""
        value = decimal_number(text, printed=True)
        if value < 0:
            raise ValueError(text)
        return value


class Rate(Real):
    """A share from 0 to 1."""

    name = "RATE"
    expected = "a rate from 0 to 1, such as 0.05"

    def parse(self, text: str) -> float:
        """Return the share."""
        value = super().parse(text)
        if value > 1:
            raise ValueError(text)
        return value


class Share(Kind):
    """A share from 0 to below 1, as 0.01 or 1%; kept as the decimal that it is."""

    name = "SHARE"
    expected = "a share from 0 to below 1: 1 % is 1% or 0.01"

    def parse(self, text: str) -> float:
        """Return the share."""
        written = text.removesuffix("%")
        value = decimal_number(written)
        if text != written:
            value = decimal_number(format(Decimal(written).scaleb(-2), "f"))
        if not 0 <= value < 1:
            raise ValueError(text)
        return value


class Amount(Real):
    """A number of records (int), or a fraction of them (float)."""

    name = "N|SHARE"

    def parse(self, text: str) -> float:
        """Return the amount."""
        value = super().parse(text)
        return int(value) if value == int(value) else value


class Days(Real):
    """A number of days >= 0, or None for ``none``."""

    name = "DAYS|none"

    def parse(self, text: str) -> float | None:  # type: ignore[override]
        """Return the days."""
        return None if text.strip().lower() == "none" else super().parse(text)


class WholeOrAuto(Whole):
    """A whole number of at least ``minimum``, or None for ``auto``."""

    name = "N|auto"

    def __init__(self, minimum: int) -> None:
        super().__init__(minimum)
        self.expected += ", or auto"

    def parse(self, text: str) -> int | None:  # type: ignore[override]
        """Return the number."""
        return None if text.strip().lower() == "auto" else super().parse(text)


class WholePair(Kind):
    """B:L, two whole numbers >= 1."""

    name = "B:L"
    expected = "B:L, two whole numbers >= 1, such as 1:3"

    def parse(self, text: str) -> tuple[int, int]:
        """Return the two numbers."""
        first, colon, second = text.partition(":")
        pair = (whole_number(first), whole_number(second)) if colon else (0, 0)
        if min(pair) < 1:
            raise ValueError(text)
        return pair


class Scale(Kind):
    """MIN:MAX, two finite numbers, MIN below MAX."""

    name = "MIN:MAX"
    expected = "MIN:MAX, two numbers with MIN below MAX, such as 1:5"

    def parse(self, text: str) -> tuple[float, float]:
        """Return the two ends."""
        low, _, high = text.partition(":")
        ends = (decimal_number(low), decimal_number(high))
        if not ends[0] < ends[1]:
            raise ValueError(text)
        return ends


class NamedScale(Scale):
    """NAME=MIN:MAX, the scale of one issue; what stands behind the last ``=`` is the scale."""

    name = "NAME=MIN:MAX"
    expected = "NAME=MIN:MAX, two numbers with MIN below MAX, such as pay=1:7"

    def parse(self, text: str) -> tuple[str, tuple[float, float]]:  # type: ignore[override]
        """Return the name and the two ends."""
        issue, equals, scale = text.rpartition("=")
        if not equals or not issue:
            raise ValueError(text)
        return issue, super().parse(scale)


class _Place(str):
    """A path, with the name that was given to it."""

    name: str

    def __new__(cls, path: str, name: str) -> Self:
        place = super().__new__(cls, path)
        place.name = name
        return place


class NamedPath(Kind):
    """NAME=PATH: the path, a text, with an attribute ``name``."""

    name = "NAME=PATH"
    expected = "NAME=PATH, such as ml-100k=u.data"

    def parse(self, text: str) -> str:
        """Return the path with its name."""
        if isinstance(text, _Place):
            return text
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ValueError(text)
        return _Place(path, name)


class Setting(Kind):
    """K=V: a setting and its value, a text."""

    name = "K=V"
    expected = "K=V, such as spark.executor.memory=4g"

    def parse(self, text: str) -> str:
        """Return the text."""
        key, equals, _ = text.partition("=")
        if not equals or not key.strip():
            raise ValueError(text)
        return text


class Size(Kind):
    """A number of bytes from 4GiB, 500MB, 1.5G, 1000000; K, M, G and T alone are binary."""

    name = "SIZE"
    expected = "a size such as 4GiB, 500MB or 1000000"

    def parse(self, text: str) -> int:
        """Return the bytes."""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]*)", text.lower()) if text.isascii() else None
        if match is None or match[2] not in _UNITS:
            raise ValueError(text)
        size = int(decimal_number(match[1]) * _UNITS[match[2]])
        if not 1 <= size < 1 << 63:
            raise ValueError(text)
        return size


class Delimiter(Kind):
    r"""What stands between columns; ``\t`` and ``tab`` are a tab."""

    name = "TEXT"

    def parse(self, text: str) -> str:
        """Return the delimiter."""
        return "\t" if text in (r"\t", "tab") else text


class OneOf(Kind):
    """One of some words, which the shell completes."""

    def __init__(self, *words: str) -> None:
        self.words, self.name, self.expected = words, "|".join(words), "one of " + ", ".join(words)

    def parse(self, text: str) -> str:
        """Return the word."""
        if text not in self.words:
            raise ValueError(text)
        return text

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that begin so."""
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]
