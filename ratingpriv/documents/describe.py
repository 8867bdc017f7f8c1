"""``ratingpriv.describe/1``: what each column of a file seems to be, as a proposal."""

from __future__ import annotations

from typing import Any, Literal

from ratingpriv.documents.data import Caution, Tool
from ratingpriv.documents.form import Count, Document, Positive


class DescribedFile(Document):
    """What was described."""

    name: str
    format: str  #: The loader that read it.
    records: Count


class ColumnRoles(Document):
    """How many columns are proposed for each role."""

    id: Count
    identifier: Count
    rating: Count
    quasi: Count
    sensitive: Count
    carry: Count
    drop: Count


class DescribedColumn(Document):
    """One column: what it holds, and what it is taken for."""

    name: str
    position: Positive  #: Its number in the file.
    role: Literal["id", "identifier", "rating", "quasi", "sensitive", "carry", "drop"]  #: The role proposed.
    why: str  #: The reason, without any value of the data.
    codebook: dict[str, Any]  #: What a codebook would say of the column.
    #: What its cells hold.
    type: Literal[
        "whole numbers", "numbers", "text", "numbers and text", "dates", "yes or no", "empty", "not read"
    ]
    distinct: Count | None  #: Different values; null where the column was not read.
    answers: Count | None  #: Cells with a value; null where the column was not read.
    missing: Count | None  #: Cells without one; null where the column was not read.
    min: float | None  #: The least number, of ratings, quasi-identifiers and sensitive columns; else null.
    max: float | None  #: The greatest number, likewise.
    question: str | None  #: What was asked, where the format tells.
    examples: list[str]  #: A few values, where they were asked for.


class Description(Document):
    """What each column of a file seems to be, as a proposal."""

    schema: Literal["ratingpriv.describe/1"]
    tool: Tool
    dataset: DescribedFile
    roles: ColumnRoles
    columns: list[DescribedColumn]  #: Every column, in the file's order.
    cautions: list[Caution]  #: What to know before relying on it.
