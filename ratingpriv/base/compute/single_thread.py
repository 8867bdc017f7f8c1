"""Linear algebra and clustering of others' libraries on one thread: the same sums in the same order, always.

BLAS and OpenMP share sums out among their threads, so that the last digits depend on how many there are, or
on which is done first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def single_threaded() -> Iterator[None]:
    """Hold BLAS and OpenMP to one thread. What uses them must be imported before."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
