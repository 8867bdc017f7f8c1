"""Markdown of what the program says of itself: its texts are shown as they are,
none of them is markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["bullets", "code", "dedented", "escaped", "fenced", "table"]

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_QUOTED = re.compile(r"(``.+?``|`[^`\n]+`|(?<![\w-])--[a-z](?:[a-z-]*[a-z])?)")
_ROLE = re.compile(r":[a-z:]+:(?=`)")


def escaped(text: str) -> str:
    """Return ``text`` as Markdown that shows it.

    What stands in backquotes, and options, become code.
    """
    parts = _QUOTED.split(_ROLE.sub("", text))
    return "".join(
        code(part.strip("`")) if n % 2 else _MARKUP.sub(r"\\\1", part)
        for n, part in enumerate(parts)
    )


def code(text: str) -> str:
    """Return ``text`` as inline code."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def fenced(text: str, language: str) -> str:
    """Return ``text`` as a block of code; a fence within it does not end it."""
    longest = max(map(len, re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(
        f"| {' | '.join(' '.join(cell.split()) or ' ' for cell in line)} |\n" for line in lines
    )


def bullets(lines: Iterable[str]) -> str:
    """Return a list of what is Markdown already."""
    return "".join(f"* {line}\n" for line in lines)


def dedented(paragraphs: str) -> list[str]:
    """Return the paragraphs of a text, each on one line."""
    return [" ".join(one.split()) for one in re.split(r"\n\s*\n", paragraphs) if one.strip()]
