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
from ratingpriv.data.codebook.cells import INVISIBLE, NullTokens, called, numeral
from ratingpriv.data.codebook.codebook import quasi_rule
from ratingpriv.data.codebook.recognition.identifiers import COLUMNS
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import NULL_TOKENS, ReadOptions
from ratingpriv.data.table.building.delimited import Fault, fault_problem, rows, stray_quote

_DELIMITERS = (",", ";", "\t", "|", "::")
_RARE = (*"^~#&*!@%$=/:",)  # tried where none of those cuts anything
_LINES = 200
_SEP = re.compile(r'"?sep=([^"\r\n]{1,2})"?\r?\n', re.IGNORECASE)
_LONE_CR = re.compile(r"\r(?=[^\r\n])")
_COMMENTS = re.compile(r"\A(#[^\n]*\n)+")
_QUOTED = re.compile(r'"[^"]*"')
_AROUND, _BLANKS = re.compile(r"(?m)^[ \t]+|[ \t]+(?=\r?$)"), re.compile(r"[ \t]+")
_MOST_TITLES = 20  # lines above a header
_NUMBERED = re.compile("([A-Za-z_]+)([0-9]{1,5})")
_SPACED, _FEW_LINES = re.compile(r'[ \t\xa0]+"[^"]*"\s*'), 50
_NO_TABLES = (  # texts of other kinds that a delimiter can be found in
    (re.compile(r"\s*(\{\s*[\"}]|\[\s*[\[{])"), "JSON", "write it as CSV, one row per record"),
    (
        re.compile(r"\s*<(!doctype|html|\?xml|table)\b", re.IGNORECASE),
        "HTML or XML",
        "save the table as CSV",
    ),
)

COMMA_NUMBER = r"^[+-]?[0-9]+,[0-9]+$"
"""A number with a comma: a decimal comma, digit groups (1,234) or two answers in one cell (1,3)."""

_COMMA = re.compile(COMMA_NUMBER)
_GROUPS = re.compile(r"^[+-]?[0-9]{1,3},[0-9]{3}$")
_HEADER_WORDS = tuple(itertools.chain(*COLUMNS.values()))


@dataclass(frozen=True, slots=True)
class Opening:
    """How a text opens.

    Attributes
    ----------
    names : the columns' names; without a header "1", "2", ...
    line : the line of the row that names the columns, or of the first row
    above : rows above the one that names the columns: title lines, Excel's ``sep=;``
    below : further header rows, below that one
    runs : any number of blanks stands between two cells
    trailing : every row ends in a delimiter, behind which there is nothing
    questions : what was asked, by column, where an export says it
    known : (role, why) of columns that an export is sure of, by name
    numbered : how many names were there before, and got a number
    chosen : of columns that hold an answer's own words where it was chosen and nothing where it was
        not ("check all that apply"): these words, by name
    reason : how the tool whose export it is was recognised, in words for the user
    """

    delimiter: str
    header: bool
    names: tuple[str, ...]
    line: int = 1
    above: int = 0
    below: int = 0
    runs: bool = False
    trailing: bool = False
    decimal_comma: bool = False
    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    known: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    numbered: int = 0
    chosen: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    reason: str = ""

    @property
    def skipped(self) -> int:
        """How many rows are no records: the header and what stands above it."""
        return self.above + int(self.header) + self.below

    @property
    def oddities(self) -> tuple[str, ...]:
        """What is unusual, in words for the user."""
        lines = "1 line" if self.above == 1 else f"{self.above} lines"
        phrases = (
            (
                self.above > 0,
                f"{lines} above the {'header' if self.header else 'first row'} not read",
            ),
            (self.runs, "blanks between cells"),
            (self.trailing, "an empty column at the end not read"),
            (self.decimal_comma, "decimal commas"),
            (self.below > 0, "a second row of names not read"),
            (self.numbered > 0, f"repeated names numbered, as (2): {self.numbered}"),
        )
        return tuple(words for holds, words in phrases if holds)


@dataclass(frozen=True, slots=True)
class Cut:
    """The first rows of a text, cut into cells (empty: a row that cannot be), not judged yet.

    Attributes
    ----------
    above : rows before the first of ``rows``: Excel's ``sep=;``
    lines : the line of each row
    comments : how many rows, from the first on, begin with ``#``
    """

    delimiter: str
    runs: bool
    above: int
    lines: tuple[int, ...]
    rows: tuple[list[str], ...]
    comments: int


