"""Which items single records out: of each, how many records its ratings narrow down [ours].

A rating of item i narrows a record down *alone* if fewer than k records fit it; a pair of ratings
does if fewer than k fit both, and neither does alone. Counts of pairs come from the table of levels
of every two items, whose windows are sums of boxes:

    k = 2, exact ratings. a: 1 1 2 2, b: 1 1 1 2. Nobody is narrowed down by a alone (two records
    each); the last is by b alone (2 stands once); the third by a = 2 and b = 1 together, which one
    record has, where each of the two leaves two or three. So b: 1 alone; a and b: 1 in pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.known.arrays import Ratings, Windows
from ratingpriv.audit.known.literals import ratings_of, windows_of
from ratingpriv.data.table import RatingTable

_BUDGET = 1 << 31
"""Pairs of ratings of a record, and cells of tables of levels, that are gone through."""


@dataclass(frozen=True, slots=True)
class SinglingItem:
    """How many records the ratings of an item narrow down to fewer than k.

    Attributes
    ----------
    item : its name
    alone : records that its rating alone narrows down
    in_pairs : records that it narrows down together with another one, neither alone; None where
        pairs were not gone through
    """

    item: str
    alone: int
    in_pairs: int | None


def singling_items(
    table: RatingTable,
    *,
    k: int,
    epsilon: float | None = None,
    error: float | None = None,
    pairs: bool = True,
) -> tuple[SinglingItem, ...]:
    """Return the items that narrow records down, those of most records first.

    Parameters
    ----------
    table : the ratings
    k : a record is narrowed down where fewer fit
    epsilon, error : one of the two, as for :func:`.known_ratings`: exact ratings are known and
        records within ``epsilon`` fit, or knowledge is off by up to ``error``
    pairs : whether pairs are counted, where that is no more than 2³¹ steps

    Returns
    -------
    Items that narrow no record down are not there.
    """
    ratings, windows = ratings_of(table), windows_of(table, epsilon, error)
    levels, p = len(windows.own_first), table.n_issues
    if not levels:  # nobody rated anything
        return ()
    lengths = np.diff(ratings.indptr)
    key = ratings.issue * levels + ratings.code
    counts = np.bincount(key, minlength=p * levels).reshape(p, levels)
    fit = _fit_of(windows, levels)
    alone = _least_owned(counts @ fit.T, windows, axis=1) < k  # (p, levels)
    singled = (counts * alone).sum(axis=1)
    steps = int((lengths.astype(np.float64) ** 2).sum()) + p * p * levels * levels
    in_pairs: list[int | None] = [None] * p
    if pairs and steps <= _BUDGET:
        by_item = np.argsort(ratings.issue, kind="stable")
        ends = np.cumsum(counts.sum(axis=1))
        for item in range(p):
            entries = by_item[ends[item] - int(counts[item].sum()) : ends[item]]
            in_pairs[item] = _in_pairs(item, entries, ratings, key, alone, fit, windows, k)
    found = [
        SinglingItem(name, int(one), both)
        for name, one, both in zip(table.issues, singled, in_pairs, strict=True)
    ]
    narrowing = [one for one in found if one.alone or one.in_pairs]
    return tuple(sorted(narrowing, key=lambda one: (-one.alone - (one.in_pairs or 0), -one.alone)))


def _fit_of(windows: Windows, levels: int) -> NDArray[np.int64]:
    """Return whether a rating of each code fits each window, 0 or 1, (n_windows, levels)."""
    codes = np.arange(levels)
    fits = (windows.low[:, None] <= codes) & (codes <= windows.high[:, None])
    return fits.astype(np.int64)


def _least_owned(counts: NDArray[np.int64], windows: Windows, *, axis: int) -> NDArray[np.int64]:
    """Return, for a rating of each code, the fewest that fit a window which it owns."""
    by_window = np.moveaxis(counts, axis, 0)
    pairs = zip(windows.own_first.tolist(), windows.own_last.tolist(), strict=True)
    least = np.stack([by_window[first : last + 1].min(axis=0) for first, last in pairs])
    return np.moveaxis(least, 0, axis)


def _in_pairs(
    item: int,
    entries: NDArray[np.int64],
    ratings: Ratings,
    key: NDArray[np.int64],
    alone: NDArray[np.bool_],
    fit: NDArray[np.int64],
    windows: Windows,
    k: int,
) -> int:
    """Return how many records the item narrows down with another one, neither alone.

    ``entries`` are the item's ratings.
    """
    p, levels = alone.shape
    owners = np.searchsorted(ratings.indptr, entries, side="right") - 1
    starts, lengths = ratings.indptr[owners], np.diff(ratings.indptr)[owners]
    whole = int(lengths.sum())
    if not whole:
        return 0
    first = np.cumsum(lengths) - lengths
    beside = np.repeat(starts - first, lengths) + np.arange(whole)  # all ratings of those records
    cell = np.repeat(ratings.code[entries], lengths) * (p * levels) + key[beside]
    table = np.bincount(cell, minlength=levels * p * levels).reshape(levels, p, levels)
    boxes = np.einsum("wa,apb->wpb", fit, table) @ fit.T  # (windows, p, windows)
    left = _least_owned(_least_owned(boxes, windows, axis=0), windows, axis=2)
    narrowed = (left < k) & ~alone[item][:, None, None] & ~alone[None]
    narrowed[:, item] = False
    hits = narrowed.reshape(-1)[cell]
    return int(np.count_nonzero(np.logical_or.reduceat(hits, first)))
