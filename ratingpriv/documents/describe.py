"""``ratingpriv.describe/1``: what each column of a file seems to be, as a proposal."""

from __future__ import annotations

from typing import Any, Literal

from ratingpriv.documents.data import Caution, Tool
from ratingpriv.documents.form import Count, Document, Positive


class DescribedFile(Document):
    """What was described.

    Attributes
    ----------
    format : The loader that read it.
    """

    name: str
    format: str
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
    """One column: what it holds, and what it is taken for.

    Attributes
    ----------
    position : Its number in the file.
    role : The role proposed.
    why : The reason, without any value of the data.
    codebook : What a codebook would say of the column.
    type : What its cells hold.
    distinct : Different values; null where the column was not read.
    answers : Cells with a value; null where the column was not read.
    missing : Cells without one; null where the column was not read.
    min : The least number, of ratings, quasi-identifiers and sensitive columns; else null.
    max : The greatest number, likewise.
    question : What was asked, where the format tells.
    examples : A few values, where they were asked for.
    """

    name: str
    position: Positive
    role: Literal["id", "identifier", "rating", "quasi", "sensitive", "carry", "drop"]
    why: str
    codebook: dict[str, Any]
    type: Literal[
        "whole numbers", "numbers", "text", "numbers and text", "dates", "yes or no", "empty", "not read"
    ]
    distinct: Count | None
    answers: Count | None
    missing: Count | None
    min: float | None
    max: float | None
    question: str | None
    examples: list[str]


class Description(Document):
    """What each column of a file seems to be, as a proposal.

    Attributes
    ----------
    schema : Name and version of this form.
    columns : Every column, in the file's order.
    cautions : What to know before relying on it.
    """

    schema: Literal["ratingpriv.describe/1"]
    tool: Tool
    dataset: DescribedFile
    roles: ColumnRoles
    columns: list[DescribedColumn]
    cautions: list[Caution]
