"""The dialect of delimited text, written plainly: what a line, a cell and a quote are,
and their faults.

Lines end in LF or CRLF. A cell that begins with a double quote is quoted: delimiters and line ends
in it are part of it, a doubled quote stands for one, and after the closing quote comes a delimiter
or the line's end [RFC 4180]. A quote inside an unquoted cell is a character like any other. A line
without any character is no record, except in a table of one column, where it is an empty cell.

A quoted cell over several lines that look like rows has a stray quote in front: the rows in it
would be lost without a word. They look so if the line in which it opens, and most of those below
it, have as many delimiters as a row. It is a fault (:func:`stray_quote`) until somebody says that
such cells are meant.

Small files beside the data (known ratings, hierarchies) are read with :func:`small_rows`. Of the
data, :mod:`ratingpriv_loaders.text.scan` lets Arrow cut the text that both read in the same way,
and this module cut everything else; a property test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.table.building.problems import Problems

RAGGED, AFTER_QUOTE, UNCLOSED, TOO_LONG, STRAY = 0, 1, 2, 3, 4
"""Faults of a line: another number of cells; text after a closing quote; a quote never closed; no
end; a quoted cell over several lines that look like rows.
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that cannot be cut into its cells.

    ``kind`` is RAGGED (``detail``: how many cells it has), AFTER_QUOTE (``detail``: which cell,
    from 1), UNCLOSED (``line``: where the quote opens), TOO_LONG (``detail``: how many bytes it may
    have) or STRAY (``line``: where the quote opens, ``detail``: how many lines the cell spans).
    """

    kind: int
    line: int
    detail: int


def rows(
    text: str, delimiter: str, columns: int, line: int = 1
) -> Iterator[tuple[int, list[str] | Fault, int]]:
    """Yield each row's line, its cells (or the fault that keeps the
    line from being cut) and its end.

    ``columns`` only says what an empty line is (see above); rows of any number of cells are
    yielded. The end is the position behind the row's line end: more than ``len(text)`` if it has
    none, in which case the row may go on behind this text.
    """
    position = 0
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if text.find('"', position, end) < 0:
            raw = text[position:end].removesuffix("\r")
            if raw or columns == 1:
                yield line, raw.split(delimiter), end + 1
            position, line = end + 1, line + 1
            continue
        cells, end = _quoted_row(text, position, line, delimiter)
        yield line, cells, end + 1
        line += text.count("\n", position, end + 1)
        position = end + 1


def _quoted_row(
    text: str, position: int, line: int, delimiter: str
) -> tuple[list[str] | Fault, int]:
    """Cut one row that holds a quote; return its cells or fault, and where its line ends."""
    cells: list[str] = []
    start = position
    while True:
        if text.startswith('"', position):
            opened, position, cell = position, position + 1, ""
            while (quote := text.find('"', position)) >= 0:
                cell += text[position:quote]
                position = quote + 1
                if not text.startswith('"', position):
                    break
                cell += '"'
                position += 1
            else:
                return Fault(UNCLOSED, line + text.count("\n", start, opened), len(cells) + 1), len(
                    text
                )
            cells.append(cell)
            if text.startswith(delimiter, position):
                position += len(delimiter)
                continue
            rest = text[position : position + 2]
            if rest in ("", "\r") or rest[:1] == "\n" or rest == "\r\n":
                return cells, position + rest.find("\n") if "\n" in rest else len(text)
            end = text.find("\n", position)
            fault = Fault(AFTER_QUOTE, line + text.count("\n", start, position), len(cells))
            return fault, len(text) if end < 0 else end
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        stop = text.find(delimiter, position, end)
        if stop < 0:
            cells.append(text[position:end].removesuffix("\r"))
            return cells, end
        cells.append(text[position:stop])
        position = stop + len(delimiter)


def stray_quote(cells: Sequence[str], delimiter: str, columns: int, line: int) -> Fault | None:
    """Return the fault of a row that starts in ``line`` if a cell of
    it holds lines that look like rows.

    ``columns`` : how many cells a row has. Delimiters in cells of one line are not counted.
    """
    counts, blank, spans = [0], [False], []
    for column, cell in enumerate(cells):
        counts[-1] += column > 0
        if "\n" in cell:
            first, *below = cell.split("\n")
            counts[-1] += first.count(delimiter)
            spans.append((len(counts) - 1, len(below)))
            counts += [part.count(delimiter) for part in below]
            blank += [not part.strip("\r") for part in below]
            blank[-1] &= column == len(cells) - 1
    for start, more in spans:
        lines = slice(start + 1, start + 1 + more)
        judged = [
            n for n, gap in zip(counts[lines], blank[lines], strict=True) if not gap or columns == 1
        ]
        if counts[start] == columns - 1 and 2 * judged.count(columns - 1) > len(judged):
            return Fault(STRAY, line + start, more + 1)
    return None


def decoded(content: bytes, file: str) -> str:
    """Return a small file's text, which is UTF-8, without a byte order mark.

    DataError by line where not.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, remedy = content.count(b"\n", 0, error.start) + 1, "save it as CSV in UTF-8"
        problem = Problem(file, "bytes that are no UTF-8", "text in UTF-8", remedy, line)
        raise DataError(problem) from None


