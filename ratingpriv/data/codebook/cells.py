"""What a cell's text means, and what the cells of a column hold,
whether they are text or have types.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import Problem
from ratingpriv.base.numbers import EXACT, inexact, is_numeral
from ratingpriv.data.codebook.options import ReadOptions, null_tokens
from ratingpriv.data.codebook.raw import RawColumn, TextCells
from ratingpriv.data.codebook.recognition.one_person import repeats, repeats_left_out
from ratingpriv.data.codebook.roles import AUDITED, NULL_TOKENS
from ratingpriv.data.table.building.coding import as_float
from ratingpriv.data.table.building.problems import Place, number_text
from ratingpriv.data.table.building.spelling import Repeats, same_ids
from ratingpriv.data.table.parts import Spellings

INVISIBLE = re.compile(
    "[\x01-\x08\x0e-\x1f\x7f\xa0\xad\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]"
)
"""Characters that nobody sees, or takes for a blank; a tab and a plain blank are none of them."""


def called(character: str) -> str:
    """Return an invisible character as messages call it: by its number,
    and its name if it has one.
    """
    name = unicodedata.name(character, "a control character").lower()
    return f"the invisible character U+{ord(character):04X} ({name})"


BLANKS = " \t"

NULL, NUMBER, BAD, INEXACT = 0, 1, 2, 3
"""INEXACT: a number that float64 does not keep as it is written."""


def number(text: str) -> float | None:
    """Return the decimal number that ``text`` is (blanks around it are allowed), else None.

    NaN, infinities, hexadecimals, digit groups (1_000 or 1,000) and decimal commas are no numbers
    here, nor is what float64 does not keep: more than 15 significant digits, or a magnitude beyond
    2**53.
    """
    text = text.strip(BLANKS)
    return float(text) if is_numeral(text) and inexact(text) is None else None


def numeral(text: str) -> bool:
    """Whether ``text`` is written as a decimal number, whether or not float64 keeps it."""
    return is_numeral(text.strip(BLANKS))


class NullTokens:
    """Texts that mean "not rated": an empty or blank cell, those of :func:`null_tokens`,
    and ``more``.

    A named token that is a number also means every other way to write it: `` `null='0'`
    `` covers ``0.0``.
    """

    def __init__(self, options: ReadOptions, more: Iterable[str] = ()) -> None:
        self.texts = frozenset((*null_tokens(options), *more))
        self.numbers = frozenset(
            value for text in self.texts if (value := number(text)) is not None
        )

    def __contains__(self, text: str) -> bool:
        if text in self.texts or text.strip(BLANKS) in self.texts:
            return True
        return bool(self.numbers) and number(text) in self.numbers


@dataclass(frozen=True, slots=True)
class ParsedCells:
    """What each text means: ``kinds`` uint8 (NULL, NUMBER, ...), ``values`` (0 unless NUMBER).

    Values are float64, or of the smallest type that holds all (:func:`lean`).
    """

    kinds: NDArray[np.uint8]
    values: NDArray[Any]


def parse_cells(texts: pl.Series, nulls: NullTokens) -> ParsedCells:
    """Parse each text of a String series."""
    kinds = np.empty(len(texts), dtype=np.uint8)
    values = np.zeros(len(texts), dtype=np.float64)
    # of millions
    blocks = (texts.slice(first, 1 << 16).to_list() for first in range(0, len(texts), 1 << 16))
    for position, text in enumerate(itertools.chain.from_iterable(blocks)):
        if text in nulls:
            kinds[position] = NULL
        elif (value := number(text)) is not None:
            kinds[position], values[position] = NUMBER, value + 0.0  # -0.0 becomes 0.0
        else:
            kinds[position] = INEXACT if numeral(text) else BAD
    return ParsedCells(kinds, values)


def counted(cells: TextCells, values: Mapping[str, float]) -> ParsedCells:
    """Return what the texts of cells mean where ``values`` says what each counts.

    All others are null.
    """
    kinds, numbers = np.zeros(len(cells.texts), dtype=np.uint8), np.zeros(len(cells.texts))
    used, _ = cells.used
    for index, text in zip(used.tolist(), cells.texts.gather(used).to_list(), strict=True):
        if text in values:
            kinds[index], numbers[index] = NUMBER, values[text]
    return ParsedCells(kinds, lean(numbers))


def lean(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return the values, where they are whole numbers in the smallest type that holds all."""
    integral = len(values) == 0 or bool(np.all(values == np.floor(values)))
    for kind in (np.uint8, np.int8, np.int16, np.int32) if integral else ():
        limits = np.iinfo(kind)
        if len(values) == 0 or (values.min() >= limits.min and values.max() <= limits.max):
            return values.astype(kind)
    return values


