"""Attacking many targets: checks, chunks that can be interrupted, all cores, bounded memory.

What goes to the kernels of both algorithms and comes back from them are arrays by name: an Index as
Lists, an Auxiliary as Targets, Work for each worker, and the Answers that become an Attacked.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms._scores import leave_out_own, weigh
from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.knowledge.auxiliary import Auxiliary, count_fitting, traits_of
from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run, portions
from ratingpriv.base.compute.resources import Resources

_PIECE = 20_000_000  # list entries between two looks at Ctrl-C: some tenths of a second
_TARGET = 200  # what a target costs beside its lists, in entries


class Lists(NamedTuple):
    """An Index, and the levels that its codes stand for."""

    indptr: NDArray[np.int64]
    records: NDArray[np.int32]
    codes: NDArray[Any]
    when: NDArray[Any]
    first_day: float
    span: int
    levels: NDArray[np.float64]
    # (q, n_records) what is known of targets beside ratings; -1: a null, fits any
    traits: NDArray[np.int32]


class Targets(NamedTuple):
    """An Auxiliary."""

    own: NDArray[np.int64]
    indptr: NDArray[np.int64]
    issues: NDArray[np.int32]
    ratings: NDArray[np.float64]
    dates: NDArray[np.float64]
    absent: bool
    # (T, q, 2) the least and the greatest of each trait that a candidate may have
    bounds: NDArray[np.int64]
    candidates: NDArray[np.int64]  # (T,) how many records have such traits, an absent own one too
    # (M,) of the issue of each known rating; 0 where no candidate rates it
    weights: NDArray[np.float64]


class Work(NamedTuple):
    """One worker's memory; ``score`` and ``stage`` are 0 between two targets."""

    score: NDArray[np.float64]  # (n_records,)
    stage: NDArray[np.int32]  # (n_records,) how many lists it passed; of Scoreboard only
    touched: NDArray[np.int32]  # (n_records + 1,) who scored
    values: NDArray[np.float64]  # (n_records,) their scores, in that order
    level_term: NDArray[np.float64]  # (n_levels,)
    day_term: NDArray[np.float64]  # (span + 1,)
    best: NDArray[np.int64]  # (room,)
    best_score: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """Answers to T targets, in the order of the auxiliary information [NS08, §4].

    Equal scores: two scores that differ by less than 1e-12 of the larger are equal, since the same
    terms added in another order differ by that little. Attributes that speak of the true record are
    NaN where there is none among the candidates (target not in the table, not known, or absent).

    Attributes
    ----------
    best : int64 (T,); the position of the record that is declared the target's, or -1: no match
        (⊥). It is declared only if its score is above every other
    best_candidate : int64 (T,); the candidate with the highest score (of equal ones the first),
        match or not; -1 where no candidate scores above 0
    matching : int64 (T,); size of the matching set; Scoreboard may have several members and then no
        single ``best``, for Scoreboard-RH it is 0 or 1
    eccentricity : float64 (T,); (max - max2) / σ; 0 where two are best or all scores are equal, NaN
        where there is only one candidate, and for Scoreboard, which has none
    n_candidates : int64 (T,); how many records could have been the target's (the absent one not
        counted, nor who has not as many ratings as the adversary believes)
    score_true : float64 (T,); score of the true record
    better : float64 (T,); how many candidates score above the true record
    tied : float64 (T,); how many *other* candidates score as it does
    entropy_bits : float64 (T,); -log2 Π(true record), the residual entropy; inf where the record is
        in the table, but has not as many ratings as the adversary believes
    shannon_bits : float64 (T,); Shannon entropy of Π, which the adversary can tell without the
        truth
    candidates : int64 (T, top); positions of the best candidates, by score then position; -1: no
        more with a score above 0
    scores : float64 (T, top); their scores, 0 where there is no candidate
    probabilities : float64 (T, top); their probabilities under Π, 0 where there is no candidate
    algorithm : one of :data:`ratingpriv.attack.algorithms.algorithm.ALGORITHMS`
    parameters : the algorithm's parameters by name, as they were used
    """

    best: NDArray[np.int64]
    best_candidate: NDArray[np.int64]
    matching: NDArray[np.int64]
    eccentricity: NDArray[np.float64]
    n_candidates: NDArray[np.int64]
    score_true: NDArray[np.float64]
    better: NDArray[np.float64]
    tied: NDArray[np.float64]
    entropy_bits: NDArray[np.float64]
    shannon_bits: NDArray[np.float64]
    candidates: NDArray[np.int64]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    algorithm: str
    parameters: Mapping[str, float | int | str | bool | None]

    @property
    def rank_true(self) -> NDArray[np.float64]:
        """Expected rank of the true record, ties broken at random: 1 + better + tied / 2;
        NaN without one.
        """
        return 1 + self.better + self.tied / 2

    @property
    def matched(self) -> NDArray[np.bool_]:
        """Whether a record was declared the target's, bool (T,)."""
        return self.best >= 0

    @property
    def by_coin(self) -> bool:
        """Whether the algorithm names one of equally good candidates by a coin;
        ``best`` is the first.
        """
        return ALGORITHMS[self.algorithm].by_coin

    @property
    def tossed(self) -> NDArray[np.bool_]:
        """For which targets a coin decides between equally good candidates, bool (T,)."""
        if not self.by_coin:
            return np.zeros(len(self.best), dtype=bool)
        if self.algorithm == "best-candidate":
            equal: NDArray[np.bool_] = (self.best >= 0) & (self.eccentricity == 0)
            return equal
        several: NDArray[np.bool_] = self.matching > 1
        if self.scores.shape[1] > 1:  # a graded similarity may tell members apart
            several &= np.isclose(self.scores[:, 0], self.scores[:, 1], rtol=1e-12, atol=0)
        return several

    def chances(self, targets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how likely the record that is named is that of ``targets`` (-1: none is),
        float64 (T,).

        0 or 1, but where a coin decides among m equally good ones of which the true one is one:
        1/m.
        """
        if self.by_coin:
            possible = (self.best >= 0) & (targets >= 0)
            chances: NDArray[np.float64] = np.where(possible, np.nan_to_num(self.within(1)), 0.0)
            return chances
        right: NDArray[np.bool_] = (self.best >= 0) & (self.best == targets)
        return right.astype(np.float64)

    def within(self, number: int) -> NDArray[np.float64]:
        """Probability that the true record is among the ``number`` best,
        ties broken at random, (T,).

        NaN where there is no true record among the candidates.
        """
        return np.clip((number - self.better) / (self.tied + 1), 0.0, 1.0)


_ARRAYS = [
    field.name for field in fields(Attacked) if field.name not in ("algorithm", "parameters")
]
Answers: Any = namedtuple("Answers", _ARRAYS)  # type: ignore[misc]  # noqa: PYI024
"""The arrays of an Attacked."""


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """An algorithm with its parameters, ready for a table and for what is known.

    ``lists`` and ``targets`` are these for the kernels, dates only where they are compared;
    ``kernels`` is the module of ``score`` (one target's candidates; how many score above 0:
    ``Work.touched``, with ``Work.score``) and ``attack`` (a range of targets), ``rules`` the
    NamedTuple that these go by.
    """

    index: Index
    lists: Lists
    targets: Targets
    kernels: Any
    rules: tuple[Any, ...]
    algorithm: str
    parameters: Mapping[str, float | int | str | bool | None]


def attack_all(scoring: Scoring, *, top: int, resources: Resources) -> Attacked:
    """Attack every target, keeping the ``top`` best candidates of each, and wrap the answers.

    There are as many workers as threads, or as fit into the memory, and one at least.
    """
    lists, targets = scoring.lists, scoring.targets
    top, count = checks.whole_number("top", top, 1), len(targets.own)
    # until a kernel says more: no match, nothing measured, no candidate
    positions = ("best", "best_candidate", "matching", "n_candidates")
    arrays: dict[str, NDArray[Any]] = {name: np.full(count, np.nan) for name in _ARRAYS}
    arrays |= {name: np.full(count, -1, dtype=np.int64) for name in positions}
    arrays["candidates"] = np.full((count, top), -1, dtype=np.int64)
    arrays |= {name: np.zeros((count, top)) for name in ("scores", "probabilities")}
    answers = Answers(**arrays)
    workers = resources.thread_count
    if resources.memory is not None:
        workers = max(1, min(workers, resources.memory // (24 * scoring.index.table.n_records + 1)))

    # a target's work is the lists that it reads; targets are cut into tasks of about equal work
    lengths = np.append(scoring.index.supports, 0)[targets.issues]  # issue -1 is the 0 at the end
    ends = np.concatenate(([0], np.cumsum(lengths)))[targets.indptr[1:]]
    ends += _TARGET * np.arange(1, len(ends) + 1)
    total = int(ends[-1]) if len(ends) else 0
    piece = max(1, min(_PIECE, total // (8 * workers)))
    works: dict[int, Work] = {}

    def task(first: int, last: int) -> Callable[[int], None]:
        def work(worker: int) -> None:
            if worker not in works:
                works[worker] = work_of(scoring, top)
            scoring.kernels.attack(
                lists, targets, first, last, scoring.rules, works[worker], answers
            )

        return work

    tasks = [(last - first, task(first, last)) for first, last in portions(ends, piece)]
    run = Run(workers, resources.progress, "attacking")
    run.total = count
    if tasks:
        run(tasks)
    for array in arrays.values():
        array.flags.writeable = False
    return Attacked(
        **arrays, algorithm=scoring.algorithm, parameters={**scoring.parameters, "top": top}
    )


def arrays_of(index: Index, auxiliary: Auxiliary, *, dated: bool) -> tuple[Lists, Targets]:
    """Return an Index and an Auxiliary for the kernels.

    Without dates that are known unless ``dated``.
    """
    traits, bounds = traits_of(index.table, auxiliary)
    supports = np.append(index.supports, 0)[auxiliary.issues]  # issue -1 is the 0 at the end
    if auxiliary.absent:
        leave_out_own(
            index.indptr,
            index.records,
            auxiliary.targets,
            auxiliary.indptr,
            auxiliary.issues,
            supports,
        )
    weights = np.empty(len(supports), dtype=np.float64)
    weigh(supports, weights)
    lists = Lists(
        index.indptr,
        index.records,
        index.codes,
        index.when,
        index.first_day,
        index.span,
        index.table.levels,
        traits,
    )
    dates = auxiliary.dates if dated else np.full(len(supports), np.nan)
    targets = Targets(
        auxiliary.targets,
        auxiliary.indptr,
        auxiliary.issues,
        auxiliary.ratings,
        dates,
        auxiliary.absent,
        bounds,
        count_fitting(traits, bounds),
        weights,
    )
    return lists, targets


def work_of(scoring: Scoring, top: int) -> Work:
    """Allocate one worker's memory, 24 bytes a record, and at least two best:
    the second is needed too.
    """
    records, lists, room = scoring.index.table.n_records, scoring.lists, max(top, 2)
    return Work(
        np.zeros(records, dtype=np.float64),
        np.zeros(records, dtype=np.int32),
        np.empty(records + 1, dtype=np.int32),
        np.empty(records, dtype=np.float64),
        np.empty(len(lists.levels), dtype=np.float64),
        np.empty(lists.span + 1, dtype=np.float64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.float64),
    )
