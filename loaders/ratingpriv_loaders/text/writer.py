"""Writing delimited text: CSV and its relatives, wide (a row a record) or long (a row a rating)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.reading import NULL_TOKENS, ReadOptions
from ratingpriv.data.formats.writing import (
    Rereading,
    UnwritableError,
    WriteOptions,
    may_encode,
    may_mean_null,
    may_separate,
    names_columns,
    refuse_columns_beside_ratings,
)
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import LongRows, full_order
from ratingpriv.data.table.building.finishing import fresh_name
from ratingpriv_loaders.writing import (
    CELLS,
    STATES,
    Pages,
    WideCells,
    attribute_texts,
    how_read,
    number_texts,
    open_packed,
    quoted_cells,
    taken_for_ids,
    time_texts,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text is written.

    Attributes
    ----------
    header : whether the first line names the columns; what stands in for a format of fixed columns,
        where it has no place for a table, does, or nobody could tell what its columns are
    null : the text that means "not rated"
    nulls : the text that a reader is to take for that, beside an empty cell; empty: the usual ones.
        Never a number: whoever receives the file could not tell it from a rating
    columns : all columns of the origin in their order, where a loader has noted them
    """

    delimiter: str
    encoding: str
    header: bool
    null: str
    nulls: tuple[str, ...]
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: RatingTable, name: str) -> Dialect:
        """Return the dialect of the table's origin, if that was text,
        else that of a CSV (or a .tsv).
        """
        details = table.origin.details
        delimiter = str(details.get("delimiter", ""))
        if not may_separate(delimiter):
            delimiter = "\t" if ".tsv" in Path(name.lower()).suffixes else ","
        tokens = [str(token) for token in details.get("null", ()) if token][:1]
        nulls = tuple(
            token for token in tokens if may_mean_null(token) and not set(token) & set('"\r\n')
        )
        held = (*full_order(table), *table.record_ids.cast(pl.String).to_list())
        encoding = _encoding(str(details.get("encoding", "utf-8")), held)
        header = table.origin.format != DelimitedWriter.name or bool(details.get("header", True))
        columns = tuple(details.get("columns", ()))
        return cls(delimiter, encoding, header, nulls[0] if nulls else "", nulls, columns)

    def how_read(self, table: RatingTable, layout: str, **more: Any) -> ReadOptions:
        """Return how what is written in this dialect is read again."""
        return how_read(
            table,
            layout,
            null=self.nulls,
            delimiter=self.delimiter,
            encoding=self.encoding,
            timestamps=table.timestamps is not None,
            **more,
        )

    def arranged(self, columns: list[str]) -> list[int]:
        """Return the positions of ``columns`` in the order that the origin had them, if known."""
        position_of = {name: place for place, name in enumerate(self.columns)}
        positions = list(range(len(columns)))
        if not all(name in position_of for name in columns):
            return positions
        return sorted(positions, key=lambda position: position_of[columns[position]])


class DelimitedWriter:
    """Writes delimited text in the dialect of its origin, plain or as gz,
    zst or zip by its name.
    """

    name = "delimited"
    description = (
        "CSV and other delimited text, wide (one row per record) or long (one row per rating)"
    )
    suffixes: tuple[str, ...] = ()
    states = (
        *STATES,
        "issue",
        "rating",
        "timestamp",
        "timestamps",
        "null",
        "delimiter",
        "encoding",
        "header",
        "multiline",
    )

    def write(
        self,
        table: RatingTable,
        path: Path,
        options: WriteOptions,
        progress: Progress | None = None,
    ) -> Rereading:
        """Write it; UnwritableError where its header would look like a record,
        or of too many digits.
        """
        name = options.name or path.name
        layout = options.layout or table.origin.layout
        dialect = Dialect.of(table, name)
        if layout == "long":
            return write_long(table, path, name, dialect, progress=progress)
        return _write_wide(table, path, name, dialect, options, progress=progress)


