"""How a delimited text is written: the delimiter, and which of its first lines name the columns."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.cells import NullTokens, numeral
from ratingpriv.data.codebook.codebook import quasi_rule
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import NULL_TOKENS, ReadOptions
from ratingpriv.data.table.building.delimited import Fault, rows

DELIMITERS = (",", ";", "\t", "|", "::")
"""Delimiters that are tried; see also ``_RARE``."""

_RARE = ("^", "~", "#", "&", "*", "!", "@", "%", "$", "=", "/", ":")
_LINES = 200
_SEP = re.compile(r'"?sep=([^"\r\n]{1,2})"?\r?\n', re.IGNORECASE)
_LONE_CR = re.compile(r"\r(?=[^\r\n])")
_COMMENTS = re.compile(r"\A(#[^\n]*\n)+")
_QUOTED = re.compile(r'"[^"]*"')
_MOST_TITLES = 20  # lines above a header
_NO_TABLES = (
    (re.compile(r"\s*(\{\s*[\"}]|\[\s*[\[{])"), "JSON", "write it as CSV, a row a record"),
    (re.compile(r"\s*<(!doctype|html|\?xml|table)\b", re.IGNORECASE), "HTML or XML", "save the table as CSV"),
)
"""Texts of other kinds that a delimiter can be found in."""

COMMA_NUMBER = r"^[+-]?[0-9]+,[0-9]+$"
"""A number with a comma: a decimal comma, digit groups (1,234) or two answers in one cell (1,3)."""

_COMMA = re.compile(COMMA_NUMBER)
_GROUPS = re.compile(r"^[+-]?[0-9]{1,3},[0-9]{3}$")
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
    header : whether a row names the columns
    names : the columns' names; without a header "1", "2", ...
    line : the line of the row that names the columns, or of the first row
    sample : cells of the first rows that are whole, the header left out
    sniffed : whether the delimiter was auto-detected rather than given
    above : rows above the one that names the columns: title lines, Excel's ``sep=;``
    below : further header rows, below that one
    runs : any number of blanks stands between two cells
    trailing : every row ends in a delimiter, behind which there is nothing
    decimal_comma : numbers have a decimal comma
    questions : what was asked, by column, where an export says it
    known : (role, why) of columns that an export is sure of, by name
    heads : the cells of all header rows as they stand, by column, where there are several
    numbered : how many names were there before, and got a number
    """

    delimiter: str
    header: bool
    names: tuple[str, ...]
    line: int
    sample: tuple[tuple[str, ...], ...]
    sniffed: bool
    above: int = 0
    below: int = 0
    runs: bool = False
    trailing: bool = False
    decimal_comma: bool = False
    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    known: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    heads: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    numbered: int = 0

    @property
    def skipped(self) -> int:
        """How many rows are no records: the header and what stands above it."""
        return self.above + int(self.header) + self.below

    @property
    def oddities(self) -> tuple[str, ...]:
        """What is unusual, in words for the user."""
        lines = "1 line" if self.above == 1 else f"{self.above} lines"
        said = (
            (self.above > 0, f"{lines} above the {'header' if self.header else 'first row'} left out"),
            (self.runs, "blanks between cells"),
            (self.trailing, "an empty column at the end left out"),
            (self.decimal_comma, "decimal commas"),
            (self.below > 0, "a second row of names left out"),
            (self.numbered > 0, f"repeated names numbered, as (2): {self.numbered}"),
        )
        return tuple(words for holds, words in said if holds)


@dataclass(frozen=True, slots=True)
class Cut:
    """The first rows of a text, cut into cells, not judged yet.

    Attributes
    ----------
    delimiter, sniffed, runs : as of :class:`Opening`
    above : rows before ``rows[0]``: Excel's ``sep=;``
    rows : (line, cells or what keeps it from being cut)
    comments : how many of them, from the first on, begin with ``#``
    """

    delimiter: str
    sniffed: bool
    runs: bool
    above: int
    rows: tuple[tuple[int, list[str] | Fault], ...]
    comments: int


