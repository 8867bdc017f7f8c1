"""What writers share: the columns of a wide release, numbers and times as text,
lines of text, packing.

What is no plain number has to be said to whoever reads the file: the role of each such column, and
the words of a scale in their order. All that is said is a codebook of the released columns, and of
those only.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.extras import arrow
from ratingpriv.base.numbers import EXACT, LARGEST, inexact
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.formats.writing import (
    UnwritableError,
    WriteOptions,
    may_be_word,
    scale_of,
    sensitive_scales_of,
)
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import attribute_columns
from ratingpriv.data.table.building.problems import number_text

STATES = ("layout", "id", "sensitive", "columns", "only", "scale", "sensitive_scale")
"""What may be stated of how such a file is read."""

CELLS = 1 << 22
"""Cells of text that are composed at a time."""

_EPOCH_OF_ZIP = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class WideCells:
    """The columns of a wide release that are not written as numbers on a scale.

    Attributes
    ----------
    attributes : quasi-identifiers, nominal sensitive and carried columns by name, Series
        (n_records,)
    words : issues and numeric sensitive columns that are written as words, by name: the words of 1,
        2, ...
    codebook : what a reader has to be told of the columns; None: nothing
    """

    attributes: Mapping[str, pl.Series]
    words: Mapping[str, tuple[str, ...]]
    codebook: Codebook | None

    @classmethod
    def of(cls, table: RatingTable, *, labels: str = "words") -> WideCells:
        """Return those of ``table``; ``labels="numbers"`` writes no words for ratings.

        A column is written as words only if each of its ratings is one of 1, 2, ... that has a word
        of its own, which nobody takes for a number or for unanswered.
        """
        words = {}
        labels_known: Mapping[str, Sequence[str]] = table.origin.details.get("labels", {})
        if labels_known and labels == "words":
            rated = _rated(table)
            for name, of_scale in labels_known.items():
                if name not in rated or len(set(of_scale)) < max(2, len(of_scale)):
                    continue
                numbers = rated[name]
                fits = (numbers == np.floor(numbers)) & (numbers >= 1) & (numbers <= len(of_scale))
                if fits.all() and all(map(may_be_word, of_scale)):
                    words[name] = tuple(of_scale)
        columns = {
            column.name: ColumnSpec(role="quasi", within=column.within) for column in table.quasi
        }
        for secret in table.sensitive:
            if secret.nominal:
                columns[secret.name] = ColumnSpec(role="sensitive", kind="nominal")
        for carried in table.carried:
            columns[carried.name] = ColumnSpec(role="carry")
        for name, of_scale in words.items():
            role = "rating" if name in table.issues else "sensitive"
            columns[name] = ColumnSpec(role=role, labels=of_scale)
        return cls(attribute_columns(table), words, Codebook(columns=columns) if columns else None)

    def worded(self, column: pl.Series) -> pl.Series:
        """Return the words of a column of ``words``, null where it is not rated."""
        words = pl.Series([*self.words[column.name], None], dtype=pl.String)
        return words.gather(column.cast(pl.Int64).fill_null(len(words)) - 1).alias(column.name)


def _rated(table: RatingTable) -> dict[str, NDArray[np.float64]]:
    """Return the distinct ratings of each issue and numeric sensitive column."""
    height = max(1, len(table.levels))
    pairs = np.unique(table.indices.astype(np.int64) * height + table.codes)
    issues, levels = pairs // height, table.levels[pairs % height]
    rated = {name: levels[issues == index] for index, name in enumerate(table.issues)}
    secret = {
        column.name: np.unique(column.values[column.present])
        for column in table.sensitive
        if not column.nominal
    }
    return rated | secret


def how_read(table: RatingTable, layout: str, **more: Any) -> ReadOptions:
    """Return how a file of ``table`` is read again; ``more`` are options of the format, roles,
    a codebook.
    """
    return ReadOptions(
        layout=layout,
        sensitive=tuple(column.name for column in table.sensitive),
        scale=scale_of(table),
        sensitive_scale=sensitive_scales_of(table),
        **more,
    )


def taken_for_ids(table: RatingTable) -> tuple[str, ...]:
    """Return the columns that a reader must be given,
    where one could be taken for the missing ids.
    """
    names = (*table.issues, *attribute_columns(table))
    id_column = column_names.recognise(names, column_names.RECORD_NAMES)
    return () if id_column is None else names


def attribute_texts(column: pl.Series) -> pl.Series:
    """Return the values of an attribute as text, null where there is none.

    UnwritableError where a text is empty or has blanks around it, which no reader of text keeps.
    """
    if column.dtype == pl.Float64:
        distinct = column.unique().drop_nulls()
        integral = (
            distinct.is_finite() & (distinct.floor() == distinct) & (distinct.abs() <= LARGEST)
        )
        pairs = zip(distinct, integral, strict=True)
        numbers = [str(int(value)) if is_whole else repr(value) for value, is_whole in pairs]
        return column.replace_strict(
            distinct, pl.Series(numbers, dtype=pl.String), return_dtype=pl.String
        )
    texts = column.cast(pl.String)
    if bool(((texts == "") | (texts.str.strip_chars() != texts)).any()):
        actual = f"empty texts, or blanks around them, in {shown_name(column.name)}"
        expected, remedy = (
            "texts that a reader of text keeps as they are",
            "write it as parquet, or trim them",
        )
        raise UnwritableError("format", actual, expected, remedy)
    return texts


class TypedColumns:
    """A table's columns as they are written in a format whose cells are numbers or texts.

    ``columns`` : Series (n_records,) of Float64 or String, null where there is nothing; ids first,
    where wanted. ``said`` : how the file is read again. UnwritableError where a number has more
    digits than any reader takes, or a text is empty or has blanks around it.
    """

    def __init__(self, table: RatingTable, options: WriteOptions) -> None:
        if (options.layout or table.origin.layout) != "wide":
            remedy = "ask for the wide layout, or write delimited text or Parquet"
            raise UnwritableError("layout", "long", "wide: one row per record", remedy)
        cells = WideCells.of(table, labels=options.labels)
        frame: pl.DataFrame = table.to_wide("polars")
        ids, *columns = frame.get_columns()
        if not ids.name.strip():
            name = "record"
            while name in frame.columns:
                name += "_"
            ids = ids.alias(name)
        self.columns: list[pl.Series] = []
        if options.record_ids and ids.dtype == pl.String:
            if bool(((ids == "") | (ids.str.strip_chars() != ids)).any()):
                actual = f"ids with blanks around them in {shown_name(ids.name)}"
                raise UnwritableError(
                    "format", actual, "ids that a reader keeps as they are", "write parquet"
                )
            self.columns.append(ids)
        elif options.record_ids:  # numbers where these keep all their digits
            digits = bool((ids.abs() < LARGEST / 10).all())
            self.columns.append(ids.cast(pl.Float64 if digits else pl.String))
        for column in columns:
            if column.name in cells.words:
                self.columns.append(cells.worded(column))
            elif not column.dtype.is_numeric():
                self.columns.append(attribute_texts(column))
            else:
                self.columns.append(column.cast(pl.Float64))
                # refuses too many digits
                number_texts(self.columns[-1].unique().drop_nulls().to_numpy())
        for name in (column.name for column in self.columns):
            if name != name.strip() or not name:
                raise ParameterError(
                    "issues", name, "names without blanks around them", "rename the item"
                )
        roles: dict[str, Any] = (
            {"id": ids.name} if options.record_ids else {"only": taken_for_ids(table)}
        )
        self.said = how_read(table, "wide", codebook=cells.codebook, **roles)


@contextlib.contextmanager
def open_packed(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open ``path`` for writing; packed as the suffix of ``name`` says (.gz, .zst, .zip),
    else plain.

    No time and no file name goes into the packing, but for a zip's member: the file's own without
    ``.zip``.
    """
    suffix = Path(name).suffix.lower()
    with contextlib.ExitStack() as stack:
        raw = stack.enter_context(path.open("wb"))
        if suffix == ".gz":
            packed = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)
            yield cast("IO[bytes]", stack.enter_context(packed))
        elif suffix == ".zst":
            # without the wrapper, closing the stream would close the file too, before its errors
            # are seen
            pa = arrow("zst files")
            yield stack.enter_context(pa.CompressedOutputStream(pa.PythonFile(raw, "w"), "zstd"))
        elif suffix == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED))
            member = zipfile.ZipInfo(Path(name).stem or "ratings", date_time=_EPOCH_OF_ZIP)
            member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, 3
            member.external_attr = 0o644 << 16
            yield stack.enter_context(archive.open(member, "w", force_zip64=True))
        else:
            yield raw


