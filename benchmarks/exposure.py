"""Exposure against a NumPy loop: ``python -m benchmarks.exposure [--quick]``.

Data: the 3-factor Likert survey of `engine`. The peer draws as much knowledge of a record and
compares it with all records, for a random sample of the records, and is scaled up; it searches for
no worst case.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.engine import dense, survey
from benchmarks.timing import HEADER, Row, seconds
from ratingpriv.audit.exposure.measure import exposure

__all__ = ["main", "rows"]

BAR = 60.0


def rows(quick: bool) -> list[Row]:
    """Measure one table; ``quick``: a tenth of its records, and no bar."""
    n = 10_000 if quick else 100_000
    table = survey(n)
    exposure(survey(5_000), error=1)  # compiles
    start, processors = time.perf_counter(), time.process_time()
    result = exposure(table, error=1)
    ours, processors = time.perf_counter() - start, time.process_time() - processors
    ratings, rng = dense(table).astype(np.int8), np.random.default_rng(0)
    sample = rng.choice(n, 20, replace=False)
    start = time.perf_counter()
    for record in sample:
        for _ in range(result.samples):
            known = np.clip(ratings[record] + rng.integers(-1, 2, ratings.shape[1]), 1, 5)
            np.count_nonzero(np.max(np.abs(ratings - known), axis=1) <= 1)
    peer = (time.perf_counter() - start) * n / len(sample)
    work = (
        f"exposure at 1, {n // 1000}k × {ratings.shape[1]}, {result.samples} draws a record, "
        f"and at worst"
    )
    loop = f"NumPy, draws only ({len(sample)} of {n} records, scaled)"
    return [
        Row(work, seconds(ours), f"{loop}: {seconds(peer)}", f"{peer / ours:.0f}×", "", None),
        Row(
            f"{work}: whole time",
            seconds(ours),
            f"of processors {seconds(processors)}",
            "",
            "" if quick else f"≤ {BAR:g} s",
            None if quick else ours <= BAR,
        ),
    ]


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    found = rows(quick=parser.parse_args(arguments).quick)
    print(HEADER, *(row.markdown() for row in found), sep="\n")
    return found


if __name__ == "__main__":
    main()
