"""Work that other threads do meanwhile: the digest of a file, the next batch, the next parts of a model."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["ahead", "started"]


@contextlib.contextmanager
def started[T](work: Callable[[], T]) -> Iterator[Future[T]]:
    """Start ``work``, which should let go of the interpreter as hashing does, and give its future."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(work)


def ahead[T](tasks: Iterable[Callable[[], T]], threads: int = 1) -> Generator[T]:
    """Give what each task returns, in order, while the next ones are at work in ``threads`` other threads."""
    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[T]] = deque()
    try:
        for task in tasks:
            waiting.append(pool.submit(task))
            if len(waiting) == 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
