"""The arrays that `join.py` prepares and the kernels work on.

A *slot* is a place in a list of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WORDS = 8
CHUNK = 64 * WORDS
HITS = 1024  # hits that are put by before they are worked on: they stay in the second-level cache
STEP = 5  # tokens ANDed between two tests for an empty set
# small groups, without tokens: record by record, or all members in one word
BY_PAIR, BY_WORD = 0, -1


type Ints = NDArray[np.int64]
type Words = NDArray[np.uint64]


class Rows(NamedTuple):
    """Ratings by record.

    Aligned: compared records rate the same issues, so places in their rows match.
    """

    indptr: Ints  # (n_records + 1,)
    indices: NDArray[np.int32]  # (n_ratings,) issue, or empty if aligned
    codes: NDArray[Any]  # (n_ratings,) uint8 or uint32
    aligned: bool


class Ranges(NamedTuple):
    """What is within ε of what: by code (exact), and by bin (exact or a superset)."""

    lo: NDArray[np.int32]  # (n_codes,) codes lo..hi are proximate
    hi: NDArray[np.int32]
    bin: NDArray[np.int32]  # (n_codes,) the bin of a code
    # (n_bins,) bins bin_lo..bin_hi may hold codes proximate to one of the bin
    bin_lo: NDArray[np.int32]
    bin_hi: NDArray[np.int32]
    bins: int  # number of bins, the null's included
    rated_bins: int  # number of bins without the null's, which is the last
    null: int  # the code beyond the levels, which stands for a null
    exact: bool  # every bin is one code
    # a member's null matches no rating of a query (a query's null matches anything in any case)
    known: bool


class Layout(NamedTuple):
    """Groups of records that are joined among themselves, and how their tokens are made."""

    width: Ints  # (n_groups,) issues
    fuse: Ints  # (n_groups,) issues in a token, or BY_PAIR or BY_WORD
    rank_at: Ints  # (n_groups,) the group's first place in rank
    # rank of each place in a row (not aligned: of each issue), most selective first
    rank: NDArray[np.int32]


class Queries(NamedTuple):
    """Records by group; as queries, with tokens. As members, the first three arrays are used."""

    first: Ints  # (n_groups,) the group's slots are first..stop
    stop: Ints
    record: Ints  # (n_slots,)
    ptr: Ints  # (n_slots + 1,) tokens of a slot
    tokens: NDArray[np.uint32]
    end1: NDArray[np.int32]  # (n_slots,) end of the run of slots with the same first token
    end2: NDArray[np.int32]  # (n_slots,) the same for the first two tokens


class Sides(NamedTuple):
    """What a join compares: queries with members of their groups."""

    rows: Rows
    ranges: Ranges
    layout: Layout
    queries: Queries
    members: Queries


class Amounts(NamedTuple):
    """What is summed over neighbours, by member slot; three numbers a family, two a real column.

    An exact amount is a sum of bit planes: plane j holds the members whose mark has bit j, and
    counts ``weight[j]`` for each. Planes of family f are ``family[f]:family[f + 1]``.
    """

    marks: Words  # (n_slots, n_mark_words)
    family: Ints  # (n_families + 1,)
    weight: Ints  # (n_planes, 3)
    exact: Ints  # (n_slots, 3 * n_families) the same amounts, added up
    real: NDArray[np.float64]  # (n_slots, 2 * n_reals)


class Tally(NamedTuple):
    """What a join adds up, by query slot."""

    sizes: Ints  # (n,)
    exact: Ints  # (n, 3 * n_families)
    real: NDArray[np.float64]  # (n, 2 * n_reals)

    @classmethod
    def zeros(cls, n: int, amounts: Amounts) -> Tally:
        """Return an empty tally of ``n`` slots for ``amounts``."""
        exact = np.zeros((n, amounts.exact.shape[1]), dtype=np.int64)
        return cls(np.zeros(n, dtype=np.int64), exact, np.zeros((n, amounts.real.shape[1])))

    def add(self, other: Tally, first: int) -> None:
        """Add ``other``, whose slot 0 is slot ``first`` here."""
        for array, more in (
            (self.sizes, other.sizes),
            (self.exact, other.exact),
            (self.real, other.real),
        ):
            array[first : first + len(more)] += more


class Lists(NamedTuple):
    """Where neighbours are listed rather than amounts added up."""

    cursor: Ints  # the next free place, by query, or by member if ``ordered``
    neighbours: NDArray[np.int32]
    everybody: bool  # not only who comes later in the table; the query itself, too
    # groups are in the order of their records: lists are the members', and hold later queries
    ordered: bool


class Space(NamedTuple):
    """Working memory of one call of :func:`join`: rows of eight words, each on one cache line."""

    table: Words  # as many rows as the largest table has
    sets: Words  # bins times the most issues
    planes: Words  # 64 rows a mark word
    scratch: Words  # 1 row, and one a bin
    near: Words  # hits that wait to be worked on: the members that are near,
    who: Ints  # and to which query
    held: Ints  # words of near that hold somebody, by number


@dataclass(frozen=True, slots=True)
class Measured:
    """A sensitive column as numbers to add up: int64 >= 0 on a decimal grid where exact,
    else float64.

    A value is (number + shift) / 10**decimals; a null's number is 0.
    """

    name: str
    present: NDArray[np.bool_]
    numbers: NDArray[np.int64] | NDArray[np.float64]
    shift: float
    decimals: int

    @property
    def exact(self) -> bool:
        """Whether numbers are integers."""
        return self.numbers.dtype.kind == "i"
