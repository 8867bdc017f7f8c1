"""Raw columns of a typed file become a table: a row a record, or a row a rating."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import polars as pl

from ratingpriv.codebook.cells import NullTokens
from ratingpriv.codebook.contents import Contents
from ratingpriv.codebook.raw import RawData, TextCells
from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.formats import column_names
from ratingpriv.formats.reading import ReadOptions
from ratingpriv.table import RatingTable
from ratingpriv.table.building.conversion import from_long

__all__ = ["TAKES", "not_needed", "refuse_roles", "table_of_raw"]

TAKES = ("codebook", "quasi", "identifier", "carry", "ratings", "keep", "only_null")
"""Reading options on roles that every loader of wide columns knows."""


def not_needed(names: Sequence[str], options: ReadOptions, *, file: str) -> dict[str, str]:
    """Return the columns of a wide file that need not be read, with the role they are left out by."""
    from ratingpriv.codebook.applying import wanted

    if column_names.decide_layout(names, options) == "long":
        return {}
    roles = wanted(names, options, file=file)
    return {name: "drop" for name, role in roles.items() if role == "drop"}


def table_of_raw(raw: RawData, options: ReadOptions) -> RatingTable:
    """Return the table of raw columns, by what is said of them.

    Raises
    ------
    DataError
        They do not make a table; with every problem.
    ParameterError
        Something is said that only a row a record has a place for.
    """
    from ratingpriv.codebook.applying import table_of

    if column_names.decide_layout(raw.names, options) == "wide":
        return table_of(raw, options)
    refuse_roles(options)
    return _long_table(raw, options)


def refuse_roles(options: ReadOptions) -> None:
    """Refuse what is said of columns where a row is a rating: nobody would heed it."""
    for name in ("quasi", "identifier", "carry", "keep", "codebook"):
        said = getattr(options, name)
        if name == "codebook" and said is not None and not said.columns:
            continue
        if said:
            shown = ", ".join(said) if isinstance(said, tuple) else "one"
            remedy = "write the ratings as delimited text, or a row a record"
            raise ParameterError(name, shown, f"no `{name}` for a row a rating in this format", remedy)


def _long_table(raw: RawData, options: ReadOptions) -> RatingTable:
    """Return the table of a row a rating."""
    columns = column_names.long_columns(raw.names, options, file=raw.origin.name)
    nulls = NullTokens(options)
    cells = {column.name: _typed(column.cells) for column in raw.columns}
    ratings = cells[columns.rating]
    if ratings.dtype == pl.String:
        parsed = ratings.cast(pl.Float64, strict=False)
        unanswered = [text for text in ratings.drop_nulls().unique() if text in nulls]
        if bool((parsed.is_null() & ratings.is_not_null() & ~ratings.is_in(unanswered)).any()):
            row = int((parsed.is_null() & ratings.is_not_null() & ~ratings.is_in(unanswered)).arg_max() or 0)
            file, line, column = raw.locate(row, columns.rating)
            remedy = "correct it; if it means not rated, name it with `null`"
            raise DataError(Problem(file, "text", "a number", remedy, line, column, str(ratings[row])))
        ratings = parsed.set(ratings.is_in(unanswered), None)
    gone = [value for value in nulls.numbers if ratings.dtype.is_numeric()]
    if gone:
        ratings = ratings.set(ratings.cast(pl.Float64).is_in(gone).fill_null(False), None)
    cells[columns.rating] = ratings.alias(columns.rating)
    times = columns.timestamp if options.timed else None
    roles = (columns.record, columns.issue, columns.rating, times)
    frame = pl.DataFrame([cells[name] for name in roles if name is not None])
    table = RatingTable.of(
        from_long(
            frame,
            record=columns.record,
            issue=columns.issue,
            rating=columns.rating,
            timestamp=times,
            sensitive=options.sensitive,
            drop=(*options.drop, *([] if options.timed or not columns.timestamp else [columns.timestamp])),
            scale=options.scale,
            sensitive_scale=options.sensitive_scale,
            name=raw.origin.name,
            duplicates=options.duplicates,
            locate=lambda row: raw.locate(row, columns.rating),
        )
    )
    origin = dataclasses.replace(
        table.origin, format=raw.origin.format, sha256=raw.origin.sha256, details=raw.origin.details
    )
    wanted = [name for name in options.only if name not in options.sensitive]
    spellings = Contents(options, {}).spelled(
        [c for c in raw.columns if c.name == columns.rating], lambda _: "rating"
    )
    table = table.replace(origin=origin.spelled(spellings))
    return table.select_issues(wanted) if options.only else table


def _typed(cells: TextCells | pl.Series) -> pl.Series:
    if isinstance(cells, pl.Series):
        return cells
    texts = cells.texts.gather(cells.codes)
    return texts.set(texts == "", None)
