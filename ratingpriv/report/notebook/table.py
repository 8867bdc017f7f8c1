"""A table of ratings as a page: what it holds, and of nobody what they answered."""

from __future__ import annotations

import numpy as np

from ratingpriv.base.numbers import in_full
from ratingpriv.data.table import RatingTable
from ratingpriv.report.page import Page, Section, Table
from ratingpriv.report.plain import count, share

__all__ = ["SHOWN", "table_page"]

SHOWN = 10
"""So many questions are listed; of the others it is said how many there are."""


def table_page(table: RatingTable) -> Page:
    """Return the page of a table: its shape, its columns, what is missing; no id, no rating."""
    return Page(
        headline=f"{table.origin.name}: {count(table.n_records, 'record')}, "
        f"{count(table.n_issues, 'question')}, {count(table.n_ratings, 'rating')}",
        sections=(
            Section("Questions", _questions(table)),
            Section("What the columns are", tuple(_columns(table))),
        ),
    )


def _questions(table: RatingTable) -> tuple[str | Table, ...]:
    n = table.n_records
    if not table.n_issues or not n:
        return ("there are none",)
    answers = np.bincount(table.indices, minlength=table.n_issues)
    rows = tuple(
        (name, f"{answers[place]:,}", share(n - int(answers[place]), n))
        for place, name in enumerate(table.issues[:SHOWN])
    )
    listed = Table(("question", "answers", "unanswered"), rows, (False, True, True))
    rest = table.n_issues - len(rows)
    return (listed, *([f"and {rest:,} more"] if rest else []))


def _columns(table: RatingTable) -> list[str]:
    cells = table.n_records * table.n_issues
    said = [f"unanswered: {share(cells - table.n_ratings, cells)} of all cells"] if cells else []
    scale = table.scale
    if scale is not None:
        how = "declared" if scale.declared else "as found; nobody declared one"
        said.append(f"scale: {in_full(scale.minimum)} to {in_full(scale.maximum)} ({how})")
    for column in table.sensitive:
        kind = "nominal" if column.nominal else "numbers"
        gone = table.n_records - int(np.count_nonzero(column.present))
        missing = share(gone, table.n_records) if table.n_records else "nothing"
        said.append(f"sensitive: {column.name} ({kind}; {missing} unanswered)")
    said += ["sensitive: no column was named"] if not table.sensitive else []
    said += [f"quasi-identifier: {column.name} ({column.rule})" for column in table.quasi]
    said += [f"released though NOBODY AUDITED it: {column.name}" for column in table.carried]
    if table.roles is not None:
        by_role = table.roles.to_dict()["columns"]
        left = [f"{role}: {', '.join(by_role[role])}" for role in ("identifier", "drop") if role in by_role]
        said += [f"left out as {text}" for text in left]
    if table.guessed:
        said.append(f"quasi-identifiers on nobody's word: {', '.join(table.guessed)}")
    if table.timestamps is not None:
        said.append("every rating has a date")
    if table.selection is not None:
        said.append(f"this is a part of the data: {table.selection}")
    return said
