"""Records as bytes: from issues and codes to ``key`` and ``codes``, and back.

What they contain is said in :mod:`ratingpriv.spark.plan`. A key is, one after another and little-endian:

* the support, where a null separates: a bitmap, place 0 the lowest bit of the first byte; or a list of
  places, which begins with its length (uint32) where ``identical``;
* where ``identical``, the codes that are compared;
* a uint32 for each quasi-identifier that has to be equal; the number of its values stands for a null.

A *place* is an issue, 0..p-1, or behind them a quasi-identifier that may differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.spark.plan import Comparison

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Decoded", "binary", "byte_runs", "decode", "encode"]


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """Records as arrays.

    Attributes
    ----------
    indptr : int64 (n + 1,); entries of record i are at ``indptr[i]:indptr[i + 1]``
    places : int64 (n_entries,); ascending within a record
    codes : int64 (n_entries,); -1 where ratings are not compared, and so not known
    equal : int64 (n, n_equal); codes of the quasi-identifiers that have to be equal
    """

    indptr: NDArray[np.int64]
    places: NDArray[np.int64]
    codes: NDArray[np.int64]
    equal: NDArray[np.int64]


def encode(
    comparison: Comparison,
    indptr: NDArray[np.int64],
    places: NDArray[np.int64],
    codes: NDArray[np.int64],
    equal: NDArray[np.int64],
) -> tuple[pa.BinaryArray, pa.BinaryArray]:
    """Return (keys, codes) of n records, as :class:`Decoded` has them; codes of what is not compared: any."""
    n, p = len(indptr) - 1, len(comparison.issues)
    parts: list[tuple[NDArray[np.int64], NDArray[np.uint8]]] = []
    if comparison.by_support and comparison.by_bitmap:
        flags = np.zeros((n, comparison.n_places), dtype=bool)
        flags[np.repeat(np.arange(n), np.diff(indptr)), places] = True
        bitmap = np.packbits(flags, axis=1, bitorder="little")
        parts.append((np.full(n, bitmap.shape[1]), bitmap.ravel()))
    elif comparison.by_support:
        if comparison.identical:
            parts.append(_numbers(np.ones(n, dtype=np.int64), np.diff(indptr), np.dtype(np.uint32)))
        parts.append(_numbers(np.diff(indptr), places, comparison.place_type))
    compared = np.ones(len(places), dtype=bool) if comparison.rated else places >= p
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(compared)))
    own = _numbers(np.diff(before[indptr]), codes[compared], np.dtype(comparison.code_type))
    nothing = np.zeros(n, dtype=np.int64), np.empty(0, dtype=np.uint8)
    if comparison.identical:
        parts.append(own)
        own = nothing
    parts.append(_numbers(np.full(n, equal.shape[1]), equal.ravel(), np.dtype(np.uint32)))
    return _joined(n, parts), _joined(n, [own])


def decode(comparison: Comparison, keys: pa.BinaryArray, codes: pa.BinaryArray) -> Decoded:
    """Return the records of these keys and codes: the inverse of :func:`encode`."""
    n, p, width = len(keys), len(comparison.issues), np.dtype(comparison.code_type).itemsize
    moving = len(comparison.moving_quasi)
    start, end, data = byte_runs(keys)
    end = end - 4 * len(comparison.equal_quasi)
    equal = _read(data, end, np.full(n, len(comparison.equal_quasi)), np.dtype(np.uint32))
    if not comparison.by_support:
        first = 0 if comparison.rated else p
        counts = np.full(n, p + moving - first)
        places = np.tile(np.arange(first, p + moving), n)
    elif comparison.by_bitmap:
        size = -(-comparison.n_places // 8)
        bits = data[start[:, None] + np.arange(size)].reshape(n, size)
        flags = np.unpackbits(bits, axis=1, count=comparison.n_places, bitorder="little").astype(bool)
        counts, places = flags.sum(axis=1), np.nonzero(flags)[1].astype(np.int64)
        start = start + size
    else:
        if comparison.identical:
            counts = _read(data, start, np.ones(n, dtype=np.int64), np.dtype(np.uint32))
            start = start + 4
        else:
            counts = (end - start) // comparison.place_type.itemsize
        places = _read(data, start, counts, comparison.place_type)
        start = start + counts * comparison.place_type.itemsize
    indptr = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
    compared = np.ones(len(places), dtype=bool) if comparison.rated else places >= p
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(compared)))
    if not comparison.identical:
        start, end, data = byte_runs(codes)
    read = _read(data, start, np.diff(before[indptr]), np.dtype(comparison.code_type))
    if len(read) != np.count_nonzero(compared) or np.any(end - start != np.diff(before[indptr]) * width):
        raise ValueError("keys and codes were made by another comparison")
    every = np.full(len(places), -1, dtype=np.int64)
    every[compared] = read
    return Decoded(indptr, places, every, equal.reshape(n, len(comparison.equal_quasi)))


def byte_runs(array: pa.BinaryArray) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """Return where each value begins and ends, int64 (n,), and the bytes that hold them all."""
    import pyarrow as pa

    if array.type != pa.binary():
        array = array.cast(pa.binary())
    _, bounds, data = array.buffers()
    if len(array) == 0:
        none = np.empty(0, dtype=np.int64)
        return none, none, np.empty(0, dtype=np.uint8)
    at = np.frombuffer(bounds, dtype=np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    held = np.empty(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return at[:-1], at[1:], held


def binary(lengths: NDArray[np.int64], data: NDArray[np.uint8]) -> pa.BinaryArray:
    """Return an Arrow array of byte strings of these lengths, one behind the other in ``data``."""
    import pyarrow as pa

    bounds = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    if bounds[-1] > np.iinfo(np.int32).max:
        raise ValueError("a batch of records takes more than 2 GiB")
    return pa.Array.from_buffers(
        pa.binary(), len(lengths), [None, pa.py_buffer(bounds.astype(np.int32)), pa.py_buffer(data)]
    )


def _numbers(
    counts: NDArray[np.int64], numbers: NDArray[np.int64], kind: np.dtype[Any]
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return (bytes of each record, bytes) of ``counts`` numbers a record."""
    return counts * kind.itemsize, numbers.astype(kind.newbyteorder("<")).view(np.uint8)


def _joined(n: int, parts: Sequence[tuple[NDArray[np.int64], NDArray[np.uint8]]]) -> pa.BinaryArray:
    """Return byte strings of ``n`` records, each its share of every part, one behind the other."""
    lengths = np.zeros(n, dtype=np.int64)
    for own, _ in parts:
        lengths += own
    at = np.cumsum(lengths) - lengths
    joined = np.empty(int(lengths.sum()), dtype=np.uint8)
    for own, data in parts:
        joined[np.repeat(at - (np.cumsum(own) - own), own) + np.arange(len(data))] = data
        at = at + own
    return binary(lengths, joined)


def _read(
    data: NDArray[np.uint8], start: NDArray[np.int64], counts: NDArray[np.int64], kind: np.dtype[Any]
) -> NDArray[np.int64]:
    """Return ``counts`` numbers from each of ``start`` on, one behind the other."""
    own = counts * kind.itemsize
    total = int(own.sum())
    taken = data[np.repeat(start - (np.cumsum(own) - own), own) + np.arange(total)]
    return np.ascontiguousarray(taken).view(kind.newbyteorder("<")).astype(np.int64)
