"""What a cell's text means: a number, "not rated" or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import Problem
from ratingpriv.base.numbers import EXACT, inexact, is_numeral
from ratingpriv.data.codebook.options import ReadOptions, null_tokens
from ratingpriv.data.table.building.problems import Place

BLANKS = " \t"

NULL, NUMBER, BAD, INEXACT = 0, 1, 2, 3
"""INEXACT: a number that float64 does not keep as it is written."""


def number(text: str) -> float | None:
    """Return the decimal number that ``text`` is (blanks around it are allowed), else None.

    NaN, infinities, hexadecimals, digit groups (1_000 or 1,000) and decimal commas are no numbers here, nor
    is what float64 does not keep: more than 15 significant digits, or a magnitude beyond 2**53.
    """
    text = text.strip(BLANKS)
    return float(text) if is_numeral(text) and inexact(text) is None else None


def numeral(text: str) -> bool:
    """Whether ``text`` is written as a decimal number, whether or not float64 keeps it."""
    return is_numeral(text.strip(BLANKS))


class NullTokens:
    """Texts that mean "not rated": an empty or blank cell, those of :func:`null_tokens`, and ``more``.

    A named token that is a number also means every other way to write it: `` `null='0'` `` covers ``0.0``.
    """

    def __init__(self, options: ReadOptions, more: Iterable[str] = ()) -> None:
        self._texts = {*null_tokens(options), *more}
        self._numbers = {value for text in self._texts if (value := number(text)) is not None}

    @property
    def texts(self) -> frozenset[str]:
        """The texts that mean "not rated"."""
        return frozenset(self._texts)

    @property
    def numbers(self) -> frozenset[float]:
        """The numbers that mean "not rated"."""
        return frozenset(self._numbers)

    def __contains__(self, text: str) -> bool:
        if text in self._texts or text.strip(BLANKS) in self._texts:
            return True
        return bool(self._numbers) and number(text) in self._numbers


@dataclass(frozen=True, slots=True)
class ParsedCells:
    """What each text means: ``kinds`` uint8 (NULL, NUMBER, ...), ``values`` float64 (0.0 unless NUMBER)."""

    kinds: NDArray[np.uint8]
    values: NDArray[np.float64]


def parse_cells(texts: pl.Series, nulls: NullTokens) -> ParsedCells:
    """Parse each text of a String series."""
    kinds = np.empty(len(texts), dtype=np.uint8)
    values = np.zeros(len(texts), dtype=np.float64)
    for position, text in enumerate(_each(texts)):
        if text in nulls:
            kinds[position] = NULL
        elif (value := number(text)) is not None:
            kinds[position], values[position] = NUMBER, value + 0.0  # -0.0 becomes 0.0
        else:
            kinds[position] = INEXACT if numeral(text) else BAD
    return ParsedCells(kinds, values)


def lean(values: NDArray[np.float64]) -> NDArray[np.generic]:
    """Return the values in the smallest type that holds all exactly (floats: by their shortest decimal)."""
    if len(values) == 0 or bool(np.all(values == np.floor(values))):
        for kind in (np.uint8, np.int8, np.int16, np.int32):
            limits = np.iinfo(kind)
            if len(values) == 0 or (values.min() >= limits.min and values.max() <= limits.max):
                return values.astype(kind)
        return values
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    if len(values) <= 1 << 16 and all(
        float(str(a)) == b for a, b in zip(short, values.tolist(), strict=True)
    ):
        return short
    return values


def _each(texts: pl.Series) -> Iterable[str]:
    """Iterate without making a list of all (there may be millions)."""
    for start in range(0, len(texts), 1 << 16):
        yield from texts.slice(start, 1 << 16).to_list()


ROUND = "round the column; if it holds ids, name it with `id` or leave it out with `drop`"
"""What to do about numbers that float64 does not keep."""

_LONGEST = 40
_NOT_A_NUMBER = ("nan", "inf", "infinity")

_CATEGORIES = (
    'say kind = "nominal" for it in a codebook if it has categories, else code its answers as numbers'
)


def quoted(text: str) -> str:
    """Return a cell's text in quotes, cut if it is long, on one line."""
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")


def bad_rating(
    text: str, file: str, line: int | None, column: str | int | None, *, remedy: str = ""
) -> Problem:
    """Return the Problem of a cell that is neither a number nor a text for "not rated"."""
    plain = text.strip().lower().lstrip("+-")
    cell: str | None = text
    if plain in _NOT_A_NUMBER:
        what, cell = f"{quoted(text)}, which is no rating", None  # such a text is nobody's
        advice = f"if it means not rated, say `null=[{text.strip()!r}]`"
    elif numeral(text.replace(",", ".", 1)):
        what = "a number with a comma"
        advice = "write the decimal point as a point, without thousands separators"
    else:
        what = "text"
        advice = "correct it; if it means not rated, name it with `null`"
    return Problem(file, what, "a number", remedy or advice, line, column, cell)


def inexact_rating(text: str, file: str, line: int | None, column: str | int | None) -> Problem:
    """Return the Problem of a number that float64 does not keep as it is written."""
    found = inexact(text.strip(BLANKS)) or "a number that is not kept"
    return Problem(file, found, EXACT, ROUND, line, column)


def text_column(
    place: Place, name: str, examples: Sequence[str], bad: int, rated: int, *, ids: bool, sensitive: bool
) -> Problem:
    """Return the one Problem of a wide file's column ``name`` that does not hold ratings at all.

    ``place`` : of its first text, with the column as messages call it.
    """
    file, line, column = place
    shown = ", ".join(examples)
    found = f"text in {bad:,} of {rated:,} cells"
    if sensitive:
        expected, remedy = "numbers, as it is sensitive", _CATEGORIES
        return Problem(file, found, expected, remedy, line, column, shown)
    named = column == name
    remedy = f"leave the column out with `drop=[{name!r}]`" if named else "leave it out with `drop`"
    if ids:
        remedy += f", or say `id={str(column)!r}` if it names the records"
    remedy += "; if it is known of people, name it with `quasi`, or what it names with `identifier`"
    expected = "ratings, as in every column that is not named otherwise"
    return Problem(file, found, expected, remedy, line, column, shown)