def small_rows(
    text: str, delimiter: str, *, file: str, problems: Problems
) -> list[tuple[int, tuple[str, ...]]]:
    """Return line and cells, without blanks around them, of all lines that are not empty.

    What cannot be cut, or has more or fewer cells than the first, is noted in ``problems``.
    """
    lines: list[tuple[int, tuple[str, ...]]] = []
    for line, cells, _ in rows(text, delimiter, 0):
        if isinstance(cells, Fault):
            problems.add(fault_problem(cells, "", file))
            continue
        fault = stray_quote(cells, delimiter, len(lines[0][1]) if lines else len(cells), line)
        if fault is not None:
            problems.add(fault_problem(fault, "", file, insist=False))
            continue
        row = tuple(cell.strip() for cell in cells)
        if not any(row):
            continue
        if lines and len(row) != len(lines[0][1]):
            expected = f"{cells_in_words(len(lines[0][1]))}, as line {lines[0][0]} has"
            remedy = "add or remove cells, or put one that contains the delimiter in double quotes"
            problems.add(Problem(file, cells_in_words(len(row)), expected, remedy, line))
            continue
        lines.append((line, row))
    return lines


def fault_problem(fault: Fault, expected: str, file: str, *, insist: bool = True) -> Problem:
    """Return the Problem of a line that cannot be cut.

    ``expected`` is how many cells it should have; ``insist`` : whether `multiline` can be said of
    the file.
    """
    if fault.kind == STRAY:
        finding = (
            f"a quoted cell over {fault.detail} lines that look like records, as behind a "
            f"stray quote"
        )
        remedy = "remove the quote in front of it"
        remedy += ", or say `multiline=True` if the cell is meant" if insist else ""
        return Problem(file, finding, "a closing quote in the same line", remedy, fault.line)
    if fault.kind == RAGGED:
        remedy = "add or remove cells, put a cell that contains the delimiter in double quotes, "
        remedy += "or name the right `delimiter`"
        return Problem(file, cells_in_words(fault.detail), expected, remedy, fault.line)
    if fault.kind == TOO_LONG:
        return too_long(file, fault.line, fault.detail)
    if fault.kind == AFTER_QUOTE:
        finding, expected = "text behind a closing quote", "a delimiter or the line's end"
        remedy = "write a double quote inside a quoted cell twice"
    else:
        finding, expected = "a quoted cell that is never closed", "a closing quote"
        remedy = "close it, or put a cell that begins with a quote in quotes and double the quote"
    return Problem(file, finding, expected, remedy, fault.line, fault.detail)


def too_long(file: str, line: int, most: int) -> Problem:
    """Return the Problem of a line that has more than ``most`` bytes, and may have no end."""
    remedy = "check that it is a text of ratings, and that its lines end in LF or CRLF"
    return Problem(
        file, f"a line of more than {most:,} bytes", "lines of records or ratings", remedy, line
    )


def cells_in_words(count: int) -> str:
    """Return how many cells a line has."""
    return "1 cell" if count == 1 else f"{count} cells"
