"""How a delimited text is written: the delimiter, and whether its first line names the columns."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass

from ratingpriv.codebook.codebook import quasi_rule
from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.escaping import shown_name
from ratingpriv.formats.reading import ReadOptions
from ratingpriv_loaders import column_names
from ratingpriv_loaders.text.cells import NullTokens, numeral
from ratingpriv_loaders.text.plain_scan import Fault, rows

__all__ = ["DELIMITERS", "Opening", "read_opening"]

DELIMITERS = (",", ";", "\t", "|", "::")
"""Delimiters that are tried; see also ``_RARE``."""

_RARE = ("^", "~", "#", "&", "*", "!", "@", "%", "$", "=", "/", ":")
_LINES = 200
_HEADER_WORDS = (
    *column_names.RECORD_NAMES,
    *column_names.ISSUE_NAMES,
    *column_names.RATING_NAMES,
    *column_names.TIMESTAMP_NAMES,
)


@dataclass(frozen=True, slots=True)
class Opening:
    """How a text opens.

    Attributes
    ----------
    delimiter : one or more characters
    header : whether the first row names the columns
    names : the columns' names; without a header "1", "2", ...
    line : the line of the first row
    sample : cells of the first rows that are whole, the header left out
    sniffed : whether the delimiter was auto-detected rather than given
    """

    delimiter: str
    header: bool
    names: tuple[str, ...]
    line: int
    sample: tuple[tuple[str, ...], ...]
    sniffed: bool


def read_opening(text: str, options: ReadOptions, *, file: str, whole: bool) -> Opening:
    """Read the opening of a text.

    Parameters
    ----------
    text : the first part of the text; its last line may be cut off unless ``whole``
    file : how problems name it

    Raises
    ------
    DataError
        Empty, a header that is broken, columns without a name or two of one name, a first line that is
        neither names nor ratings.
    ParameterError
        A delimiter that cannot be one.
    """
    _check_delimiter(options.delimiter)
    if not whole:
        text = text[: text.rfind("\n") + 1] or text
    if not text.strip("\r\n"):
        found = "an empty file" if not text else "a file of empty lines"
        raise DataError(
            Problem(file, found, "ratings, one record or rating a line", "check that it was written whole")
        )
    if "\n" not in text and "\r" in text.rstrip("\r"):
        found = "lines that end in CR alone (as on very old Macs)"
        raise DataError(
            Problem(file, found, "lines that end in LF or CRLF", "save it with today's line ends", line=1)
        )
    delimiter = options.delimiter or _sniff(text)
    opening = list(itertools.islice(rows(text, delimiter, 0), _LINES))
    first_line, first, _ = opening[0]
    if isinstance(first, Fault):
        remedy = "double quotes that belong to a cell, or say which `delimiter` the file has"
        raise DataError(
            Problem(
                file,
                "a quoted cell that does not end as it should",
                "a closing quote",
                remedy,
                line=first_line,
            )
        )
    column_names.refuse_too_many(len(first), file=file)
    sample = [tuple(cells) for _, cells, _ in opening[1:] if not isinstance(cells, Fault)]
    header = options.header
    if header is None:
        header = _is_header(
            first, [cells for cells in sample if len(cells) == len(first)], options, file, first_line
        )
    sniffed = options.delimiter is None
    if header:
        names = _header_names(first, file, first_line)
        return Opening(delimiter, True, names, first_line, tuple(sample), sniffed)
    sample.insert(0, tuple(first))
    width = Counter(len(cells) for cells in sample).most_common(1)[0][0]
    names = tuple(str(position + 1) for position in range(width))
    return Opening(delimiter, False, names, first_line, tuple(sample), sniffed)


def _check_delimiter(delimiter: str | None) -> None:
    if delimiter is not None and (not delimiter or set(delimiter) & set('"\r\n\0')):
        raise ParameterError("delimiter", delimiter, "one or more characters other than quotes and line ends")


def _sniff(text: str) -> str:
    """Return the delimiter that cuts the first lines into the most even and most numeric cells."""
    best, best_score = ",", (0.0, 0.0, 0)
    for tried in (DELIMITERS, _RARE):
        for delimiter in tried:
            cut = [
                [] if isinstance(cells, Fault) else cells
                for _, cells, _ in itertools.islice(rows(text, delimiter, 0), _LINES)
            ]
            width, often = Counter(len(cells) for cells in cut).most_common(1)[0]
            even = often / len(cut)
            if width < 2 or (tried is _RARE and even < 1):
                continue
            body = cut[1:] or cut
            cells = [cell for row in body for cell in row]
            numeric = sum(_numeric(cell, delimiter) for cell in cells) / max(len(cells), 1)
            if (even, numeric, width) > best_score:
                best, best_score = delimiter, (even, numeric, width)
        if best_score[2]:
            break
    return best


def _numeric(cell: str, delimiter: str) -> bool:
    """Whether a cell is a number or empty; a decimal comma, refused later, still speaks for the delimiter."""
    return not cell or numeral(cell) or (delimiter != "," and numeral(cell.replace(",", ".", 1)))


def _is_header(
    first: list[str], sample: list[tuple[str, ...]], options: ReadOptions, file: str, line: int
) -> bool:
    """Whether the first row names the columns: its rating cells are not numbers."""
    if any(column_names.recognise([cell], _HEADER_WORDS) for cell in first):
        return True
    named = {options.id, options.issue, options.rating, options.timestamp}
    named |= {*options.sensitive, *options.drop, *options.ratings, *options.identifier, *options.carry}
    named |= {quasi_rule(text)[0] for text in options.quasi}
    if any(cell.strip() in named and not numeral(cell) for cell in first):
        return True
    nulls = NullTokens(options)
    rating = [
        column for column in range(len(first)) if _mostly_numbers([cells[column] for cells in sample], nulls)
    ]
    cells = [first[column] for column in rating] or first
    numbers = sum(map(numeral, cells))
    names = sum(not numeral(cell) and cell not in nulls for cell in cells)
    if not rating or not names:
        return names > 0 and numbers == 0
    if numbers:
        shown = ", ".join(first[:6]) + (", ..." if len(first) > 6 else "")
        remedy = "say `header=True` if these are the columns' names, or `header=False` if they are a record"
        raise DataError(
            Problem(
                file,
                "numbers beside text",
                "a header of names or a record of ratings",
                remedy,
                line=line,
                cell=shown,
            )
        )
    return True


def _mostly_numbers(cells: list[str], nulls: NullTokens) -> bool:
    rated = [cell for cell in cells if cell not in nulls]
    return bool(rated) and sum(map(numeral, rated)) * 2 > len(rated)


def _header_names(first: list[str], file: str, line: int) -> tuple[str, ...]:
    names = [name.strip() for name in first]
    problems = []
    where: dict[str, int] = {}
    for position, name in enumerate(names):
        if not name and position:
            expected = "a name for every column"
            remedy = "name it, or say `header=False` if the first line is no header"
            problems.append(Problem(file, "a column without a name", expected, remedy, line, position + 1))
        elif name in where:
            found = f"the duplicated name {shown_name(name, position + 1)} (first in column {where[name]})"
            problems.append(
                Problem(
                    file, found, "a different name for every column", "rename one of them", line, position + 1
                )
            )
        where.setdefault(name, position + 1)
    if problems:
        raise DataError(problems)
    return tuple(names)