def cut_opening(text: str, options: ReadOptions, *, file: str, whole: bool) -> Cut:
    """Cut the opening of a text into cells.

    Parameters
    ----------
    text : the first part of the text; its last line may be cut off unless ``whole``
    file : how problems name it

    Raises
    ------
    DataError
        Empty, JSON, HTML or XML, or lines that end in CR alone.
    ParameterError
        A delimiter that cannot be one.
    """
    given = options.delimiter
    if given is not None and (not given or set(given) & set('"\r\n\0')):
        raise ParameterError("delimiter", given, "one or more characters other than quotes and line ends")
    if not whole:
        text = text[: text.rfind("\n") + 1] or text
    if not text.strip("\r\n"):
        found, remedy = (
            "a file of empty lines" if text else "an empty file",
            "check that it was written whole",
        )
        raise DataError(Problem(file, found, "ratings, one record or rating a line", remedy))
    for kind, what, remedy in _NO_TABLES:
        if kind.match(text):
            raise DataError(Problem(file, what, "a table: a line a record or rating", remedy, line=1))
    unquoted = _QUOTED.sub('""', text)  # a cell may have line ends of its own
    if len(_LONE_CR.findall(unquoted)) > unquoted.count("\n"):
        found, remedy = "lines that end in CR alone (as on very old Macs)", "save it with today's line ends"
        raise DataError(Problem(file, found, "lines that end in LF or CRLF", remedy, line=1))
    said, delimiter, runs = _SEP.match(text), options.delimiter, False
    if delimiter is None:
        delimiter, runs = (said[1], False) if said else sniffed_delimiter(_COMMENTS.sub("", text) or text)
    if runs:
        text = _one_blank(text)
    opening = [(line, cells) for line, cells, _ in itertools.islice(rows(text, delimiter, 0), _LINES)]
    above = 1 if said and len(opening) > 1 else 0
    lines = text.split("\n")
    comments = sum(1 for _ in itertools.takewhile(lambda row: lines[row[0] - 1][:1] == "#", opening[above:]))
    return Cut(delimiter, options.delimiter is None, runs, above, tuple(opening[above:]), comments)


def read_opening(text: str, options: ReadOptions, *, file: str, whole: bool) -> Opening:
    """Read the opening of a text; parameters as of :func:`cut_opening`.

    Raises
    ------
    DataError
        Empty, a header that is broken, columns without a name or two of one name, a first line that is
        neither names nor ratings.
    ParameterError
        A delimiter that cannot be one.
    """
    cut = cut_opening(text, options, file=file, whole=whole)
    titles = _comments(cut, options, file) or _titles(cut, options)
    first_line, first = cut.rows[titles]
    if isinstance(first, Fault):
        found = "a quoted cell that does not end as it should"
        remedy = "double quotes that belong to a cell, or say which `delimiter` the file has"
        raise DataError(Problem(file, found, "a closing quote", remedy, line=first_line))
    column_names.refuse_too_many(len(first), file=file)
    sample = [tuple(cells) for _, cells in cut.rows[titles + 1 :] if not isinstance(cells, Fault)]
    trailing = _trailing(first, sample)
    if trailing:
        first = first[: trailing - 1]
        sample = [cells[:-1] for cells in sample if len(cells) == trailing]
    comma = options.decimal_comma if options.decimal_comma is not None else _decimal_comma(cut, sample)
    header = options.header
    if header is None:
        whole_rows = [cells for cells in sample if len(cells) == len(first)]
        header = _is_header(first, whole_rows, options, file, first_line)
    again = bool(header and sample and _repeats(first, sample))
    if header:
        names = _header_names(first, sample, file, first_line)
    else:
        sample.insert(0, tuple(first))
        width = Counter(len(cells) for cells in sample).most_common(1)[0][0]
        names = tuple(str(position + 1) for position in range(width))
    return Opening(
        cut.delimiter,
        header,
        names,
        first_line,
        tuple(sample[1:] if again else sample),
        cut.sniffed,
        above=cut.above + titles,
        below=int(again),
        runs=cut.runs,
        trailing=trailing > 0,
        decimal_comma=comma,
        numbered=len(names) - len({name.strip() for name in first}) if header else 0,
    )


def _comments(cut: Cut, options: ReadOptions, file: str) -> int:
    """Return how many lines of ``#`` stand above the table; one right above its numbers names the columns.

    Raises
    ------
    DataError
        It may be one or the other: all is text, and the last such line has as many cells as those below.
    """
    count = cut.comments
    cells_of = [[] if isinstance(cells, Fault) else cells for _, cells in cut.rows]
    if not count or count == len(cells_of):
        return 0
    first = cells_of[count]
    if options.header is False or len(cells_of[count - 1]) != len(first):
        return count
    if any(map(_any_numeral, first)):
        return count - 1
    if not any(_any_numeral(cell) for cells in cells_of[count:] for cell in cells):
        remedy = "delete the line if it is a comment, or take the # off the names of the columns"
        found = "a line of # that may name the columns, above text"
        raise DataError(Problem(file, found, "names of columns", remedy, cut.rows[count - 1][0]))
    return count


