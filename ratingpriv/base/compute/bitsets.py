"""The few intrinsics of kernels: sets of 512 as rows of eight 64-bit words.

Compiled, they are LLVM vectors (`_bitsets.py`), which become whatever the machine has (one AVX-512
register, two of AVX2, ...). Loops over the eight words would do, but LLVM unrolls them before it
vectorises and then cannot, because the row that is written might be one that is read; they measured
twice as slow. They are not bounds-checked; with ``NUMBA_BOUNDSCHECK=1`` the plain loops below,
which are, take their place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ratingpriv.base.compute.compiling import Kernel, part, switched

_WORDS = 8


def _intrinsic[F: Callable[..., Any]](function: F) -> F:
    return cast(
        "F", Kernel(function, {}, intrinsic=f"ratingpriv.base.compute._bitsets:{function.__name__}")
    )


_of_rows = part if switched("NUMBA_BOUNDSCHECK") else _intrinsic


@_intrinsic
def popcount(word: Any) -> int:
    """Count the set bits of a word, uint64."""
    return int(word).bit_count()


@_of_rows
def any_bit(rows: Any, i: Any) -> bool:
    """Return whether row i has a bit set."""
    for word in range(_WORDS):  # noqa: SIM110 -- numba knows no generators
        if rows[i, word]:
            return True
    return False


@_of_rows
def and_rows(out: Any, o: Any, left: Any, x: Any, right: Any, y: Any) -> int:
    """Write ``left[x] & right[y]`` to ``out[o]`` and count its bits."""
    count = 0
    for word in range(_WORDS):
        out[o, word] = left[x, word] & right[y, word]
        count += int(popcount(out[o, word]))
    return count


@_of_rows
def common(left: Any, x: Any, right: Any, y: Any) -> int:
    """Count the bits of ``left[x] & right[y]``."""
    count = 0
    for word in range(_WORDS):
        count += int(popcount(left[x, word] & right[y, word]))
    return count


@_of_rows
def keep(out: Any, o: Any, rows: Any, x: Any, flip: Any) -> bool:
    """Keep in ``out[o]`` what is in ``rows[x] ^ flip``; return whether a bit is left."""
    left = False
    for word in range(_WORDS):
        out[o, word] &= rows[x, word] ^ flip
        left |= out[o, word] != 0
    return left


@part
def keep_common(
    out: Any, o: Any, rows: Any, first: Any, which: Any, flips: Any, count: Any
) -> bool:
    """Keep in ``out[o]`` what is in each of some rows; return whether a bit is left.

    The rows are ``rows[first + which[q]] ^ flips[q]`` for q < ``count``; those after an empty
    intersection are not looked at.
    """
    if not any_bit(out, o):
        return False
    for q in range(count):  # noqa: SIM110 -- numba knows no generators
        if not keep(out, o, rows, first + which[q], flips[q]):
            return False
    return True


@_of_rows
def common_to_three(left: Any, x: Any, right: Any, y: Any, also: Any, z: Any) -> int:
    """Count the bits of ``left[x] & right[y] & also[z]``."""
    count = 0
    for word in range(_WORDS):
        count += int(popcount(left[x, word] & right[y, word] & also[z, word]))
    return count
