"""A page that can be read aloud: a headline, what it means, and sections of sentences."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ratingpriv.report.plain import printable

__all__ = ["Page", "print_page"]


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says.

    Attributes
    ----------
    headline : one line, however long: a verdict that is cut in two is misread, by people and by grep
    good : whether the headline is good news
    explanation : what it means, a sentence each
    sections : titles and their sentences; one without sentences is left out
    """

    headline: str
    good: bool
    explanation: tuple[str, ...]
    sections: tuple[tuple[str, tuple[str, ...]], ...]


def print_page(page: Page, file: IO[str], *, width: int | None = None) -> None:
    """Write the page to ``file``; coloured if that is a terminal, plain text if not.

    ``width`` is the line length (None: the terminal's, 80 in a file).
    """
    if file.isatty():
        _print(Console(file=file, width=width, markup=False, highlight=False, emoji=False), page)
        return
    text = io.StringIO()
    plain = Console(
        file=text, width=width or 80, markup=False, highlight=False, emoji=False, color_system=None
    )
    _print(plain, page)
    file.writelines(line.rstrip() + "\n" for line in text.getvalue().splitlines())  # rich pads with spaces


def _print(console: Console, page: Page) -> None:
    console.print(Text(page.headline, style="bold green" if page.good else "bold red"), soft_wrap=True)
    for sentence in page.explanation:
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))
    for title, sentences in page.sections:
        if sentences:
            _section(console, title, sentences)


def _section(console: Console, title: str, sentences: Iterable[str]) -> None:
    console.print()
    console.print(Text(title, style="bold"))
    for sentence in sentences:
        sentence = printable(sentence)
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(Text(" -"), Text(sentence[:1].upper() + sentence[1:].removesuffix(".") + "."))
        console.print(grid)
