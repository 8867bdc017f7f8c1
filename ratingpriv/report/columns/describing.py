"""What ``ratingpriv describe`` found, as a page."""

from __future__ import annotations

from collections import Counter

from ratingpriv.codebook.proposing import Proposal
from ratingpriv.formats.describing import Description
from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import count, number, percent

__all__ = ["description_page"]


def description_page(found: Description, *, examples: bool = False, codebook: str | None = None) -> Page:
    """Return the page of a description.

    Parameters
    ----------
    examples : whether it shows values of the data
    codebook : the file that the proposal was written to
    """
    titles: tuple[str, ...] = ("column", "role", "why", "type", "different", "range", "missing")
    right: tuple[bool, ...] = (False, False, False, False, True, True, True)
    if examples:
        titles, right = (*titles, "examples"), (*right, False)
    rows = tuple(_row(column, examples) for column in found.columns)
    roles = Counter(column.role for column in found.columns)
    counted = ", ".join(f"{amount} {role}" for role, amount in roles.most_common())
    asked = tuple(f"{one.name}: {one.question}" for one in found.columns if one.question)
    path = "survey.toml" if codebook is None else codebook
    data = "DATA" if found.name == "-" else found.name
    steps: tuple[str | Command, ...] = (
        "Check the roles: you know what the columns are. A proposal is a guess from names and values.",
        *(() if codebook else (Command(f"ratingpriv describe {data} -o {path}"),)),
        Command(f"ratingpriv audit {data} --codebook {path} --k 5 --epsilon 1"),
    )
    return Page(
        headline=f"{count(found.records, 'record')}, {count(len(found.columns), 'column')}: {counted}.",
        sections=(
            Section("What the columns seem to be", (Table(titles, rows, right),)),
            Section("What was asked", asked),
            Section("Next", steps),
        ),
    )


def _row(column: Proposal, examples: bool) -> tuple[str, ...]:
    ends = "" if column.range is None else f"{number(column.range[0])} to {number(column.range[1])}"
    cells = (
        column.name,
        column.role,
        column.reason,
        column.type,
        "" if column.distinct is None else f"{column.distinct:,}",
        ends,
        "" if column.missing is None else percent(column.missing),
    )
    return (*cells, ", ".join(column.examples)) if examples else cells