def cut_opening(text: str, options: ReadOptions, *, file: str, whole: bool) -> Cut:
    """Cut the opening of a text into cells.

    The last line may be cut off unless this is the ``whole`` text.

    Raises
    ------
    DataError
        Empty, JSON, HTML or XML, or lines that end in CR alone.
    ParameterError
        A delimiter that cannot be one.
    """
    given = options.delimiter
    if given is not None and (not given or set(given) & set('"\r\n\0')):
        raise ParameterError(
            "delimiter", given, "one or more characters other than quotes and line ends"
        )
    if not whole:
        text = text[: text.rfind("\n") + 1] or text
    _refuse_no_table(text, file)
    separator, delimiter, runs = _SEP.match(text), given, False
    if delimiter is None:
        below = _COMMENTS.sub("", text)
        delimiter, runs = (
            (separator[1], False)
            if separator
            else sniffed_delimiter(below if below.strip() else text)
        )
    if runs:
        text = one_blank(text)
    cut = list(itertools.islice(rows(text, delimiter, 0), _LINES))
    above = 1 if separator and len(cut) > 1 else 0
    starts = tuple(line for line, _, _ in cut[above:])
    lines = text.split("\n")
    comments = sum(1 for _ in itertools.takewhile(lambda line: lines[line - 1][:1] == "#", starts))
    cells = tuple([] if isinstance(row, Fault) else row for _, row, _ in cut[above:])
    return Cut(delimiter, runs, above, starts, cells, comments)


def _refuse_no_table(text: str, file: str) -> None:
    """Refuse a text without lines, or of another kind than a table."""
    if not text.strip("\r\n"):
        finding = "a file of empty lines" if text else "an empty file"
        expected, remedy = "ratings, one record or rating a line", "check that it was written whole"
        raise DataError(Problem(file, finding, expected, remedy))
    for kind, what, remedy in _NO_TABLES:
        if kind.match(text):
            raise DataError(
                Problem(file, what, "a table: a line a record or rating", remedy, line=1)
            )
    unquoted = _QUOTED.sub('""', text)  # a cell may have line ends of its own
    if len(_LONE_CR.findall(unquoted)) > unquoted.count("\n"):
        finding, remedy = (
            "lines that end in CR only (as on very old Macs)",
            "save it with today's line ends",
        )
        raise DataError(Problem(file, finding, "lines that end in LF or CRLF", remedy, line=1))


def read_opening(text: str, options: ReadOptions, *, file: str, whole: bool) -> Opening:
    """Read the opening of a text; parameters and errors as of :func:`cut_opening`.

    Raises
    ------
    DataError
        A header that is broken, columns without a name or two of one name, a first line that is
        neither names nor ratings.
    """
    cut = cut_opening(text, options, file=file, whole=whole)
    titles = _comments(cut, options, file) or _titles(cut, options)
    titles += _only_numbers_columns(cut, titles, options)
    line, first = cut.lines[titles], cut.rows[titles]
    refuse_stray(cut, titles, options, file=file)
    if not first:
        actual = "a quoted cell that does not end as it should"
        remedy = "double quotes that belong to a cell, or say which `delimiter` the file has"
        raise DataError(Problem(file, actual, "a closing quote", remedy, line=line))
    column_names.refuse_too_many(len(first), file=file)
    sample = [cells for cells in cut.rows[titles + 1 :] if cells]
    _refuse_hidden(cut.delimiter, line, first, sample, options, file)
    width = len(first) if not first[-1].strip() else len(first) + 1
    trailing = _ends_in_delimiter(first, sample, width)
    if trailing:
        first, sample = first[: width - 1], [cells[:-1] for cells in sample]
    comma = (
        options.decimal_comma if options.decimal_comma is not None else _decimal_comma(cut, sample)
    )
    header = options.header
    if header is None:
        full = [cells for cells in sample if len(cells) == len(first)]
        header = _is_header(first, full, options, file, line)
    again = bool(header and sample and _repeats(first, sample))
    if header:
        names = _header_names(first, sample, file, line)
    else:
        most = Counter(map(len, [first, *sample])).most_common(1)[0][0]
        names = tuple(str(position + 1) for position in range(most))
    return Opening(
        cut.delimiter,
        header,
        names,
        line,
        above=cut.above + titles,
        below=int(again),
        runs=cut.runs,
        trailing=trailing,
        decimal_comma=comma,
        numbered=len(names) - len({name.strip() for name in first}) if header else 0,
    )


