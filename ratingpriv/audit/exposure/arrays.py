"""The arrays that `examine.py` prepares and `_examine.py` works on, by name.

A *member* is a place in a pool of records. An *option* is a stretch of knowledge of one rating that
leaves the same members.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WORDS = 8
BLOCK = 64 * WORDS


class Positions(NamedTuple):
    """What may be known of a rating, by its code; in units of ``whole`` numbers, or as they are."""

    number: NDArray[np.float64]  # (n_levels,) the rating
    low: NDArray[np.float64]  # (n_levels,) knowledge of it is low..high
    high: NDArray[np.float64]
    first: NDArray[np.int64]  # (n_levels,) codes first..last fit some of it
    last: NDArray[np.int64]
    reach: float  # a rating fits knowledge that differs by no more
    whole: bool  # knowledge takes whole numbers; otherwise any


class Pool(NamedTuple):
    """Records that may be mistaken for each other, as bitsets by block, issue and bin of levels.

    Aligned: they rate the same issues, so places in their rows match. Where there are many levels,
    or many issues, bins hold several levels, and some issues only have bitsets.
    """

    indptr: NDArray[np.int64]  # (n_records + 1,)
    indices: NDArray[np.int32]  # (n_ratings,) issue, or empty if aligned
    codes: NDArray[Any]  # (n_ratings,) uint8 or uint32
    aligned: bool
    matches: bool  # a null fits anything
    record: NDArray[np.int64]  # (g,) positions in the table
    # by place in a row, or by issue: which of those with bitsets it is, or -1
    column: NDArray[np.int64]
    columns: int  # how many have bitsets
    bin: NDArray[np.int64]  # (n_levels,) the bin of a code
    bins: int
    everybody: NDArray[np.uint64]  # (blocks, WORDS) the members of each block
    # (blocks * columns * 2 * bins, WORDS): of each bin who rates it or lower, or does not rate and
    # fits all the same; then of each bin who rates lower
    bits: NDArray[np.uint64]
    held: NDArray[np.int64]  # (columns * 2 * bins,) members in these rows of all blocks
    verify: bool  # what the bitsets let pass has to be looked at


class Plan(NamedTuple):
    """How much may be done for one record, and the seed of what is drawn."""

    samples: int  # knowledge drawn where the expectation is not enumerated
    enumeration: int  # words of bitsets
    most: int  # members: of no more, options are worked out for this record alone
    seed: np.uint64


class Space(NamedTuple):
    """Working memory of one call of :func:`examine`;
    nothing in it outlives a record but ``known``.
    """

    member: NDArray[np.int64]  # (g,) who fits some knowledge
    cursor: NDArray[np.int64]  # (g,)
    value: NDArray[np.int64]  # (g,) ranks of their ratings of one issue, -1 for none
    rank: NDArray[np.int64]  # (n_levels,) zero between records
    level: NDArray[np.float64]  # (n_levels,)
    words: NDArray[np.uint64]  # the row that all options share, options' rows, then a stack of rows
    block: NDArray[np.uint64]  # (1, WORDS)
    at: NDArray[np.float64]  # (options,) knowledge that stands for the option
    weight: NDArray[np.float64]  # (options,) its share of all knowledge
    total: NDArray[np.float64]  # (options,) the same, added up within the issue
    low: NDArray[np.int64]  # (options,) ranks that fit it
    high: NDArray[np.int64]
    # by place among the record's ratings, or by those of them that have bitsets
    fits_from: NDArray[np.int64]  # codes fits_from..fits_to are asked for
    fits_to: NDArray[np.int64]
    pin: NDArray[np.float64]  # knowledge that is settled, NaN where it is not
    entry: NDArray[np.int64]
    column: NDArray[np.int64]
    row_low: NDArray[np.int64]
    row_high: NDArray[np.int64]
    # by issue that tells members apart, one more than the most ratings of a record
    place: NDArray[np.int64]  # its place among the record's ratings
    first: NDArray[np.int64]  # its options are first..stop
    stop: NDArray[np.int64]
    order: NDArray[np.int64]
    score: NDArray[np.float64]
    # by depth of the enumeration
    next: NDArray[np.int64]
    tally: NDArray[np.int64]
    path: NDArray[np.int64]
    stay: NDArray[np.int64]
    mass: NDArray[np.float64]
    rest: NDArray[np.float64]
    choice: NDArray[np.int64]  # the best found, by issue
    known: NDArray[np.float64]  # the same as knowledge, by place among the record's ratings


class Findings(NamedTuple):
    """What was found, by record of the table."""

    expected: NDArray[np.float64]  # expectation of 1 / count
    spread: NDArray[np.float64]  # range of 1 / count, 0 where it was enumerated
    worst: NDArray[np.int64]  # fewest records found that some knowledge leaves
    least: NDArray[np.int64]  # proved: no knowledge leaves fewer
    work: NDArray[np.int64]  # words gone through
