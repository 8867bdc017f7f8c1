"""What a section of the report holds, before anything is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ratingpriv.report.page import Command, Table

__all__ = ["Facts", "Item", "Lines", "Note", "Part", "Picture", "Sides", "Terms"]

type Item = str | Command | Table | Facts | Lines | Note | Picture | Sides | Terms
"""A str is a paragraph."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences that belong together, a list."""

    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence that must not be overlooked.

    ``kind`` : ``good`` or ``bad`` is a verdict, ``open`` one that promises less than it seems to; ``missing``
    says what was not measured and how to get it
    """

    kind: Literal["good", "bad", "open", "missing"]
    text: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what stands for each."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """Words and what they mean."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """An inline SVG that says itself what it shows, and the sentence below it."""

    svg: str
    caption: str


@dataclass(frozen=True, slots=True)
class Sides:
    """The same of the data and of the release; a script shows one of them or both."""

    before: tuple[Item, ...]
    after: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the report. ``name`` is its anchor."""

    name: str
    title: str
    items: tuple[Item, ...]