def _ends_in_delimiter(first: Sequence[str], sample: Sequence[Sequence[str]], width: int) -> bool:
    """Whether every row ends in a delimiter with nothing behind it.

    The header may end in one too, or not.
    """
    ends = bool(sample) and all(len(cells) == width and not cells[-1].strip() for cells in sample)
    return ends and width > 2 and (len(first) < width or all(first[:-1]))


def refuse_stray(cut: Cut, row: int, options: ReadOptions, *, file: str) -> None:
    """Refuse a row of names in which a stray quote hides records: they would be shown as a name."""
    cells = cut.rows[row]
    fault = (
        None if options.multiline else stray_quote(cells, cut.delimiter, len(cells), cut.lines[row])
    )
    if fault is not None:
        raise DataError(fault_problem(fault, "", file))


def _refuse_spaced(
    delimiter: str, line: int, first: list[str], sample: list[list[str]], file: str
) -> None:
    """Refuse blanks between delimiters and quotes."""
    spaced = [cell for cell in first if _SPACED.fullmatch(cell)]
    spaced += [cell for cells in sample[:_FEW_LINES] for cell in cells if _SPACED.fullmatch(cell)]
    if len(spaced) > 1 or (spaced and spaced[0] in first):
        remedy = (
            f"delete these blanks, or say `delimiter={delimiter + ' '!r}` if they stand in "
            f"every line"
        )
        actual = "a blank between a delimiter and a quote, which is no opening quote then"
        raise DataError(
            Problem(file, actual, "a quote right behind the delimiter", remedy, line=line)
        )


def _refuse_hidden(
    delimiter: str,
    line: int,
    first: list[str],
    sample: list[list[str]],
    options: ReadOptions,
    file: str,
) -> None:
    """Refuse what cannot be seen, and keeps quotes from being quotes or cells from being cells."""
    if not delimiter.isspace():
        _refuse_spaced(delimiter, line, first, sample, file)
    rows_ = [first, *sample[:_FEW_LINES]]
    if options.delimiter is not None or any(len(cells) != 1 for cells in rows_):
        return
    invisible = Counter(
        character for cells in rows_ for character in set(INVISIBLE.findall(cells[0]))
    )
    for character, lines in invisible.items():
        parts = [cells[0].split(character) for cells in rows_]
        numbers = sum(_any_numeral(part) for cells in parts for part in cells)
        if (
            lines == len(rows_)
            and len(set(map(len, parts))) == 1
            and numbers * 2 > sum(map(len, parts))
        ):
            actual = f"no delimiter that can be seen, but {called(character)} in every line"
            remedy = "replace it by a comma, or name it as the `delimiter`"
            raise DataError(Problem(file, actual, "a delimiter", remedy, line=line))


def _comments(cut: Cut, options: ReadOptions, file: str) -> int:
    """Return how many lines of ``#`` stand above the table.

    One right above its numbers names the columns.

    DataError where it may be one or the other: all is text, and the last such line has as many
    cells as those below.
    """
    count = cut.comments
    if not count or count == len(cut.rows):
        return 0
    first = cut.rows[count]
    if options.header is False or len(cut.rows[count - 1]) != len(first):
        return count
    if any(map(_any_numeral, first)):
        return count - 1
    if not any(_any_numeral(cell) for cells in cut.rows[count:] for cell in cells):
        remedy = "delete the line if it is a comment, or take the # off the names of the columns"
        actual = "a line of # that may name the columns, above text"
        raise DataError(Problem(file, actual, "names of columns", remedy, cut.lines[count - 1]))
    return count


def _titles(cut: Cut, options: ReadOptions) -> int:
    """Return how many title lines stand above the header: one cell of text, all others being empty.

    The header below them names every column of those that follow, which are three or more: else
    nothing says that it is one.
    """
    if options.header is False or len(cut.rows) < 3:
        return 0
    width = Counter(map(len, cut.rows)).most_common(1)[0][0]
    titles = 0
    while titles < min(len(cut.rows) - 2, _MOST_TITLES):
        filled = [cell for cell in cut.rows[titles] if cell.strip()]
        if len(filled) != 1 or _any_numeral(filled[0]):
            break
        titles += 1
    names = [cell.strip() for cell in cut.rows[titles]]
    if names and not names[-1]:
        names.pop()
    named = width >= 3 and len(cut.rows[titles]) == width and all(names)
    return titles if named and not any(map(_any_numeral, names)) else 0


