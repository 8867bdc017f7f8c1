"""Literals: what may be known of one rating, and who fits it.

A literal is an issue with a window of ratings. Exact knowledge of a rating v is the window [v − ε,
v + ε], and its owners are the records that rate v. Knowledge x̃ off by up to E is [x̃ − E, x̃ + E],
and all who fit it own it: each of them may be the one it is of. A null fits nothing and owns
nothing.
"""

from __future__ import annotations

import numpy as np

from ratingpriv.audit.exposure.knowledge import knowledge_of
from ratingpriv.audit.known._search import fill
from ratingpriv.audit.known.arrays import WORDS, Literals, Ratings, Windows
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import proximate_codes

MEMORY = 1 << 30
"""Bytes for sets and lists of records, where nothing is said."""


def ratings_of(table: RatingTable) -> Ratings:
    """Return the ratings of a table in the types that kernels take."""
    return Ratings(table.indptr, table.indices.astype(np.int64), table.codes.astype(np.int64))


def windows_of(table: RatingTable, epsilon: float | None, error: float | None) -> Windows:
    """Return the windows of exact knowledge within ``epsilon``,
    or of knowledge that is off by ``error``.
    """
    levels = table.levels
    if error is None:
        low, high = proximate_codes(levels, 0.0 if epsilon is None else epsilon)
        codes = np.arange(len(levels), dtype=np.int64)
        return Windows(low, high, codes, codes, levels)
    knowledge = knowledge_of(table, error)
    positions = knowledge.positions
    number, reach = positions.number, positions.reach
    beyond = number + reach + 1 if positions.whole else np.nextafter(number + reach, np.inf)
    # where a level comes or goes
    thresholds = np.unique(np.concatenate((positions.low, number - reach, beyond)))
    thresholds = thresholds[(thresholds >= positions.low[:1]) & (thresholds <= positions.high[-1:])]
    low = np.searchsorted(number, thresholds - reach, side="left").astype(np.int64)
    high = np.searchsorted(number, thresholds + reach, side="right").astype(np.int64) - 1
    distinct = low <= high
    distinct[1:] &= (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    low, high, thresholds = low[distinct], high[distinct], thresholds[distinct]
    codes = np.arange(len(levels))
    first = np.searchsorted(high, codes, side="left").astype(np.int64)
    last = np.searchsorted(low, codes, side="right").astype(np.int64) - 1
    return Windows(low, high, first, last, knowledge.ratings(thresholds))


def literals_of(table: RatingTable, windows: Windows, *, centred: bool, memory: int) -> Literals:
    """Return the literals of a table, and who fits them: as sets,
    or as lists beyond ``memory`` bytes.
    """
    ratings, width = ratings_of(table), len(windows.low)
    present = np.unique(ratings.issue * len(table.levels) + ratings.code)
    issue, code = np.divmod(present, max(len(table.levels), 1))
    times = windows.own_last[code] - windows.own_first[code] + 1
    first = np.repeat(windows.own_first[code] - np.cumsum(times) + times, times)
    owned = np.unique(np.repeat(issue, times) * width + first + np.arange(int(times.sum())))
    blocks = -(-table.n_records // (64 * WORDS))
    need = 8 * WORDS * blocks * len(owned) * (2 if centred else 1)
    sets = 4 * need <= 3 * memory  # a search has lists beside them
    key = np.full(table.n_issues * width, -1, dtype=np.int32)
    key[owned] = np.arange(len(owned), dtype=np.int32)
    issues, window = np.divmod(owned, max(width, 1))
    fits = np.zeros((len(owned) * blocks if sets else 0, WORDS), dtype=np.uint64)
    # a code fits the windows between those whose ends it is: for exact knowledge as for other
    first_fit, last_fit = windows.fitted()
    if sets:
        fill(ratings, key, width, first_fit, last_fit, blocks, fits)
    owners = fits
    if centred and sets:
        owners = np.zeros_like(fits)
        fill(ratings, key, width, windows.own_first, windows.own_last, blocks, owners)
    everybody = np.zeros((blocks, WORDS), dtype=np.uint64)
    bits = np.arange(table.n_records)
    np.bitwise_or.at(
        everybody.reshape(-1), bits >> 6, np.uint64(1) << (bits & 63).astype(np.uint64)
    )
    following = np.searchsorted(issues, issues, side="right").astype(np.int64)
    column, rater, entry = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64)
    if not sets:
        keys = ratings.issue * len(table.levels) + ratings.code
        counts = np.bincount(keys, minlength=table.n_issues * len(table.levels))
        column, entry = np.concatenate(([0], np.cumsum(counts))), np.argsort(keys, kind="stable")
        rater = np.repeat(np.arange(table.n_records, dtype=np.int32), np.diff(ratings.indptr))[
            entry
        ]
    return Literals(key, issues, window, following, fits, owners, everybody, column, rater, entry)


def refuse_unknowable(table: RatingTable, target: Target) -> None:
    """Refuse a demand that the table cannot be held to, and columns that are not counted here."""
    target.check_data(table.n_records, sensitive=False)
    if target.k > table.n_records:
        raise ParameterError("k", target.k, f"at most the {table.n_records} records that there are")
    if table.quasi:
        remedy = (
            "what is known of ratings is counted, and that of other columns not yet; leave "
            "the column out"
        )
        raise ParameterError("known", table.quasi[0].name, "data without quasi-identifiers", remedy)
