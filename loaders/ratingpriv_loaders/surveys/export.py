"""What a survey tool's export says of itself in its header: names, questions, and columns it is sure of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

__all__ = ["FREE_TEXT", "Export", "folded", "known_columns", "one_line"]

FREE_TEXT = "free text"
"""Why a column of free text is taken for a direct identifier: people write anything into it."""


@dataclass(frozen=True, slots=True)
class Export:
    """The header of an export.

    Attributes
    ----------
    names : a short name for each column, each once
    rows : how many rows the header has
    reason : how the tool was recognised, in words for the user
    questions : what was asked, by name
    known : (role, why) of the columns that the tool makes itself, by name
    options : of columns that hold an answer's own words where it was chosen and nothing where it was not
        ("check all that apply"): these words, by name
    """

    names: tuple[str, ...]
    rows: int
    reason: str
    questions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    known: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def one_line(text: str) -> str:
    """Return a header's text on one line, without white space around it."""
    return " ".join(text.split())


def folded(text: str) -> str:
    """Return a header's text as it is compared: without case, and without spaces, dots, dashes and such."""
    return "".join(character for character in text.casefold() if character not in " \xa0._-/'’\t\r\n")


def known_columns(
    names: Sequence[str], heads: Sequence[str], roles: Mapping[str, tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """Return (role, why) of the columns whose head, folded, is one of ``roles``; the first id only is one."""
    found: dict[str, tuple[str, str]] = {}
    for name, head in zip(names, heads, strict=True):
        role = roles.get(folded(head))
        if role is not None and role[0] == "id" and any(one == "id" for one, _ in found.values()):
            role = ("identifier", role[1])
        if role is not None:
            found[name] = role
    return found
