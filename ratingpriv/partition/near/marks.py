"""Who is not near whom, in words of bits: most pairs are told apart by a few of these, column after
column by fifty numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.partition.near.arrays import Codes, Words

_PARTS = 16  # runs of codes of a column that have a bit each
_WORD = 64  # bits


class Marks(NamedTuple):
    """Bits of n records, uint64 (n, w)."""

    held: Words  # of the codes that a record has
    barred: Words  # of the codes that are not near one of these
    exact: bool  # whether two records are near wherever no bit says that they are not


def marks_of(codes: Codes, reach: Codes) -> Marks:
    """Return the marks of ``codes``, (n, p), where code a is near b >= a up to ``reach[a]``.

    Records i and j are not near if ``held[i] & barred[j]`` has a bit. Of a column with more than 16
    codes runs of them share a bit: what it says is true, and it does not say everything.
    """
    n = len(codes)
    held_bits: list[NDArray[np.bool_]] = []
    barred_bits: list[NDArray[np.bool_]] = []
    exact = True
    for column in codes.T:
        present = np.unique(column[column >= 0])
        runs = np.array_split(present, min(_PARTS, len(present))) if len(present) else []
        exact = exact and len(present) <= _PARTS
        first, last = (np.array([run[end] for run in runs], dtype=np.int64) for end in (0, -1))
        apart = first[None, :] > reach[last][:, None] if runs else np.zeros((0, 0), dtype=bool)
        apart |= apart.T  # runs that are nowhere near each other
        place = np.searchsorted(first, column, side="right") - 1
        rated = column >= 0
        for run in np.flatnonzero(apart.any(axis=0)):
            held_bits.append(rated & (place == run))
            barred_bits.append(rated & apart[run, np.maximum(place, 0)])
    return Marks(_words(held_bits, n), _words(barred_bits, n), exact)


def _words(bits: list[NDArray[np.bool_]], n: int) -> Words:
    """Return the bits of n records, a list of bool (n,), as words."""
    words = np.zeros((n, -(-len(bits) // _WORD)), dtype=np.uint64)
    for number, bit in enumerate(bits):
        words[:, number // _WORD] |= bit.astype(np.uint64) << np.uint64(number % _WORD)
    return words
