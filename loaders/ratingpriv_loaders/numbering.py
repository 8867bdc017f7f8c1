"""Numbers ids 0, 1, 2, ... in the order in which they first occur, batch by batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

_WIDEST = 1 << 24  # widest range of whole numbers that are looked up in a table (64 MiB)


class Numbering:
    """Positions of ids, which are ``text`` (else whole numbers), by first occurrence.

    ``listed`` : the order of a dictionary counts, its unused entries included, and not that of the rows.
    """

    def __init__(self, *, text: bool, listed: bool = False) -> None:
        self._text, self._listed, self._count = text, listed, 0
        self._position: dict[Any, int] = {}
        # Whole numbers of a moderate range: the position of id i is at i - low, -1 where it is not known.
        self._low, self._table = 0, None if text else np.empty(0, dtype=np.int32)

    def __len__(self) -> int:
        return self._count

    def ids(self) -> pl.Series:
        """Return the ids by position: Int64 or String."""
        if self._table is None:
            return pl.Series(list(self._position), dtype=pl.String if self._text else pl.Int64)
        places = np.flatnonzero(self._table >= 0)
        ids = np.empty(self._count, dtype=np.int64)
        ids[self._table[places]] = places + self._low
        return pl.Series(ids)

    def positions(self, ids: pa.Array) -> NDArray[np.int32]:
        """Return the position of each of ``ids`` (n,), -1 where null; new ids get the next ones."""
        encoded = pa.types.is_dictionary(ids.type)
        if ids.null_count and not encoded:
            out = np.full(len(ids), -1, dtype=np.int32)
            out[ids.is_valid().to_numpy(zero_copy_only=False)] = self.positions(ids.drop_null())
            return out
        if not len(ids) and not encoded:
            return np.empty(0, dtype=np.int32)
        if self._table is not None and not encoded:
            values = ids.to_numpy().astype(np.int64, copy=False)
            table = self._reaching(self._table, int(values.min()), int(values.max()), len(values))
            if table is not None:
                places = values - self._low
                found: NDArray[np.int32] = table[places]
                if len(unknown := places[found < 0]):
                    new = pl.Series(unknown).unique(maintain_order=True).to_numpy()
                    table[new] = np.arange(self._count, self._count + len(new))
                    self._count += len(new)
                    found = table[places]
                return found
        if self._table is not None:  # too wide, or a dictionary, all of a sudden
            self._position = {value: place for place, value in enumerate(self.ids().to_list())}
            self._table = None
        return self._hashed(ids)

    def _reaching(self, table: NDArray[np.int32], low: int, high: int, more: int) -> NDArray[np.int32] | None:
        """Make the table reach from ``low`` to ``high``; None if that is too wide for so many ids."""
        if known := len(table):
            low, high = min(low, self._low), max(high, self._low + known - 1)
        if high - low >= known:
            if high - low >= min(_WIDEST, 64 * (more + self._count)):
                return None
            width = max(high - low + 1, min(2 * known, _WIDEST))  # ids may come in ascending order
            wider = np.full(width, -1, dtype=np.int32)
            wider[self._low - low : self._low - low + known] = table
            self._table, self._low, table = wider, low, wider
        return table

    def _hashed(self, ids: pa.Array) -> NDArray[np.int32]:
        given, known = pa.types.is_dictionary(ids.type), self._position
        encoded = ids if given else ids.dictionary_encode()
        labels, codes = encoded.dictionary.to_pylist(), encoded.indices
        # they become known in the order in which they first occur
        used = range(len(labels)) if given and self._listed else codes.unique().drop_null().to_pylist()
        for label in (labels[place] for place in used):
            if label is not None:
                known.setdefault(label, len(known))
        places = np.array([*(known.get(label, -1) for label in labels), -1], dtype=np.int32)
        if codes.null_count:
            codes = codes.cast(pa.int64()).fill_null(len(labels))
        self._count = len(known)
        found: NDArray[np.int32] = places[codes.to_numpy(zero_copy_only=False)]
        return found
