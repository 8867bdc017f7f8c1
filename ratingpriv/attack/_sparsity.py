"""Kernels of the nearest-neighbour similarity: arrays in,
arrays out (named in :mod:`.sparsity`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled


class Ratings(NamedTuple):
    """The ratings by record."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: NDArray[Any]
    days: NDArray[np.float64]  # (n_ratings,), or (0,) where dates do not matter
    # (n_ratings,) whether each is known, or (0,) where that does not matter
    known: NDArray[np.uint8]


class Lists(NamedTuple):
    """The ratings by issue."""

    starts: NDArray[np.int64]
    records: NDArray[np.int32]
    codes: NDArray[Any]
    days: NDArray[np.float64]


class Similar(NamedTuple):
    """Which ratings are similar: codes low..high of each code, and dates within ``days``."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    days: float


class Space(NamedTuple):
    """One worker's memory, (n_records,) each; zeros between two records but for ``touched``."""

    shared: NDArray[np.int32]
    agreeing: NDArray[np.int32]
    agreed: NDArray[np.int32]
    touched: NDArray[np.int64]

    @classmethod
    def of(cls, records: int) -> Space:
        """Allocate it."""
        shared, agreeing, agreed = np.zeros((3, records), np.int32)
        return cls(shared, agreeing, agreed, np.empty(records, np.int64))


_compiled = compiled(fastmath=False, error_model="numpy")


@_compiled
def _meet(
    record: int, ratings: Ratings, lists: Lists, similar: Similar, space: Space
) -> tuple[int, int]:
    """Compare a record with all who share an issue with it, itself among them, list by list.

    Returns how many they are, the first of ``touched``, and how many of the record's ratings are
    known. Of each ``shared`` counts the issues that both rate, ``agreeing`` those on which their
    ratings are similar, ``agreed`` those of them that are known. Record 0 rates A 3 and B 5, of
    which A is known:

        A: 0 3, 1 3, 2 4      shared 1 1 1, agreeing 1 1 0, agreed 1 1 0
        B: 0 5, 2 5           shared 2 1 2, agreeing 2 1 1, agreed 1 1 0      touched 0 1 2
    """
    with_codes, with_days, with_known = (
        len(similar.low) > 0,
        len(lists.days) > 0,
        len(ratings.known) > 0,
    )
    met, n_known = 0, 0
    for entry in range(ratings.indptr[record], ratings.indptr[record + 1]):
        issue = ratings.indices[entry]
        n_entry = ratings.known[entry] if with_known else 0
        n_known += n_entry
        for other in range(lists.starts[issue], lists.starts[issue + 1]):
            row = lists.records[other]
            if space.shared[row] == 0:
                space.touched[met] = row
                met += 1
            space.shared[row] += 1
            same = True
            if with_codes:
                code = lists.codes[other]
                same = (
                    similar.low[ratings.codes[entry]] <= code
                    and code <= similar.high[ratings.codes[entry]]
                )
            if with_days and same:
                # False where one is NaN
                same = abs(lists.days[other] - ratings.days[entry]) <= similar.days
            if same:
                space.agreeing[row] += 1
                space.agreed[row] += n_entry
    return met, n_known


@_compiled
def nearest(
    positions: NDArray[np.int64],
    ratings: Ratings,
    lists: Lists,
    similar: Similar,
    space: Space,
    similarity: NDArray[np.float64],
) -> None:
    """Find for each of ``positions`` how similar the most similar other record is.

    Plainly: ``max over s of sum_i Sim(r_i, s_i) / |supp(r) or supp(s)|``. Ratings do not matter
    where ``low`` is empty, dates where ``days`` is.
    """
    indptr = ratings.indptr
    for number in range(len(positions)):
        record = positions[number]
        size = indptr[record + 1] - indptr[record]
        met, _ = _meet(record, ratings, lists, similar, space)
        best = 0.0
        for index in range(met):
            row = space.touched[index]
            if row != record and space.agreeing[row] > 0:
                union = size + indptr[row + 1] - indptr[row] - space.shared[row]
                best = max(best, space.agreeing[row] / union)
            space.agreeing[row] = space.agreed[row] = space.shared[row] = 0
        similarity[number] = best


@_compiled
def false_matches(
    positions: NDArray[np.int64],
    ratings: Ratings,
    lists: Lists,
    similar: Similar,
    space: Space,
    least: float,
    answers: NDArray[np.bool_],
) -> None:
    """Tell for each of ``positions`` whether a record that agrees on
    all that is known is a false match.

    It is one if it agrees on less than ``least`` of the target's ratings (``answers[0]``), or if
    its similarity over both supports is at most that (``answers[1]``).
    """
    indptr = ratings.indptr
    for number in range(len(positions)):
        record = positions[number]
        size = indptr[record + 1] - indptr[record]
        met, comparable = _meet(record, ratings, lists, similar, space)
        for index in range(met):
            row = space.touched[index]
            if row != record and space.agreed[row] == comparable:
                union = size + indptr[row + 1] - indptr[row] - space.shared[row]
                answers[0, number] |= space.agreeing[row] < least * size
                answers[1, number] |= space.agreeing[row] <= least * union
            space.agreeing[row] = space.agreed[row] = space.shared[row] = 0
