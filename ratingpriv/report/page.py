"""A page that can be read aloud: a headline, what it means, and sections of sentences."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import IO

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ratingpriv.report.plain import printable

__all__ = ["Page", "print_headline", "print_on", "print_page", "print_section"]


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
    """Write the page to ``file``, as :func:`print_on` does."""
    print_on(file, lambda console: _print(console, page), width=width)


def print_on(file: IO[str], draw: Callable[[Console], None], *, width: int | None = None) -> None:
    """Let ``draw`` write to ``file``; coloured if that is a terminal, plain text if not.

    ``width`` is the line length (None: the terminal's, 80 in a file).
    """
    if file.isatty():
        draw(Console(file=file, width=width, markup=False, highlight=False, emoji=False))
        return
    text = io.StringIO()
    plain = Console(
        file=text, width=width or 80, markup=False, highlight=False, emoji=False, color_system=None
    )
    draw(plain)
    file.writelines(line.rstrip() + "\n" for line in text.getvalue().splitlines())  # rich pads with spaces


def _print(console: Console, page: Page) -> None:
    print_headline(console, page.headline, page.explanation, good=page.good)
    for title, sentences in page.sections:
        if sentences:
            print_section(console, title, map(_sentence, sentences))


def print_headline(console: Console, headline: str, explanation: Iterable[str], *, good: bool) -> None:
    """Print the headline, in one line however long, and what it means."""
    console.print(Text(headline, style="bold green" if good else "bold red"), soft_wrap=True)
    for sentence in explanation:
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))


def print_section(console: Console, title: str, sentences: Iterable[str]) -> None:
    """Print a title and its sentences, as they are."""
    console.print()
    console.print(Text(title, style="bold"))
    for sentence in sentences:
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(Text(" -"), Text(sentence))
        console.print(grid)


def _sentence(text: str) -> str:
    text = printable(text)
    return text[:1].upper() + text[1:].removesuffix(".") + "."
