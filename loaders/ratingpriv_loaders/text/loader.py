"""Ratings in delimited text: CSV and its relatives,
wide (a row a record) or long (a row a rating).
"""

from __future__ import annotations

from ratingpriv.base.errors import DataError
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import Detection, ReadOptions, Source
from ratingpriv.data.table.building.delimited import too_long
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.dialect import Opening, read_opening
from ratingpriv_loaders.text.layouts import TextReading
from ratingpriv_loaders.wide_or_long import FileLoader

_WORDS = {
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "bar",
    "::": "double colon",
    " ": "space",
}


class DelimitedLoader(FileLoader):
    """Reads delimited text of any delimiter, plain or as gz, zst or zip, or from standard input."""

    name = "delimited"
    description = (
        "CSV and other delimited text, wide (one row per record) or long (one row per rating)"
    )
    takes = (*FileLoader.takes, "decimal_comma", "multiline")

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim any text that has a line of cells, with little confidence:
        other loaders know better.
        """
        if source.is_dir:
            return None
        try:
            opening = open_text(source, options)
        # a broken CSV is best explained by this loader, unless another one knows the data
        except DataError:
            binary = source.head[:4] in (b"PAR1", b"ARRO")
            return None if binary else Detection(0.05, "no other format known")
        layout = column_names.decide_layout(opening.names, options)
        delimiter = _WORDS.get(opening.delimiter, repr(opening.delimiter))
        columns = f"{len(opening.names)} column" + ("" if len(opening.names) == 1 else "s")
        header = "a header" if opening.header else "no header"
        words = [f"delimiter {delimiter}", header, *opening.oddities, f"{layout} layout"]
        if layout == "long" and column_names.by_position(opening.names, options):
            words.append(
                "columns in the order of " + ", ".join(column_names.POSITIONS[: len(opening.names)])
            )
        return Detection(0.3, f"text with {columns}, " + ", ".join(words))

    def opened(self, source: Source, options: ReadOptions) -> TextReading:
        """Open a text; DataError where its first lines are none of a table."""
        return TextReading(source, options, open_text(source, options))


def open_text(source: Source, options: ReadOptions) -> Opening:
    """Read the opening of a text: enough of it for the header and a row or two, however wide."""
    text, complete = opening_text(source, options)
    return read_opening(text, options, file=source.name, whole=complete)


def opening_text(source: Source, options: ReadOptions) -> tuple[str, bool]:
    """Return the first part of a text, at least three lines of it,
    and whether that is the whole.
    """
    size, most = min(Source.HEAD, bytestream.LONGEST_LINE), bytestream.LONGEST_LINE
    while True:
        head = bytestream.head(source, options.encoding, size)
        complete = len(head) < size
        if complete or head.count(b"\n", 0, size) > 2 or size > most:
            if len(head.partition(b"\n")[0]) > most:
                raise DataError(too_long(source.name, 1, most))
            return head.decode("utf-8", "ignore"), complete
        size = min(size * 8, most + 1) if size < most else most + 1