ROUND = "round the column; if it holds ids, name it with `id` or drop it with `drop`"
"""What to do about numbers that float64 does not keep."""


def quoted(text: str) -> str:
    """Return a cell's text in quotes, cut if it is long, on one line."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def bad_rating(
    text: str, file: str, line: int | None, column: str | int | None, *, remedy: str = ""
) -> Problem:
    """Return the Problem of a cell that is neither a number nor a text for "not rated"."""
    cell: str | None = text
    content, advice = "text", "correct it; if it means missing, name it with `null`"
    if text.strip().lower().lstrip("+-") in ("nan", "inf", "infinity"):
        content, cell = f"{quoted(text)}, which is no rating", None  # such a text is nobody's
        advice = f"if it means missing, say `null=[{text.strip()!r}]`"
    elif (hidden := INVISIBLE.search(text)) is not None and numeral(INVISIBLE.sub("", text)):
        content, advice = f"a number with {called(hidden[0])}", "delete that character"
    elif text.startswith('"') and text.endswith('"') and numeral(text.strip('"' + BLANKS)):
        content = "a number in quotes with a blank in front"
        advice = "delete the blank between the delimiter and the quote"
    elif numeral(text.replace(",", ".", 1)):
        content = "a number with a comma"
        advice = "write the decimal point as a point, without thousands separators"
    return Problem(file, content, "a number", remedy or advice, line, column, cell)


def inexact_rating(text: str, file: str, line: int | None, column: str | int | None) -> Problem:
    """Return the Problem of a number that float64 does not keep as it is written."""
    actual = inexact(text.strip(BLANKS)) or "a number that is not kept"
    return Problem(file, actual, EXACT, ROUND, line, column)


def text_column(
    place: Place,
    name: str,
    examples: Sequence[str],
    bad: int,
    rated: int,
    *,
    ids: bool,
    sensitive: bool,
) -> Problem:
    """Return the one Problem of a wide file's column ``name`` that does not hold ratings at all.

    ``place`` : of its first text, with the column as messages call it.
    """
    file, line, column = place
    expected = "ratings, as in every column that is not named otherwise"
    remedy = f"drop the column with `drop=[{name!r}]`" if column == name else "drop it with `drop`"
    remedy += f", or say `id={str(column)!r}` if it names the records" if ids else ""
    remedy += "; if it is known of people, name it with `quasi`, or what it names with `identifier`"
    if sensitive:
        expected = "numbers, as it is sensitive"
        remedy = 'say kind = "nominal" for it in a codebook if it has categories, '
        remedy += "else code its ratings as numbers"
    actual = f"text in {bad:,} of {rated:,} cells"
    return Problem(file, actual, expected, remedy, line, column, ", ".join(examples))


class Contents:
    """Reads columns of one file; texts that columns share are parsed once.

    ``missing`` are texts that mean "not rated" in single columns, by name, beside those of the
    options.
    """

    def __init__(self, options: ReadOptions, missing: Mapping[str, Sequence[str]]) -> None:
        self._options, self._missing = options, missing
        book = options.codebook
        self.nulls = NullTokens(options, () if book is None else book.missing)
        # by identity of the texts, kept alive
        self._parsed: dict[int, tuple[pl.Series, ParsedCells]] = {}

    def parsed(self, column: RawColumn) -> ParsedCells:
        """Return what the texts of a column mean, with lean values."""
        texts = text_cells(column).texts
        if id(texts) not in self._parsed:
            parsed = parse_cells(texts, self.nulls)
            self._parsed[id(texts)] = texts, ParsedCells(parsed.kinds, lean(parsed.values))
        _, parsed = self._parsed[id(texts)]
        if not self._missing.get(column.name):
            return parsed
        tokens = self._nulls_of(column)
        gone = np.array([text in tokens for text in texts.to_list()])
        return ParsedCells(np.where(gone, np.uint8(NULL), parsed.kinds), parsed.values)

    def typed(self, column: RawColumn) -> pl.Series:
        """Return a column that has types, its missing codes as nulls."""
        if isinstance(column.cells, TextCells):
            raise TypeError(column.name)
        cells, tokens = column.cells.alias(column.name), self._nulls_of(column)
        gone: list[Any] = []
        if cells.dtype.is_numeric():
            gone = sorted(tokens.numbers)
        elif cells.dtype == pl.String:
            gone = [text for text in cells.unique().drop_nulls() if text in tokens]
        compared = cells.cast(pl.Float64) if gone and cells.dtype.is_numeric() else cells
        return cells.set(compared.is_in(gone).fill_null(False), None) if gone else cells

    def numbers(self, column: RawColumn, parsed: ParsedCells) -> pl.Series:
        """Return the numbers of a column of text, as it was parsed; null where there is none."""
        codes = text_cells(column).codes
        return _without(pl.Series(column.name, parsed.values[codes]), parsed.kinds[codes] != NUMBER)

    def values(self, column: RawColumn) -> pl.Series:
        """Return the cells as numbers where all of them are, else as text; null where missing."""
        if isinstance(column.cells, pl.Series):
            typed = self.typed(column)
            kind = (
                pl.Float64 if typed.dtype.is_numeric() or typed.dtype == pl.Boolean else pl.String
            )
            return typed.cast(kind)
        parsed = self.parsed(column)
        if np.isin(parsed.kinds[column.cells.used[0]], (BAD, INEXACT)).any():
            return self.as_they_are(column)
        return self.numbers(column, parsed).cast(pl.Float64)

    def as_they_are(self, column: RawColumn) -> pl.Series:
        """Return the cells as the data have them, text as text; null where missing."""
        if isinstance(column.cells, pl.Series):
            return self.typed(column)
        texts = column.cells.texts.gather(column.cells.codes).alias(column.name)
        return _without(texts, self.parsed(column).kinds[column.cells.codes] == NULL)

    def are_codes(self, column: RawColumn) -> bool:
        """Whether cells are digits with a 0 before them, as in 01234: 01 and 1 are two regions,
        no number.
        """
        if isinstance(column.cells, pl.Series):
            return False
        return bool(column.cells.texts.gather(column.cells.used[0]).str.contains("^0[0-9]").any())

    def repeats(
        self, column: RawColumn, *, ids: bool = False, dropped: bool = False
    ) -> Repeats | None:
        """Return how many values an identifier of persons has in how many records, if it repeats.

        ``ids`` : whether it names the records, so that nothing else can be said twice than by its
        spelling ``dropped`` : whether nobody has called it an identifier, so that its name or its
        values have to
        """
        if isinstance(column.cells, pl.Series) and column.cells.dtype.is_nested():
            return None
        cells = self.as_they_are(column).cast(pl.String)
        if not ids:
            return (repeats_left_out if dropped else repeats)(column.name, cells)
        same = same_ids(cells)
        return same and (column.name, *same)

    def spellings(self, column: RawColumn) -> Counter[str]:
        """Return how often each text, or number, says that a cell is not rated;
        "" are empty cells.
        """
        if isinstance(column.cells, TextCells):
            return null_texts(column.cells, self.parsed(column))
        tokens, missing = self._nulls_of(column), Counter(column.missing)
        missing += Counter({"": column.cells.null_count() - missing.total()})
        if column.cells.dtype == pl.String or (column.cells.dtype.is_numeric() and tokens.numbers):
            missing += Counter(
                {text: n for text, n in cells_of_text(column.cells).items() if text in tokens}
            )
        return missing

    def spelled(
        self, columns: Sequence[RawColumn], role_of: Callable[[str], str | None]
    ) -> Spellings | None:
        """Return how the columns that are judged say "unanswered",
        where that may be more than one thing.
        """
        counts: Counter[str] = Counter()
        countries = []
        for column in columns:
            role = role_of(column.name)
            if role not in (None, *AUDITED):
                continue
            here = self.spellings(column)
            counts += here
            if role == "quasi" and "NA" in self.unsaid_nulls(column, list(here)):
                codes = self.values(column).drop_nulls()
                two_letters = codes.dtype == pl.String and codes.str.contains("^[A-Z]{2}$").all()
                # of which NA is Namibia
                countries += [column.name] if two_letters and len(codes) else []
        return Spellings.of(counts, countries)

    def unsaid_nulls(self, column: RawColumn, texts: Sequence[str]) -> list[str]:
        """Return those of ``texts`` that mean "not rated" although nobody said so: "None", "NA"."""
        options = self._options
        if options.only_null:
            return []
        book = () if options.codebook is None else options.codebook.missing
        stated = {*options.null, *book, *self._missing.get(column.name, ())}
        return [text for text in texts if text in NULL_TOKENS and text not in stated]

    def _nulls_of(self, column: RawColumn) -> NullTokens:
        more = self._missing.get(column.name, ())
        return NullTokens(self._options, (*self.nulls.texts, *more)) if more else self.nulls


def text_cells(column: RawColumn) -> TextCells:
    """Return the cells of a column of text; TypeError where they have types."""
    if not isinstance(column.cells, TextCells):
        raise TypeError(column.name)
    return column.cells


def cells_of_text(cells: pl.Series) -> dict[str, int]:
    """Return how often each text, or number as text, stands in cells.

    Without those that are empty.
    """
    counted = cells.drop_nulls().value_counts().iter_rows()
    return {cell if isinstance(cell, str) else number_text(cell): times for cell, times in counted}


def null_texts(cells: TextCells, parsed: ParsedCells) -> Counter[str]:
    """Return how often each text says that a cell is not rated; "" are empty cells."""
    tokens_found: Counter[str] = Counter()
    if (parsed.kinds == NULL).any():
        used, times = cells.used
        for index in np.flatnonzero(parsed.kinds[used] == NULL).tolist():
            tokens_found[cells.texts[int(used[index])].strip()] += int(times[index])
    return tokens_found


def levels_of(
    cells: TextCells, parsed: ParsedCells
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the numbers that a column has, ascending, and how many cells have each."""
    used, times = cells.used
    numeric = parsed.kinds[used] == NUMBER
    levels, index = np.unique(as_float(parsed.values[used[numeric]]), return_inverse=True)
    return levels, np.bincount(index, weights=times[numeric], minlength=len(levels)).astype(
        np.int64
    )


