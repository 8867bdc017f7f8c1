"""Suppressing records until every neighbourhood is diverse: first those that must go, then a greedy choice.

A record t in any release has a neighbourhood S with t in it, S ⊆ N(t), |S| ≥ k. The sum of squared deviations
of S is at most that of N(t), so with every sensitive rating known ::

    SD²(S) ≤ SS(N(t)) / k        and, Popoviciu,        SD(S) ≤ (max - min) / 2 over the whole column

A record for which one of these is below l² can be in no release: it must go, whatever else is chosen. With
nulls the bounds are wider (see :func:`_must_go`). What is left when nobody else must go holds every release
there is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.suppression.remaining import Remaining
from ratingpriv.audit.diversity import sd_ceiling
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.proximity.moments import SensitiveMoments

_SURE = 1e-9
"""Relative distance from l² within which a bound in float64 decides nothing."""

_SHARE = 16
"""Of the records whose neighbourhood is too uniform, one in so many goes in a round, at least one."""

_PUT_BACK = 400
"""So many of the records that were chosen are tried again in the end, the last one first."""


def diversify(
    remaining: Remaining, table: RatingTable, target: Target, report: Callable[[int], None]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Suppress records of ``remaining`` until each neighbourhood has ``target.k`` records and an SD of l.

    Returns (who may be released: a release that meets the target, or nobody; who is in any release that there
    is: whoever is not must be suppressed by every method), bool (n_records,) both.
    """
    chosen: list[int] = []
    _force(remaining, table, target, report)
    possible = remaining.alive.copy()
    while remaining.alive.any():
        holds = [
            moments.at_least(target.l or 0.0, remaining.sizes, target.sensitive_nulls)
            for moments in remaining.moments
        ]
        short = remaining.alive & ~np.all(holds, axis=0)
        if not short.any():
            break
        worst = _least_spread(remaining, table, np.flatnonzero(short), target.sensitive_nulls)
        gone = np.zeros(len(remaining.alive), dtype=bool)
        gone[worst] = True
        chosen += worst.tolist()
        remaining.suppress(gone)
        report(int(np.count_nonzero(~remaining.alive)))
        _force(remaining, table, target, report)
    if remaining.alive.any():
        _put_back(remaining, target, [r for r in chosen[::-1] if possible[r]][:_PUT_BACK])
    return remaining.alive, possible


def _force(remaining: Remaining, table: RatingTable, target: Target, report: Callable[[int], None]) -> None:
    """Suppress who has too few neighbours, or can have no diverse ones, until nobody must go."""
    while True:
        gone = remaining.alive & (remaining.sizes < target.k)
        of_all = remaining.neighbours.first[1]
        for moments, first, column in zip(remaining.moments, of_all, table.numeric_sensitive, strict=True):
            gone |= remaining.alive & _must_go(remaining, moments, first, column, target)
        if not gone.any():
            return
        remaining.suppress(gone)
        report(int(np.count_nonzero(~remaining.alive)))


def _must_go(
    remaining: Remaining,
    moments: SensitiveMoments,
    first: SensitiveMoments,
    column: SensitiveColumn,
    target: Target,
) -> NDArray[np.bool_]:
    """Return for which records no part of the neighbourhood has an SD of l on this column, bool (n,).

    A record whose own sensitive rating is null never must: it may end among others of the kind, where any l
    holds. For the rest at least one rating is known. "ignore" divides by the known ratings only, of which
    there are at least k less the nulls around; under "paper" each null around adds at most max s². Sums in
    float64 have lost digits of what was taken off: how many, the ``first`` ones say, of the whole data.
    """
    known = np.maximum(moments.known, 1).astype(np.float64)
    sums, unit = moments.sums.astype(np.float64), 100.0**moments.decimals
    margin = _SURE * (moments.squares if moments.exact else first.squares)
    spread = np.maximum(moments.squares - sums**2 / known, 0.0) + margin + moments.spread_error(_SURE)
    nulls = remaining.sizes - moments.known
    if target.sensitive_nulls == "ignore":
        highest = spread / unit / np.maximum(target.k - nulls, 1)
    else:
        largest = float(np.abs(column.values[column.present]).max(initial=0.0))
        highest = (spread / unit + nulls * largest**2) / target.k
    highest = np.minimum(highest, sd_ceiling(column, sensitive_nulls=target.sensitive_nulls) ** 2)
    hopeless: NDArray[np.bool_] = highest < (target.l or 0.0) ** 2 * (1 - _SURE)
    return column.present & hopeless


def _least_spread(
    remaining: Remaining, table: RatingTable, short: NDArray[np.int64], rule: str
) -> NDArray[np.int64]:
    """Return which of the records ``short`` of diversity to suppress now.

    Those that add least to it where they are: whose own rating is nearest to the mean of their neighbourhood;
    then the more uniform neighbourhood, then the position.
    """
    own, least = np.zeros(len(short)), np.full(len(short), np.inf)
    for moments, column in zip(remaining.moments, table.numeric_sensitive, strict=True):
        known = np.maximum(moments.known[short], 1)
        mean = (moments.sums[short] / known + float(moments.shift)) / 10.0**moments.decimals
        sd = moments.sd(remaining.sizes, rule)[short]
        own += np.where(column.present[short], np.abs(column.values[short] - mean), 0.0)
        least = np.minimum(least, sd)
    order = np.lexsort((short, least, own))
    return short[order[: -(-len(short) // _SHARE)]]


def _put_back(remaining: Remaining, target: Target, chosen: list[int]) -> None:
    """Put back who need not have gone: each by itself, if all around it stays as it should be."""
    for record in chosen:
        near, sizes, moments = remaining.with_back(record)
        if sizes[record] < target.k:
            continue
        if all(
            bool(own.at_least(target.l or 0.0, sizes, target.sensitive_nulls)[near].all()) for own in moments
        ):
            remaining.put_back(record, sizes, moments)
