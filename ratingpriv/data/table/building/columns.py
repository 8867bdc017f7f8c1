"""From one column an issue to the checked parts of a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import Problem
from ratingpriv.base.numbers import inexact_decimal
from ratingpriv.data.table.building.coding import Codes, LevelEncoder, Rows, as_float, normal_ids
from ratingpriv.data.table.building.finishing import Handling, finished, fresh_name, issue_roles
from ratingpriv.data.table.building.problems import (
    Place,
    Problems,
    exact,
    inexact_problem,
    no_rows,
    off_scale,
    off_scale_problem,
    unreal,
)
from ratingpriv.data.table.parts import EVERY_ISSUE, Origin, Parts, SensitiveColumn

LocateCell = Callable[[int, str], tuple[str, int | None, str | int | None]]
"""Says where row i, counted from 0, of the column with this name stands in the data: a Place."""


def parts_from_columns(
    columns: Sequence[pl.Series],
    handling: Handling,
    *,
    record_ids: pl.Series | None,
    origin: Origin,
    records: int | None = None,
    unread: Sequence[str] = (),
    locate: LocateCell | None = None,
    problems: Problems | None = None,
) -> Parts:
    """Make the parts of a table of one column an issue; DataError with every problem.

    Parameters
    ----------
    columns : a Series for each issue, called by its name, all of one length (n_records,), null
        where not rated: integer, float, decimal or boolean (true is 1). Dropped issues need not be
        among them
    record_ids : as the data has them, checked here by :func:`.normal_ids`; None: records are
        numbered 0..n-1
    records : how many there are, where a table without non-sensitive issues will do, as it has
        quasi-identifiers
    unread : names of issues of the data that are not among ``columns``; dropped ones may be there
    locate : says where a cell of an issue, or of ``origin.record_name``, stands; by default row i
        is line i + 1
    problems : what the loader has found wrong already (text in a cell, say, passed here as null).
        It is reported together with what is found here
    """
    problems = Problems() if problems is None else problems
    locate_cell = locate or (lambda row, column: Place(origin.name, row + 1, column))
    names = [column.name for column in columns]
    dropped = [name for name in handling.drop if name in names]
    roles = issue_roles(names, handling.sensitive, dropped, origin.name, bare=records is not None)
    n = len(columns[0]) if records is None else records
    if n == 0:
        problems.add(no_rows(origin.name))
        raise problems.error()
    if record_ids is None:
        ids = pl.int_range(n, dtype=pl.Int64, eager=True)
    else:
        ids = normal_ids(record_ids, problems, lambda row: locate_cell(row, origin.record_name))
    read = {}
    for position in sorted([*roles.kept, *roles.sensitive]):
        secret = position in roles.sensitive
        scale = handling.bounds(names[position], sensitive=secret)
        numbers = _checked(columns[position], scale, problems, locate_cell, sensitive=secret)
        if numbers is not None:
            read[position] = numbers
    problems.raise_if_any()
    rows, levels = _interleaved([read[position] for position in roles.kept], n)
    return finished(
        rows,
        levels,
        handling,
        record_ids=ids,
        issues=[names[position] for position in roles.kept],
        sensitive=tuple(
            SensitiveColumn(
                names[position], np.where(present, as_float(values), 0.0), np.array(present)
            )
            for position in roles.sensitive
            for values, present in [read[position]]
        ),
        origin=dataclasses.replace(origin, record_name=fresh_name(origin.record_name, names)),
        names=list(dict.fromkeys([*names, *handling.drop, *unread])),
    )


def numbers_of(
    column: pl.Series, problems: Problems, locate: LocateCell
) -> tuple[NDArray[Any], NDArray[np.bool_]] | None:
    """Return (values, present) of a column.

    None, with a problem noted, if it does not hold numbers.

    ``values`` are anything where ``present`` is false, and may be NaN or infinite where it is true.
    """
    kind = column.dtype
    if column.null_count():
        present = column.is_not_null().to_numpy()
    else:  # of many million records, a byte each would be as much as the ratings
        present = np.broadcast_to(np.True_, len(column))
    if kind == pl.Null or (not present.any() and len(column)):
        return np.zeros(len(column), dtype=np.uint8), np.zeros(len(column), dtype=bool)
    if kind == pl.Boolean:
        column = column.cast(pl.UInt8)
    elif isinstance(kind, pl.Decimal) or kind in (pl.Int128, pl.UInt128):
        distinct = column.unique().drop_nulls()
        odd = [value for value in distinct.to_list() if inexact_decimal(Decimal(value)) is not None]
        if odd:
            lost = (
                column.is_in(pl.Series(odd, dtype=column.dtype).implode())
                .fill_null(False)
                .to_numpy()
            )
            rows = np.flatnonzero(lost)
            problems.at(rows, lambda row: inexact_problem(column[row], locate(row, column.name)))
            present = present & ~lost
        return column.cast(pl.Float64).fill_null(0).to_numpy(), present
    elif not kind.is_numeric():
        row = int(np.argmax(present))
        file, line, name = locate(row, column.name)
        text = kind in (pl.String, pl.Categorical) or isinstance(kind, pl.Enum)
        cell = str(column[row]) if text and present.any() else None
        actual = "text" if text and present.any() else f"a column of type {kind}"
        remedy = "drop it with `drop`, or name it with `id` if it holds the record ids"
        if text:
            remedy += "; ratings in words have to be coded as numbers, for `sensitive` as well"
        problems.add(Problem(file, actual, "numbers", remedy, line, name, cell))
        return None
    return (column if present.all() else column.fill_null(0)).to_numpy(), present


def _checked(
    column: pl.Series,
    scale: tuple[float, float] | None,
    problems: Problems,
    locate: LocateCell,
    *,
    sensitive: bool,
) -> tuple[NDArray[Any], NDArray[np.bool_]] | None:
    """Return a column as :func:`numbers_of`, with NaN, infinity and ratings off the scale noted."""
    numbers = numbers_of(column, problems, locate)
    if numbers is None:
        return None
    values, present = numbers
    if values.dtype.kind == "f" or values.dtype.itemsize == 8:
        good = exact(values)
        if not good.all():
            problems.at(
                np.flatnonzero(~good), lambda row: unreal(values[row], locate(row, column.name))
            )
            return values, present & good
    if scale is not None:

        def problem(row: int) -> Problem:
            return off_scale_problem(
                values[row], scale, locate(row, column.name), sensitive=sensitive
            )

        problems.at(np.flatnonzero(off_scale(values, scale) & present), problem)
    return values, present


def _interleaved(
    columns: list[tuple[NDArray[Any], NDArray[np.bool_]]], n: int
) -> tuple[Rows, NDArray[np.float64]]:
    """Turn columns of (values, present) into rows and levels.

    Beside them there are a few blocks at most.
    """
    encoder = LevelEncoder()
    if not columns:
        empty = Rows(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8), None)
        return empty, np.empty(0, np.float64)
    p = len(columns)
    matrix: NDArray[Any] = np.zeros((n, p), dtype=np.uint8)
    complete = True
    for issue, (values, present) in enumerate(columns):
        every = bool(present.all())
        complete = complete and every
        part = encoder.code(values if every else values[present])
        if part.dtype.itemsize > matrix.dtype.itemsize:
            matrix = matrix.astype(part.dtype)
        matrix[slice(None) if every else present, issue] = part
    codes = cast("Codes", matrix.reshape(-1))
    indptr, indices = np.arange(n + 1, dtype=np.int64) * p, EVERY_ISSUE
    if not complete:  # move the codes that are there to the front of the matrix, row by row
        lengths = np.zeros(n, dtype=np.int64)
        for _, present in columns:
            lengths += present
        np.cumsum(lengths, out=indptr[1:])
        indices = np.empty(int(indptr[-1]), dtype=np.int32)
        block = max(1, (1 << 20) // p)
        positions = np.broadcast_to(np.arange(p, dtype=np.int32), (block, p))
        for first in range(0, n, block):
            last = min(first + block, n)
            present_rows = np.stack([present[first:last] for _, present in columns], axis=1)
            # never beyond the rows looked at
            entries = slice(int(indptr[first]), int(indptr[last]))
            codes[entries] = matrix[first:last][present_rows]
            indices[entries] = positions[: last - first][present_rows]
        codes = (
            codes[: len(indices)]
            if 8 * len(indices) > 7 * len(codes)
            else codes[: len(indices)].copy()
        )
    levels, codes = encoder.finish(codes)
    return Rows(indptr, indices, codes, None), levels
