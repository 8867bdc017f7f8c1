"""What an adversary knows of some people: a few of their ratings, perhaps with dates,
perhaps wrong.

Implements aux of [NS08, §3-5]. It is drawn from a table by
:mod:`ratingpriv.attack.knowledge.drawing`, or read from a file by
:mod:`ratingpriv.attack.knowledge.files`.

Traits are what is known beside ratings: how many there are, and quasi-identifiers. They narrow the
candidates down, whatever the algorithm; what a record does not tell (a null) fits anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.proximity.levels import codes_within

_ROUNDING = 1e-9
_MOST = float(1 << 62)


def entries_of(
    indptr: NDArray[np.int64], rows: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of which of ``rows`` each of their entries is, by its number among them,
    and its position.
    """
    lengths = indptr[rows + 1] - indptr[rows]
    owner = np.repeat(np.arange(len(rows)), lengths)
    before = np.cumsum(lengths) - lengths
    return owner, np.arange(len(owner)) - before[owner] + indptr[rows][owner]


@dataclass(frozen=True, slots=True, eq=False)
class Auxiliary:
    """What the adversary knows of T targets, as compressed sparse rows: one row a target.

    Attributes
    ----------
    targets : int64 (T,); position of the target's own record in the table that is attacked; -1: it
        is not there, or nobody knows which it is
    indptr : int64 (T + 1,); what is known of target t is at ``indptr[t]:indptr[t + 1]``, one rating
        at least
    issues : int32 (M,); positions in the attacked table's ``issues``, distinct within a target; -1:
        the table has no such issue, so that no record can agree on it
    ratings : float64 (M,), finite
    dates : float64 (M,), days since 1970-01-01; NaN where not known
    absent : whether a target's own record is taken out of the table while the target is attacked:
        the right answer is then "no match"
    labels : names of the targets, or None where they are the records themselves
    counts : int64 (T, 2): the fewest and the most ratings of a record that could be each target's,
        as far as the adversary knows how many the target made; no other record is a candidate.
        None: any number
    attributes : names of the quasi-identifiers of the attacked table that the adversary knows
    values : int64 (T, n_attributes, 2): the first and the last code of each that a candidate can
        have; no other record is one, but for those where the attribute is null. None without
        attributes
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
            (
                self.indptr[0] == 0 and self.indptr[-1] == entries,
                "another indptr",
                f"from 0 to {entries}",
            ),
            (
                np.all(np.diff(self.indptr) >= 1),
                "a target without any",
                "a known rating of every target",
            ),
            (
                self.ratings.shape == self.dates.shape == (entries,),
                self.ratings.shape,
                f"{entries} of each",
            ),
            (np.all(np.isfinite(self.ratings)), "a rating that is no number", "finite ratings"),
            (not np.any(np.isinf(self.dates)), "an infinite date", "dates, or NaN where not known"),
            (
                self.labels is None or len(self.labels) == count,
                "other labels",
                f"{count}, one a target",
            ),
            (
                self.counts is None or self.counts.shape == (count, 2),
                "other counts",
                f"({count}, 2)",
            ),
            (
                values == (of_values if self.attributes else None),
                values,
                f"codes of shape {of_values}",
            ),
        ):
            if not consistent:
                raise ParameterError("auxiliary", value, expected)
        owner = np.repeat(np.arange(count), np.diff(self.indptr))
        order = np.lexsort((self.issues, owner))
        same = (np.diff(owner[order]) == 0) & (np.diff(self.issues[order]) == 0)
        if np.any(same & (self.issues[order][1:] >= 0)):
            raise ParameterError("auxiliary", "a duplicated item", "every item once a target")
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
        """For which targets the right answer is known, bool (T,);
        ⊥ where the record is suppressed.
        """
        return np.asarray(self.records >= 0)

    @property
    def names(self) -> tuple[str, ...]:
        """What the targets are called, (T,): by the auxiliary's labels,
        or the ids of the records.
        """
        if self.auxiliary.labels is not None:
            return self.auxiliary.labels
        ids = self.table.record_ids
        return tuple(
            str(ids[record]) if record >= 0 else f"target {number}"
            for number, record in enumerate(self.records.tolist(), start=1)
        )


def places_of(original: RatingTable, table: RatingTable) -> NDArray[np.int64]:
    """Return where ``table`` has each issue of ``original``, int64 (original.n_issues,);
    -1: nowhere.
    """
    place = {name: position for position, name in enumerate(table.issues)}
    return np.array([place.get(name, -1) for name in original.issues], dtype=np.int64)


def approximate_counts(
    counts: NDArray[np.int64], error: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return c̃ = c (1 + η), η uniform within ±``error``, float64 (T,), of the counts c,
    int64 (T,).
    """
    return counts * (1 + error * (2 * rng.random(len(counts)) - 1))


def count_bounds(approximate: NDArray[np.float64], error: float) -> NDArray[np.int64]:
    """Return the fewest and the most ratings of a record that could be the target's, int64 (T, 2).

    Whoever knows c̃ = c (1 + η) with |η| <= h keeps the records with c̃ / (1 + h) <= |supp(r')| <=
    c̃ / (1 - h) [NS08, §5 and Fig. 12]. The true count is always within, at the ends too: what
    rounding makes of a whole number counts as it.
    """
    low = np.ceil(approximate / (1 + error) * (1 - _ROUNDING))
    high = np.floor(np.minimum(approximate / (1 - error) * (1 + _ROUNDING), _MOST))
    return np.stack([low, high], axis=1).astype(np.int64)