def _titles(cut: Cut, options: ReadOptions) -> int:
    """Return how many title lines stand above the header.

    A title line has one cell of text, all others being empty. The header below it names every column of
    those that follow, which are three or more: else nothing says that it is one.
    """
    cells_of = [[] if isinstance(cells, Fault) else cells for _, cells in cut.rows]
    if options.header is False or len(cells_of) < 3:
        return 0
    width = Counter(len(cells) for cells in cells_of).most_common(1)[0][0]
    titles = 0
    while titles < min(len(cells_of) - 2, _MOST_TITLES) and _is_title(cells_of[titles]):
        titles += 1
    names = [cell.strip() for cell in cells_of[titles]]
    if names and not names[-1]:
        names.pop()
    named = width >= 3 and len(cells_of[titles]) == width and all(names)
    return titles if named and not any(map(_any_numeral, names)) else 0


def _repeats(first: list[str], sample: list[tuple[str, ...]]) -> bool:
    """Whether the row below the names has them once more, or nothing: somebody filled a second header row.

    Answers may be the same in two rows: numbers are none of it, nor what stands further below.
    """
    second = sample[0]
    if len(first) != len(second):
        return False
    pairs = [(name.strip(), cell.strip()) for name, cell in zip(first, second, strict=True) if cell.strip()]
    if len(pairs) < max(2, len(first) / 2) or any(name != cell or _any_numeral(name) for name, cell in pairs):
        return False
    return not {name for name, _ in pairs} & {cell.strip() for cells in sample[1:] for cell in cells}


def _is_title(cells: list[str]) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    return len(filled) == 1 and not _any_numeral(filled[0])


def _trailing(first: list[str], sample: list[tuple[str, ...]]) -> int:
    """Return the width of rows that all end in a delimiter with nothing behind it; 0: they do not.

    The header may end in one too, or not.
    """
    width = len(first) if not first[-1].strip() else len(first) + 1
    whole = [cells for cells in sample if len(cells) == width]
    ends = bool(whole) and len(whole) == len(sample) and all(not cells[-1].strip() for cells in whole)
    return width if ends and width > 2 and (len(first) < width or all(first[:-1])) else 0


def _decimal_comma(cut: Cut, sample: list[tuple[str, ...]]) -> bool:
    """Whether the cells between other delimiters are plainly numbers with a decimal comma.

    They are in a column of numbers only, none of which has a point, and one of which is not written as digit
    groups are (1,234). What remains open is refused later, and asked.
    """
    if "," in cut.delimiter:
        return False
    for column in itertools.zip_longest(*sample, fillvalue=""):
        cells = [cell.strip() for cell in column]
        commas = [cell for cell in cells if _COMMA.match(cell)]
        others = [cell for cell in cells if cell and not _COMMA.match(cell) and cell not in NULL_TOKENS]
        whole = all(numeral(cell) and "." not in cell for cell in others)
        if commas and whole and not all(map(_GROUPS.match, commas)):
            return True
    return False


def _one_blank(text: str) -> str:
    return re.sub(r"[ \t]+", " ", re.sub(r"(?m)^[ \t]+|[ \t]+(?=\r?$)", "", text))


def _any_numeral(cell: str) -> bool:
    """Whether a cell is a number, with a decimal comma or a point."""
    return numeral(cell) or _COMMA.match(cell.strip()) is not None


