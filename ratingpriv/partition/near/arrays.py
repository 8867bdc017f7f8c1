"""The arrays that the kernels of this package work on, by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.partition.index.arrays import Sensitive
from ratingpriv.proximity.arrays import Ints as Ints

type Codes = NDArray[np.int32]
type Numbers = NDArray[np.float64]
type Words = NDArray[np.uint64]

NONE = np.iinfo(np.int32).max
"""The smallest code of a column that nobody of a group answers; the largest is -1."""


_OF_ALL = ("reach", "exact")  # what Answers have that is not by record


class Answers(NamedTuple):
    """The cells of some records, column by column."""

    codes: Codes  # (n, p); -1 where missing
    numbers: Numbers  # (n, p); standardised, 0 where missing, and where a column has no numbers
    reach: Codes  # (n_levels,); the largest code that is near each
    complete: NDArray[np.bool_]  # (n,) who answers everything
    held: Words  # (n, w) bits, see `marks`
    barred: Words
    exact: bool  # whether these bits say all of who is near whom

    def of(self, records: Ints) -> Answers:
        """Return those of some records."""
        cells = {name: getattr(self, name) for name in self._fields if name not in _OF_ALL}
        parts: dict[str, Any] = {
            name: np.ascontiguousarray(cell[records]) for name, cell in cells.items()
        }
        return self._replace(**parts)


class Asked(NamedTuple):
    """What every group shall meet: a size, and demands on each sensitive column;
    see `_clique.shortfall`.
    """

    k: int
    most: int  # records of a group at most
    # (q, n) sensitive values by number, -1 where missing; no rows: nothing is asked of them
    values: Codes
    share: float  # of one value at most
    distinct: int  # values at least
    entropy: float  # bits at least
    distance: float  # from the distribution in all records at most; 1 or more: anything
    # (q, n_values); the share of each value in all records, 0 behind the last
    whole: NDArray[np.float64]
    # (q,); from the least number to the largest; 0: the values are words
    steps: NDArray[np.float64]
    sensitive: Sensitive  # SDs

    def of(self, records: Ints) -> Asked:
        """Return the same of some records."""
        present = np.ascontiguousarray(self.sensitive.known[:, records])
        numbers = np.ascontiguousarray(self.sensitive.numbers[:, records])
        values = np.ascontiguousarray(self.values[:, records])
        return self._replace(
            values=values, sensitive=self.sensitive._replace(known=present, numbers=numbers)
        )


class State(NamedTuple):
    """Which record is in which group, and what each group's columns come to."""

    label: Ints  # (n,); -1: in none
    members: Codes  # (groups, most); the first ``size``
    size: Ints  # (groups,)
    radius: Numbers  # (groups,) the largest squared distance of a member from the mean
    turn: Ints  # (groups,) when an exchange last changed it
    sums: Numbers  # (groups, p) of the numbers of those who answer
    means: Numbers  # (groups, p); 0 where nobody answers
    known: Codes  # (groups, p) how many answer
    low: Codes  # (groups, p) the smallest code, and the second smallest, which may be as small
    low2: Codes
    high: Codes
    high2: Codes
    barred: Words  # (groups, w) bits that a member bars, and those that two members bar
    barred2: Words

    @classmethod
    def empty(cls, n: int, p: int, w: int, k: int, most: int) -> State:
        """Return room for as many groups as there can be, of n records on p columns with w words
        of bits.
        """
        groups = n // max(k, 1) + 1
        columns: Any = [np.zeros((groups, p), dtype=np.int32) for _ in range(5)]
        bits: Any = [np.zeros((groups, w), dtype=np.uint64) for _ in range(2)]
        return cls(
            np.full(n, -1, dtype=np.int64),
            np.full((groups, most), -1, dtype=np.int32),
            np.zeros(groups, dtype=np.int64),
            np.zeros(groups),
            np.zeros(groups, dtype=np.int64),
            np.zeros((groups, p)),
            np.zeros((groups, p)),
            *columns,
            *bits,
        )


class Space(NamedTuple):
    """Working memory."""

    found: Ints  # (n,) candidates
    far: Numbers  # (n,) how far each is
    picked: Codes  # (most,) members of a group that grows
    low: Codes  # (p,) its box
    high: Codes
    sums: Numbers  # (p,)
    known: Codes  # (p,)
    means: Numbers  # (1, p); 0 where nobody answers
    barred: Words  # (1, w) the bits that it bars
    slope: Numbers  # (p,) twice the distance of two groups' means
    bend: Numbers  # (p,) the sum of one by the number of those who answer, in both
    inverse: Numbers  # (most + 2,) one by each number, 0 of 0
    counts: Ints  # (values,) come and go as zeros
    amounts: Numbers  # (q, 3)
    stuck: NDArray[np.bool_]  # (n,) records that fit no other group

    @classmethod
    def of(cls, asked: Asked, n: int, p: int, w: int) -> Space:
        """Return working memory for n records on p columns with w words of bits."""
        inverse = np.zeros(asked.most + 2)
        inverse[1:] = 1 / np.arange(1, asked.most + 2)
        return cls(
            np.zeros(n, dtype=np.int64),
            np.zeros(n),
            np.zeros(asked.most, dtype=np.int32),
            np.zeros(p, dtype=np.int32),
            np.zeros(p, dtype=np.int32),
            np.zeros(p),
            np.zeros(p, dtype=np.int32),
            np.zeros((1, p)),
            np.zeros((1, w), dtype=np.uint64),
            np.zeros(p),
            np.zeros(p),
            inverse,
            np.zeros(int(asked.values.max(initial=0)) + 1, dtype=np.int64),
            np.zeros((len(asked.sensitive.needed), 3)),
            np.zeros(n, dtype=np.bool_),
        )
