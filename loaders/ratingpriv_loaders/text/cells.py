"""What a cell's text means, as :mod:`ratingpriv.codebook.cells` says for every format."""

from __future__ import annotations

from ratingpriv.codebook.cells import (
    BAD,
    BLANKS,
    INEXACT,
    NULL,
    NUMBER,
    NullTokens,
    ParsedCells,
    number,
    numeral,
    parse_cells,
)

__all__ = [
    "BAD",
    "BLANKS",
    "INEXACT",
    "NULL",
    "NUMBER",
    "NullTokens",
    "ParsedCells",
    "number",
    "numeral",
    "parse_cells",
]
