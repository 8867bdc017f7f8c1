"""What an adversary knows of some people: a few of their ratings, perhaps with dates, perhaps wrong.

Implements aux of [NS08, §3-5]. It is drawn from a table by :mod:`ratingpriv.attack.knowledge.drawing`, or
read from a file by :mod:`ratingpriv.attack.knowledge.files`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable


def entries_of(
    indptr: NDArray[np.int64], rows: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of which of ``rows`` each of their entries is, by its number among them, and its position."""
    lengths = indptr[rows + 1] - indptr[rows]
    owner = np.repeat(np.arange(len(rows)), lengths)
    before = np.cumsum(lengths) - lengths
    return owner, np.arange(len(owner)) - before[owner] + indptr[rows][owner]


@dataclass(frozen=True, slots=True, eq=False)
class Auxiliary:
    """What the adversary knows of T targets, as compressed sparse rows: one row a target.

    Attributes
    ----------
    targets : int64 (T,); position of the target's own record in the table that is attacked; -1: it is not
        there, or nobody knows which it is
    indptr : int64 (T + 1,); what is known of target t is at ``indptr[t]:indptr[t + 1]``, one rating at least
    issues : int32 (M,); positions in the attacked table's ``issues``, distinct within a target; -1: the table
        has no such issue, so that no record can agree on it
    ratings : float64 (M,), finite
    dates : float64 (M,), days since 1970-01-01; NaN where not known
    absent : whether a target's own record is taken out of the table while the target is attacked: the right
        answer is then "no match"
    labels : names of the targets, or None where they are the records themselves
    counts : int64 (T, 2): the fewest and the most ratings of a record that could be each target's, as far as
        the adversary knows how many the target made; no other record is a candidate. None: any number
    attributes : names of the quasi-identifiers of the attacked table that the adversary knows
    values : int64 (T, n_attributes, 2): the first and the last code of each that a candidate can have; no
        other record is one, but for those where the attribute is null. None without attributes
    """

    targets: NDArray[np.int64]
    indptr: NDArray[np.int64]
    issues: NDArray[np.int32]
    ratings: NDArray[np.float64]
    dates: NDArray[np.float64]
    absent: bool = False
    labels: tuple[str, ...] | None = None
    counts: NDArray[np.int64] | None = None
    attributes: tuple[str, ...] = ()
    values: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        count, entries = len(self.targets), len(self.issues)
        shape, of_values = self.indptr.shape, (count, len(self.attributes), 2)
        values = None if self.values is None else self.values.shape
        for consistent, value, expected in (
            (shape == (count + 1,), shape, f"indptr of {count + 1}"),
            (self.indptr[0] == 0 and self.indptr[-1] == entries, "another indptr", f"from 0 to {entries}"),
            (np.all(np.diff(self.indptr) >= 1), "a target without any", "a known rating of every target"),
            (self.ratings.shape == self.dates.shape == (entries,), self.ratings.shape, f"{entries} of each"),
            (np.all(np.isfinite(self.ratings)), "a rating that is no number", "finite ratings"),
            (not np.any(np.isinf(self.dates)), "an infinite date", "dates, or NaN where not known"),
            (self.labels is None or len(self.labels) == count, "other labels", f"{count}, one a target"),
            (self.counts is None or self.counts.shape == (count, 2), "other counts", f"({count}, 2)"),
            (values == (of_values if self.attributes else None), values, f"codes of shape {of_values}"),
        ):
            if not consistent:
                raise ParameterError("auxiliary", value, expected)
        owner = np.repeat(np.arange(count), np.diff(self.indptr))
        order = np.lexsort((self.issues, owner))
        same = (np.diff(owner[order]) == 0) & (np.diff(self.issues[order]) == 0)
        if np.any(same & (self.issues[order][1:] >= 0)):
            raise ParameterError("auxiliary", "a duplicated issue", "every issue once a target")
        of_targets = (self.targets, self.indptr, self.counts, self.values)
        for array in (*of_targets, self.issues, self.ratings, self.dates):
            if array is not None:
                array.flags.writeable = False

    @property
    def n_targets(self) -> int:
        """How many targets there are (T)."""
        return len(self.targets)

    @property
    def known(self) -> NDArray[np.int64]:
        """How many ratings are known of each target, int64 (T,)."""
        return np.diff(self.indptr)

    @property
    def dated(self) -> bool:
        """Whether any date is known."""
        return bool(np.any(~np.isnan(self.dates)))

    def __repr__(self) -> str:
        return (
            f"<Auxiliary: {self.n_targets} targets, {len(self.issues)} known ratings"
            f"{', dated' if self.dated else ''}{', targets absent' if self.absent else ''}>"
        )


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


def places_of(original: RatingTable, table: RatingTable) -> NDArray[np.int64]:
    """Return where ``table`` has each issue of ``original``, int64 (original.n_issues,); -1: nowhere."""
    place = {name: position for position, name in enumerate(table.issues)}
    return np.array([place.get(name, -1) for name in original.issues], dtype=np.int64)
