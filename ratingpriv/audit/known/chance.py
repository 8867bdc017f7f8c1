"""Unicity: what random known ratings give away (de Montjoye et al. 2013,
who have k = 2 and ε = 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure._search import mixed
from ratingpriv.audit.exposure.result import CONFIDENCE
from ratingpriv.audit.known._search import all_fit, sought
from ratingpriv.audit.known.arrays import Literals, Ratings, Windows
from ratingpriv.audit.known.literals import (
    MEMORY,
    literals_of,
    ratings_of,
    refuse_unknowable,
    windows_of,
)
from ratingpriv.base import checks
from ratingpriv.base.compute.bitsets import and_rows
from ratingpriv.base.compute.compiling import part, search_kernel
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.documents.audit import RandomKnown

_ALL = 1 << 22  # subsets in all that are enumerated rather than drawn
_SAMPLES = 200
_STEPS = 1 << 36  # what the draws may take where nothing is said: some minutes of one core
_TASK = 256  # records of a task


class Unicity(RandomKnown, kw_only=True):
    """What random known ratings give away; :func:`ratingpriv.known_ratings` has the worst ones."""

    k: int  # fewer records than these within ε of what is known may be left
    epsilon: float


class _Space(NamedTuple):
    chosen: NDArray[np.int64]
    stack: NDArray[np.uint64]


class _Found(NamedTuple):
    sets: NDArray[np.int64]
    below: NDArray[np.int64]
    picks: NDArray[np.float64]


@checks.takes_random_state
@takes_frames
def unicity(
    table: TableLike,
    *,
    m: int,
    epsilon: float,
    k: int = 2,
    samples: int | None = None,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **columns: Unpack[ColumnWords],
) -> Unicity:
    """Measure how many records ``m`` random ratings of theirs narrow down to fewer than ``k``.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    m, epsilon, k : as for :func:`.known_ratings`, but exactly m ratings are known
    samples : subsets drawn of each record; None: all are gone through where that is little work,
        else 200, or fewer where these would take long
    rng : seed or Generator of the draws
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    memory : bytes for sets of records
    **columns : what is said of the columns of a data frame

    Raises
    ------
    ParameterError, ResourceError
        As :func:`.known_ratings`.
    """
    del columns
    m = checks.whole_number("m", m, 1)
    target = Target(k=k, epsilon=epsilon)
    refuse_unknowable(table, target)
    resources = Resources(threads, memory, progress)
    windows = windows_of(table, target.epsilon, None)
    literals = literals_of(table, windows, centred=False, memory=resources.memory or MEMORY)
    ratings, widths = ratings_of(table), np.diff(table.indptr)
    enough = widths >= m
    values, times = np.unique(widths[enough], return_counts=True)
    all_of_them = sum(
        math.comb(w, m) * n for w, n in zip(values.tolist(), times.tolist(), strict=True)
    )
    exact = samples is None and all_of_them <= _ALL
    # what one draw takes: the words of m sets, or the records of the list that a rating is in
    steps = m * literals.everybody.size
    if literals.lists():
        lengths = np.diff(literals.column)
        steps = int(np.sum(lengths.astype(np.float64) ** 2) / max(int(lengths.sum()), 1)) + 1
    records = int(np.count_nonzero(enough))
    usual = min(_SAMPLES, max(1, _STEPS // max(1, records * steps)))
    draws = 0 if exact else checks.whole_number("samples", usual if samples is None else samples, 1)
    seed = None if exact else checks.seed(rng)
    n = table.n_records
    counts = _Found(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n))
    run = Run(resources.threads, resources.progress, "random known ratings")
    run.total = n

    def task(first: int) -> Callable[[int], None]:
        stop = min(first + _TASK, n)
        space = _Space(
            np.zeros(int(widths.max(initial=m)) + m, dtype=np.int64),
            np.zeros_like(literals.everybody),
        )
        start = np.uint64((seed or 0) % (1 << 64))
        return lambda _: count_subsets(
            m, target.k, first, stop, draws, start, ratings, windows, literals, space, counts
        )

    run([(min(_TASK, n - first), task(first)) for first in range(0, n, _TASK)])
    # Hoeffding's interval, of as many independent draws as there were
    reach = (
        math.sqrt(math.log(2 / (1 - CONFIDENCE)) / (2 * records * draws))
        if records and draws
        else 0.0
    )
    means: dict[str, Any] = {}
    for name, sums in (("below_k", counts.below), ("pick", counts.picks)):
        mean = float(np.mean(sums[enough] / counts.sets[enough])) if records else None
        means[name] = mean
        means[f"{name}_low"] = None if mean is None else max(mean - reach, 0.0)
        means[f"{name}_high"] = None if mean is None else min(mean + reach, 1.0)
    means |= {
        "records": records,
        "too_few": n - records,
        "draws": draws,
        "exact": exact,
        "seed": seed,
    }
    return Unicity(m=m, k=target.k, epsilon=target.epsilon, **means)


@part
def _listed(
    size: int,
    start: int,
    chosen: NDArray[np.int64],
    ratings: Ratings,
    windows: Windows,
    literals: Literals,
) -> int:
    """Count the records that fit: of those that fit the rarest of the chosen ratings,
    who fits the others.
    """
    levels, left = len(windows.own_first), 0
    rarest, fewest = 0, len(ratings.issue) + 1
    for position in range(size):
        entry = start + chosen[position]
        column, code = ratings.issue[entry] * levels, ratings.code[entry]
        fit = (
            literals.column[column + windows.high[code] + 1]
            - literals.column[column + windows.low[code]]
        )
        if fit < fewest:
            rarest, fewest = position, fit
    entry = start + chosen[rarest]
    first = literals.column[ratings.issue[entry] * levels + windows.low[ratings.code[entry]]]
    for other in range(first, first + fewest):
        record, fits = np.int64(literals.rater[other]), True
        for position in range(size):
            if position != rarest and fits:
                entry = start + chosen[position]
                code, stop = ratings.code[entry], ratings.indptr[record + 1]
                positions = sought(
                    ratings.issue, ratings.indptr[record], stop, ratings.issue[entry]
                )
                fits = (
                    positions < stop
                    and windows.low[code] <= ratings.code[positions] <= windows.high[code]
                )
        left += fits
    return left


@part
def _left(
    size: int,
    start: int,
    chosen: NDArray[np.int64],
    ratings: Ratings,
    windows: Windows,
    literals: Literals,
    stack: NDArray[np.uint64],
) -> int:
    """Count the records that fit the chosen ratings of the row that starts at ``start``."""
    if len(literals.column) > 0:
        return _listed(size, start, chosen, ratings, windows, literals)
    blocks, left, width = len(literals.everybody), 0, len(windows.low)
    all_fit(stack, literals)
    for index in range(size):
        entry, left = start + chosen[index], 0
        literal = np.int64(literals.key[ratings.issue[entry] * width + ratings.code[entry]])
        for block in range(blocks):
            left += and_rows(stack, block, stack, block, literals.fits, literal * blocks + block)
    return left


@search_kernel
def count_subsets(
    size: int,
    k: int,
    first: int,
    stop: int,
    samples: int,
    seed: np.uint64,
    ratings: Ratings,
    windows: Windows,
    literals: Literals,
    space: _Space,
    found: _Found,
) -> None:
    """Count which subsets of ``size`` ratings of records ``first:stop`` leave fewer than k:
    of some, or all.

    Of ``samples`` drawn from ``seed`` and a record's position each is the first places of a shuffle
    that is ended there (Fisher and Yates). All come in lexicographic order: the last place that can
    is moved on, and those behind follow it. With 2 of 3 ratings: 0 1, 0 2, 1 2.
    """
    chosen, golden = space.chosen, np.uint64(0x9E3779B97F4A7C15)
    for record in range(first, stop):
        start = ratings.indptr[record]
        rated = ratings.indptr[record + 1] - start
        if rated < size:
            continue
        state = mixed(seed + np.uint64(record) * golden)
        for position in range(rated):
            chosen[position] = position
        moving, rounds = 0, 0
        while moving >= 0:
            for position in range(size if samples > 0 else 0):
                state += golden
                share = np.float64(mixed(state) >> np.uint64(11)) * 2.0**-53
                other = position + np.int64(share * (rated - position))
                chosen[position], chosen[other] = chosen[other], chosen[position]
            left = _left(size, start, chosen, ratings, windows, literals, space.stack)
            found.sets[record] += 1
            found.below[record] += left < k
            found.picks[record] += 1.0 / left
            rounds += 1
            if samples > 0:
                moving = samples - rounds - 1
                continue
            moving = size - 1
            while moving >= 0 and chosen[moving] == rated - size + moving:
                moving -= 1
            if moving >= 0:
                chosen[moving] += 1
                for after in range(moving + 1, size):
                    chosen[after] = chosen[after - 1] + 1
