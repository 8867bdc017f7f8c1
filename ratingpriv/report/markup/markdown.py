"""A page as Markdown (GitHub's): what the data say stays text, whatever it looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ratingpriv.report.markup.html import Entry, TitledTable, blocks
from ratingpriv.report.plain import printable, sentence

if TYPE_CHECKING:
    from ratingpriv.report.page import Page

_MEANING = re.compile(r"([\\`*_{}\[\]<>#|~!&$@])")
_BEGINNING = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$|[-+=])")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|www)(?=:|\.)")
_BACKTICKS = re.compile(r"`+")


def markdown(page: Page) -> str:
    """Return the page as Markdown that ends in a newline.

    Commands stand in fences, tables in pipes.
    """
    lines = [f"# {_text(page.headline)}", ""]
    for paragraph in page.explanation:
        lines += [_text(sentence(paragraph)), ""]
    for section in page.sections:
        if section.items:
            lines += [f"## {_text(section.title)}", ""]
            for part in blocks(section):
                lines += [*(_table(part) if isinstance(part, TitledTable) else _list(part)), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _list(entries: Sequence[Entry]) -> Iterator[str]:
    for entry in entries:
        text, commands = entry.text, entry.commands
        indent = "" if text is None else "  "
        if text is not None:
            yield f"- {_text(text)}"
        for command in commands:
            fence = "`" * max(
                3, 1 + max((len(run) for run in _BACKTICKS.findall(command)), default=0)
            )
            yield from ("", f"{indent}{fence}", f"{indent}{command}", f"{indent}{fence}", "")


def _table(titled: TitledTable) -> Iterator[str]:
    table = titled.table
    if titled.introduced:
        yield from (_text(titled.caption), "")
    yield _row(table.columns)
    yield _row(["---:" if right else "---" for right in table.right], escaped=True)
    for row in table.rows:
        yield _row(row)


def _row(cells: Sequence[str], *, escaped: bool = False) -> str:
    return "| " + " | ".join(cell if escaped else _inline(cell) for cell in cells) + " |"


def _text(text: str) -> str:
    """Return a paragraph that Markdown shows as it is: nothing makes it a list or a title."""
    return _BEGINNING.sub(lambda match: f"{match[1]}{_inert(match[2])}", _inline(text))


def _inline(text: str) -> str:
    r"""Return a text that Markdown shows as it is: no markup, no HTML, no link, no mathematics."""
    escaped = _MEANING.sub(r"\\\1", printable(text))
    return _ADDRESS.sub(lambda match: f"{match[1][0]}&#{ord(match[1][1])};{match[1][2:]}", escaped)


def _inert(beginning: str) -> str:
    return f"&#{ord(beginning[0])};{beginning[1:]}"
