"""What an adversary knows of some people: a few of their ratings, perhaps with dates, perhaps wrong.

Implements aux of [NS08, §3-5]. It is drawn from a table by :mod:`ratingpriv.attack.knowledge.drawing`, or
read from a file by :mod:`ratingpriv.attack.knowledge.files`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError

__all__ = ["Auxiliary"]


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
        if self.indptr.shape != (count + 1,) or self.indptr[0] != 0 or int(self.indptr[-1]) != entries:
            raise ParameterError(
                "auxiliary", self.indptr.shape, f"indptr of {count + 1}, from 0 to {entries}"
            )
        if np.any(np.diff(self.indptr) < 1):
            raise ParameterError("auxiliary", "a target without any", "a known rating of every target")
        if self.ratings.shape != (entries,) or self.dates.shape != (entries,):
            raise ParameterError("auxiliary", self.ratings.shape, f"{entries} ratings and dates")
        if not np.all(np.isfinite(self.ratings)):
            raise ParameterError("auxiliary", "a rating that is no number", "finite ratings")
        if np.any(np.isinf(self.dates)):
            raise ParameterError("auxiliary", "an infinite date", "dates, or NaN where not known")
        if self.labels is not None and len(self.labels) != count:
            raise ParameterError("auxiliary", len(self.labels), f"{count} labels, one a target")
        if self.counts is not None and self.counts.shape != (count, 2):
            raise ParameterError("auxiliary", self.counts.shape, f"({count}, 2), two counts a target")
        shape = (count, len(self.attributes), 2)
        if (self.values is None) != (not self.attributes) or (
            self.values is not None and self.values.shape != shape
        ):
            raise ParameterError("auxiliary", "other values", f"{shape} codes, two a target and attribute")
        owner = np.repeat(np.arange(count), np.diff(self.indptr))
        order = np.lexsort((self.issues, owner))
        same = (np.diff(owner[order]) == 0) & (np.diff(self.issues[order]) == 0)
        if np.any(same & (self.issues[order][1:] >= 0)):
            raise ParameterError("auxiliary", "a duplicated issue", "every issue once a target")
        for array in (
            self.targets,
            self.indptr,
            self.issues,
            self.ratings,
            self.dates,
            self.counts,
            self.values,
        ):
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

    def only(self, chosen: NDArray[np.int64]) -> Auxiliary:
        """Return what is known of the targets numbered ``chosen`` (0..T-1), in that order."""
        chosen = np.asarray(chosen, dtype=np.int64)
        lengths = self.known[chosen]
        indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        entries = np.repeat(self.indptr[chosen] - indptr[:-1], lengths) + np.arange(indptr[-1])
        labels = None if self.labels is None else tuple(self.labels[t] for t in chosen.tolist())
        return Auxiliary(
            targets=self.targets[chosen],
            indptr=indptr,
            issues=self.issues[entries],
            ratings=self.ratings[entries],
            dates=self.dates[entries],
            absent=self.absent,
            labels=labels,
            counts=None if self.counts is None else self.counts[chosen],
            attributes=self.attributes,
            values=None if self.values is None else self.values[chosen],
        )

    def __repr__(self) -> str:
        return (
            f"<Auxiliary: {self.n_targets} targets, {len(self.issues)} known ratings"
            f"{', dated' if self.dated else ''}{', targets absent' if self.absent else ''}>"
        )
