"""Suppressing records: the fewest for (k,ε)-anonymity, proved;
a greedy choice where there is an l, too.

With an l: a record t in any release has a neighbourhood S with t in it, S ⊆ N(t), |S| ≥ k. The sum
of squared
deviations of S is at most that of N(t), so with every sensitive rating known ::

    SD²(S) ≤ SS(N(t)) / k     and, Popoviciu,     SD(S) ≤ (max - min) / 2 over the whole column

A record for which one of these is below l² can be in no release: it must go, whatever else is
chosen. With nulls the bounds are wider (see :func:`_must_go`). What is left when nobody else must
go holds every release there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.result import Anonymized, AnonymizeParameters, Randomness, audit_for
from ratingpriv.audit.diversity import sd_ceiling
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import TargetNotReachedError
from ratingpriv.base.numbers import in_full, largest_l
from ratingpriv.base.target import ReleaseTarget, Target
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.partition.distortion.measure import distortion_of
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.remaining import Neighbours, Remaining, take_the_core

_NOTHING = (
    "no record is suppressed, which is the fewest there can be: the data meet the target "
    "as they are"
)
_SURE = 1e-9
"""Relative distance from l² within which a bound in float64 decides nothing."""
_SHARE = 16
"""Of the records whose neighbourhood is too uniform, one in so many goes in a round, at least
one.
"""
_PUT_BACK = 400
"""So many of the records that were chosen are tried again in the end, the last one first."""


def make(
    table: RatingTable, target: ReleaseTarget, randomness: Randomness, resources: Resources
) -> Anonymized:
    """Suppress as few records as can be, so that the others are (k,ε)-anonymous [SWLZ11, Def. 4.2].

    Whoever has fewer than k neighbours, itself included, cannot be in any release that is
    (k,ε)-anonymous: a release only takes neighbours away. So it goes, which takes neighbours from
    others, until everybody left has k. What is left is the (k-1)-core of the proximity graph. It is
    the only largest part that will do: the fewest records are suppressed, proved.

    With an l the problem is not monotone (a record that goes can lower the SD of one neighbourhood
    and raise that of another). Records that no release can hold are found by bounds and go first;
    then a greedy choice is made among those whose neighbourhood is too uniform, and is called
    greedy. If nothing had to be chosen, the result is the optimum all the same, and says so.
    Nothing is random.

    Raises
    ------
    TargetNotReachedError
        Nobody could be released. The message says whether that is proved, and what is within reach
        instead; ``best`` is the release for the largest k (without l, where l is what fails), or
        None.
    """
    neighbours = Neighbours(table, target, resources, sensitive=target.l is not None)
    report = partial(resources.report, "suppressing records", total=None)
    remaining = Remaining(neighbours)
    take_the_core(remaining, target.k, report)
    core = remaining.alive
    if not core.any():
        raise _no_core(table, target, neighbours, report, resources)
    if target.l is None:
        return _release(table, target, core, resources)
    mask, possible = diversify(remaining, table, target, report)
    while mask.any():
        release = _release(table, target, mask, resources, possible)
        if release.satisfied:
            return release
        # real-valued sums lose digits as records are taken off; the audit counts anew, and has the
        # last word
        gone = np.flatnonzero(mask)[~release.audit.satisfied_by_record]
        mask = mask.copy()
        mask[gone] = False
    raise _no_diversity(table, target, core, possible, resources)


def _release(
    table: RatingTable,
    target: Target,
    mask: NDArray[np.bool_],
    resources: Resources,
    possible: NDArray[np.bool_] | None = None,
) -> Anonymized:
    """Return the release of the ``mask``: the core,
    or what a greedy choice left of those ``possible``.
    """
    positions = np.flatnonzero(mask)
    released = table.take(positions)
    n, left = len(mask), len(positions)
    most = left if possible is None else int(np.count_nonzero(possible))
    if left == n:
        statement = _NOTHING
    elif possible is None:
        statement = (
            f"the fewest records are suppressed, proved: {n - left} of {n}. Those left are the "
            f"only largest "
            "part of the data that will do (the (k-1)-core of the proximity graph)"
        )
    elif left == most:
        statement = (
            f"the fewest records are suppressed, proved: {n - left} of {n}. None of them can be "
            f"in any "
            "release that has this k, epsilon and l"
        )
    else:
        statement = (
            f"greedy: {n - left} of {n} records are suppressed. At least {n - most} have to be, "
            f"by a bound; "
            "between the two a better choice may exist"
        )
    return Anonymized(
        table=released,
        kept=positions,
        groups=None,
        method="suppress",
        parameters=AnonymizeParameters.of(target),
        distortion=distortion_of(table, released, positions),
        optimal=possible is None or bool(np.array_equal(mask, possible)),
        statement=statement,
        audit=audit_for(released, target, resources),
    )


def _no_core(
    table: RatingTable,
    target: Target,
    neighbours: Neighbours,
    report: Callable[[int], None],
    resources: Resources,
) -> Exception:
    """Return the error where no record can be released at this k and ε,
    with what is within reach.
    """
    # the largest smaller k at which somebody can be released: cores are nested
    core = np.ones(table.n_records, dtype=bool)
    low, high = 1, min(target.k, int(neighbours.first[0].max()) + 1)
    while high - low > 1:
        trial, middle = Remaining(neighbours), (low + high) // 2
        take_the_core(trial, middle, report)
        if trial.alive.any():
            low, core = middle, trial.alive
        else:
            high = middle
    nearest = (
        f"at this epsilon the largest k within reach is {low}, with "
        f"{np.count_nonzero(~core)} of {table.n_records} records suppressed"
    )
    if target.k > table.n_records:
        reason = f"k = {target.k} is more than the {table.n_records} records there are"
    else:
        model = f"k = {target.k}, epsilon = {in_full(target.epsilon)}"
        reason = f"no part of the data, however small, is ({model})-anonymous"
        nearest += (
            "; `method='modify'` changes ratings and blanks cells instead of suppressing records"
        )
    best = _release(table, replace(target, k=low, l=None), core, resources)
    return TargetNotReachedError(f"no record can be released, proved: {reason}; {nearest}", best)


def _no_diversity(
    table: RatingTable,
    target: Target,
    core: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    resources: Resources,
) -> TargetNotReachedError:
    """Return the error where nobody is left with this l, and whether that is proved."""
    best = _release(table, replace(target, l=0.0), core, resources)
    reached = largest_l({} if best.audit.k_epsilon_l is None else best.audit.k_epsilon_l.max_l)
    model = f"k = {target.k}, epsilon = {in_full(target.epsilon)}, l = {in_full(target.l or 0.0)}"
    if possible.any():
        reason = (
            f"no release with {model} is known by the greedy choice, which proves nothing: there "
            f"may be one among {np.count_nonzero(possible)} of {table.n_records} records"
        )
    else:
        reason = (
            f"no record can be released with {model}, proved: around no record do sensitive "
            "ratings vary enough, whichever of its neighbours are suppressed (sums of squared "
            "deviations, Popoviciu's bound)"
        )
    return TargetNotReachedError(
        f"{reason}; with this k and epsilon {np.count_nonzero(core)} of {table.n_records} records "
        f"can be "
        f"released, and the largest l that then holds is {reached}",
        best,
    )


def diversify(
    remaining: Remaining, table: RatingTable, target: Target, report: Callable[[int], None]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Suppress records of ``remaining`` until each neighbourhood has
    ``target.k`` records and an SD of l.

    Returns (who may be released: a release that meets the target, or nobody; who is in any release
    that there is: whoever is not must be suppressed by every method), bool (n_records,) both.
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


def _force(
    remaining: Remaining, table: RatingTable, target: Target, report: Callable[[int], None]
) -> None:
    """Suppress who has too few neighbours, or can have no diverse ones, until nobody must go."""
    while True:
        gone = remaining.alive & (remaining.sizes < target.k)
        of_all = remaining.neighbours.first[1]
        for moments, first, column in zip(
            remaining.moments, of_all, table.numeric_sensitive, strict=True
        ):
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
    """Return for which records no part of the neighbourhood has an SD of l on this column,
    bool (n,).

    A record whose own sensitive rating is null never must: it may end among others of the kind,
    where any l holds. For the rest at least one rating is known. "ignore" divides by the known
    ratings only, of which there are at least k less the nulls around; under "paper" each null
    around adds at most max s². Sums in float64 have lost digits of what was taken off: how many,
    the ``first`` ones say, of the whole data.
    """
    n_known = np.maximum(moments.known, 1).astype(np.float64)
    sums, unit = moments.sums.astype(np.float64), 100.0**moments.decimals
    margin = _SURE * (moments.squares if moments.exact else first.squares)
    spread = (
        np.maximum(moments.squares - sums**2 / n_known, 0.0) + margin + moments.spread_error(_SURE)
    )
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

    Those that add least to it where they are: whose own rating is nearest to the mean of their
    neighbourhood; then the more uniform neighbourhood, then the position.
    """
    distances, least = np.zeros(len(short)), np.full(len(short), np.inf)
    for moments, column in zip(remaining.moments, table.numeric_sensitive, strict=True):
        n_known = np.maximum(moments.known[short], 1)
        mean = (moments.sums[short] / n_known + float(moments.shift)) / 10.0**moments.decimals
        sd = moments.sd(remaining.sizes, rule)[short]
        distances += np.where(column.present[short], np.abs(column.values[short] - mean), 0.0)
        least = np.minimum(least, sd)
    order = np.lexsort((short, least, distances))
    return short[order[: -(-len(short) // _SHARE)]]


def _put_back(remaining: Remaining, target: Target, chosen: list[int]) -> None:
    """Put back who need not have gone: each by itself, if all around it stays as it should be."""
    for record in chosen:
        near, sizes, moments = remaining.with_back(record)
        if sizes[record] < target.k:
            continue
        if all(
            bool(moment.at_least(target.l or 0.0, sizes, target.sensitive_nulls)[near].all())
            for moment in moments
        ):
            remaining.put_back(record, sizes, moments)
