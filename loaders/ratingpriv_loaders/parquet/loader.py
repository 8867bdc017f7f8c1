"""Ratings in Parquet, wide (a row a record) or long (a row a rating): one file,
or a folder of parts.
"""

from __future__ import annotations

import dataclasses

from ratingpriv.base.errors import DataError
from ratingpriv.base.extras import arrow
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv_loaders.wide_or_long import FileLoader, OpenedFile


class ParquetLoader(FileLoader):
    """Reads Parquet, batch by batch: what is in memory is the table, not the file."""

    name = "parquet"
    description = (
        "Parquet, wide (one row per record) or long (one row per rating), or a folder of such files"
    )
    owners, begins_as = "Parquet has", "Parquet does"
    suffixes = (".parquet", ".pq", ".parq")
    has_no = ("delimiter", "encoding", "header")

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is Parquet, in the clear or encrypted."""
        return head.startswith((b"PAR1", b"PARE"))

    def opened(self, source: Source, options: ReadOptions) -> OpenedFile:
        """Open the files; DataError where one is no Parquet,
        or has other columns than the first.
        """
        arrow("Parquet files")
        from ratingpriv_loaders.parquet.long import ParquetFile

        return ParquetFile(source, options)

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim what begins as Parquet does, is called so,
        or is a folder of files that are called so.
        """
        if source.is_dir:
            arrow("Parquet files")
            from ratingpriv_loaders.parquet.file import part_paths

            count = len(part_paths(source.path))
            files = "file" if count == 1 else "files"
            return Detection(0.8, f"a folder of {count} Parquet {files}") if count else None
        claim = super().detect(source, options)
        if not self.begins(source.head):
            return claim
        try:
            names = self.opened(source, options).names
        except DataError:
            return claim
        layout = column_names.decide_layout(names, options)
        columns = f"{len(names)} column" + ("" if len(names) == 1 else "s")
        return Detection(0.95, f"Parquet with {columns}, {layout} layout")

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for; the unnamed index of a data frame for ids."""
        from ratingpriv_loaders.parquet.file import PANDAS_INDEX

        found = super().columns(source, options)
        if found.layout == "wide" and found.record is None and PANDAS_INDEX in found.names:
            found = dataclasses.replace(found, record=PANDAS_INDEX)
        return found
