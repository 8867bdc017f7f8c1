"""Record ids: brought to Int64 or String, checked, and turned into positions."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import Problem
from ratingpriv.base.numbers import LARGEST
from ratingpriv.data.table.building.problems import Locate, Problems, number_text

_WHOLE = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
_TYPES = (*_WHOLE, pl.String, pl.Categorical, pl.Null)


def normal_ids(ids: pl.Series, problems: Problems, locate: Locate, *, unique: bool = True) -> pl.Series:
    """Return record ids as Int64 or String; note nulls, repeats (if ``unique``) and other types as problems.

    Whole numbers of any width, also as floats, become Int64; text, categorical and Enum become String.
    ``locate(row)`` says where an id stands. The result is meaningless once a problem was noted.
    """
    before = problems.total
    kind = ids.dtype
    whole = pl.repeat(True, len(ids), dtype=pl.Boolean, eager=True)
    if kind.is_float():
        whole = ids.is_finite() & (ids.floor() == ids) & (ids.abs() <= LARGEST)
    elif kind == pl.UInt64:
        whole = ids <= (1 << 63) - 1
    elif kind not in _TYPES and not isinstance(kind, pl.Enum):
        file, _, column = locate(0)
        found, expected = f"record ids of type {kind}", "whole numbers or text"
        problems.add(Problem(file, found, expected, "cast them to text", column=column))
        return ids

    def not_whole(row: int) -> Problem:
        file, line, column = locate(row)
        expected, cell = "whole numbers below 2**63, or text", number_text(ids[row])
        return Problem(file, "another record id", expected, "cast the ids to text", line, column, cell)

    def absent(row: int) -> Problem:
        file, line, column = locate(row)
        return Problem(file, "no record id", "a record id in every row", "", line, column)

    problems.at(_where(~whole), not_whole)
    problems.at(_where(ids.is_null()), absent)
    text = kind in (pl.String, pl.Categorical) or isinstance(kind, pl.Enum)
    if problems.total > before:
        return ids
    normal = ids.cast(pl.String if text else pl.Int64)
    if unique and not all_distinct(normal):

        def repeated(row: int) -> Problem:
            file, line, column = locate(row)
            first = locate(normal.index_of(normal[row]) or 0)[1]
            found = "a record id a second time" + (f" (first in line {first})" if first else "")
            remedy = "remove one of the two, or name another column of ids with `id`"
            return Problem(file, found, "every record id once", remedy, line, column, str(normal[row]))

        problems.at(_where(~normal.is_first_distinct()), repeated)
    return normal


def all_distinct(ids: pl.Series) -> bool:
    """Whether no two ids are equal: hashes, sorted, nearly always say so, and cheaper than a count of ids."""
    hashes = np.sort(ids.hash().to_numpy())
    return not bool(np.any(hashes[1:] == hashes[:-1])) or ids.n_unique() == len(ids)


def factorised(ids: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """Return (positions int32 (n,), the distinct ids in the order of their first row); ids without nulls."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(ids.rechunk().to_arrow())
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return encoded.indices.to_numpy(), pl.Series(ids.name, encoded.dictionary).cast(ids.dtype)


def _where(wrong: pl.Series) -> NDArray[np.int64]:
    return np.flatnonzero(wrong.fill_null(False).to_numpy())
