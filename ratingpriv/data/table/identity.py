"""Which records are identical in their ratings."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table.table import RatingTable


def identical_ratings(table: RatingTable) -> NDArray[np.int64]:
    """Return a number for each record, int64 (n_records,), that records with the same ratings share.

    The same issues rated, each with the same rating; all else that a record has is left aside. The numbers
    are 0, 1, … in the order in which they first appear.
    """
    numbers: dict[tuple[bytes, bytes], int] = {}
    return np.fromiter(
        (
            numbers.setdefault((table.indices[a:b].tobytes(), table.codes[a:b].tobytes()), len(numbers))
            for a, b in itertools.pairwise(table.indptr.tolist())
        ),
        dtype=np.int64,
        count=table.n_records,
    )
