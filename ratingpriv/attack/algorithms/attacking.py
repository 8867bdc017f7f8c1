"""Attacking many targets: checks, chunks that can be interrupted, both cores, bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ratingpriv import checks
from ratingpriv.attack.algorithms.arrays import (
    Answers,
    Lists,
    Targets,
    Work,
    answers_of,
    lists_of,
    targets_of,
    work_of,
)
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.compute.parallel import Run
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import ParameterError
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["Kernel", "attack_all", "index_for"]

Kernel = Callable[[Lists, Targets, int, int, Work, Answers], None]
"""Attacks targets first..last-1 with one worker's memory."""

_PIECE = 20_000_000  # list entries between two looks at Ctrl-C: some tenths of a second
_TARGET = 200  # what a target costs beside its lists, in entries


def index_for(data: RatingTable | Index, auxiliary: Auxiliary, dates: bool | None) -> tuple[Index, bool]:
    """Return the inverted lists of ``data``, and whether dates are compared.

    Parameters
    ----------
    dates : None: if both the data and what is known have dates

    Raises
    ------
    ParameterError
        Dates are wanted and the data has none, or none is known; or what is known does not fit the data.
    """
    if isinstance(data, Index):
        if dates and not data.dated:
            raise ParameterError("dates", dates, "False: this Index was made without dates")
        index = data
    else:
        index = Index.of(data, dates=dates if dates or auxiliary.dated else False)
    if dates and not auxiliary.dated:
        raise ParameterError("dates", dates, "False: no date is known of any target")
    table = index.table
    if len(auxiliary.issues) and not -1 <= auxiliary.issues.min() <= auxiliary.issues.max() < table.n_issues:
        raise ParameterError(
            "auxiliary", int(auxiliary.issues.max()), f"positions of the {table.n_issues} issues"
        )
    if (
        len(auxiliary.targets)
        and not -1 <= auxiliary.targets.min() <= auxiliary.targets.max() < table.n_records
    ):
        raise ParameterError(
            "auxiliary", int(auxiliary.targets.max()), f"positions of the {table.n_records} records"
        )
    return index, index.dated and auxiliary.dated and dates is not False


def attack_all(
    index: Index,
    auxiliary: Auxiliary,
    kernel: Kernel,
    *,
    top: int,
    stages: bool,
    threads: int | None,
    memory: int | None,
    progress: Progress | None,
    algorithm: str,
    parameters: Mapping[str, float | int | str | bool | None],
) -> Attacked:
    """Attack every target and wrap the answers.

    Parameters
    ----------
    kernel : attacks a range of targets
    stages : whether a worker needs ``Work.stage``
    memory : bytes for the workers' arrays, about; there are as many workers as fit, and one at least
    """
    top = checks.whole_number("top", top, 1)
    lists, targets = lists_of(index), targets_of(auxiliary)
    answers = answers_of(auxiliary.n_targets, top)
    workers = Resources(threads=threads).thread_count
    if memory is not None:
        each = (24 if stages else 20) * lists.n_records + 1
        workers = max(1, min(workers, checks.whole_number("memory", memory, 1) // each))

    lengths = np.append(index.supports, 0)[auxiliary.issues]  # issue -1 is the 0 at the end
    ends = np.concatenate(([0], np.cumsum(lengths)))[auxiliary.indptr[1:]]
    ends += _TARGET * np.arange(1, len(ends) + 1)
    total = int(ends[-1]) if len(ends) else 0
    piece = max(1, min(_PIECE, total // (8 * workers)))
    works: dict[int, Work] = {}

    def task(first: int, last: int) -> Callable[[int], None]:
        def work(worker: int) -> None:
            if worker not in works:
                works[worker] = work_of(lists, top, stages=stages)
            kernel(lists, targets, first, last, works[worker], answers)

        return work

    tasks, first, before = [], 0, 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, before + piece, side="right")))
        tasks.append((last - first, task(first, last)))
        first, before = last, int(ends[last - 1])
    run = Run(workers, progress, "attacking")
    run.total = auxiliary.n_targets
    if tasks:
        run(tasks)
    for array in answers:
        array.flags.writeable = False
    return Attacked(**answers._asdict(), algorithm=algorithm, parameters=dict(parameters))
