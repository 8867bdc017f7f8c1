"""Ratings in delimited text: CSV and its relatives, wide (a row a record) or long (a row a rating)."""

from __future__ import annotations

import dataclasses

from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.raw import RawData
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.delimited import too_long
from ratingpriv_loaders import background
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.dialect import Opening, read_opening
from ratingpriv_loaders.text.layouts import TextReading

TAKES = ("codebook", "quasi", "identifier", "carry", "ratings", "keep", "only_null", "decimal_comma")
"""The reading options on roles and recodes that a text of any kind can heed."""

_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", "::": "double colon", " ": "space"}


class DelimitedLoader:
    """Reads delimited text of any delimiter, plain or as gz, zst or zip, or from standard input."""

    name = "delimited"
    description = "CSV and other delimited text, wide (a row a record) or long (a row a rating)"
    takes = TAKES

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim any text that has a line of cells, with little confidence: other loaders know better."""
        if source.is_dir:
            return None
        try:
            opening = open_text(source, options)
        except DataError:  # a broken CSV is best explained by this loader, unless another one knows the data
            binary = source.head[:4] in (b"PAR1", b"ARRO")
            return None if binary else Detection(0.05, "no other format known")
        layout = column_names.decide_layout(opening.names, options)
        delimiter = _WORDS.get(opening.delimiter, repr(opening.delimiter))
        columns = f"{len(opening.names)} column" + ("" if len(opening.names) == 1 else "s")
        header = "a header" if opening.header else "no header"
        words = [f"delimiter {delimiter}", header, *opening.oddities, f"{layout} layout"]
        if layout == "long" and column_names.by_position(opening.names, options):
            words.append("columns in the order of " + ", ".join(column_names.POSITIONS[: len(opening.names)]))
        return Detection(0.3, f"text with {columns}, " + ", ".join(words))

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for; DataError where a layout's columns are not found."""
        opening = open_text(source, options)
        found = column_names.described(opening.names, options, file=source.name, header=opening.header)
        return dataclasses.replace(found, aside=(*opening.oddities, *bytestream.packed_beside(source)))

    def raw(self, source: Source, options: ReadOptions) -> RawData:
        """Return the columns of a wide layout as they stand there; DataError where it is a long one."""
        opening = open_text(source, options)
        if column_names.decide_layout(opening.names, options) == "long":
            raise DataError(column_names.no_columns_to_describe(source.name))
        return TextReading(source, options, opening).raw()

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        opening = open_text(source, options)
        layout = column_names.decide_layout(opening.names, options)
        with background.digest(source) as digest:
            reading = TextReading(source, options, opening)
            table = reading.long() if layout == "long" else reading.wide()
            return table.replace(origin=dataclasses.replace(table.origin, sha256=digest()))


def open_text(source: Source, options: ReadOptions) -> Opening:
    """Read the opening of a text: enough of it for the header and a row or two, however wide."""
    text, whole = opening_text(source, options)
    return read_opening(text, options, file=source.name, whole=whole)


def opening_text(source: Source, options: ReadOptions) -> tuple[str, bool]:
    """Return the first part of a text, at least three lines of it, and whether that is the whole."""
    size, most = min(Source.HEAD, bytestream.LONGEST_LINE), bytestream.LONGEST_LINE
    while True:
        head = bytestream.head(source, options.encoding, size)
        whole = len(head) < size
        if whole or head.count(b"\n", 0, size) > 2 or size > most:
            if len(head.partition(b"\n")[0]) > most:
                raise DataError(too_long(source.name, 1, most))
            return head.decode("utf-8", "ignore"), whole
        size = min(size * 8, most + 1) if size < most else most + 1
