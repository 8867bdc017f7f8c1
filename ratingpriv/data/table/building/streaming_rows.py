"""Rows of a table that are filled batch by batch, each rating straight at its record's place.

The coordinates never stand in memory together: memory is that of the rows. Rows may stay shorter than
announced, ratings may be null, one more array moves along, and codes are settled as rows are sorted.

Compiled, and not SciPy batch by batch, because that takes 1.5 s of processor time instead of 1.1 for 20
million ratings in random order, more than twice as much of it in the one thread that places them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import share_out
from ratingpriv.data.table.building.coding import Codes, LevelEncoder, Rows, smallest_code_type

_NULL = 0  # the provisional code of "not rated"; those of levels begin at 1


class StreamedRows:
    """Rows of at most known ``lengths`` (n_records,), filled in data order.

    ``extra`` is the type of one more number a rating (a timestamp), or None.
    """

    def __init__(self, lengths: NDArray[Any], extra: np.dtype[Any] | None = None) -> None:
        self._indptr = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=self._indptr[1:])
        self._ends = self._indptr[:-1].copy()
        total = int(self._indptr[-1])
        self._indices = np.empty(total, dtype=np.int32)
        self._codes: Codes = np.empty(total, dtype=np.uint8)
        self._extra = np.empty(0 if extra is None else total, dtype=extra or np.int32)
        self._encoder = LevelEncoder()
        self._nulls = False
        self._more = extra is not None

    def add(
        self,
        records: NDArray[np.int32],
        issues: NDArray[np.int32],
        values: NDArray[Any],
        rated: NDArray[np.bool_] | None = None,
        extra: NDArray[Any] | None = None,
    ) -> None:
        """Add the next ratings; ``values`` are finite numbers of any type where ``rated`` (None: all)."""
        from ratingpriv.data.table.building import _streaming_rows as kernels

        codes = self._coded(values, rated)
        widest: np.dtype[Any] = max(codes.dtype, self._codes.dtype, key=lambda kind: kind.itemsize)
        self._codes = self._codes.astype(widest, copy=False)
        kernels.put(
            records,
            issues,
            codes.astype(widest, copy=False),
            self._extra[:0] if extra is None else extra,
            self._ends,
            self._indices,
            self._codes,
            self._extra,
        )

    def finish(
        self, n_issues: int, *, threads: int | None = None
    ) -> tuple[Rows, NDArray[np.float64], NDArray[Any] | None, int]:
        """Sort the rows by issue; return them, their levels, each extra number, and how many repeat.

        Null ratings are left out, unless there are repeats (a null may be one of them): then they are there,
        with the code one past the levels, as :func:`coordinates.resolve_repeated` wants them. The builder is
        spent.
        """
        from ratingpriv.data.table.building import _streaming_rows as kernels

        count = self._encoder.n_levels
        provisional = np.arange(count, dtype=smallest_code_type(max(count, 1)))
        levels, rank = self._encoder.finish(provisional)
        final = np.empty(count + 1, dtype=self._codes.dtype)
        final[_NULL], final[1:] = count, rank
        rows = (self._indptr, self._ends, self._indices, self._codes, self._extra)
        counts: list[int] = []
        share_out(
            lambda first, last: counts.append(int(kernels.sort_rows(*rows, final, n_issues, first, last))),
            np.diff(self._indptr),
            threads,
            None,
            "sorting rows",
        )
        repeats = sum(counts)
        without_nulls = self._nulls and not repeats
        if without_nulls or not np.array_equal(self._ends, self._indptr[1:]):
            stay = int(kernels.compact(*rows, count if without_nulls else -1))
            self._indices, self._codes = _cut(self._indices, stay), _cut(self._codes, stay)
            self._extra = _cut(self._extra, stay) if self._more else self._extra
        sorted_rows = Rows(self._indptr, self._indices, self._codes, None)
        return sorted_rows, levels, self._extra if self._more else None, repeats

    def _coded(self, values: NDArray[Any], rated: NDArray[np.bool_] | None) -> Codes:
        codes: Codes
        if rated is not None:
            self._nulls = True
            some = self._coded(values[rated], None)
            codes = np.zeros(len(values), dtype=some.dtype)
            codes[rated] = some
            return codes
        plain = self._encoder.code(values) if len(values) else np.empty(0, dtype=np.uint8)
        kind = smallest_code_type(self._encoder.n_levels + 1)
        codes = plain.astype(kind, copy=False) + kind.type(1)
        return codes


def _cut(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return the first entries; memory that would mostly lie idle is given back."""
    return array[:length] if length * 8 > len(array) * 7 else array[:length].copy()
