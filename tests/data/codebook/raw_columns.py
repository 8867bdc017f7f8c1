"""RawData by way of the csv module: what a loader gives, made by nobody's loader."""

import csv
import io
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.table import Origin


def raw(rows: list[list[str]], *, skip: int = 0, **details: Any) -> RawData:
    """RawData of rows of text, the first of which are the names;
    ``skip`` rows below them are left out.
    """
    names, body = rows[0], rows[1 + skip :]
    texts: dict[str, int] = {}
    cells = [[texts.setdefault(cell.strip(), len(texts)) for cell in row] for row in body]
    codes = np.array(cells, dtype=np.uint32).reshape(len(body), len(names))
    distinct = pl.Series(list(texts), dtype=pl.String)
    columns = tuple(
        RawColumn(
            name, TextCells(distinct, codes[:, place]), **details.get(name, MappingProxyType({}))
        )
        for place, name in enumerate(names)
    )
    return RawData(
        read=columns,
        records=len(body),
        origin=Origin(name="made.csv", format="delimited", layout="wide"),
        locate=lambda row, column: ("made.csv", row + 2 + skip, column or None),
        names=tuple(names),
    )


def raw_text(text: str, **details: Any) -> RawData:
    """RawData of CSV."""
    return raw(list(csv.reader(io.StringIO(text))), **details)
