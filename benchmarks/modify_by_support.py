"""Modification of a table of Netflix's size, Hamming group by Hamming group.

    python -m benchmarks.modify_by_support [--quick]

480,000 records on 17,770 issues, 99.8 million ratings: 24,000 groups of 20 records that rate the
same 208 issues, each rating a step around the group's. A matrix of all of them would take 8.5 GB,
and with ``--quick``, a fiftieth of it, is not allowed to be made either. Some 18 minutes on two
cores.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
import polars as pl

from benchmarks.timing import HEADER, Row, seconds
from ratingpriv.anonymize.methods import modify
from ratingpriv.data.table import RatingTable, Scale

GROUPS, PEOPLE, ITEMS, ISSUES, K, EPSILON = 24_000, 20, 208, 17_770, 5, 1
BLOCK = 10_000  # records that are drawn at once


def shared(groups: int) -> RatingTable:
    """Return the records of so many groups, scattered.

    Popular issues are in more of the supports.
    """
    rng, n = np.random.default_rng(7), groups * PEOPLE
    of = rng.permutation(n) % groups
    popular = 1 / np.arange(1, ISSUES + 1) ** 0.8
    supports = np.empty((groups, ITEMS), dtype=np.int32)
    for group in range(groups):  # the least of exponential variables: a sample without replacement
        supports[group] = np.sort(
            np.argpartition(rng.exponential(size=ISSUES) / popular, ITEMS)[:ITEMS]
        )
    taste = np.clip(np.round(rng.normal(3.4, 0.9, (groups, ITEMS))), 1, 5).astype(np.int8)
    codes = np.empty(n * ITEMS, dtype=np.uint8)
    for first in range(0, n, BLOCK):
        some = taste[of[first : first + BLOCK]]
        step = rng.integers(-1, 2, some.shape, dtype=np.int8)
        codes[first * ITEMS : (first + len(some)) * ITEMS] = (
            np.clip(some + step, 1, 5) - 1
        ).reshape(-1)
    return RatingTable(
        record_ids=pl.int_range(n, eager=True),
        issues=tuple(str(number) for number in range(ISSUES)),
        indptr=np.arange(n + 1, dtype=np.int64) * ITEMS,
        indices=supports[of].reshape(-1),
        codes=codes,
        levels=np.arange(1.0, 6.0),
        scale=Scale(1, 5, True),
        sensitive=(),
    )


def rows(*, quick: bool = False) -> list[Row]:
    """Modify them once, and say what it took."""
    table = shared(GROUPS // 50 if quick else GROUPS)
    matrix = table.n_records * table.n_issues
    start, used = time.perf_counter(), time.process_time()
    made = modify(table, k=K, epsilon=EPSILON, rng=0, memory=matrix // 2)
    spent, used = time.perf_counter() - start, time.process_time() - used
    if not made.satisfied:
        raise SystemExit("the release does not meet its target")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    work = (
        f"modify, {table.n_ratings / 1e6:.1f}M ratings × {table.n_records / 1000:.0f}k records, "
        f"20 of each "
        f"Hamming group, k={K}, ε={EPSILON} ({made.distortion.changed:,} ratings changed)"
    )
    ours = f"{seconds(spent)} ({used:.0f} s of processors), {peak:.2f} GB at the peak"
    bar = None if quick else peak < matrix / 1e9
    return [
        Row(work, ours, f"a byte a cell: {matrix / 1e9:.2f} GB", "", "less memory than that", bar)
    ]


def main(arguments: list[str] | None = None) -> list[Row]:
    """Run, print and return the row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the size")
    print(HEADER)
    found = rows(quick=parser.parse_args(arguments).quick)
    for row in found:
        print(row.markdown())
    return found


if __name__ == "__main__":
    main()
