"""Composing delimited text: cells, rows, packing; what every text format writes with.

Cells are written in the dialect of :mod:`ratingpriv.data.table.building.delimited`: a cell that holds a
character of the delimiter, a quote or a line end stands in double quotes, a quote in it is doubled. Lines end
in LF.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, cast

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.base.numbers import EXACT, inexact
from ratingpriv.data.formats.writing import UnwritableError
from ratingpriv.data.table.building.problems import number_text

CELLS = 1 << 22
"""Cells that are composed at a time."""

_EPOCH_OF_ZIP = (1980, 1, 1, 0, 0, 0)


@contextlib.contextmanager
def open_packed(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open ``path`` for writing; packed as the suffix of ``name`` says (.gz, .zst, .zip), else plain.

    No time and no file name goes into the packing, but for a zip's member: the file's own without ``.zip``.
    """
    suffix = Path(name).suffix.lower()
    with contextlib.ExitStack() as stack:
        raw = stack.enter_context(path.open("wb"))
        if suffix == ".gz":
            packed = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)
            yield cast("IO[bytes]", stack.enter_context(packed))
        elif suffix == ".zst":
            # without the wrapper, closing the stream would close the file too, before its errors are seen
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
    """Lines of cells on their way to a file, in an encoding.

    ``file`` takes the bytes; the first bytes carry the byte order mark that the encoding asks for, if any.
    """

    def __init__(self, file: IO[bytes], delimiter: str, encoding: str) -> None:
        self._file, self._delimiter = file, delimiter
        self._encoder = codecs.getincrementalencoder(encoding)()

    def line(self, cells: Sequence[str]) -> None:
        """Write one line, such as a header."""
        self._write(self._delimiter.join(quoted_cells(pl.Series(cells), self._delimiter).to_list()) + "\n")

    def lines(self, columns: Sequence[pl.Series]) -> None:
        """Write lines from String columns of equal length, whose cells are quoted where they need it."""
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

    UnwritableError where one has more than 15 significant digits or is beyond 2**53: no reader would take it.
    """
    texts = [number_text(value) for value in values.tolist()]
    wrong = next((why for text in texts if (why := inexact(text)) is not None), None)
    if wrong is not None:
        remedy = "round the ratings, or write Parquet, which keeps a float64 as it is"
        raise UnwritableError("format", wrong, f"numbers of {EXACT}, as every text must have", remedy)
    return texts


def time_texts(times: pl.Series) -> pl.Series:
    """Return timestamps as text: whole numbers, ISO dates or ISO instants (UTC); empty where null."""
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
