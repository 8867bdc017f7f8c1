"""Compiled loops of hamming.py: arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(15)
_ONE = np.uint64(1)
_A, _B, _C = np.uint64(0x9E3779B1), np.uint64(0x85EBCA77), np.uint64(0xC2B2AE3D)
_D = np.uint64(0x27D4EB2F)


def _hash_rows(
    indptr: NDArray[np.int64],
    content: NDArray[Any],
    hashes: NDArray[np.uint64],
    first: int,
    last: int,
) -> None:
    """Write a hash of what is in each of the rows ``first:last``, in its order: issues,
    or codes of ratings.

    Equal rows have equal hashes; others may have, too: whoever finds some compares the rows. The
    hash is the sum, modulo 2**64, of mix(x, place in the row): with all else modulo 2**32, u = (x +
    1)·A + place·D, u ^= u >> 15, mix = (u·B) times (u·C). Without the shift, sums of neighbouring
    issues collide: products of multiples are polynomials of degree 2. Products of 32-bit numbers
    are what processors multiply several of at a time: this runs about as fast as memory is read.
    """
    for row in range(first, last):
        total, start = np.uint64(0), np.uint64(indptr[row])
        for entry in range(start, np.uint64(indptr[row + 1])):
            mixed = (
                (np.uint64(content[entry]) + _ONE) * _A + (np.uint64(entry) - start) * _D
            ) & _LOW
            mixed ^= mixed >> _HALF
            total += ((mixed * _B) & _LOW) * ((mixed * _C) & _LOW)
        hashes[row] = total


def _hash_rows_at_once(
    indptr: NDArray[np.int64],
    content: NDArray[Any],
    hashes: NDArray[np.uint64],
    first: int,
    last: int,
) -> None:
    """Do as :func:`_hash_rows`; as plain Python, which does a row at a time much faster."""
    for row in range(first, last):
        row_codes = content[indptr[row] : indptr[row + 1]].astype(np.uint64)
        mixed = ((row_codes + _ONE) * _A + np.arange(len(row_codes), dtype=np.uint64) * _D) & _LOW
        mixed ^= mixed >> _HALF
        hashes[row] = np.sum(((mixed * _B) & _LOW) * ((mixed * _C) & _LOW), dtype=np.uint64)


hash_rows = kernel(_hash_rows, plain=_hash_rows_at_once)


@kernel
def number_rows(
    indptr: NDArray[np.int64],
    content: NDArray[Any],
    hashes: NDArray[np.uint64],
    table: NDArray[np.int32],
    group_of: NDArray[np.int64],
    leaders: NDArray[np.int64],
) -> int:
    """Give rows of equal content a number, in the order of first rows.

    Return how many groups there are.

    A hash table with open addressing: ``table`` (a power of two, more than the rows, all -1) holds
    groups, ``leaders`` (n_records,) is filled with the first row of each. Rows of equal hash are
    compared element by element with the leader, so that a weak hash costs time and never a wrong
    answer.
    """
    mask = len(table) - 1
    groups = 0
    for row in range(len(hashes)):
        start = indptr[row]
        length = indptr[row + 1] - start
        slot = np.int64(((hashes[row] >> np.uint64(29)) ^ hashes[row]) & np.uint64(mask))
        while True:
            group = table[slot]
            if group < 0:
                table[slot] = groups
                leaders[groups] = row
                group_of[row] = groups
                groups += 1
                break
            leader = leaders[group]
            if hashes[leader] == hashes[row]:
                other = indptr[leader]
                same = indptr[leader + 1] - other == length
                if same:  # to the end in any case: then several are compared at once
                    first_hash, its = content[start:], content[other:]
                    for i in range(length):
                        same &= first_hash[i] == its[i]
                if same:
                    group_of[row] = group
                    break
            slot = (slot + 1) & mask
    return groups
