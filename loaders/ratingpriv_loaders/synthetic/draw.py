"""Drawing distinct issues one after the other with probability proportional to weight, for many records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 16  # records that still lack issues after so many rounds of drawing are finished in another way
_CELLS = 1 << 18  # clocks that run together: bounds the temporary arrays


class Sampler:
    """Draws distinct issues one after the other, among those left with probability proportional to weight.

    Two exact ways, by what they cost. *Drawing again*: the first m distinct issues in a row of independent
    draws (by Walker's alias method). *Clocks*: issue j rings after an exponential time with rate w_j; the
    first m to ring. The former suits records that draw few issues, the latter those that draw many.

    Parameters
    ----------
    weights : float64 (n_issues,), positive
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = weights / weights.sum()
        self._keep, self._other = _alias_table(self._weights)
        # so many distinct issues are expected of n_issues / 5 draws; clocks are cheaper for more
        self._few = float((1 - np.exp(-self._weights * len(weights) / 5)).sum())

    def draw(self, numbers: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
        """Return issues, int32 (numbers.sum(),): ``numbers[i]`` for record i, ascending, in their order."""
        p = len(self._weights)
        few = np.flatnonzero(numbers <= self._few)
        many = np.flatnonzero(numbers > self._few)
        keys = self._drawn_again(few, numbers, rng)
        if len(many):
            nothing = np.empty(0, dtype=np.int64)
            keys = np.sort(np.concatenate([keys, self._by_clocks(many, numbers[many], nothing, rng)]))
        return (keys % p).astype(np.int32)

    def _drawn_again(
        self, records: NDArray[np.int64], numbers: NDArray[np.int32], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return record·n_issues + issue, ascending, with ``numbers[record]`` issues for each of ``records``.

        A record draws as many issues a round as it lacks, so it never gets too many, and what it has in the
        end are the first distinct ones of all that it drew.
        """
        p = len(self._weights)
        keys = np.empty(0, dtype=np.int64)
        lacking = numbers[records].astype(np.int64)
        for _ in range(_ROUNDS):
            if not len(records):
                return keys
            drawn = np.repeat(records * p, lacking)
            drawn += self._with_replacement(len(drawn), rng)
            drawn.sort()
            new = np.ones(len(drawn), dtype=bool)
            np.not_equal(drawn[1:], drawn[:-1], out=new[1:])
            if len(keys):
                at = np.searchsorted(keys, drawn)
                new &= np.append(keys, -1)[at] != drawn
            drawn = drawn[new]
            keys = np.insert(keys, at[new], drawn) if len(keys) else drawn
            lacking -= np.searchsorted(drawn, (records + 1) * p) - np.searchsorted(drawn, records * p)
            records, lacking = records[lacking > 0], lacking[lacking > 0]
        return np.sort(np.concatenate([keys, self._by_clocks(records, lacking, keys, rng)]))

    def _with_replacement(self, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        place = rng.integers(len(self._weights), size=size)
        return np.where(rng.random(size) < self._keep[place], place, self._other[place])

    def _by_clocks(
        self,
        records: NDArray[np.int64],
        numbers: NDArray[np.integer],
        taken: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return record·n_issues + issue, in any order, with ``numbers[i]`` issues for ``records[i]``.

        ``taken``, ascending, are keys that some records have already; they are not drawn again.
        """
        p = len(self._weights)
        batch = max(1, _CELLS // p)
        found = [np.empty(0, dtype=np.int64)]
        for at in range(0, len(records), batch):
            some = records[at : at + batch]
            times = rng.standard_exponential((len(some), p))
            times /= self._weights
            for record, wanted, row in zip(
                some.tolist(), numbers[at : at + batch].tolist(), times, strict=True
            ):
                left, right = np.searchsorted(taken, (record * p, (record + 1) * p))
                row[taken[left:right] - record * p] = np.inf
                found.append(record * p + np.argpartition(row, wanted - 1)[:wanted])
        return np.concatenate(found)


def _alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return (keep, other) of Walker's alias method: keep a place with this probability, else the other."""
    p = len(weights)
    keep = (weights * (p / weights.sum())).tolist()
    other = list(range(p))
    small = [place for place in range(p) if keep[place] < 1]
    large = [place for place in range(p) if keep[place] >= 1]
    while small and large:
        poor, rich = small.pop(), large[-1]
        other[poor] = rich
        keep[rich] -= 1 - keep[poor]
        if keep[rich] < 1:
            small.append(large.pop())
    for place in (*small, *large):  # what rounding left over
        keep[place] = 1.0
    return np.array(keep), np.array(other, dtype=np.int64)
