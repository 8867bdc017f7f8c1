"""Groups: which record is in which group, with the records that are in none named as such."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import escaping
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import replacing
from ratingpriv.base.inputs import protecting
from ratingpriv.data.table import RatingTable

UNPLACED = -1
"""The label of a record that is in no group."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Disjoint groups of records.

    Attributes
    ----------
    labels : int64 (n_records,); the group of each record, 0..count-1, or UNPLACED. Groups are
        numbered in the order of their first record, so that equal partitions have equal labels
    count : how many groups
    """

    labels: NDArray[np.int64]
    count: int

    @classmethod
    def of_labels(cls, labels: NDArray[np.int64]) -> Groups:
        """Return the groups of any labels, int64 (n_records,), numbered anew.

        Negative ones are UNPLACED.
        """
        labels = np.asarray(labels, dtype=np.int64)
        placed = np.flatnonzero(labels >= 0)
        given = labels[placed]
        if given.max(initial=0) >= len(labels):
            given = np.unique(given, return_inverse=True)[1]
        first = np.full(given.max(initial=-1) + 1, len(labels))
        first[given[::-1]] = placed[::-1]  # of those of one label, the first is written last
        count = int(np.count_nonzero(first < len(labels)))
        numbers = np.empty(len(first), dtype=np.int64)
        numbers[np.argsort(first, kind="stable")] = np.arange(len(first))
        numbered = np.full(len(labels), UNPLACED, dtype=np.int64)
        numbered[placed] = numbers[given]
        numbered.flags.writeable = False
        return cls(numbered, count)

    @classmethod
    def of_sets(cls, sets: Iterable[Sequence[int] | NDArray[np.int64]], n_records: int) -> Groups:
        """Return the groups with the given members, others UNPLACED.

        ParameterError: one is in two.
        """
        labels = np.full(n_records, UNPLACED, dtype=np.int64)
        for number, members in enumerate(sets):
            for position in members:
                if not 0 <= position < n_records:
                    raise ParameterError("sets", position, f"positions 0..{n_records - 1}")
                if labels[position] != UNPLACED:
                    raise ParameterError("sets", position, "every position in one group at most")
                labels[position] = number
        return cls.of_labels(labels)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each group has, int64 (count,)."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.count).astype(np.int64)

    @property
    def unplaced(self) -> NDArray[np.int64]:
        """Positions of the records that are in no group, ascending."""
        return np.flatnonzero(self.labels < 0)

    def arranged(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (members, bounds): group g holds ``members[bounds[g]:bounds[g + 1]]``,
        ascending.
        """
        order = np.argsort(self.labels, kind="stable")
        members = order[len(self.labels) - int(np.count_nonzero(self.labels >= 0)) :]
        return members, np.concatenate(([0], np.cumsum(self.sizes)))

    def members(self) -> list[NDArray[np.int64]]:
        """Return the members of each group, positions ascending."""
        members, bounds = self.arranged()
        return np.split(members, bounds[1:-1]) if self.count else []

    def __repr__(self) -> str:
        return (
            f"<Groups: {self.count} of {len(self.labels)} records, {len(self.unplaced)} unplaced>"
        )


_HEADER = ["record", "group"]


def write_groups(
    groups: Groups,
    table: RatingTable,
    path: str | Path,
    *,
    force: bool = False,
    csv_safe: bool = True,
) -> None:
    """Write the group of every record of ``table``, for the user alone, whole or not at all.

    ``csv_safe``: whether ids that a spreadsheet would take for formulas are escaped.
    """
    with (
        protecting([table.origin.place]),
        replacing(path, force=force, private=True) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_HEADER)
        for record, label in zip(table.record_ids.to_list(), groups.labels.tolist(), strict=True):
            writer.writerow(
                [
                    escaping.csv_safe(record) if csv_safe else record,
                    "" if label == UNPLACED else label,
                ]
            )
