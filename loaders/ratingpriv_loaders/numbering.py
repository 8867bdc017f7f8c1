"""Numbers ids 0, 1, 2, ... in the order in which they first occur, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table.building.coding import factorised

_WIDEST = 1 << 24  # widest range of whole numbers that are looked up in a table (64 MiB)


class Numbering:
    """Positions of ids, which are ``text`` (else whole numbers), by first occurrence.

    ``listed`` : the order of a dictionary counts, its unused entries included, and not that of the
    rows. ``compiled`` : compiled code may be loaded: worth it for many rows.
    """

    def __init__(self, *, text: bool, listed: bool = False, compiled: bool = False) -> None:
        self._text, self._listed, self._compiled = text, listed, compiled
        self._position: dict[Any, int] = {}
        # Whole numbers of a moderate range: the position of id i is at i - low, -1 where it is not
        # known.
        self._low = 0
        self._table: NDArray[np.int32] | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def ids(self) -> pl.Series:
        """Return the ids by position: Int64 or String."""
        if self._table is not None:
            places = np.flatnonzero(self._table >= 0)
            ids = np.empty(self._count, dtype=np.int64)
            ids[self._table[places]] = places + self._low
            return pl.Series(ids)
        return pl.Series(list(self._position), dtype=pl.String if self._text else pl.Int64)

    def positions(self, ids: pl.Series) -> NDArray[np.int32]:
        """Return the position of each of ``ids`` (n,), -1 where null; new ids get the next ones."""
        if ids.null_count():
            out = np.full(len(ids), -1, dtype=np.int32)
            out[ids.is_not_null().to_numpy()] = self.positions(ids.drop_nulls())
            return out
        if self._compiled and ids.dtype.is_integer():
            values = ids.to_numpy()
            out = np.empty(len(values), dtype=np.int32)
            if len(values) and self._fits(int(values.min()), int(values.max())):
                from ratingpriv_loaders import _numbering_kernel as kernels

                values = values if values.dtype == np.int32 else values.astype(np.int64, copy=False)
                self._count = int(
                    kernels.number_ids(values, self._low, self._table, self._count, out)
                )
                return out
            if not len(values):
                return out
        places, distinct = factorised(ids)
        return self._placed(distinct.to_list(), range(len(distinct)), places)

    def labelled(self, labels: Sequence[Any], codes: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the position of each of ids given by ``codes``, positions in ``labels``, or -1."""
        occurring = pl.Series(codes).unique(maintain_order=True).to_list()
        used = [code for code in occurring if code >= 0]
        return self._placed(labels, range(len(labels)) if self._listed else used, codes)

    def _fits(self, low: int, high: int) -> bool:
        """Make the table reach from ``low`` to ``high``, if it may be as wide as that."""
        if self._table is not None:
            low, high = min(low, self._low), max(high, self._low + len(self._table) - 1)
            if low == self._low and high - low < len(self._table):
                return True
        if high - low >= _WIDEST or low < -(1 << 62) or high > 1 << 62:
            return False
        # ids may come in ascending order
        twice = 0 if self._table is None else 2 * len(self._table)
        width = max(high - low + 1, min(twice, _WIDEST))
        wider = np.full(width, -1, dtype=np.int32)
        if self._table is not None:
            wider[self._low - low : self._low - low + len(self._table)] = self._table
        self._table, self._low = wider, low
        return True

    def _placed(
        self, labels: Sequence[Any], used: Iterable[int], codes: NDArray[np.integer[Any]]
    ) -> NDArray[np.int32]:
        """Return the positions of codes; labels that are ``used`` become known in that order."""
        if self._table is not None:  # ids are too far apart for it, all of a sudden
            self._position = {
                value: position for position, value in enumerate(self.ids().to_list())
            }
            self._table = None
        self._compiled, position_of = False, self._position
        for label in (labels[code] for code in used):
            if label is not None:
                position_of.setdefault(label, len(position_of))
        self._count = len(position_of)
        places = np.array([*(position_of.get(label, -1) for label in labels), -1], dtype=np.int32)
        found: NDArray[np.int32] = places[codes]
        return found
