"""Attacking many targets: checks, chunks that can be interrupted, all cores, bounded memory.

What goes to the kernels of both algorithms and comes back from them are arrays by name: an Index as
Lists, an Auxiliary as Targets, Work for each worker, and the Answers that become an Attacked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms._scores import leave_out_own, weigh
from ratingpriv.attack.algorithms.arrays import Lists, Targets, Work
from ratingpriv.attack.algorithms.attacked import ARRAYS, Answers, Attacked
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.knowledge.auxiliary import Auxiliary, count_fitting, traits_of
from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run, portions
from ratingpriv.base.compute.resources import Resources

_PIECE = 20_000_000  # list entries between two looks at Ctrl-C: some tenths of a second
_TARGET = 200  # what a target costs beside its lists, in entries


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
    arrays: dict[str, NDArray[Any]] = {name: np.full(count, np.nan) for name in ARRAYS}
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
