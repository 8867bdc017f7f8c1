"""The dialect of delimited text, written plainly: what a line, a cell and a quote are.

Lines end in LF or CRLF. A cell that begins with a double quote is quoted: delimiters and line ends in it are
part of it, a doubled quote stands for one, and after the closing quote comes a delimiter or the line's end
[RFC 4180]. A quote inside an unquoted cell is a character like any other. A line without any character is no
record, except in a table of one column, where it is an empty cell.

:mod:`ratingpriv_loaders.text.scan` lets Arrow cut the text that both read in the same way, and this module
cut everything else; a property test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["AFTER_QUOTE", "RAGGED", "TOO_LONG", "UNCLOSED", "Fault", "rows"]

RAGGED, AFTER_QUOTE, UNCLOSED, TOO_LONG = 0, 1, 2, 3
"""Faults of a line: another number of cells; text after a closing quote; a quote never closed; no end."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that cannot be cut into its cells.

    ``kind`` is RAGGED (``detail``: how many cells it has), AFTER_QUOTE (``detail``: which cell, from 1) or
    UNCLOSED (``line``: where the quote opens) or TOO_LONG (``detail``: how many bytes it may have).
    """

    kind: int
    line: int
    detail: int


def rows(
    text: str, delimiter: str, columns: int, line: int = 1
) -> Iterator[tuple[int, list[str] | Fault, int]]:
    """Yield each row's line, its cells (or the fault that keeps the line from being cut) and its end.

    ``columns`` only says what an empty line is (see above); rows of any number of cells are yielded. ``line``
    is the number of the first line. The end is the position behind the row's line end: more than
    ``len(text)`` if it has none, in which case the row may go on behind this text.
    """
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text.find('"', at, end) < 0:
            raw = text[at:end].removesuffix("\r")
            if raw or columns == 1:
                yield line, raw.split(delimiter), end + 1
            at, line = end + 1, line + 1
            continue
        found, end = _quoted_row(text, at, line, delimiter)
        yield line, found, end + 1
        line += text.count("\n", at, end + 1)
        at = end + 1


def _quoted_row(text: str, at: int, line: int, delimiter: str) -> tuple[list[str] | Fault, int]:
    """Cut one row that holds a quote; return its cells or fault, and where its line ends."""
    cells: list[str] = []
    start = at
    while True:
        if text.startswith('"', at):
            opened, at, cell = at, at + 1, ""
            while (quote := text.find('"', at)) >= 0:
                cell += text[at:quote]
                at = quote + 1
                if not text.startswith('"', at):
                    break
                cell += '"'
                at += 1
            else:
                return Fault(UNCLOSED, line + text.count("\n", start, opened), len(cells) + 1), len(text)
            cells.append(cell)
            if text.startswith(delimiter, at):
                at += len(delimiter)
                continue
            rest = text[at : at + 2]
            if rest in ("", "\r") or rest[:1] == "\n" or rest == "\r\n":
                return cells, at + rest.find("\n") if "\n" in rest else len(text)
            end = text.find("\n", at)
            return Fault(AFTER_QUOTE, line + text.count("\n", start, at), len(cells)), len(
                text
            ) if end < 0 else end
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        stop = text.find(delimiter, at, end)
        if stop < 0:
            cells.append(text[at:end].removesuffix("\r"))
            return cells, end
        cells.append(text[at:stop])
        at = stop + len(delimiter)