def _only_numbers_columns(cut: Cut, row: int, options: ReadOptions) -> bool:
    """Whether a row numbers the columns (X1, X2, ... Y), and the row below it names them.

    So the archive of the University of California (UCI) has it: all below are numbers.
    """
    if options.header is False or len(cut.rows) < row + 4:
        return False
    first, names, *sample = cut.rows[row : row + _FEW_LINES]
    numbered = [found for cell in first if (found := _NUMBERED.fullmatch(cell.strip()))]
    counted = [int(found[2]) for found in numbered] == list(range(1, len(numbered) + 1))
    if (
        not counted
        or len({found[1] for found in numbered}) != 1
        or len(numbered) < max(3, len(first) - 2)
    ):
        return False
    named = {name.strip() for name in names}
    if len(named) < len(first) or "" in named or any(map(_any_numeral, named)):
        return False
    if not named.isdisjoint(cell.strip() for cell in first):
        return False
    columns = list(zip(*(cells for cells in sample if len(cells) == len(first)), strict=True))
    return sum(all(map(_any_numeral, column)) for column in columns) * 2 > len(first)


def _repeats(first: list[str], sample: Sequence[list[str]]) -> bool:
    """Whether the row below the names has them once more, or nothing:
    somebody filled a second header row.

    Answers may be the same in two rows: numbers are none of it, nor what stands further below.
    """
    second = sample[0]
    if len(first) != len(second):
        return False
    pairs = [
        (name.strip(), cell.strip())
        for name, cell in zip(first, second, strict=True)
        if cell.strip()
    ]
    if len(pairs) < max(2, len(first) / 2) or any(
        name != cell or _any_numeral(name) for name, cell in pairs
    ):
        return False
    return not {name for name, _ in pairs} & {
        cell.strip() for cells in sample[1:] for cell in cells
    }


def _decimal_comma(cut: Cut, sample: Sequence[list[str]]) -> bool:
    """Whether the cells between other delimiters are plainly numbers with a decimal comma.

    They are in a column of numbers only, none of which has a point, and one of which is not written
    as digit groups are (1,234). What remains open is refused later, and asked.
    """
    if "," in cut.delimiter:
        return False
    for column in itertools.zip_longest(*sample, fillvalue=""):
        cells = [cell.strip() for cell in column]
        commas = [cell for cell in cells if _COMMA.match(cell)]
        others = [
            cell for cell in cells if cell and not _COMMA.match(cell) and cell not in NULL_TOKENS
        ]
        integral = all(numeral(cell) and "." not in cell for cell in others)
        if commas and integral and not all(map(_GROUPS.match, commas)):
            return True
    return False


def one_blank(text: str) -> str:
    """Return a text with one blank between two cells, and none at the ends of lines."""
    return _BLANKS.sub(" ", _AROUND.sub("", text))


def _any_numeral(cell: str) -> bool:
    """Whether a cell is a number, with a decimal comma or a point."""
    return numeral(cell) or _COMMA.match(cell.strip()) is not None


@functools.lru_cache(maxsize=2)  # every loader of text asks it of the same opening
def sniffed_delimiter(text: str) -> tuple[str, bool]:
    """Return the delimiter that cuts the first lines into the most even and most numeric cells.

    Where there is none, blanks may be: one (False) or runs of them (True) between two cells.
    """
    for tried, least in ((_DELIMITERS, 0), (_RARE, 1)):
        scores = {by: _evenness(text, by) for by in tried}
        cutting = [by for by, (even, _, width) in scores.items() if width > 1 and even >= least]
        if cutting:
            return max(cutting, key=scores.__getitem__), False
    padded = any(
        all(line[end] == " " for line in text.splitlines()) for end in (slice(1), slice(-1, None))
    )
    # columns of numbers set flush, or a blank behind each: no empty cells
    if not padded and _by_blanks(_first_lines(text, " ")):
        return " ", False
    if '"' not in text and _by_blanks(_first_lines(one_blank(text), " ")):
        return " ", True
    return ",", False


def _first_lines(text: str, delimiter: str) -> list[list[str]]:
    lines = itertools.islice(rows(text, delimiter, 0), _LINES)
    return [[] if isinstance(cells, Fault) else cells for _, cells, _ in lines]