class Pages:
    """Lines of cells on their way to a file, in an encoding and in the dialect of ``delimited``.

    ``file`` takes the bytes; the first bytes carry the byte order mark that the encoding asks for,
    if any.
    """

    def __init__(self, file: IO[bytes], delimiter: str, encoding: str) -> None:
        self._file, self._delimiter = file, delimiter
        self._encoder = codecs.getincrementalencoder(encoding)()

    def line(self, cells: Sequence[str]) -> None:
        """Write one line, such as a header."""
        self._write(
            self._delimiter.join(quoted_cells(pl.Series(cells), self._delimiter).to_list()) + "\n"
        )

    def lines(self, columns: Sequence[pl.Series]) -> None:
        """Write lines from String columns of equal length,
        whose cells are quoted where they need it.
        """
        if len(columns[0]) == 0:
            return
        frame = pl.DataFrame({str(number): column for number, column in enumerate(columns)})
        joined = frame.select(pl.concat_str(pl.all(), separator=self._delimiter)).to_series()
        self._write("\n".join(joined.to_list()) + "\n")

    def _write(self, text: str) -> None:
        self._file.write(self._encoder.encode(text))


def quoted_cells(cells: pl.Series, delimiter: str) -> pl.Series:
    """Return String cells, those in quotes that could be read as something else."""
    special = cells.str.contains_any([*dict.fromkeys(delimiter), '"', "\n", "\r"])
    if not special.any():
        return cells
    inside = cells.str.replace_all('"', '""', literal=True)
    return pl.select(pl.when(special).then('"' + inside + '"').otherwise(cells)).to_series()


