"""The one pool of threads: tasks short enough to report progress between
them and to be interrupted.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress

_PIECES = 256  # a long task is cut into at least so many, blocks permitting


class Run:
    """A pool of workers; every task is given its worker's number, so that outputs can be private.

    Tasks must release the GIL to gain from threads. Progress is reported from the calling thread,
    of ``total`` units of work, None if nobody knows.
    """

    def __init__(self, threads: int | None, progress: Progress | None, what: str) -> None:
        resources = Resources(threads=threads, progress=progress)
        self.threads = resources.thread_count
        self.total: int | None = None
        self._report, self._what, self._done = resources.report, what, 0

    def __call__(self, tasks: Sequence[tuple[int, Callable[[int], None]]]) -> None:
        """Do every task (units of work, function of the worker).

        With one task or thread, in this thread.
        """
        if self.threads == 1 or len(tasks) <= 1:
            for units, task in tasks:
                task(0)
                self.report(units)
            return
        workers = min(self.threads, len(tasks))
        stop, finished, queue = threading.Event(), [0] * workers, iter(tasks)
        lock = threading.Lock()

        def work(worker: int) -> None:
            while not stop.is_set():
                with lock:
                    units, task = next(queue, (0, None))
                if task is None:
                    return
                task(worker)
                finished[worker] += units

        before = self._done
        with ThreadPoolExecutor(workers) as pool:
            try:
                waiting: set[Future[None]] = {
                    pool.submit(work, worker) for worker in range(workers)
                }
                while waiting:
                    done, waiting = wait(waiting, timeout=0.2, return_when=FIRST_EXCEPTION)
                    for future in done:
                        future.result()
                    self._done = before
                    self.report(sum(finished))
            finally:
                stop.set()  # an error or Ctrl-C: nobody starts another task

    def report(self, units: int) -> None:
        """Count ``units`` as done and report them."""
        self._done += units
        self._report(self._what, self._done, self.total)


def portions(ends: NDArray[np.int64], size: int) -> Iterator[tuple[int, int]]:
    """Yield (first, last + 1) of things in runs of about ``size`` units of work,
    one thing at least.

    ``ends``, (n,) ascending, is the work of each thing and of all before it.
    """
    first, before = 0, 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, before + size, side="right")))
        yield first, last
        first, before = last, int(ends[last - 1])


def share_out(
    task: Callable[[int, int], None], units: NDArray[np.int64], threads: int | None,
    progress: Progress | None, what: str,
) -> None:  # fmt: skip
    """Call ``task(first, last)`` for ranges that cover all blocks,
    whose work is ``units``, (n_blocks,).
    """
    run, count = Run(threads, progress, what), len(units)
    run.total = count
    total = np.cumsum(units.astype(np.float64))
    cuts = np.searchsorted(total, np.arange(1, _PIECES) * (total[-1] / _PIECES)) if count else []
    edges = np.unique(np.concatenate(([0], np.asarray(cuts, dtype=np.int64), [count]))).tolist()

    def piece(first: int, last: int) -> Callable[[int], None]:
        return lambda _: task(first, last)

    run([(last - first, piece(first, last)) for first, last in itertools.pairwise(edges)])


@contextmanager
def single_threaded() -> Iterator[None]:
    """Hold BLAS and OpenMP, whose users must be imported before, to one thread:
    the same last digits, always.

    They share sums out, so that these depend on how many threads there are, or on which is done
    first.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
