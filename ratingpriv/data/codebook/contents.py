"""What the cells of a column hold: numbers, texts or nothing, whether they are text or have types."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.codebook.cells import NULL, NUMBER, NullTokens, ParsedCells, lean, parse_cells
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.raw import RawColumn, TextCells
from ratingpriv.data.codebook.recognition.identifiers import is_of_one_person
from ratingpriv.data.codebook.roles import AUDITED, NULL_TOKENS
from ratingpriv.data.table.building.coding import as_float
from ratingpriv.data.table.building.problems import number_text
from ratingpriv.data.table.parts import Spellings


class Contents:
    """Reads columns of one file; texts that columns share are parsed once.

    ``missing`` are texts that mean "not rated" in single columns, by name, beside those of the options.
    """

    def __init__(self, options: ReadOptions, missing: Mapping[str, Sequence[str]]) -> None:
        self._options, self._missing = options, missing
        book = options.codebook
        self.nulls = NullTokens(options, () if book is None else book.missing)
        self._parsed: dict[int, tuple[ParsedCells, NDArray[Any], NDArray[np.bool_]]] = {}

    def parsed(self, column: RawColumn) -> tuple[ParsedCells, NDArray[Any], NDArray[np.bool_]]:
        """Return what the texts of a column mean: parsed, lean values, whether each is a number."""
        texts = text_cells(column).texts
        found = self._parsed.get(id(texts))
        if found is None:
            parsed = parse_cells(texts, self.nulls)
            found = (parsed, lean(parsed.values), parsed.kinds == NUMBER)
            self._parsed[id(texts)] = found
        if not self._missing.get(column.name):
            return found
        parsed, values, _ = found
        own = self._nulls_of(column)
        gone = np.array([text in own for text in texts.to_list()])
        kinds = np.where(gone, np.uint8(NULL), parsed.kinds)
        return ParsedCells(kinds, parsed.values), values, kinds == NUMBER

    def typed(self, column: RawColumn) -> pl.Series:
        """Return a column that has types, its missing codes as nulls."""
        if isinstance(column.cells, TextCells):
            raise TypeError(column.name)
        cells, own = column.cells.alias(column.name), self._nulls_of(column)
        if cells.dtype.is_numeric():
            codes = sorted(own.numbers)
            return cells.set(cells.cast(pl.Float64).is_in(codes).fill_null(False), None) if codes else cells
        if cells.dtype == pl.String:
            distinct = cells.unique().drop_nulls()
            gone = [text for text in distinct.to_list() if text in own]
            return cells.set(cells.is_in(gone).fill_null(False), None) if gone else cells
        return cells

    def values(self, column: RawColumn) -> pl.Series:
        """Return the cells as numbers where all of them are, else as text; null where missing."""
        if isinstance(column.cells, pl.Series):
            typed = self.typed(column)
            kind = pl.Float64 if typed.dtype.is_numeric() or typed.dtype == pl.Boolean else pl.String
            return typed.cast(kind)
        parsed, _, _ = self.parsed(column)
        kinds = parsed.kinds[column.cells.codes]
        if not np.all((kinds == NUMBER) | (kinds == NULL)):
            return self.as_they_are(column)
        return _without(pl.Series(column.name, parsed.values[column.cells.codes]), kinds == NULL)

    def as_they_are(self, column: RawColumn) -> pl.Series:
        """Return the cells as the data have them, text as text; null where missing."""
        if isinstance(column.cells, pl.Series):
            return self.typed(column)
        parsed, _, _ = self.parsed(column)
        texts = column.cells.texts.gather(column.cells.codes).alias(column.name)
        return _without(texts, parsed.kinds[column.cells.codes] == NULL)

    def are_codes(self, column: RawColumn) -> bool:
        """Whether cells are digits with a 0 before them, as in 01234: 01 and 1 are two regions, no number."""
        if isinstance(column.cells, pl.Series):
            return False
        return bool(column.cells.texts.gather(column.cells.used()[0]).str.contains("^0[0-9]").any())

    def repeats(self, column: RawColumn) -> tuple[str, int, int] | None:
        """Return how many values an identifier of persons has in how many records, if it repeats."""
        if isinstance(column.cells, pl.Series) and column.cells.dtype.is_nested():
            return None
        there = self.as_they_are(column).drop_nulls().cast(pl.String).str.strip_chars()
        there = there.filter(there != "").str.to_lowercase()
        different = there.unique()
        if len(different) == len(there) or not is_of_one_person(column.name, different.to_list()):
            return None
        return column.name, len(different), len(there)

    def spellings(self, column: RawColumn) -> Counter[str]:
        """Return how often each text, or number, says that a cell is not rated; "" are empty cells."""
        if isinstance(column.cells, TextCells):
            return null_texts(column.cells, self.parsed(column)[0])
        own, found = self._nulls_of(column), Counter(column.missing)
        found += Counter({"": column.cells.null_count() - found.total()})
        if column.cells.dtype == pl.String or (column.cells.dtype.is_numeric() and own.numbers):
            found += Counter({text: n for text, n in cells_of_text(column.cells).items() if text in own})
        return found

    def spelled(self, columns: Sequence[RawColumn], role_of: Callable[[str], str | None]) -> Spellings | None:
        """Return how the columns that are judged say "unanswered", where that may be more than one thing."""
        found: Counter[str] = Counter()
        countries = []
        for column in columns:
            role = role_of(column.name)
            if role not in (None, *AUDITED):
                continue
            here = self.spellings(column)
            found += here
            if role == "quasi" and "NA" in self.unsaid_nulls(column, list(here)):
                countries += [column.name] if _two_letters(self.values(column)) else []
        return Spellings.of(found, countries)

    def unsaid_nulls(self, column: RawColumn, texts: Sequence[str]) -> list[str]:
        """Return those of ``texts`` that mean "not rated" although nobody said so: "None", "NA"."""
        options = self._options
        if options.only_null:
            return []
        book = () if options.codebook is None else options.codebook.missing
        said = {*options.null, *book, *self._missing.get(column.name, ())}
        return [text for text in texts if text in NULL_TOKENS and text not in said]

    def _nulls_of(self, column: RawColumn) -> NullTokens:
        more = self._missing.get(column.name, ())
        return NullTokens(self._options, (*self.nulls.texts, *more)) if more else self.nulls


def text_cells(column: RawColumn) -> TextCells:
    """Return the cells of a column of text; TypeError where they have types."""
    if not isinstance(column.cells, TextCells):
        raise TypeError(column.name)
    return column.cells


def cells_of_text(cells: pl.Series) -> dict[str, int]:
    """Return how often each text, or number as text, stands in cells; without those that are empty."""
    counted = cells.drop_nulls().value_counts().iter_rows()
    return {cell if isinstance(cell, str) else number_text(cell): times for cell, times in counted}


def null_texts(cells: TextCells, parsed: ParsedCells) -> Counter[str]:
    """Return how often each text says that a cell is not rated; "" are empty cells."""
    found: Counter[str] = Counter()
    if (parsed.kinds == NULL).any():
        used, times = cells.used()
        for place in np.flatnonzero(parsed.kinds[used] == NULL).tolist():
            found[cells.texts[int(used[place])].strip()] += int(times[place])
    return found


def levels_of(
    cells: TextCells, values: NDArray[Any], rated: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the numbers that a column has, ascending, and how many cells have each."""
    used, times = cells.used()
    there = rated[used]
    levels, place = np.unique(as_float(values[used[there]]), return_inverse=True)
    counts = np.zeros(len(levels), dtype=np.int64)
    np.add.at(counts, place, times[there])
    return levels, counts


def text_at(column: RawColumn, row: int) -> str:
    """Return the text of a cell."""
    cells = text_cells(column)
    return str(cells.texts[int(cells.codes[row])])


def _two_letters(values: pl.Series) -> bool:
    """Whether values are codes of two letters, as of countries, of which NA is Namibia."""
    codes = values.drop_nulls()
    return codes.dtype == pl.String and len(codes) > 0 and bool(codes.str.contains("^[A-Z]{2}$").all())


def _without(series: pl.Series, null: NDArray[np.bool_]) -> pl.Series:
    return series.set(pl.Series(null), None) if null.any() else series


def declared_column(
    cells: pl.Series,
    ranges: Sequence[Mapping[str, Any]],
    words: Mapping[Any, Any],
    question: Any,
    **more: Any,
) -> RawColumn:
    """Return a column of SPSS or Stata, values in ``ranges`` (of "lo" to "hi") as null.

    ``words`` are those of values, and ``question`` the label of the variable; ``more`` are fields of
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
    labels = []
    for value, word in words.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
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
