"""How often each size occurs: of neighbourhoods, of groups, of what some knowledge leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

_DENSE = 4
"""Sizes up to so many times their number are counted in an array of one place for each."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """The distinct sizes, int64 (m,), ascending, each >= 1, and how often each occurs."""

    sizes: NDArray[np.int64]
    times: NDArray[np.int64]

    @classmethod
    def of(cls, sizes: NDArray[np.int64], weights: NDArray[np.int64] | None = None) -> Self:
        """Count ``sizes``, int64 (n,), each once, or as often as ``weights``, int64 (n,), say."""
        if len(sizes) == 0:
            return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        if weights is None and sizes.min() >= 0 and sizes.max() <= _DENSE * len(sizes):
            times = np.bincount(sizes)
            found = np.flatnonzero(times)
            return cls(found, times[found])
        if weights is None:
            return cls(*np.unique(sizes, return_counts=True))
        order = np.argsort(sizes, kind="stable")
        ascending = sizes[order]
        first = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
        return cls(ascending[first], np.add.reduceat(weights[order], first))

    @property
    def total(self) -> int:
        """How many there are."""
        return int(self.times.sum())

    @property
    def sum(self) -> int:
        """The sum of all sizes, whole however large it is."""
        return sum(size * times for size, times in self.entries)

    @property
    def entries(self) -> tuple[tuple[int, int], ...]:
        """(size, how often) for each that occurs, ascending."""
        return tuple(zip(self.sizes.tolist(), self.times.tolist(), strict=True))

    @property
    def median(self) -> float:
        """The size in the middle, or the mean of the two."""
        upto = np.cumsum(self.times)
        last = int(upto[-1]) - 1
        low, high = self.sizes[
            np.searchsorted(upto, [last // 2, last - last // 2], side="right")
        ].tolist()
        return float((low + high) / 2)

    @property
    def mean(self) -> float:
        """The mean size, the float64 nearest to it."""
        return self.sum / self.total

    @property
    def mean_inverse(self) -> float:
        """The mean of 1 / size, the float64 nearest to it, up to one in 2**64."""
        shift = 128 + self.total.bit_length()
        return sum((times << shift) // size for size, times in self.entries) / (self.total << shift)

    def below(self, limit: int) -> int:
        """Return how many are smaller than ``limit``."""
        return int(self.times[: np.searchsorted(self.sizes, limit)].sum())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        return np.array_equal(self.sizes, other.sizes) and np.array_equal(self.times, other.times)

    __hash__ = None  # type: ignore[assignment]


def tally(sizes: NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """Return (size, how often) for each that occurs, ascending; ``sizes`` : int64 (n,)."""
    return Histogram.of(sizes).entries
