"""What is doubtful in the cells of a wide text: totals below the data, commas, rows of a long layout."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.codebook.cells import NullTokens, numeral
from ratingpriv.data.table.building.problems import Problems
from ratingpriv_loaders.text.scan import RATING, Scan
from ratingpriv_loaders.totals import TAIL, first_statistic, is_name, is_statistic, statistic_line

_POINT_NUMBER = r"^[+-]?[0-9]*\.[0-9]+$"
_FEW = 21  # a rating scale rarely has more levels than this (Likert, stars, half stars, 0..20)

type _Columns = Sequence[tuple[str, NDArray[np.unsignedinteger]]]


@dataclass
class WideDoubts:
    """Doubts about one scanned text: noted as problems, or refused at once where the rest depends on it.

    Attributes
    ----------
    file : how messages call it
    scan : what was found in it
    problems : where problems are noted
    called : gives a column's name as messages have it
    """

    file: str
    scan: Scan
    problems: Problems
    called: Callable[[str], str | int]

    def note_statistics(
        self, fronts: Sequence[tuple[pl.Series, NDArray[Any]]], others: NDArray[np.unsignedinteger]
    ) -> None:
        """Note rows at the end that hold sums or means of the others, by the word in front, and what follows.

        Parameters
        ----------
        fronts : (distinct texts, code a row) of the record ids, and of a first column that is not read
        others : positions in ``scan.texts[RATING]`` of all other columns (n_rows, n); the first cell with
            anything in it is in front where there is none of ``fronts``
        """
        rows, texts = self.scan.rows, self.scan.texts[RATING]
        tail = max(0, rows - TAIL)

        def in_front(row: int) -> Iterator[str]:
            """Yield the words of statistics in front of a row, but those that rows above have as answers."""
            named = [(known, codes) for known, codes in fronts if known[int(codes[row])].strip()]
            filled = ((texts, codes) for codes in others.T if texts[int(codes[row])].strip())
            for known, codes in named or itertools.islice(filled, 1):
                word, answers = known[int(codes[row])], codes[:tail]
                if not is_statistic(word) or (answers == codes[row]).any():
                    continue
                if not is_name(word, self._numbers(row, others)):
                    yield word

        words = [list(in_front(row)) for row in range(tail, rows)]
        first = first_statistic(words, whole=tail == 0)
        if first is not None:
            self.problems.at(
                np.arange(tail + first, rows),
                lambda row: statistic_line(self.file, self.scan.lines.of(row), below=not words[row - tail]),
            )

    def _numbers(
        self, row: int, codes: NDArray[np.unsignedinteger]
    ) -> Iterator[tuple[float, Sequence[float]]]:
        """Yield each number in a row, and the numbers above it."""
        texts = self.scan.texts[RATING]
        for column in codes.T:
            if numeral(text := texts[int(column[row])]):
                above = texts.gather(np.unique(column[:row])).to_list()
                yield float(text), [float(cell) for cell in above if numeral(cell)]

    def note_behind(self, codes: NDArray[np.unsignedinteger]) -> None:
        """Note what stands in the last column, which the opening showed to be empty and without a name."""
        filled = (self.scan.texts[RATING].str.strip_chars() != "").to_numpy()

        def problem(row: int) -> Problem:
            found, expected = (
                "a cell behind the last column that has a name",
                "nothing, as in the first lines",
            )
            remedy = "name the last column, or empty the cell"
            return Problem(self.file, found, expected, remedy, self.scan.lines.of(row))

        self.problems.at(np.flatnonzero(filled[codes]), problem)

    def refuse_commas(
        self, columns: _Columns, texts: pl.Series, comma: NDArray[np.bool_], nulls: NullTokens
    ) -> None:
        """Refuse columns of numbers with a comma of which nobody has said what it means.

        Parameters
        ----------
        columns : (name, code a row)
        texts : the distinct texts of all of them
        comma : which of them are numbers with a comma, bool (n_texts,)
        """
        numbers = comma | np.array([text in nulls or numeral(text) for text in texts])
        asked = []
        for name, codes in columns:
            seen = np.unique(codes)
            if comma[seen].any() and numbers[seen].all():
                asked.append((name, codes))
        if not asked:
            return
        name, codes = asked[0]
        more = f" (and in {len(asked) - 1} more columns)" if len(asked) > 1 else ""
        expected = "numbers with a decimal point"
        remedy = (
            "say `decimal_comma=True` if it is a decimal comma, else `decimal_comma=False`: digit groups, or "
            "several answers in a cell, are no numbers"
        )
        row = int(np.argmax(comma[codes]))
        found, line = "a number with a comma" + more, self.scan.lines.of(row)
        cell = str(texts[int(codes[row])])
        self.problems.add(Problem(self.file, found, expected, remedy, line, self.called(name), cell))
        raise self.problems.error()

    def note_points(
        self, columns: _Columns, texts: pl.Series, comma: NDArray[np.bool_], nulls: NullTokens
    ) -> None:
        """Note numbers with a point where the text has decimal commas: 1.234 may be 1234."""
        point = texts.str.contains(_POINT_NUMBER).to_numpy()
        numbers = comma | np.array([text in nulls or numeral(text) for text in texts])
        for name, codes in columns:
            seen = np.unique(codes)
            if not point[seen].any() or not numbers[seen].all():
                continue
            found = "a number with a point, where decimals have a comma"
            remedy = "write it as the others, or say `decimal_comma=False` if the point is the decimal sign"
            line = self.scan.lines.of(int(np.argmax(point[codes])))
            self.problems.add(Problem(self.file, found, "one decimal sign", remedy, line, self.called(name)))

    def refuse_triples(self, codes: NDArray[np.unsignedinteger], line: int) -> None:
        """Refuse to guess wide where rows of numbers without names look like record, issue and rating.

        That is: no pair of the first two columns repeats, though both columns do, and the third has few
        values.
        """
        rows, width = codes.shape
        if width not in (3, 4):
            return
        distinct = [len(np.unique(codes[:, place])) for place in range(3)]
        if max(distinct[:2]) == rows or min(distinct[:2]) < 2 or distinct[2] > _FEW:
            return
        pairs = codes[:, 0].astype(np.int64) << 32 | codes[:, 1].astype(np.int64)
        if len(np.unique(pairs)) < rows:
            return
        words = "record, issue and rating" if width == 3 else "record, issue, rating and time"
        found = f"rows of {width} numbers without a header, which look like {words}"
        remedy = (
            f"say `layout='long'` if they are {words} in this order (else name them with `id`, `issue` and "
            "`rating`), or `layout='wide'` if every row is a record"
        )
        raise DataError(Problem(self.file, found, "a stated layout", remedy, line))