def levels_of_typed(cells: pl.Series) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the same of numbers, or of true and false, without nulls."""
    counts = cells.cast(pl.Float64).alias("level").value_counts(name="times").sort("level")
    return counts["level"].to_numpy(), counts["times"].cast(pl.Int64).to_numpy()


def text_at(column: RawColumn, row: int) -> str:
    """Return the text of a cell."""
    cells = text_cells(column)
    return str(cells.texts[int(cells.codes[row])])


def _without(series: pl.Series, null: NDArray[np.bool_]) -> pl.Series:
    return series.set(pl.Series(null), None) if null.any() else series


def declared_column(
    cells: pl.Series,
    ranges: Sequence[Mapping[str, Any]],
    words: Mapping[Any, Any],
    question: Any,
    tagged: Mapping[str, int] | None = None,
    **more: Any,
) -> RawColumn:
    """Return a column of SPSS or Stata, values in ``ranges`` (of "lo" to "hi") as null.

    ``words`` are those of values, and ``question`` the label of the variable; ``tagged`` says which
    marks of the file's own ``cells`` had where they are null already; ``more`` are fields of
    RawColumn.
    """
    gone = pl.repeat(False, len(cells), dtype=pl.Boolean, eager=True)
    for part in ranges:
        low, high = part["lo"], part["hi"]
        if isinstance(low, str) and cells.dtype == pl.String:
            gone |= cells.is_in([low.strip(), str(high).strip()]).fill_null(False)
        elif not isinstance(low, str) and cells.dtype != pl.String:
            gone |= ((cells >= low) & (cells <= high)).fill_null(False)
    if missing := cells_of_text(cells.filter(gone)):
        cells = cells.set(gone, None)
    missing |= tagged or {}
    labels = []
    for value, word in words.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            continue  # of a text variable, or of one of Stata's extended missing values
        numbers = [part for part in ranges if not isinstance(part["lo"], str)]
        if not any(part["lo"] <= value <= part["hi"] for part in numbers) and str(word).strip():
            labels.append((float(value), str(word).strip()))
    return RawColumn(
        name=cells.name,
        cells=TextCells.of(cells) if cells.dtype in (pl.String, pl.Categorical) else cells,
        question=None if question is None else str(question),
        labels=tuple(sorted(labels)) if cells.dtype.is_numeric() else (),
        missing=missing,
        **more,
    )
