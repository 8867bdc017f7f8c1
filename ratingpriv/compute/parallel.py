"""Sharing blocks out among threads, in pieces short enough to tell progress and to be interrupted."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.progress import Progress

__all__ = ["share_out"]

_PIECES = 256  # a long task is cut into at least so many, blocks permitting


def share_out(
    task: Callable[[int, int], None],
    units: NDArray[np.int64],
    threads: int | None,
    progress: Progress | None,
    what: str,
) -> None:
    """Call ``task(first, last)`` for ranges that cover all blocks.

    It must release the GIL to gain from threads.

    Parameters
    ----------
    units : (n_blocks,); the work of each block, in any unit
    threads : how many threads; None: as many as this process has cores
    progress : told from the calling thread how many blocks are done
    """
    workers = _cores() if threads is None else checks.whole_number("threads", threads, 1)
    count = len(units)
    total = np.cumsum(units.astype(np.float64))
    cuts = np.searchsorted(total, np.arange(1, _PIECES) * (total[-1] / _PIECES)) if count else []
    edges = np.unique(np.concatenate(([0], np.asarray(cuts, dtype=np.int64), [count]))).tolist()
    pieces = itertools.pairwise(edges)
    if workers == 1 or len(edges) <= 2:
        for first, last in pieces:
            task(first, last)
            if progress is not None:
                progress(what, last, count)
        return
    stop, lock, done = threading.Event(), threading.Lock(), [0] * workers

    def work(worker: int) -> None:
        while not stop.is_set():
            with lock:
                first, last = next(pieces, (0, 0))
            if first == last:
                return
            task(first, last)
            done[worker] += last - first

    with ThreadPoolExecutor(workers) as pool:
        try:
            waiting: set[Future[None]] = {pool.submit(work, worker) for worker in range(workers)}
            while waiting:
                finished, waiting = wait(waiting, timeout=0.2, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
                if progress is not None:
                    progress(what, sum(done), count)
        finally:
            stop.set()  # an error or Ctrl-C: nobody starts another piece


def _cores() -> int:
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
