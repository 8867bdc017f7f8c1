"""The page of ``ratingpriv describe``: every column with the role proposed, and why."""

from __future__ import annotations

from collections.abc import Sequence

from ratingpriv.base.escaping import printable
from ratingpriv.data.codebook.proposing import Description, ProposedColumn
from ratingpriv.data.codebook.recognition.side_by_side import CHOICE
from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import count
from ratingpriv.report.wording import before_relying

__all__ = ["describe_page"]

_WIDEST = 32


def describe_page(description: Description, *, data: str = "DATA", written: str | None = None) -> Page:
    """Return the page.

    Parameters
    ----------
    data : how the next command names the data
    written : the codebook that was written; None: none was
    """
    columns = description.columns
    counts = ", ".join(
        f"{len(found)} {role}"
        for role in ("id", "identifier", "rating", "quasi", "sensitive", "carry", "drop")
        if (found := description.of_role(role))
    )
    examples = any(column.examples for column in columns)
    titles = ("", "column", "role", "holds", "different", "missing", "why")
    table = Table(
        (*titles, "examples") if examples else titles,
        tuple(_row(column, description.records, examples=examples) for column in columns),
        (True, False, False, False, True, True, False, *([False] if examples else [])),
    )
    next_steps: tuple[str | Command, ...] = (
        "Write a codebook, and correct it in an editor:",
        Command(f"ratingpriv describe {data} -o survey.toml"),
    )
    if written is not None:
        next_steps = (
            f"Read {written} in an editor and correct its roles; the reasons stand in it as comments. Then:",
            Command(f"ratingpriv audit {data} --codebook {written} --k 5 --epsilon 1"),
        )
    return Page(
        headline=f"{description.name}: {count(description.records, 'record')}, "
        f"{count(len(columns), 'column')}: {counts}",
        explanation=(
            "These are proposals, made of names and values; nobody has checked them. Nothing here says that "
            "the data can be released. A column that is taken for a rating and is none is released as it is.",
        ),
        sections=(
            Section("Columns", (table,)),
            before_relying([caution.message for caution in description.cautions]),
            Section("What to look at first", tuple(_hints(description))),
            Section("What to do next", next_steps),
        ),
    )


def _row(column: ProposedColumn, records: int, *, examples: bool) -> tuple[str, ...]:
    known = column.distinct is not None and column.missing is not None
    cells = (
        str(column.place),
        _short(column.name),
        column.role,
        column.kind,
        f"{column.distinct:,}" if known else "",
        f"{(column.missing or 0) / max(records, 1):.1%}" if known else "",
        column.why,
    )
    return (*cells, ", ".join(_short(one) for one in column.examples)) if examples else cells


def _few(columns: Sequence[ProposedColumn]) -> str:
    return ", ".join(_short(column.name) for column in columns[:6]) + (", …" if len(columns) > 6 else "")


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _hints(description: Description) -> list[str]:
    """Return what a person decides better than a program."""
    hints = []
    if not description.of_role("sensitive"):
        hints.append(
            "no column is proposed as sensitive: which answers must not be learnt of anybody is yours to say "
            '(role = "sensitive")'
        )
    choices = [column for column in description.of_role("quasi") if column.why == CHOICE]
    if choices:
        hints.append(
            f"choices between two ({_few(choices)}) beside questions of more steps: at epsilon 1 a rating of "
            "two values tells nobody apart, so they are proposed as quasi and have to be equal"
        )
    quasi = [column for column in description.of_role("quasi") if column not in choices]
    if quasi:
        hints.append(
            f"known attributes of the persons ({_few(quasi)}) make "
            "records distinguishable: put numbers into bands (band = 10), and drop what nobody needs"
        )
    coded = [_short(column.name) for column in description.columns if column.spec.missing]
    if coded:
        hints.append(f"{', '.join(coded[:6])}: values that may be missing codes are proposed as missing")
    return hints
