"""Sums of float64 without rounding, so that parts add up to the same in any order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNIT", "as_bytes", "as_float", "exact", "of_bytes", "squares", "total"]

UNIT = 1126
"""Sums are whole numbers of 2^-UNIT, of which every float64 is a multiple; sums of squares of its square."""

_LIMB = 18  # bits of a part of a mantissa: products have 36, and 2^16 of them are exact in float64
_PIECE = 1 << 16


def total(values: NDArray[np.float64]) -> int:
    """Return Σ v, exactly, in units of 2^-UNIT; ``values`` float64 (n,), finite and >= 0."""
    found = 0
    for place, (high, middle, low) in _pieces(values):
        sums = [np.bincount(place, weights=limb) for limb in (high, middle, low)]
        for shift in np.flatnonzero(sum(sums)).tolist():
            a, b, c = (int(one[shift]) for one in sums)
            found += ((a << 2 * _LIMB) + (b << _LIMB) + c) << shift
    return found


def squares(values: NDArray[np.float64]) -> int:
    """Return Σ v², exactly, in units of 2^(-2 UNIT); ``values`` as for :func:`total`."""
    found = 0
    for place, (high, middle, low) in _pieces(values):
        products = (
            high * high, high * middle, high * low, middle * middle, middle * low, low * low,
        )  # fmt: skip
        sums = [np.bincount(place, weights=product) for product in products]
        for shift in np.flatnonzero(sum(sums)).tolist():
            aa, ab, ac, bb, bc, cc = (int(one[shift]) for one in sums)
            mantissa = aa << 4 * _LIMB
            mantissa += (2 * ab) << 3 * _LIMB
            mantissa += (2 * ac + bb) << 2 * _LIMB
            mantissa += ((2 * bc) << _LIMB) + cc
            found += mantissa << 2 * shift
    return found


def exact(value: float) -> int:
    """Return one float64 >= 0 in units of 2^-UNIT."""
    return int(Fraction(value) * (1 << UNIT))


def as_float(number: int) -> float:
    """Return a sum in units of 2^-UNIT as the nearest float64."""
    return float(Fraction(number, 1 << UNIT))


def as_bytes(number: int) -> bytes:
    """Return a whole number >= 0 for an Arrow column."""
    return number.to_bytes((number.bit_length() + 7) // 8, "little")


def of_bytes(found: bytes) -> int:
    """Return the number of :func:`as_bytes`."""
    return int.from_bytes(found, "little")


def _pieces(
    values: NDArray[np.float64],
) -> list[tuple[NDArray[np.int64], tuple[NDArray[np.float64], ...]]]:
    """Return in pieces the power of 2 of each value, from UNIT on, and its mantissa in three limbs."""
    pieces = []
    for first in range(0, len(values), _PIECE):
        fraction, exponent = np.frexp(values[first : first + _PIECE])
        mantissa = np.ldexp(fraction, 53).astype(np.int64)
        place = np.where(mantissa == 0, 0, exponent.astype(np.int64) - 53 + UNIT)
        mask = (1 << _LIMB) - 1
        limbs = tuple(((mantissa >> shift) & mask).astype(np.float64) for shift in (2 * _LIMB, _LIMB, 0))
        pieces.append((place, limbs))
    return pieces
