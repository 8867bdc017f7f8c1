"""Data frames and matrices of Python as raw columns: what loaders are for files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.codebook.cells import declared_column
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.raw import RawColumn, RawData
from ratingpriv.data.table.building.conversion import Frame
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.finishing import fresh_name
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv.data.table.parts import Origin
from ratingpriv.data.table.table import RatingTable


def raw_of_frame(
    df: Any,
    *,
    name: str = "table",
    id: str | None = None,  # noqa: A002 -- the word of the field, and of --id
    left_out: Callable[[Sequence[str]], Mapping[str, str]] | None = None,
) -> RawData:
    """Return the columns of a data frame of polars, pandas or arrow, a row a record.

    A pandas index with a name, or one that is no plain numbering of the rows, becomes a column: of
    record ids, unless ``id`` names another. Ordered categoricals (of pandas and arrow, and every
    Enum of polars) are numbers with labels: the numbers that the categories are, or 1, 2, ... in
    their order. What SPSS says of variables is taken from ``df.attrs``, by the names that
    pyreadstat has for it (``variable_value_labels``, ``column_names_to_labels``,
    ``missing_ranges``). ``left_out`` says, of all names, which columns need not be read, and the
    role that they are left out by.
    """
    frame = Frame(df, name)
    problems = Problems()
    index = frame.index()
    names, index_name = list(frame.names), None
    if index is not None and (index.name or id is None):
        # else row numbers of a part of a frame, where other ids are named
        index_name = index.name or fresh_name("record", names)
        if index_name in names:
            actual = "an index that is called as a column is"
            raise DataError(
                Problem(name, actual, "different names", "rename the index", column=index_name)
            )
        names.insert(0, index_name)
    unread = dict(left_out(names)) if left_out is not None else {}
    columns = []
    for column in names:
        aside = Problems() if unread.get(column) == "identifier" else problems
        if column in unread and aside is problems:
            continue
        if column == index_name and index is not None:
            role, why = ("id", "it is the index of the data frame") if id is None else (None, "")
            made = RawColumn(column, index.alias(column), known_role=role, why=why)
        elif column == id:
            made = RawColumn(column, frame.column(column, aside))
        else:
            made = _column(frame, column, aside)
        # an identifier is looked at for values that repeat, if it has any
        if aside is problems or not aside:
            columns.append(made)
            unread.pop(column, None)
    problems.raise_if_any()
    order, record_name, details = tuple(names), fresh_name("record", names), {"frame": frame.kind}
    return RawData(
        read=tuple(columns),
        records=frame.rows,
        origin=Origin(
            name=name, layout="wide", record_name=record_name, order=order, details=details
        ),
        locate=lambda row, column: Place(name, row + 1, column),
        unread=tuple(unread.items()),
        names=order,
    )


def raw_of_matrix(matrix: NDArray[Any], *, name: str = "table") -> RawData:
    """Return the columns of a matrix of numbers, a row a record: NaN, and what is masked,
    is null.
    """
    values = np.ma.getdata(matrix)
    names, masked = _names(values, "an array"), np.ma.getmaskarray(matrix)
    columns = []
    for place, issue in enumerate(names):
        cells = pl.Series(issue, np.ascontiguousarray(values[:, place]))
        cells = cells.fill_nan(None) if cells.dtype.is_float() else cells
        columns.append(RawColumn(issue, cells.set(pl.Series(masked[:, place]), None)))
    return RawData(
        read=tuple(columns),
        records=values.shape[0],
        origin=Origin(name=name, layout="wide", order=tuple(names)),
        locate=lambda row, column: Place(name, row + 1, column),
        called=False,
    )


def table_of_sparse(matrix: Any, options: ReadOptions, *, name: str = "table") -> RatingTable:
    """Return the table of a sparse matrix of scipy: all entries that it keeps are ratings,
    zeros included.
    """
    for role in ("codebook", "quasi", "identifier", "carry", "keep", "ratings", "id"):
        if getattr(options, role):
            shown = getattr(options, role) if role != "codebook" else "a codebook"
            remedy = "give a data frame, where columns have types and names"
            raise ParameterError(
                role, shown, "nothing, for a sparse matrix: all of it is ratings", remedy
            )
    entries = matrix.tocoo()
    names = _names(entries, "a sparse array")
    rows, columns = entries.coords if hasattr(entries, "coords") else (entries.row, entries.col)
    values = entries.data.astype(np.uint8) if entries.data.dtype.kind == "b" else entries.data
    parts = parts_from_coordinates(
        Coordinates(
            rows,
            columns,
            values,
            lambda entry: Place(name, int(rows[entry]) + 1, int(columns[entry]) + 1),
        ),
        dataclasses.replace(options.handling, duplicates="refuse"),
        record_ids=pl.int_range(entries.shape[0], dtype=pl.Int64, eager=True),
        issue_names=names,
        origin=Origin(name=name, layout="wide"),
    )
    return RatingTable.of(parts)


def _names(matrix: Any, kind: str) -> list[str]:
    """Return "1", "2", ..., the names of a matrix's columns,
    as those of a file without a header.
    """
    if len(matrix.shape) != 2 or matrix.dtype.kind not in "iufb":
        actual = f"{kind} of shape {matrix.shape} and type {matrix.dtype}"
        raise ParameterError("matrix", actual, "numbers in two dimensions, one row per record")
    return [str(number) for number in range(1, matrix.shape[1] + 1)]


def _column(frame: Frame, name: str, problems: Problems) -> RawColumn:
    """Return a column with what pandas keeps of it in ``df.attrs``, as pyreadstat says it."""
    metadata, cells = frame.said, frame.column(name, problems)
    question = metadata.get("column_names_to_labels", {}).get(name)
    categories = frame.categories(name, ordered=True)
    if categories is not None:
        return of_categories(cells, categories, question)
    ranges = metadata.get("missing_ranges", {}).get(name, ())
    return declared_column(
        cells, ranges, metadata.get("variable_value_labels", {}).get(name, {}), question
    )


def of_categories(cells: pl.Series, categories: Sequence[Any], question: Any = None) -> RawColumn:
    """Return a column of ordered categories as numbers: those that they are,
    or their positions from 1.
    """
    texts = [str(category) for category in categories]
    if len(set(texts)) < len(texts):
        raise ParameterError(cells.name, "two categories that are written alike", "different ones")
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        numbers = [np.nan]
    labels: tuple[tuple[float, str], ...] = ()
    if not np.isfinite(numbers).all():
        numbers = [float(number) for number in range(1, len(texts) + 1)]
        labels = tuple(zip(numbers, texts, strict=True))
    values = pl.Series(cells.name, [None] * len(cells), dtype=pl.Float64)
    if texts:
        number_of = dict(zip(texts, numbers, strict=True))
        values = cells.cast(pl.String).replace_strict(
            number_of, default=None, return_dtype=pl.Float64
        )
    if bool((values.floor() == values).all()):
        values = values.cast(pl.Int64)
    return RawColumn(
        name=cells.name,
        cells=values.alias(cells.name),
        labels=labels,
        ordered=True,
        question=None if question is None else str(question),
    )
