"""A page as plain text: the one renderer of what people read on a terminal or in a text file."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterator
from typing import IO

from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import printable, sentence

_BOLD, _GREEN, _RED = "1", "1;32", "1;31"  # ANSI codes


def render(page: Page, *, width: int = 80, colour: bool = False) -> str:
    """Return the page as text that ends in a newline, control characters of the data escaped.

    Parameters
    ----------
    width : the longest line of prose; the headline, commands and tables are never broken
    colour : whether the headline and the titles get ANSI codes
    """

    def painted(text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if colour else text

    code = _BOLD if page.good is None else _GREEN if page.good else _RED
    lines = [painted(printable(page.headline), code)]
    for paragraph in page.explanation:
        lines += wrapped(sentence(paragraph), width, "  ", "  ")
    for section in page.sections:
        if section.items:
            lines += ["", painted(printable(section.title), _BOLD), *_items(section, width)]
    return "\n".join(lines) + "\n"


def print_page(page: Page, file: IO[str], *, width: int | None = None) -> None:
    """Write the page to ``file``; coloured if that is a terminal which takes colours.

    ``width`` is the line length (None: the terminal's, 80 in a file).
    """
    terminal = file.isatty()
    if width is None:
        width = shutil.get_terminal_size().columns if terminal else 80
    dumb = os.environ.get("TERM", "dumb") == "dumb" or bool(os.environ.get("NO_COLOR"))
    file.write(render(page, width=width, colour=terminal and not dumb))


def table_text(table: Table, indent: str = "") -> str:
    """Return the table's lines, columns two blanks apart and as wide as their cells."""
    lines = [[printable(cell) for cell in line] for line in (table.columns, *table.rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(table.columns))]
    texts = []
    for line in lines:
        gaps = [" " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)]
        cells = zip(line, gaps, table.right, strict=True)
        texts.append(
            "  ".join(gap + cell if right else cell + gap for cell, gap, right in cells).rstrip()
        )
    return "\n".join(indent + text for text in texts)


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Return ``text``, made printable, in lines of ``width`` columns
    that begin with ``first`` and ``rest``.

    A word that no line holds is cut.
    """
    lines: list[str] = []
    line, empty = first, True
    for word in printable(text).split(" "):
        if not empty and _width(line) + 1 + _width(word) > width:
            lines.append(line)
            line, empty = rest, True
        line, empty = line + ("" if empty else " ") + word, False
        while _width(line) > width > len(rest) + 1:
            cut = next(end for end in range(width, 0, -1) if _width(line[:end]) <= width)
            lines.append(line[:cut])
            line = rest + line[cut:]
    return [*lines, line]


def _items(section: Section, width: int) -> Iterator[str]:
    followed = list(zip(section.items, [*section.items[1:], None], strict=True))
    widest = max(
        (_width(str(item)) for item, after in followed if _is_label(item, after)), default=0
    )
    label = ""
    for item, after in followed:
        if isinstance(item, Table):
            yield table_text(item, indent="     ")
        elif isinstance(item, Command):
            line = printable(item.line)
            yield f" - {label:<{widest}} {line}" if label else f"     {line}"
            label = ""
        elif _is_label(item, after):
            label = sentence(item)
        else:
            yield from wrapped(sentence(item), width, " - ", "   ")


def _is_label(item: str | Command | Table, after: str | Command | Table | None) -> bool:
    """Whether a command stands behind the item on its line: a caption of a few words."""
    return (
        isinstance(item, str)
        and isinstance(after, Command)
        and item.endswith(":")
        and len(item) <= 24
    )


def _width(text: str) -> int:
    """How many columns of a terminal ``text`` takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