def _evenness(text: str, delimiter: str) -> tuple[float, float, int]:
    """How evenly it cuts lines, how many of the cells are numbers or empty,
    and how many a line has.
    """
    lines = _first_lines(text, delimiter)
    width, often = Counter(map(len, lines)).most_common(1)[0]
    cells = [cell for row in lines[1:] or lines for cell in row]
    # a decimal comma, refused later, still speaks for another delimiter
    points = cells if delimiter == "," else [cell.replace(",", ".", 1) for cell in cells]
    numbers = sum(not a or numeral(a) or numeral(b) for a, b in zip(cells, points, strict=True))
    return often / len(lines), numbers / max(len(cells), 1), width


def _by_blanks(lines: Sequence[Sequence[str]]) -> bool:
    """Whether lines that were cut at blanks are a table of numbers,
    with a name a column or one less.
    """
    body = lines[1:] or lines
    widths = {len(cells) for cells in body}
    filled = [cell for cells in body for cell in cells]
    named = len(lines[0])  # R's write.table has no name above the names of rows
    even = all(lines) and len(widths) == 1 and max(2, named) <= min(widths) <= named + 1
    return even and sum(map(_any_numeral, filled)) * 2 > len(filled)


def _names_known(first: Sequence[str], options: ReadOptions) -> bool:
    """Whether a cell of the first row is a name that we know or that an option says."""
    if any(column_names.recognise([cell], _HEADER_WORDS) for cell in first):
        return True
    named = {options.id, options.issue, options.rating, options.timestamp}
    named |= {
        *options.sensitive,
        *options.drop,
        *options.ratings,
        *options.identifier,
        *options.carry,
    }
    named |= {quasi_rule(text)[0] for text in options.quasi}
    return any(cell.strip() in named and not _any_numeral(cell) for cell in first)


def _counts_columns(first: Sequence[str]) -> bool:
    """Whether the first row is 0, 1, 2 ... or 1, 2, 3, 4 ....

    Behind an unnamed column two are enough.
    """
    counted = [cell.strip() for cell in first]
    unnamed = not counted[0]
    counted = counted[1:] if unnamed else counted
    return any(
        counted == [str(number + start) for number in range(len(counted))]
        and len(counted) >= (2 if unnamed else 3 + start)
        for start in (0, 1)
    )


def _above_numbers(
    first: Sequence[str], sample: Sequence[Sequence[str]], nulls: NullTokens
) -> list[str]:
    """Return the cells of the first row that stand above columns of numbers."""
    above = []
    for name, *column in zip(first, *sample, strict=True):
        answers = [cell for cell in column if cell not in nulls]
        if answers and sum(map(_any_numeral, answers)) * 2 > len(answers):
            above.append(name)
    return above


def _is_header(
    first: list[str], sample: Sequence[list[str]], options: ReadOptions, file: str, line: int
) -> bool:
    """Whether the first row names the columns: its rating cells are not numbers.

    DataError where it has numbers beside text, or counts the columns, as data frames without names
    do.
    """
    if _names_known(first, options):
        return True
    expected = "a header of names or a record of ratings"
    remedy = (
        "say `header=True` if these are the columns' names, or `header=False` if they are a record"
    )
    if _counts_columns(first):
        raise DataError(
            Problem(file, "a first line that counts its columns", expected, remedy, line=line)
        )
    nulls = NullTokens(options)
    rating = _above_numbers(first, sample, nulls)
    cells = rating or first
    numbers = sum(map(_any_numeral, cells))
    names = sum(not _any_numeral(cell) and cell not in nulls for cell in cells)
    if not rating or not names:
        return names > 0 and numbers == 0
    if numbers:
        shown = ", ".join(first[:6]) + (", ..." if len(first) > 6 else "")
        raise DataError(
            Problem(file, "numbers beside text", expected, remedy, line=line, cell=shown)
        )
    return True


def _header_names(
    first: list[str], sample: Sequence[list[str]], file: str, line: int
) -> tuple[str, ...]:
    names = [name.strip() for name in first]
    problems = []
    where: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if not name and number > 1:
            remedy = "name it, or say `header=False` if the first line is no header"
            expected = "a name for every column"
            problems.append(
                Problem(file, "a column without a name", expected, remedy, line, number)
            )
        # no header: answers
        elif name in where and any(name in map(str.strip, cells) for cells in sample):
            actual = (
                f"the duplicated name {shown_name(name, number)} (first in column {where[name]})"
            )
            expected = "a different name for every column"
            problems.append(Problem(file, actual, expected, "rename one of them", line, number))
        where.setdefault(name, number)
    if problems:
        raise DataError(problems)
    return column_names.unique_names(names)
