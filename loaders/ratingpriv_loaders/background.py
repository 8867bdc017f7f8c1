"""Work that other threads do meanwhile: the digest of a file, the next batch,
the next parts of a model.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from ratingpriv.data.formats.sources import Source


@contextlib.contextmanager
def digest(source: Source, files: list[Path] | None = None) -> Iterator[Callable[[], str]]:
    """Give what returns the SHA-256 of a source.

    It is computed meanwhile, of a stream when it has ended.

    A stream has its digest as it comes, and is not read on where its beginning is refused.
    """
    if source.is_stream:
        yield source.sha256
        return
    with ThreadPoolExecutor(1) as pool:  # hashing lets go of the interpreter
        yield pool.submit(source.sha256, files).result


def ahead[T](tasks: Iterable[Callable[[], T]], threads: int = 1) -> Generator[T]:
    """Give what each task returns, in order, while the next ones are
    at work in ``threads`` other threads.
    """
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


def passed_on[T](batches: Iterator[T]) -> Iterator[T]:
    """Pass ``batches`` on, each made by another thread while the one before is worked on."""
    coming = ahead(itertools.repeat(functools.partial(next, batches, None)))
    with contextlib.closing(coming):
        for batch in coming:
            if batch is None:
                return
            yield batch