def write_long(
    table: RatingTable,
    path: Path,
    name: str,
    dialect: Dialect,
    *,
    rating_texts: list[str] | None = None,
    progress: Progress | None = None,
) -> Rereading:
    """Write a row a rating; ``rating_texts`` are the ``levels`` of
    :class:`LongRows` as they are to look.
    """
    refuse_columns_beside_ratings(table)
    origin, rows = table.origin, LongRows(table, full_order(table))
    names = [origin.record_name, origin.issue_name, origin.rating_name, origin.timestamp_name]
    names = names if table.timestamps is not None else names[:3]
    columns: list[str] = []
    if dialect.header:
        for wanted in names:
            columns.append(fresh_name(wanted.strip() or "column", columns))
        arranged = dialect.arranged(columns)
    else:  # in the order of the columns they had, where these were called by their numbers
        arranged = list(range(len(names)))
        if all(name.isdecimal() for name in names) and len(set(names)) == len(names):
            arranged.sort(key=lambda role: int(names[role]))
        columns = [str(arranged.index(role) + 1) for role in range(len(arranged))]
    texts = number_texts(rows.levels) if rating_texts is None else rating_texts
    ratings = _column([*texts, dialect.null], dialect)
    issues = _column(rows.names, dialect)
    ids = _column(table.record_ids.cast(pl.String), dialect)
    with open_packed(path, name) as file:
        pages = Pages(file, dialect.delimiter, dialect.encoding)
        if dialect.header:
            pages.line([columns[role] for role in arranged])
        for done, block in rows.columns(ids, issues, ratings):
            cells = [*block[:3], *map(time_texts, block[3:])]
            pages.lines([cells[role] for role in arranged])
            if progress is not None:
                progress(f"writing {name}", done, table.n_records)
    roles: dict[str, Any] = dict(zip(("id", "issue", "rating", "timestamp"), columns, strict=False))
    roles |= _spanning(ids, issues)
    return Rereading("delimited", dialect.how_read(table, "long", header=dialect.header, **roles))


def _write_wide(
    table: RatingTable,
    path: Path,
    name: str,
    dialect: Dialect,
    options: WriteOptions,
    *,
    progress: Progress | None,
) -> Rereading:
    cells = WideCells.of(table, labels=options.labels)
    attributes = {column: attribute_texts(series) for column, series in cells.attributes.items()}
    if cells.codebook is not None:
        dialect = _worded(dialect, cells, attributes.values())
    columns: list[str] = list(full_order(table))
    id_name = _id_name(table, dialect, columns) if options.record_ids else None
    columns = [*([] if id_name is None else [id_name]), *columns]
    columns = [columns[index] for index in dialect.arranged(columns)]
    header = dialect.header
    if not header:  # columns are called by their numbers: they have to be those they are called by
        columns.sort(key=lambda column: int(column) if column.isdecimal() else 0)
        header = columns != [str(number) for number in range(1, len(columns) + 1)]
    _refuse_names(columns, dialect, header=header)
    null = _null(columns, dialect, attributes.values())
    hidden = {
        column: _column(texts.fill_null(null), dialect) for column, texts in attributes.items()
    }
    hidden |= _secrets(table, cells, dialect, null)
    ids = _column(table.record_ids.cast(pl.String), dialect)
    wide = _WideTexts(
        _column([*number_texts(table.levels), null], dialect),
        {
            issue: _column([*_words(cells.words[issue], table.levels), null], dialect)
            for issue in table.issues
            if issue in cells.words
        },
        hidden if id_name is None else hidden | {id_name: ids},
    )
    with open_packed(path, name) as file:
        pages = Pages(file, dialect.delimiter, dialect.encoding)
        if header:
            pages.line(columns)
        for last, page in wide.pages(table, columns):
            pages.lines(page)
            if progress is not None:
                progress(f"writing {name}", last, table.n_records)
    roles: dict[str, Any] = {"only": taken_for_ids(table)} if id_name is None else {"id": id_name}
    roles |= _spanning(ids, *hidden.values(), pl.Series(columns, dtype=pl.String))
    options_read = dialect.how_read(table, "wide", header=header, codebook=cells.codebook, **roles)
    return Rereading("delimited", options_read)


