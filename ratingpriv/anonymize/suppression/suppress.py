"""Withholding records: the fewest for (k,ε)-anonymity, proved; a greedy choice where l is asked for too."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.anonymize.result import Anonymized, AnonymizeParameters
from ratingpriv.anonymize.suppression.diversifying import diversify
from ratingpriv.anonymize.suppression.k_core import take_the_core
from ratingpriv.anonymize.suppression.remaining import Neighbours, Remaining
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.result import AuditParameters
from ratingpriv.audit.verdict import audit, check_data
from ratingpriv.audit.verdict import check_parameters as check_audit
from ratingpriv.distortion.measure import distortion_of
from ratingpriv.errors import TargetNotReachedError
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["suppress", "take_the_core"]

_NOTHING = "no record is withheld, which is the fewest there can be: the data meet the target as they are"


def suppress(
    table: RatingTable,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    rng: int | np.random.Generator = 0,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Anonymized:
    """Withhold as few records as can be, so that the others are (k,ε)-anonymous [SWLZ11, Def. 4.2].

    Whoever has fewer than k neighbours, itself included, cannot be in any release that is (k,ε)-anonymous: a
    release only takes neighbours away. So it goes, which takes neighbours from others, until everybody left
    has k. What is left is the (k-1)-core of the proximity graph. It is the only largest part that will do:
    the fewest records are withheld, proved.

    With ``l`` the problem is not monotone (a record that goes can lower the SD of one neighbourhood and raise
    that of another). Records that no release can hold are found by bounds and go first; then a greedy choice
    is made among those whose neighbourhood is too uniform, and is called greedy. If nothing had to be chosen,
    the result is the optimum all the same, and says so.

    Parameters
    ----------
    table : n records
    k, epsilon, l, nulls, sensitive_nulls : the target, as for :func:`ratingpriv.audit.verdict.audit`
    rng : taken for the sake of one signature for all methods; nothing here is random
    threads, memory, progress : as for the audit

    Returns
    -------
    Anonymized
        ``optimal`` and ``statement`` say what is claimed; ``audit`` was made anew of the records left.

    Raises
    ------
    ParameterError
        As the audit.
    TargetNotReachedError
        Nobody could be released. The message says whether that is proved, and what is within reach instead;
        ``best`` is the release for the largest k (without l, where l is what fails), or None.
    """
    asked = check_audit(k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    checks.generator(rng)
    if threads is not None:
        threads = checks.whole_number("threads", threads, 1)
    check_data(asked, table.n_records, sensitive=bool(table.sensitive))
    neighbours = Neighbours(
        table, asked.epsilon, asked.nulls, sensitive=asked.l is not None, threads=threads, progress=progress
    )
    told = _teller(progress)
    remaining = Remaining(neighbours)
    take_the_core(remaining, asked.k, told)
    if not remaining.alive.any():
        raise _no_core(table, asked, Remaining(neighbours), threads, memory, progress)
    core = remaining.alive
    if asked.l is None:
        left = int(np.count_nonzero(core))
        return _release(
            table, asked, core, threads, memory, progress, optimal=True, statement=_optimum(table, left)
        )
    kept, possible = diversify(remaining, table, asked, told)
    while kept.any():
        proved = bool(np.array_equal(kept, possible))
        found = _release(
            table, asked, kept, threads, memory, progress, optimal=proved,
            statement=_greedy(table, kept, possible),
        )  # fmt: skip
        if found.satisfied:
            return found
        # real-valued sums lose digits as records are taken off; the audit counts anew, and has the last word
        gone = np.flatnonzero(kept)[~found.audit.satisfied_by_record]
        kept = kept.copy()
        kept[gone] = False
    raise _no_diversity(table, asked, core, possible, threads, memory, progress)


def _release(
    table: RatingTable,
    asked: AuditParameters,
    kept: NDArray[np.bool_],
    threads: int | None,
    memory: int | None,
    progress: Progress | None,
    *,
    optimal: bool,
    statement: str,
) -> Anonymized:
    positions = np.flatnonzero(kept)
    released = table.take(positions)
    return Anonymized(
        table=released,
        kept=positions,
        groups=None,
        method="suppress",
        parameters=AnonymizeParameters(
            k=asked.k,
            epsilon=asked.epsilon,
            l=asked.l,
            nulls=asked.nulls,
            sensitive_nulls=asked.sensitive_nulls,
        ),
        distortion=distortion_of(table, released, positions),
        optimal=optimal,
        statement=statement,
        audit=audit(
            released,
            k=asked.k,
            epsilon=asked.epsilon,
            l=asked.l,
            nulls=asked.nulls,
            sensitive_nulls=asked.sensitive_nulls,
            threads=threads,
            memory=memory,
            progress=progress,
        ),
    )


def _optimum(table: RatingTable, left: int) -> str:
    withheld = table.n_records - left
    if not withheld:
        return _NOTHING
    return (
        f"the fewest records are withheld, proved: {withheld} of {table.n_records}. Those left are the only "
        "largest part of the data that will do (the (k-1)-core of the proximity graph)"
    )


def _greedy(table: RatingTable, kept: NDArray[np.bool_], possible: NDArray[np.bool_]) -> str:
    n, left, most = table.n_records, int(np.count_nonzero(kept)), int(np.count_nonzero(possible))
    if left == n:
        return _NOTHING
    if left == most:
        return (
            f"the fewest records are withheld, proved: {n - left} of {n}. None of them can be in any release "
            "that has this k, epsilon and l"
        )
    return (
        f"greedy: {n - left} of {n} records are withheld. At least {n - most} have to be, by a bound; "
        "between the two a better choice may exist"
    )


def _no_core(
    table: RatingTable,
    asked: AuditParameters,
    whole: Remaining,
    threads: int | None,
    memory: int | None,
    progress: Progress | None,
) -> TargetNotReachedError:
    """Return the error where no record can be released at this k and ε, with what is within reach."""
    largest, core = _largest_core(whole, asked.k, _teller(progress))
    nearest = (
        f"at this epsilon the largest k within reach is {largest}, with "
        f"{table.n_records - int(np.count_nonzero(core))} of {table.n_records} records withheld"
    )
    if asked.k > table.n_records:
        reason = f"k = {asked.k} is more than the {table.n_records} records there are"
    else:
        model = f"k = {asked.k}, epsilon = {asked.epsilon:g}"
        reason = f"no part of the data, however small, is ({model})-anonymous"
        smallest = _smallest_epsilon(table, asked, threads, progress)
        nearest += (
            "; no epsilon makes this k possible"
            if smallest is None
            else f"; the smallest epsilon at which some records can be released with this k is {smallest:g}"
        )
    reached = dataclasses.replace(asked, k=largest, l=None)
    left = int(np.count_nonzero(core))
    best = _release(
        table, reached, core, threads, memory, progress, optimal=True, statement=_optimum(table, left)
    )
    return TargetNotReachedError(f"nobody can be released, proved: {reason}; {nearest}", best)


def _largest_core(whole: Remaining, k: int, told: Callable[[int], None]) -> tuple[int, NDArray[np.bool_]]:
    """Return the largest k below ``k`` at which somebody can be released, and who; cores are nested."""
    low, state = 1, whole
    high = min(k, int(whole.sizes.max()) + 1)
    while high - low > 1:
        middle = (low + high) // 2
        trial = state.copy()
        take_the_core(trial, middle, told)
        if trial.alive.any():
            low, state = middle, trial
        else:
            high = middle
    return low, state.alive


def _smallest_epsilon(
    table: RatingTable, asked: AuditParameters, threads: int | None, progress: Progress | None
) -> float | None:
    """Return the smallest ε at which somebody can be released with this k; the cores grow with ε."""
    candidates = Candidates(table, asked.nulls)
    told = _teller(progress)

    def somebody(epsilon: float) -> bool:
        remaining = Remaining(
            Neighbours(table, epsilon, asked.nulls, sensitive=False, threads=threads, progress=progress)
        )
        take_the_core(remaining, asked.k, told)
        return bool(remaining.alive.any())

    if asked.epsilon >= candidates.top or not somebody(candidates.top):
        return None
    low, high = asked.epsilon, candidates.top
    while (middle := candidates.middle(low, high)) is not None:
        if somebody(middle):
            high = middle
        else:
            low = middle
    return high


def _no_diversity(
    table: RatingTable,
    asked: AuditParameters,
    core: NDArray[np.bool_],
    possible: NDArray[np.bool_],
    threads: int | None,
    memory: int | None,
    progress: Progress | None,
) -> TargetNotReachedError:
    """Return the error where nobody is left with this l, and whether that is proved."""
    without_l = dataclasses.replace(asked, l=0.0)
    left = int(np.count_nonzero(core))
    best = _release(
        table, without_l, core, threads, memory, progress, optimal=True, statement=_optimum(table, left)
    )
    largest = best.audit.k_epsilon_l.max_l if best.audit.k_epsilon_l is not None else {}
    reached = ", ".join(f"{name}: {'any' if top is None else f'{top:.4g}'}" for name, top in largest.items())
    target = f"k = {asked.k}, epsilon = {asked.epsilon:g}, l = {asked.l:g}"
    if possible.any():
        reason = (
            f"no release with {target} was found by the greedy choice, which proves nothing: there may be "
            f"one among {int(np.count_nonzero(possible))} of {table.n_records} records"
        )
    else:
        reason = (
            f"nobody can be released with {target}, proved: around no record do sensitive ratings vary "
            "enough, whichever of its neighbours are withheld (sums of squared deviations, Popoviciu's bound)"
        )
    return TargetNotReachedError(
        f"{reason}; with this k and epsilon {left} of {table.n_records} records can be released, and the "
        f"largest l that then holds is {reached}",
        best,
    )


def _teller(progress: Progress | None) -> Callable[[int], None]:
    def told(withheld: int) -> None:
        if progress is not None:
            progress("withholding records", withheld, None)

    return told
