"""The arrays that `join.py` prepares and the kernels work on; a *slot* is a place in a list of records."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WORDS = 8
CHUNK = 64 * WORDS
HITS = 1024  # hits that are put by before they are worked on: they stay in the second-level cache
STEP = 5  # tokens ANDed between two tests for an empty set
BY_PAIR, BY_WORD = 0, -1  # small groups, without tokens: record by record, or all members in one word


class Rows(NamedTuple):
    """Ratings by record. Aligned: compared records rate the same issues, so places in their rows match."""

    indptr: NDArray[np.int64]  # (n_records + 1,)
    indices: NDArray[np.int32]  # (n_ratings,) issue, or empty if aligned
    codes: NDArray[Any]  # (n_ratings,) uint8 or uint32
    aligned: bool


class Ranges(NamedTuple):
    """What is within ε of what: by code (exact), and by bin (exact or a superset)."""

    lo: NDArray[np.int32]  # (n_codes,) codes lo..hi are proximate
    hi: NDArray[np.int32]
    bin: NDArray[np.int32]  # (n_codes,) the bin of a code
    bin_lo: NDArray[np.int32]  # (n_bins,) bins bin_lo..bin_hi may hold codes proximate to one of the bin
    bin_hi: NDArray[np.int32]
    bins: int  # number of bins, the null's included
    rated_bins: int  # number of bins without the null's, which is the last
    null: int  # the code beyond the levels, which stands for a null
    exact: bool  # every bin is one code
    known: bool  # a member's null matches no rating of a query (a query's null matches anything in any case)


class Layout(NamedTuple):
    """Groups of records that are joined among themselves, and how their tokens are made."""

    width: NDArray[np.int64]  # (n_groups,) issues
    fuse: NDArray[np.int64]  # (n_groups,) issues in a token, or BY_PAIR or BY_WORD
    rank_at: NDArray[np.int64]  # (n_groups,) the group's first place in rank
    rank: NDArray[np.int32]  # rank of each place in a row (not aligned: of each issue), most selective first


class Queries(NamedTuple):
    """Records by group; as queries, with tokens. As members, the first three arrays are used."""

    first: NDArray[np.int64]  # (n_groups,) the group's slots are first..stop
    stop: NDArray[np.int64]
    record: NDArray[np.int64]  # (n_slots,)
    ptr: NDArray[np.int64]  # (n_slots + 1,) tokens of a slot
    tokens: NDArray[np.uint32]
    end1: NDArray[np.int32]  # (n_slots,) end of the run of slots with the same first token
    end2: NDArray[np.int32]  # (n_slots,) the same for the first two tokens


class Amounts(NamedTuple):
    """What is summed over neighbours, by member slot; three numbers a family, two a real column.

    An exact amount is a sum of bit planes: plane j holds the members whose mark has bit j, and counts
    ``weight[j]`` for each. Planes of family f are ``family[f]:family[f + 1]``.
    """

    marks: NDArray[np.uint64]  # (n_slots, n_mark_words)
    family: NDArray[np.int64]  # (n_families + 1,)
    weight: NDArray[np.int64]  # (n_planes, 3)
    exact: NDArray[np.int64]  # (n_slots, 3 * n_families) the same amounts, added up
    real: NDArray[np.float64]  # (n_slots, 2 * n_reals)


class Space(NamedTuple):
    """Working memory of one call of :func:`join`: rows of eight words, each on one cache line."""

    table: NDArray[np.uint64]  # as many rows as the largest table has
    sets: NDArray[np.uint64]  # bins times the most issues
    planes: NDArray[np.uint64]  # 64 rows a mark word
    scratch: NDArray[np.uint64]  # 1 row, and one a bin
    near: NDArray[np.uint64]  # hits that wait to be worked on: the members that are near,
    who: NDArray[np.int64]  # and to which query
    held: NDArray[np.int64]  # words of near that hold somebody, by number