@functools.lru_cache(maxsize=2)  # every loader of text asks it of the same opening
def sniffed_delimiter(text: str) -> tuple[str, bool]:
    """Return the delimiter that cuts the first lines into the most even and most numeric cells.

    Where there is none, blanks may be: one (False) or runs of them (True) between two cells.
    """
    best, best_score = ",", (0.0, 0.0, 0)
    for tried in (DELIMITERS, _RARE):
        for delimiter in tried:
            found = itertools.islice(rows(text, delimiter, 0), _LINES)
            lines = [[] if isinstance(cells, Fault) else cells for _, cells, _ in found]
            width, often = Counter(len(cells) for cells in lines).most_common(1)[0]
            even = often / len(lines)
            if width < 2 or (tried is _RARE and even < 1):
                continue
            body = lines[1:] or lines
            cells = [cell for row in body for cell in row]
            # a decimal comma, refused later, still speaks for another delimiter
            points = cells if delimiter == "," else [cell.replace(",", ".", 1) for cell in cells]
            numbers = sum(not a or numeral(a) or numeral(b) for a, b in zip(cells, points, strict=True))
            numeric = numbers / max(len(cells), 1)
            if (even, numeric, width) > best_score:
                best, best_score = delimiter, (even, numeric, width)
        if best_score[2]:
            return best, False
    padded = any(all(line[end] == " " for line in text.splitlines()) for end in (slice(1), slice(-1, None)))
    for blanks, runs in ((text, False), (_one_blank(text), True)):
        if runs and '"' in text:
            break
        if padded and not runs:
            continue  # columns of numbers set flush, or a blank behind each: no empty cells
        cut = [cells for _, cells, _ in itertools.islice(rows(blanks, " ", 0), _LINES)]
        whole = [cells for cells in cut if not isinstance(cells, Fault)]
        body = whole[1:] or whole
        widths = {len(cells) for cells in body}
        filled = [cell for cells in body for cell in cells]
        named = len(whole[0]) if whole else 0  # R's write.table has no name above the names of rows
        even = len(whole) == len(cut) and len(widths) == 1 and max(2, named) <= min(widths) <= named + 1
        if even and sum(map(_any_numeral, filled)) * 2 > len(filled):
            return " ", runs
    return best, False


def _is_header(
    first: list[str], sample: list[tuple[str, ...]], options: ReadOptions, file: str, line: int
) -> bool:
    """Whether the first row names the columns: its rating cells are not numbers.

    Raises
    ------
    DataError
        It has numbers beside text; or it counts the columns, as data frames without names are written.
    """
    if any(column_names.recognise([cell], _HEADER_WORDS) for cell in first):
        return True
    named = {options.id, options.issue, options.rating, options.timestamp}
    named |= {*options.sensitive, *options.drop, *options.ratings, *options.identifier, *options.carry}
    named |= {quasi_rule(text)[0] for text in options.quasi}
    if any(cell.strip() in named and not _any_numeral(cell) for cell in first):
        return True
    nulls = NullTokens(options)
    columns = zip(*sample, strict=True) if sample else [()] * len(first)
    rating = [place for place, cells in enumerate(columns) if _mostly_numbers(cells, nulls)]
    expected = "a header of names or a record of ratings"
    remedy = "say `header=True` if these are the columns' names, or `header=False` if they are a record"
    if _counts(first):
        raise DataError(Problem(file, "a first line that counts its columns", expected, remedy, line=line))
    cells = [first[column] for column in rating] or first
    numbers = sum(map(_any_numeral, cells))
    names = sum(not _any_numeral(cell) and cell not in nulls for cell in cells)
    if not rating or not names:
        return names > 0 and numbers == 0
    if numbers:
        shown = ", ".join(first[:6]) + (", ..." if len(first) > 6 else "")
        raise DataError(Problem(file, "numbers beside text", expected, remedy, line=line, cell=shown))
    return True


def _counts(first: list[str]) -> bool:
    """Whether the cells are 0, 1, 2 ... or 1, 2, 3, 4 ...; behind one without a name two are enough."""
    cells = [cell.strip() for cell in first]
    named = cells[1:] if cells and not cells[0] else cells
    return any(
        named == [str(at + start) for at in range(len(named))]
        and len(named) >= (2 if len(named) < len(cells) else 3 + start)
        for start in (0, 1)
    )


def _mostly_numbers(cells: Sequence[str], nulls: NullTokens) -> bool:
    rated = [cell for cell in cells if cell not in nulls]
    return bool(rated) and sum(map(_any_numeral, rated)) * 2 > len(rated)


def _header_names(first: list[str], sample: list[tuple[str, ...]], file: str, line: int) -> tuple[str, ...]:
    names = [name.strip() for name in first]
    problems = []
    where: dict[str, int] = {}
    for position, name in enumerate(names):
        if not name and position:
            expected = "a name for every column"
            remedy = "name it, or say `header=False` if the first line is no header"
            problems.append(Problem(file, "a column without a name", expected, remedy, line, position + 1))
        elif name in where and any(name in map(str.strip, cells) for cells in sample):  # no header: answers
            found = f"the duplicated name {shown_name(name, position + 1)} (first in column {where[name]})"
            expected = "a different name for every column"
            problems.append(Problem(file, found, expected, "rename one of them", line, position + 1))
        where.setdefault(name, position + 1)
    if problems:
        raise DataError(problems)
    return column_names.unique_names(names)
