"""Ratings in Parquet, wide (a row a record) or long (a row a rating): one file, or a folder of parts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.codebook.raw import RawData
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders import background
from ratingpriv_loaders.wide_or_long import TAKES, refuse_given, refuse_roles

if TYPE_CHECKING:
    from ratingpriv_loaders.parquet.parts import Parts

_MAGIC = b"PAR1"
_SUFFIXES = (".parquet", ".pq", ".parq")


class ParquetLoader:
    """Reads Parquet, batch by batch: what is in memory is the table, not the file."""

    name = "parquet"
    takes = TAKES
    description = "Parquet, wide (a row a record) or long (a row a rating), or a folder of such files"

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim what begins as Parquet does, is called so, or is a folder of files that are called so."""
        if source.is_dir:
            from ratingpriv_loaders.parquet.parts import part_paths

            count = len(part_paths(source.path))
            files = "file" if count == 1 else "files"
            return Detection(0.8, f"a folder of {count} Parquet {files}") if count else None
        if not source.head.startswith((_MAGIC, b"PARE")):
            # a file that is called so and is not Parquet is best explained by this loader
            called_so = source.path.suffix.lower() in _SUFFIXES
            return Detection(0.6, f"the name ends in {source.path.suffix}") if called_so else None
        from ratingpriv_loaders.parquet.parts import Parts

        try:
            names = Parts(source).names
        except DataError:
            return Detection(0.95, "it begins as Parquet does")
        layout = column_names.decide_layout(names, options)
        columns = f"{len(names)} column" + ("" if len(names) == 1 else "s")
        return Detection(0.95, f"Parquet with {columns}, {layout} layout")

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for; DataError where a layout's columns are not found."""
        from ratingpriv_loaders.parquet.parts import Parts
        from ratingpriv_loaders.parquet.wide import PANDAS_INDEX

        parts = Parts(source)
        names = parts.names
        found = column_names.described(names, options, file=source.name, header=None)
        if found.layout == "wide" and found.record is None and PANDAS_INDEX in names:
            found = dataclasses.replace(found, record=PANDAS_INDEX)
        return dataclasses.replace(found, aside=tuple(parts.beside()))

    def raw(self, source: Source, options: ReadOptions) -> RawData:
        """Return the columns of a row a record; DataError where a row is a rating."""
        from ratingpriv_loaders.parquet.wide import raw_wide

        parts = _parts(source, options)
        if column_names.decide_layout(parts.names, options) == "long":
            raise DataError(column_names.no_columns_to_describe(source.name))
        return raw_wide(parts, options)

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        from ratingpriv.data.codebook.building import table_of
        from ratingpriv_loaders.parquet.long import read_long
        from ratingpriv_loaders.parquet.wide import raw_wide

        parts = _parts(source, options)
        layout = column_names.decide_layout(parts.names, options)
        if layout == "long":
            refuse_roles(options)
        if parts.rows == 0:
            found = f"{len(parts.names)} columns and no rows"
            remedy = "check that the file was written whole"
            raise DataError(Problem(source.name, found, "at least one record or rating", remedy))
        with background.digest(source, parts.paths) as digest:
            table = (
                read_long(parts, options) if layout == "long" else table_of(raw_wide(parts, options), options)
            )
            return table.replace(origin=dataclasses.replace(table.origin, sha256=digest()))


def _parts(source: Source, options: ReadOptions) -> Parts:
    """Return the files to read, options that mean nothing for them being refused."""
    from ratingpriv_loaders.parquet.parts import Parts

    refuse_given(options, ("delimiter", "encoding", "header"), "Parquet has no such thing")
    return Parts(source)
