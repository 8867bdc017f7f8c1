"""Distinct ratings (levels) and each rating's position among them (its code)."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

_BLOCK = 1 << 22  # ratings coded at a time: bounds the temporary arrays
_TABLE = 1 << 16  # widest range of whole (or half) numbers that is looked up in a table


def smallest_code_type(levels: int) -> np.dtype[Any]:
    """Return the smallest unsigned type that can number ``levels`` things from 0."""
    return np.dtype(np.uint8 if levels <= 1 << 8 else np.uint16 if levels <= 1 << 16 else np.uint32)


class LevelEncoder:
    """Codes ratings chunk by chunk; codes are provisional until :meth:`finish` has been applied to them.

    float32 and float16 ratings count as the shortest decimal that prints the same (0.1, not
    0.100000001490116): that is what was meant, and it lets differences be compared exactly. -0.0 counts as
    0.0.
    """

    def __init__(self) -> None:
        self._known = np.empty(0, dtype=np.float64)  # ascending
        self._code_of = np.empty(0, dtype=np.int64)  # the provisional code of each of them

    @property
    def n_levels(self) -> int:
        """How many distinct ratings have been seen."""
        return len(self._known)

    def code(self, values: NDArray[Any]) -> Codes:
        """Return provisional codes of ``values`` (n,): any integer, floating or boolean type, finite.

        The type of the result is the smallest that holds every code so far, so it may grow from call to call.
        """
        parts = [self._code_block(values[at : at + _BLOCK]) for at in range(0, len(values), _BLOCK)]
        if len(parts) == 1:
            return parts[0]
        codes: Codes = np.empty(len(values), dtype=smallest_code_type(self.n_levels))
        for number, part in enumerate(parts):
            codes[number * _BLOCK : number * _BLOCK + len(part)] = part
        return codes

    def finish(self, codes: Codes) -> tuple[NDArray[np.float64], Codes]:
        """Return (levels, ascending; ``codes`` renumbered to match, in place where that is possible)."""
        final = np.empty(self.n_levels, dtype=smallest_code_type(self.n_levels))
        final[self._code_of] = np.arange(self.n_levels)
        if codes.dtype == final.dtype and bool(np.all(final[1:] > final[:-1])):
            return self._known.copy(), codes
        renumbered: Codes = codes
        if codes.dtype != final.dtype or not codes.flags.writeable:
            renumbered = np.empty(len(codes), dtype=smallest_code_type(self.n_levels))
        for at in range(0, len(codes), _BLOCK):
            renumbered[at : at + _BLOCK] = final[codes[at : at + _BLOCK]]
        return self._known.copy(), renumbered

    def _code_block(self, values: NDArray[Any]) -> Codes:
        if values.dtype.kind == "b":
            values = values.view(np.uint8)
        keys, step = _table_keys(values)
        if keys is not None:
            low = int(keys.min())
            keys = keys - low if low else keys
            seen = np.flatnonzero(np.bincount(keys))
            meant = (seen + low) * step
            looked_up = np.zeros(int(seen[-1]) + 1, dtype=np.int64)
        else:
            distinct = pl.Series(values).unique().sort().to_numpy()  # hashed: quicker than sorting all values
            keys = np.searchsorted(distinct, values)
            seen = np.arange(len(distinct))
            meant = _as_meant(distinct)  # ascending as well
            looked_up = np.zeros(len(distinct), dtype=np.int64)
        self._learn(np.unique(meant))
        looked_up[seen] = self._code_of[np.searchsorted(self._known, meant)]
        codes: Codes = looked_up.astype(smallest_code_type(self.n_levels))[keys]
        return codes

    def _learn(self, levels: NDArray[np.float64]) -> None:
        new = levels[~np.isin(levels, self._known)]
        if len(new):
            known = np.concatenate((self._known, new))
            code_of = np.concatenate((self._code_of, np.arange(len(self._known), len(known))))
            order = np.argsort(known, kind="stable")
            self._known, self._code_of = known[order], code_of[order]


def encode_levels(values: NDArray[Any]) -> tuple[NDArray[np.float64], Codes]:
    """Return (the distinct values, ascending; each value's position among them); -0.0 becomes 0.0.

    ``values`` are finite numbers of any integer or floating type; see :class:`LevelEncoder`.
    """
    encoder = LevelEncoder()
    return encoder.finish(encoder.code(values))


def encode_with_nulls(values: NDArray[Any], known: NDArray[np.bool_]) -> tuple[NDArray[np.float64], Codes]:
    """Return levels and codes of the ``known`` values; the code of the others is one past the levels."""
    levels, some = encode_levels(values[known])
    codes: Codes = np.full(len(values), len(levels), dtype=smallest_code_type(len(levels) + 1))
    codes[known] = some
    return levels, codes


def as_float(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return ``values`` as float64, float32 and float16 as the decimals they were meant to be."""
    if values.dtype.kind == "f" and values.dtype.itemsize < 8:
        levels, codes = encode_levels(values)
        return levels[codes]
    return values.astype(np.float64) + 0.0


def _table_keys(values: NDArray[Any]) -> tuple[NDArray[Any] | None, float]:
    """Return (keys, step) with values = keys * step and whole keys of a small range; or (None, 1.0)."""
    low, high = values.min(), values.max()
    if values.dtype.kind in "iu":
        if int(high) - int(low) >= _TABLE:
            return None, 1.0
        # other types are widened: small ones would overflow when the lowest is taken off
        return (values if values.dtype == np.uint8 else values.astype(np.int64)), 1.0
    if low <= -_TABLE / 4 or high >= _TABLE / 4:
        return None, 1.0
    halves = values * values.dtype.type(2)  # half stars are the usual case of fractions
    keys = halves.astype(np.int64)
    return (keys, 0.5) if bool(np.all(keys == halves)) else (None, 1.0)


def _as_meant(levels: NDArray[Any]) -> NDArray[np.float64]:
    if levels.dtype.kind == "f" and levels.dtype.itemsize < 8:
        return np.array([float(str(level)) for level in levels], dtype=np.float64) + 0.0
    return levels.astype(np.float64) + 0.0