def attributes_of(table: RatingTable, knows: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the quasi-identifiers that an adversary knows: names, also as text ``age,region``,
    or "none".

    None: all, as adversaries would. ParameterError where the table has no such quasi-identifier.
    """
    known = [column.name for column in table.quasi]
    if knows is None:
        return tuple(known)
    names = checks.texts("knows", knows)
    if isinstance(knows, str) and knows not in known:  # a name may hold a comma
        names = () if knows == "none" else tuple(name.strip() for name in knows.split(","))
    for name in names:
        if name not in known:
            expected = (
                f"quasi-identifiers of the data ({', '.join(known) or 'there is none'}), or 'none'"
            )
            raise ParameterError("knows", name, expected, "say which columns are, with `quasi`")
    return tuple(name for name in known if name in names)


def values_of(
    table: RatingTable, attributes: Sequence[str], positions: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return what is known of the records at ``positions``: their own values;
    as Auxiliary.values.
    """
    if not attributes:
        return None
    columns = _columns(table, attributes)
    values = np.empty((len(positions), len(columns), 2), dtype=np.int64)
    for index, column in enumerate(columns):
        codes = column.codes[positions].astype(np.int64)
        values[:, index, 0] = np.where(codes < 0, 0, codes)
        values[:, index, 1] = np.where(
            codes < 0, len(column.values), codes
        )  # it has none: any fits
    return values


def in_release(
    auxiliary: Auxiliary, original: RatingTable, release: RatingTable
) -> tuple[tuple[str, ...], NDArray[np.int64] | None]:
    """Return the attributes that the release has, too, and their values in terms of its codes.

    A released number may have been moved by as much as its rule allows: whatever is within that
    fits. A value that nobody has in the release fits nobody but those whose value is not told.
    """
    released = {column.name: column for column in release.quasi}
    names = [name for name in auxiliary.attributes if name in released]
    if auxiliary.values is None or not names:
        return (), None
    values = np.empty((auxiliary.n_targets, len(names), 2), dtype=np.int64)
    columns = dict(zip(auxiliary.attributes, _columns(original, auxiliary.attributes), strict=True))
    for number, name in enumerate(names):
        bounds = auxiliary.values[:, auxiliary.attributes.index(name)]
        original_column, released_column = columns[name], released[name]
        if released_column.within is not None and original_column.values.dtype == pl.Float64:
            low, high = codes_within(
                released_column.values.to_numpy(),
                original_column.values.to_numpy(),
                released_column.within,
            )
        else:
            code = {
                value: code_of for code_of, value in enumerate(released_column.values.to_list())
            }
            codes = np.array(
                [code.get(value, -1) for value in original_column.values.to_list()], dtype=np.int64
            )
            low, high = np.where(codes < 0, 1, codes), np.where(codes < 0, 0, codes)
        any_fits = bounds[:, 1] >= len(original_column.values)
        value = np.where(any_fits, 0, bounds[:, 0])
        values[:, number, 0] = np.where(any_fits, 0, low[value] if len(low) else 0)
        values[:, number, 1] = np.where(
            any_fits, len(released_column.values), high[value] if len(high) else -1
        )
    return tuple(names), values


def traits_of(
    table: RatingTable, auxiliary: Auxiliary
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the traits of every record, int32 (q, n_records), and what each target's may be,
    (T, q, 2).

    The first is the number of ratings where the adversary knows about how many; then the
    attributes.
    """
    traits, bounds = [], []
    if auxiliary.counts is not None:
        traits.append(np.diff(table.indptr).astype(np.int32))
        bounds.append(auxiliary.counts[:, None, :])
    if auxiliary.values is not None:
        traits += [column.codes for column in _columns(table, auxiliary.attributes)]
        bounds.append(auxiliary.values)
    if not traits:
        none = np.zeros((auxiliary.n_targets, 0, 2), dtype=np.int64)
        return np.zeros((0, table.n_records), dtype=np.int32), none
    return np.stack(traits), np.ascontiguousarray(np.concatenate(bounds, axis=1))


def fitting(traits: NDArray[np.int32], bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which records fit ``bounds``, int64 (q, 2); bool (n_records,)."""
    low, high = bounds[:, :1], bounds[:, 1:]
    fits: NDArray[np.bool_] = ((traits < 0) | ((low <= traits) & (traits <= high))).all(axis=0)
    return fits


def count_fitting(traits: NDArray[np.int32], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many records fit the bounds of each target, int64 (T,)."""
    if len(traits) == 0:
        return np.full(len(bounds), traits.shape[1], dtype=np.int64)
    kinds, times = np.unique(traits, axis=1, return_counts=True)
    distinct, inverse = np.unique(
        bounds.reshape(len(bounds), 2 * len(traits)), axis=0, return_inverse=True
    )
    counts = np.array(
        [times[fitting(kinds, row.reshape(-1, 2))].sum() for row in distinct], dtype=np.int64
    )
    return np.asarray(counts[inverse.ravel()] if len(counts) else counts)


def _columns(table: RatingTable, attributes: Sequence[str]) -> list[QuasiColumn]:
    """Return the quasi-identifiers called ``attributes``; ParameterError where one is missing."""
    quasi = {column.name: column for column in table.quasi}
    missing = [name for name in attributes if name not in quasi]
    if missing:
        raise ParameterError("auxiliary", missing[0], "quasi-identifiers of the attacked table")
    return [quasi[name] for name in attributes]