@dataclass(frozen=True, slots=True)
class _WideTexts:
    """The cells of a wide text.

    Attributes
    ----------
    ratings : the text of each level, and that of no rating last
    worded : the same of the issues whose levels are written as words
    others : the texts of all other columns, a row each
    """

    ratings: pl.Series
    worded: Mapping[str, pl.Series]
    others: Mapping[str, pl.Series]

    def pages(
        self, table: RatingTable, columns: Sequence[str]
    ) -> Iterator[tuple[int, list[pl.Series]]]:
        """Yield blocks of records, column by column,
        each with the number of records up to its end.
        """
        position = {issue: number for number, issue in enumerate(table.issues)}
        height = max(1, CELLS // max(1, len(columns)))
        for first in range(0, table.n_records, height):
            last = min(first + height, table.n_records)
            entries = slice(int(table.indptr[first]), int(table.indptr[last]))
            owners = np.repeat(np.arange(last - first), np.diff(table.indptr[first : last + 1]))
            dense = np.full((table.n_issues, last - first), len(table.levels), dtype=np.uint32)
            dense[table.indices[entries], owners] = table.codes[entries]
            page = []
            for column in columns:
                if column in self.others:
                    page.append(self.others[column].slice(first, last - first))
                else:
                    page.append(
                        self.worded.get(column, self.ratings).gather(dense[position[column]])
                    )
            yield last, page


def _id_name(table: RatingTable, dialect: Dialect, names: Sequence[str]) -> str:
    """Return what the column of ids is called.

    Empty as in the origin, where a header is still known.
    """
    wanted = table.origin.record_name.strip()
    unnamed = dialect.columns[:1] == ("",) and (not wanted or wanted not in dialect.columns)
    unnamed = unnamed and names_columns(names, NULL_TOKENS)
    return "" if unnamed else fresh_name(wanted or "record", names)


def _refuse_names(columns: Sequence[str], dialect: Dialect, *, header: bool) -> None:
    """Refuse names of columns that a reader would take for a record,
    or would not read as they are.
    """
    if header and not names_columns(columns, (*NULL_TOKENS, *dialect.nulls)):
        remedy = "write it with ids, as parquet, or in the long layout"
        raise UnwritableError(
            "issues", "numbers as names of all columns", "a name that is none", remedy
        )
    if any(column != column.strip() for column in columns):
        wrong = next(column for column in columns if column != column.strip())
        raise ParameterError("issues", wrong, "names without blanks around them", "rename the item")


def _worded(dialect: Dialect, cells: WideCells, attributes: Collection[pl.Series]) -> Dialect:
    """Return the dialect of cells with words: an empty cell alone is missing,
    as any word may be a value.
    """
    values = (texts.unique().drop_nulls().to_list() for texts in attributes)
    encoding = _encoding(dialect.encoding, itertools.chain(*values, *cells.words.values()))
    return dataclasses.replace(dialect, null="", nulls=(), encoding=encoding)


def _null(columns: Sequence[str], dialect: Dialect, attributes: Collection[pl.Series]) -> str:
    """Return the text of a missing rating: a line of one column that
    is empty would be taken for no line.
    """
    if len(columns) > 1:
        return dialect.null
    if any(texts.null_count() for texts in attributes):
        remedy = "write it with ids, or as parquet"
        raise UnwritableError("ids", "one column, with empty cells", "a second column", remedy)
    return dialect.null or next(filter(None, dialect.nulls or NULL_TOKENS))


def _secrets(
    table: RatingTable, cells: WideCells, dialect: Dialect, null: str
) -> dict[str, pl.Series]:
    """Return the texts of the sensitive columns of numbers."""
    texts = {}
    for column in table.numeric_sensitive:
        distinct, codes = np.unique(column.values, return_inverse=True)
        words_of_column = cells.words.get(column.name)
        numbers = (
            number_texts(distinct) if words_of_column is None else _words(words_of_column, distinct)
        )
        levels = _column([*numbers, null], dialect)
        texts[column.name] = levels.gather(np.where(column.present, codes, len(distinct)))
    return texts


def _spanning(*texts: pl.Series) -> dict[str, bool]:
    """Return what a reader has to be told where cells span lines:
    that no stray quote is in front of them.
    """
    return (
        {"multiline": True}
        if any(text.str.contains("\n", literal=True).any() for text in texts)
        else {}
    )


def _words(words: Sequence[str], levels: NDArray[np.float64]) -> list[str]:
    """Return the word of each level; of one that the column does not have, anything."""
    return [words[int(level) - 1] if 1 <= level <= len(words) else "" for level in levels.tolist()]


def _column(texts: list[str] | pl.Series, dialect: Dialect) -> pl.Series:
    return quoted_cells(pl.Series("text", texts, dtype=pl.String), dialect.delimiter)


def _encoding(wanted: str, texts: Iterable[str]) -> str:
    """Return the encoding if it can hold all texts, else UTF-8."""
    try:
        if not may_encode(wanted):
            return "utf-8"
        "".join(texts).encode(wanted)
    except (LookupError, UnicodeError):
        return "utf-8"
    return wanted
