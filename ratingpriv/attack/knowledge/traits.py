"""What an adversary knows of a person beside ratings: how many there are, and quasi-identifiers.

It narrows the candidates down, whatever the algorithm. What a record does not tell (a null) fits anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.proximity.levels import codes_within

_ROUNDING = 1e-9
_MOST = float(1 << 62)


def approximate_counts(
    counts: NDArray[np.int64], error: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return c̃ = c (1 + η), η uniform within ±``error``, float64 (T,), of the counts c, int64 (T,)."""
    return counts * (1 + error * (2 * rng.random(len(counts)) - 1))


def count_bounds(approximate: NDArray[np.float64], error: float) -> NDArray[np.int64]:
    """Return the fewest and the most ratings of a record that could be the target's, int64 (T, 2).

    Whoever knows c̃ = c (1 + η) with |η| <= h keeps the records with c̃ / (1 + h) <= |supp(r')| <= c̃ / (1 - h)
    [NS08, §5 and Fig. 12]. The true count is always within, at the ends too: what rounding makes of a whole
    number counts as it.
    """
    low = np.ceil(approximate / (1 + error) * (1 - _ROUNDING))
    high = np.floor(np.minimum(approximate / (1 - error) * (1 + _ROUNDING), _MOST))
    return np.stack([low, high], axis=1).astype(np.int64)


def attributes_of(table: RatingTable, knows: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the quasi-identifiers that an adversary knows: names, also as text ``age,region``, or "none".

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
            expected = f"quasi-identifiers of the data ({', '.join(known) or 'there is none'}), or 'none'"
            raise ParameterError("knows", name, expected, "say which columns are, with `quasi`")
    return tuple(name for name in known if name in names)


def values_of(
    table: RatingTable, attributes: Sequence[str], positions: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return what is known of the records at ``positions``: their own values; as Auxiliary.values."""
    if not attributes:
        return None
    columns = _columns(table, attributes)
    values = np.empty((len(positions), len(columns), 2), dtype=np.int64)
    for place, column in enumerate(columns):
        own = column.codes[positions].astype(np.int64)
        values[:, place, 0] = np.where(own < 0, 0, own)
        values[:, place, 1] = np.where(own < 0, len(column.values), own)  # it has none: any fits
    return values


def in_release(
    auxiliary: Auxiliary, original: RatingTable, release: RatingTable
) -> tuple[tuple[str, ...], NDArray[np.int64] | None]:
    """Return the attributes that the release has, too, and their values in terms of its codes.

    A released number may have been moved by as much as its rule allows: whatever is within that fits. A value
    that nobody has in the release fits nobody but those whose value is not told.
    """
    released = {column.name: column for column in release.quasi}
    names = [name for name in auxiliary.attributes if name in released]
    if auxiliary.values is None or not names:
        return (), None
    values = np.empty((auxiliary.n_targets, len(names), 2), dtype=np.int64)
    columns = dict(zip(auxiliary.attributes, _columns(original, auxiliary.attributes), strict=True))
    for number, name in enumerate(names):
        bounds = auxiliary.values[:, auxiliary.attributes.index(name)]
        known, own = columns[name], released[name]
        if own.within is not None and known.values.dtype == pl.Float64:
            low, high = codes_within(own.values.to_numpy(), known.values.to_numpy(), own.within)
        else:
            code = {value: place for place, value in enumerate(own.values.to_list())}
            found = np.array([code.get(value, -1) for value in known.values.to_list()], dtype=np.int64)
            low, high = np.where(found < 0, 1, found), np.where(found < 0, 0, found)
        any_fits = bounds[:, 1] >= len(known.values)
        value = np.where(any_fits, 0, bounds[:, 0])
        values[:, number, 0] = np.where(any_fits, 0, low[value] if len(low) else 0)
        values[:, number, 1] = np.where(any_fits, len(own.values), high[value] if len(high) else -1)
    return tuple(names), values


def traits_of(table: RatingTable, auxiliary: Auxiliary) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the traits of every record, int32 (q, n_records), and what each target's may be, (T, q, 2).

    The first is the number of ratings where the adversary knows about how many; then the attributes.
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
    distinct, inverse = np.unique(bounds.reshape(len(bounds), 2 * len(traits)), axis=0, return_inverse=True)
    counts = np.array([times[fitting(kinds, row.reshape(-1, 2))].sum() for row in distinct], dtype=np.int64)
    return np.asarray(counts[inverse.ravel()] if len(counts) else counts)


def _columns(table: RatingTable, attributes: Sequence[str]) -> list[QuasiColumn]:
    """Return the quasi-identifiers called ``attributes``; ParameterError where one is missing."""
    quasi = {column.name: column for column in table.quasi}
    missing = [name for name in attributes if name not in quasi]
    if missing:
        raise ParameterError("auxiliary", missing[0], "quasi-identifiers of the attacked table")
    return [quasi[name] for name in attributes]
