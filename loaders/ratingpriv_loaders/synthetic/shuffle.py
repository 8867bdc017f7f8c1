"""A uniformly random order of more rows than memory holds: heaps on disk, each shuffled in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.partial import partial_folder
from ratingpriv_loaders.synthetic.blocks import Model, generator_of

__all__ = ["ROW", "Shuffle"]

ROW = np.dtype([("record", np.int32), ("issue", np.int32), ("day", np.int32), ("rating", np.uint8)])
"""A row of a long layout: positions, days since 1970-01-01 (0: no date), a rating (0: null)."""

_HEAP_ROWS = 1 << 22


class Shuffle:
    """Rows in; the same rows out in a uniformly random order, which depends on the model's seed alone.

    Every row goes to a heap chosen at random; the heaps one after the other, each in a random order, are a
    uniformly random order of all rows.
    """

    def __init__(self, model: Model, target: Path) -> None:
        self.n_heaps = -(-model.most_ratings // _HEAP_ROWS)
        self._rng = generator_of(model.seed, 2)
        self._target = target

    def __enter__(self) -> Self:
        self._stack = contextlib.ExitStack()
        self._folder = self._stack.enter_context(partial_folder(self._target))
        return self

    def __exit__(self, *stopped: object) -> None:
        self._stack.close()

    def add(self, rows: NDArray[Any]) -> None:
        """Deal rows, ROW (n,), to the heaps."""
        # one double a row, so that rows are dealt alike however many come at a time
        heap = (self._rng.random(len(rows)) * self.n_heaps).astype(np.int32)
        dealt = rows[np.argsort(heap, kind="stable")]
        ends = np.cumsum(np.bincount(heap, minlength=self.n_heaps))
        for number, some in enumerate(np.split(dealt, ends[:-1])):
            if len(some):
                with self._heap(number).open("ab") as file:
                    file.write(some.tobytes())

    def heaps(self) -> Iterator[NDArray[Any]]:
        """Give the heaps, shuffled."""
        for number in range(self.n_heaps):
            if self._heap(number).exists():
                rows = np.fromfile(self._heap(number), dtype=ROW)
                self._heap(number).unlink()
                yield rows[self._rng.permutation(len(rows))]

    def _heap(self, number: int) -> Path:
        return self._folder / str(number)
