"""The cells of rows of equal width, by where they begin and end in the bytes of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table.building.coding import factorised

QUOTE = 34
_LONGEST = 8  # bytes of a text that is one number
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_LONGEST + 1)], dtype=np.uint64)

type Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Rows of a text whose quotes, if any, all open and close a cell.

    Attributes
    ----------
    text : the bytes; behind each cell stands a ``delimiter`` of one byte or a line end;
        no line is without a character where rows have several cells
    edges : int64 (n_rows, width + 1); cell c of a row stands between ``edges[row, c]`` and
        ``edges[row, c + 1]``, both excluded
    quotes : int64, where quotes stand; they open and close by turns
    """

    text: bytes
    delimiter: int
    edges: Places
    quotes: Places

    @classmethod
    def of(
        cls,
        text: bytes,
        delimiter: int,
        width: int,
        starts: Places,
        row_ends: Places,
        quotes: Places,
    ) -> Cells | None:
        """Return the cells of the rows that begin at ``starts`` and end before ``row_ends``.

        None where a row has not ``width`` cells.
        """
        buffer = np.frombuffer(text, dtype=np.uint8)
        between = np.flatnonzero(buffer == delimiter)
        if len(quotes):
            between = between[np.searchsorted(quotes, between) % 2 == 0]
        if len(between) != len(starts) * (width - 1):
            return None
        edges = np.empty((len(starts), width + 1), dtype=np.int64)
        edges[:, 0], edges[:, -1] = starts - 1, row_ends
        edges[:, 1:-1] = between.reshape(len(starts), width - 1)
        if (edges[:, 1] <= edges[:, 0]).any() or (edges[:, -2] >= edges[:, -1]).any():
            return None
        return cls(text, delimiter, edges, quotes)

    def keys(self, columns: Sequence[int]) -> NDArray[np.unsignedinteger] | None:
        """Return the bytes of each cell as a number (n_rows, columns); None: some are too long.

        "5" is 0x35, "NA" 0x414e, an empty text 0: there is no NUL in a text. uint8 where all are of
        one byte, uint16 where none has more than two, else uint64.
        """
        first, last = columns[0], columns[-1]
        taken = slice(first, last + 1) if last - first == len(columns) - 1 else list(columns)
        begins, ends = self.edges[:, :-1][:, taken] + 1, self.edges[:, 1:][:, taken]
        buffer = np.frombuffer(self.text + bytes(_LONGEST), dtype=np.uint8)
        lengths = ends - begins
        if len(self.quotes):
            if bool((self.quotes[2::2] == self.quotes[1:-1:2] + 1).any()):
                return None  # a doubled quote stands for one
            quoted = (buffer[begins] == QUOTE) & (lengths > 0)
            begins, lengths = begins + quoted, lengths - 2 * quoted
        longest = lengths.max(initial=0)
        if longest > _LONGEST:
            return None
        if longest == 1 == lengths.min(initial=1):
            return buffer[begins]
        if longest <= 2:
            low, high = buffer[begins] * (lengths > 0), buffer[begins + 1] * (lengths > 1)
            both: NDArray[np.uint16] = (low | high.astype(np.uint16) << 8).astype(np.uint16)
            return both
        eight = np.ndarray(
            len(self.text) + 1, "<u8", buffer.data, strides=(1,)
        )  # from each byte on
        keys: NDArray[np.uint64] = eight[begins] & _MASKS[lengths]
        return keys

    def texts(self, column: int) -> pl.Series | None:
        """Return the texts of a column, String (n_rows,); None where polars has other rows."""
        if not len(self.edges):
            return pl.Series([], dtype=pl.String)
        quote = chr(QUOTE) if len(self.quotes) else None
        frame = pl.read_csv(
            self.text,
            has_header=False,
            columns=[column],
            separator=chr(self.delimiter),
            quote_char=quote,
            infer_schema=False,
        )
        cells = frame.to_series().fill_null("")
        return cells if len(cells) == len(self.edges) else None


def text_of(key: int) -> str:
    """Return the text that is a key."""
    return key.to_bytes(_LONGEST, "little").rstrip(b"\0").decode()


def factorised_keys(keys: NDArray[np.unsignedinteger]) -> tuple[NDArray[np.int32], list[str]]:
    """Return (positions int32 (n,), the distinct texts in the order of their first cell)."""
    places, distinct = factorised(pl.Series(keys))
    return places, list(map(text_of, distinct.to_list()))
