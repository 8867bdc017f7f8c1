"""Exact grouping of 100M sparse ratings by support, against one plain pass over the same array.

    python -m benchmarks.large [--quick]

The peer is ``np.add.reduceat`` over the issue positions: NumPy reads every rating once and adds.
Grouping cannot do with less; the ratio says how much more it costs to be exact.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.timing import HEADER, Row, seconds
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.hamming import hamming_groups

RECORDS, ISSUES, RATINGS = 480_000, 17_770, 100_000_000


def rows(*, quick: bool = False) -> list[Row]:
    """Measure; ``quick`` takes a twentieth of the size, for which the bars are not meant."""
    scale = 20 if quick else 1
    n, total = RECORDS // scale, RATINGS // scale
    found = []
    table = unique_supports(n, total)
    peer, one, two = _times(table)
    work = f"{table.n_ratings / 1e6:.0f}M ratings × {n // 1000}k records, nearly unique supports"
    found.append(_row(f"{work}, one core", one, peer, 1.5, quick))
    found.append(_row(f"{work}, two cores", two, peer, 1.0, quick))
    del table
    table = shared_supports(n, total // n)
    peer, one, two = _times(table)
    work = (
        f"{table.n_ratings / 1e6:.0f}M ratings × {n // 1000}k records, 1000 supports shared by all"
    )
    found.append(_row(f"{work}, one core", one, peer, 4.0, quick))
    found.append(_row(f"{work}, two cores", two, peer, 4.0, quick))
    return found


def unique_supports(n: int, total: int) -> RatingTable:
    """Return records whose supports are random and of very different sizes (a power law)."""
    rng = np.random.default_rng(1)
    weights = np.minimum(rng.pareto(1.2, n) + 1, 60)
    lengths = np.clip(weights * (total / weights.sum()), 1, ISSUES // 4).astype(np.int64)
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    gaps = np.maximum(1, ISSUES // (lengths + 1))
    indices = np.empty(int(indptr[-1]), dtype=np.int32)
    block = 1 << 14  # records
    for first in range(0, n, block):
        last = min(first + block, n)
        start, stop = int(indptr[first]), int(indptr[last])
        step = np.repeat(gaps[first:last], lengths[first:last])
        reached = np.cumsum((rng.random(stop - start) * (2 * step - 1)).astype(np.int64) + 1)
        firsts = indptr[first:last] - start
        before = np.concatenate(([0], reached))[firsts]
        indices[start:stop] = reached - np.repeat(before, lengths[first:last]) - 1
    return _table(indptr, indices)


def shared_supports(n: int, length: int) -> RatingTable:
    """Return records that follow one of 1000 random supports of ``length`` issues each."""
    rng = np.random.default_rng(2)
    supports = np.sort(
        [rng.choice(ISSUES, size=length, replace=False) for _ in range(1000)]
    ).astype(np.int32)
    indices = supports[rng.integers(0, 1000, size=n)].reshape(-1)
    return _table(np.arange(n + 1) * length, indices)


def _table(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> RatingTable:
    issues = max(int(indices.max()) + 1, ISSUES)
    return RatingTable(
        record_ids=pl.int_range(len(indptr) - 1, eager=True),
        issues=tuple(str(number) for number in range(issues)),
        indptr=indptr,
        indices=indices,
        codes=np.zeros(len(indices), dtype=np.uint8),
        levels=np.array([1.0]),
        scale=None,
    )


def _times(table: RatingTable) -> list[float]:
    """Return the median seconds of the peer, and of grouping with one thread and with two."""
    return _medians(
        [
            lambda: np.add.reduceat(table.indices, table.indptr[:-1]),
            lambda: hamming_groups(table, threads=1),
            lambda: hamming_groups(table, threads=2),
        ],
        runs=7,
    )


def _medians(works: Sequence[Callable[[], object]], *, runs: int) -> list[float]:
    """Return the median seconds of each work.

    Done in turns, so that a busy moment hits all alike.
    """
    for work in works:
        work()  # compilation and first touches of memory are not what is compared
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for times, work in zip(taken, works, strict=True):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
    return [statistics.median(times) for times in taken]


def _row(work: str, ours: float, peer: float, bar: float, quick: bool) -> Row:
    ratio = ours / peer
    return Row(
        work=f"exact grouping: {work}",
        ours=seconds(ours),
        peer=f"np.add.reduceat {seconds(peer)}",
        ratio=f"{ratio:.2f}×",
        bar=f"≤ {bar:.1f}×",
        met=None if quick else ratio <= bar,
    )


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the size")
    found = rows(quick=parser.parse_args(arguments).quick)
    print(HEADER, *(row.markdown() for row in found), sep="\n")
    return found


if __name__ == "__main__":
    main()
