"""What a target loses without being told apart: a profile disclosed, a record found that is similar enough.

Records made identical hide from an attack that has to name one of them, and hide nothing: whoever finds them
all has read everything that is released about the target [CTWY10, Def. 5].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.knowledge.auxiliary import Auxiliary, entries_of
from ratingpriv.base.compute.parallel import portions
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.table import identical_ratings

_ENTRIES = 1 << 20  # ratings looked at together


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """Who the targets are in the original ``table``, in whose terms ``auxiliary`` is."""

    table: RatingTable
    auxiliary: Auxiliary

    @property
    def records(self) -> NDArray[np.int64]:
        """Position of each target's record in the original, int64 (T,); -1 where nobody knows."""
        return self.auxiliary.targets

    @property
    def judged(self) -> NDArray[np.bool_]:
        """For which targets the right answer is known, bool (T,); ⊥ where the record is suppressed."""
        return np.asarray(self.records >= 0)

    @property
    def names(self) -> tuple[str, ...]:
        """What the targets are called, (T,): by the auxiliary's labels, or the ids of the records."""
        if self.auxiliary.labels is not None:
            return self.auxiliary.labels
        ids = self.table.record_ids
        return tuple(
            str(ids[record]) if record >= 0 else f"target {number}"
            for number, record in enumerate(self.records.tolist(), start=1)
        )


def disclosed(table: RatingTable, best: NDArray[np.int32], own: int) -> tuple[bool, bool]:
    """Return whether a target's ratings are disclosed, and whether its sensitive values are, too.

    They are where the ``best`` candidates are identical in them and one is the target's record, ``own`` (-1:
    it is not in the table). The homogeneity attack of [CTWY10, Def. 5] knows ratings only. Dates are left
    out: who rated what and how is disclosed by records that differ in them alone.
    """
    if own < 0 or not np.any(best == own):
        return False, False
    others = best[best != own].astype(np.int64)
    own_entries = slice(int(table.indptr[own]), int(table.indptr[own + 1]))
    length = own_entries.stop - own_entries.start
    if np.any(table.indptr[others + 1] - table.indptr[others] != length):
        return False, False
    step = max(1, _ENTRIES // max(length, 1))
    for first in range(0, len(others), step):
        entries = table.indptr[others[first : first + step], None] + np.arange(length)
        if np.any(table.indices[entries] != table.indices[own_entries]) or np.any(
            table.codes[entries] != table.codes[own_entries]
        ):
            return False, False
    return True, all(
        np.all(column.present[others] == column.present[own])
        and np.all(column.values[others] == column.values[own])
        for column in table.sensitive
    )


def identical_records(table: RatingTable) -> int:
    """Return how many records the smallest class of identical ones has; 1: some record is like no other.

    Identical in all ratings and quasi-identifiers; dates and sensitive values are left aside. 0 without
    records.
    """
    numbers = np.stack([identical_ratings(table), *(column.codes for column in table.quasi)], axis=1)
    _, sizes = np.unique(numbers, axis=0, return_counts=True)
    return int(sizes.min(initial=table.n_records))


class Similarities:
    """Sim(r, r') of people's own records and records of another table, or the same [NS08, §3].

    Σ_i [both rate i, equally] / |supp(r) ∪ supp(r')|, issues by name. Two without any rating have similarity
    0.
    """

    def __init__(self, original: RatingTable, table: RatingTable) -> None:
        self._original, self._table = original, table
        self._place = places_of(original, table)
        self._row = np.full(table.n_issues, np.nan)

    def least(self, person: int, records: NDArray[np.int32]) -> float:
        """Return the least similarity of record ``person`` of the original and of any of ``records``."""
        original, table, row = self._original, self._table, self._row
        entries = slice(int(original.indptr[person]), int(original.indptr[person + 1]))
        places, ratings = self._place[original.indices[entries]], original.levels[original.codes[entries]]
        common_issues = places >= 0
        row[places[common_issues]] = ratings[common_issues]
        least = 1.0
        lengths = table.indptr[records + 1] - table.indptr[records]
        for first, last in portions(np.cumsum(lengths), _ENTRIES):
            part = lengths[first:last]
            owner, theirs = entries_of(table.indptr, records[first:last])
            known = row[table.indices[theirs]]
            equal = np.bincount(owner[known == table.levels[table.codes[theirs]]], minlength=len(part))
            common = np.bincount(owner[~np.isnan(known)], minlength=len(part))
            union = len(places) + part - common
            least = min(least, float((equal / np.maximum(union, 1)).min()))
        row[places[common_issues]] = np.nan
        return least


def places_of(original: RatingTable, table: RatingTable) -> NDArray[np.int64]:
    """Return where ``table`` has each issue of ``original``, int64 (original.n_issues,); -1: nowhere."""
    place = {name: position for position, name in enumerate(table.issues)}
    return np.array([place.get(name, -1) for name in original.issues], dtype=np.int64)
