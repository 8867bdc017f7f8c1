"""What goes to the kernels of known ratings: ratings, windows of knowledge, literals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WORDS = 8
"""64-bit words of a block of records, see :mod:`ratingpriv.base.compute.bitsets`."""


class Ratings(NamedTuple):
    """The ratings of a table, a row a record: as :class:`ratingpriv.data.table.RatingTable`
    has them.
    """

    indptr: NDArray[np.int64]
    issue: NDArray[np.int64]
    code: NDArray[np.int64]


class Windows(NamedTuple):
    """The windows that knowledge of one rating may be."""

    # (n_windows,) the codes that fit each, both included; neither ever falls
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    own_first: NDArray[np.int64]  # (n_levels,) the windows that a rating of a code owns
    own_last: NDArray[np.int64]
    known: NDArray[np.float64]  # (n_windows,) what is known then

    def fitted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first and the last window that a rating of each code fits."""
        codes = np.arange(len(self.own_first))
        first = np.searchsorted(self.high, codes, side="left").astype(np.int64)
        return first, np.searchsorted(self.low, codes, side="right").astype(np.int64) - 1


class Literals(NamedTuple):
    """The literals that somebody owns, by issue and window.

    A set of records is ``blocks`` rows of words. Where sets do not fit into the memory, ``fits``
    and ``owners`` are empty, and there are the last three.
    """

    # (n_issues · n_windows,) the number of a literal; -1 where nobody owns it
    key: NDArray[np.int32]
    issue: NDArray[np.int64]  # (n_literals,)
    window: NDArray[np.int64]
    following: NDArray[np.int64]  # the first literal of a later issue
    fits: NDArray[np.uint64]  # (n_literals · blocks, 8)
    owners: NDArray[np.uint64]
    everybody: NDArray[np.uint64]  # (blocks, 8)
    # (n_issues · n_levels + 1,) where the ratings of each issue and code begin:
    column: NDArray[np.int64]
    rater: NDArray[np.int32]  # (n_ratings,) whose each is,
    entry: NDArray[np.int64]  # and its place in the table

    def lists(self) -> bool:
        """Whether who fits is a list for each rating, and no set."""
        return len(self.column) > 0