def number_texts(values: NDArray[np.float64]) -> list[str]:
    """Return each number as its shortest exact decimal; whole ones without a point.

    UnwritableError where one has more than 15 significant digits or is beyond 2**53: no reader
    would take it.
    """
    texts = [number_text(value) for value in values.tolist()]
    wrong = next((why for text in texts if (why := inexact(text)) is not None), None)
    if wrong is not None:
        remedy = "round the ratings, or write Parquet, which keeps a float64 as it is"
        raise UnwritableError(
            "format", wrong, f"numbers of {EXACT}, as every text must have", remedy
        )
    return texts


def time_texts(times: pl.Series) -> pl.Series:
    """Return timestamps as text: whole numbers, ISO dates or ISO instants (UTC);
    empty where null.
    """
    kind = times.dtype
    if isinstance(kind, pl.Datetime):
        if kind.time_zone is not None:
            times = times.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        text = times.dt.cast_time_unit("us").dt.strftime("%Y-%m-%dT%H:%M:%S%.6f")
    elif kind == pl.Date:
        text = times.dt.strftime("%Y-%m-%d")
    else:
        if kind.is_float() and bool((times.drop_nulls().floor() == times.drop_nulls()).all()):
            times = times.cast(pl.Int64)
        text = times.cast(pl.String)
    return text.fill_null("")
