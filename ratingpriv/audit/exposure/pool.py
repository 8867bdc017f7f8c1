"""Pools of records that may be mistaken for each other: sorted, with bitsets by issue and level."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure._pool import fill_bitsets
from ratingpriv.audit.exposure.arrays import BLOCK, WORDS, Pool, Positions
from ratingpriv.data.table import RatingTable

_BINS = 32  # more levels than that share bins
_SORTED = 1 << 25  # ratings of a pool whose members are sorted
_KEYS = 8  # issues that they are sorted by


class Pools:
    """Makes pools of records of one table.

    Parameters
    ----------
    table : the ratings
    positions : what may be known of them
    matches : whether a null fits any knowledge
    memory : bytes for the bitsets of a pool, about; issues for which there is no room get none
    """

    def __init__(self, table: RatingTable, positions: Positions, matches: bool, memory: int) -> None:
        small = table.codes.dtype == np.uint8
        self._indptr, self._indices = table.indptr, table.indices
        self._codes = np.asarray(table.codes if small else table.codes.astype(np.uint32))
        self._matches, self._memory = matches, memory
        self._widths, self._issues = np.diff(table.indptr), table.n_issues
        levels, number = len(table.levels), positions.number
        self._bins = max(1, min(levels, _BINS))
        self._bin = np.arange(levels, dtype=np.int64) * self._bins // max(levels, 1)
        self._first = np.searchsorted(number, number - positions.reach, side="left")
        self._last = np.searchsorted(number, number + positions.reach, side="right") - 1

    def of(self, members: NDArray[np.int64], aligned: bool) -> tuple[Pool, int]:
        """Return the pool of these records, bitsets filled, and how many issues have some."""
        width = int(self._widths[members[0]]) if aligned else self._issues
        blocks, rows = -(-len(members) // BLOCK), self._bins + 1
        places = max(0, min(width, self._memory // (blocks * rows * WORDS * 8)))
        order, members = self._sorted(members, width, aligned)
        column = np.full(width, -1, dtype=np.int64)
        column[order[:places]] = np.arange(places)
        pool = Pool(
            indptr=self._indptr,
            indices=self._indices,
            codes=self._codes,
            aligned=aligned,
            matches=self._matches,
            record=members,
            column=column,
            bin=self._bin,
            bins=self._bins,
            upto=np.zeros((blocks * places * rows, WORDS), dtype=np.uint64),
            held=np.zeros(places * rows, dtype=np.int64),
            verify=places < width or self._bins < len(self._bin),
        )
        fill_bitsets(pool, places)
        return pool, places

    def _sorted(
        self, members: NDArray[np.int64], width: int, aligned: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the issues, those that tell most records apart first, and the members sorted by these.

        Blocks of sorted members agree on the first issues, so that most are ruled out by one of them.
        """
        count, widths, levels = len(members), self._widths[members], len(self._bin)
        ratings = int(widths.sum())
        if count <= BLOCK or max(ratings, width * levels) > _SORTED:
            if aligned:
                return np.arange(width), members
            rated = np.bincount(self._indices, minlength=width)
            return np.argsort(-rated, kind="stable"), members
        member = np.repeat(np.arange(count), widths)
        place = np.arange(ratings) - np.repeat(np.cumsum(widths) - widths, widths)
        entry = self._indptr[members][member] + place
        issue, code = place if aligned else self._indices[entry], self._codes[entry]
        held = np.bincount(issue * np.int64(levels) + code, minlength=width * levels).reshape(width, levels)
        upto = np.concatenate((np.zeros((width, 1), dtype=np.int64), np.cumsum(held, axis=1)), axis=1)
        rated = upto[:, -1]
        together = np.sum(held * (upto[:, self._last + 1] - upto[:, self._first]), axis=1, dtype=np.float64)
        if self._matches:
            together += float(count) ** 2 - rated.astype(np.float64) ** 2
        order = np.argsort(together, kind="stable")
        rank = np.empty(width, dtype=np.int64)
        rank[order] = np.arange(width)
        keys = np.full((min(width, _KEYS), count), -1, dtype=np.int64)
        of_key = rank[issue] < len(keys)
        keys[rank[issue[of_key]], member[of_key]] = code[of_key]
        return order, members[np.lexsort(keys[::-1])] if len(keys) else members
