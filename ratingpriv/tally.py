"""How often each size occurs: of neighbourhoods, of groups, of what some knowledge leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["tally"]


def tally(sizes: NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Return (size, how often) for each that occurs, ascending; ``sizes`` : int64 (n,)."""
    found, times = np.unique(sizes, return_counts=True)
    return tuple(zip(found.tolist(), times.tolist(), strict=True))
