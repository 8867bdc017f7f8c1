"""What is refused of a column, in words: where, what was found, what was expected, what settles it."""

from __future__ import annotations

from collections.abc import Sequence

from ratingpriv.base.errors import Problem
from ratingpriv.base.numbers import EXACT, inexact
from ratingpriv.data.codebook.cells import BLANKS, numeral
from ratingpriv.data.table.building.problems import Place

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
