"""Every ε for an l on real-valued ratings: ``python -m benchmarks.frontier [--quick]``.

Data: what three factors explain of 100,000 real numbers, and a sensitive answer 1..5 that goes with
one. The peer is NumPy, a record at a time: the distances of all others, sorted, with running sums
of the sensitive answers. It is run on a random sample of the records and scaled up, and merges
nothing.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.timing import HEADER, Row, seconds
from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.audit.frontier.result import Frontier

__all__ = ["main", "rows"]

BAR = 60.0
SHAPES = ((5_000, 20), (20_000, 5))
L = 0.8
_SAMPLE = 50


def survey(n: int, p: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return ratings, float64 (n, p), and sensitive answers, int64 (n,)."""
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(n, 3))
    ratings = 3 + 0.6 * factors @ rng.normal(size=(3, p)) + 0.5 * rng.normal(size=(n, p))
    answers = np.clip(np.round(3 + 1.2 * factors[:, 0] + 0.8 * rng.normal(size=n)), 1, 5)
    return ratings, answers.astype(np.int64)


def search(ratings: NDArray[np.float64], answers: NDArray[np.int64]) -> Frontier:
    """Find every ε for l, on one processor."""
    frame = pl.DataFrame({f"item {issue + 1}": column for issue, column in enumerate(ratings.T)})
    frame = frame.with_columns(pl.Series("pay", answers), pl.Series("id", np.arange(len(answers))))
    items = [name for name in frame.columns if name.startswith("item")]
    return frontier(
        frame, id="id", ratings=items, sensitive=["pay"], l=L, partition=False, threads=1
    )


def numpy_record(ratings: NDArray[np.float64], answers: NDArray[np.int64], record: int) -> int:
    """Count the neighbourhoods of one record, over every ε, that have an SD of less than l."""
    far = np.abs(ratings - ratings[record]).max(axis=1)
    order = np.argsort(far)
    known, total = np.arange(1, len(far) + 1), np.cumsum(answers[order])
    squares = np.cumsum(answers[order] ** 2)
    return int(np.count_nonzero(known * squares - total**2 < L**2 * known**2))


def rows(quick: bool) -> list[Row]:
    """Measure both shapes; ``quick``: a tenth of the records, and no bar."""
    found: list[Row] = []
    search(*survey(1_000, 20))  # compiles
    for n, p in SHAPES:
        n = n // 10 if quick else n
        ratings, answers = survey(n, p)
        start = time.process_time()
        result = search(ratings, answers)
        ours = time.process_time() - start
        start = time.process_time()
        for record in np.random.default_rng(0).choice(n, _SAMPLE, replace=False).tolist():
            numpy_record(ratings, answers, record)
        peer = (time.process_time() - start) * n / _SAMPLE
        work = (
            f"every ε for l = {L}, {n:,} × {p} real numbers, and {len(result.rows)} of them shown"
        )
        loop = f"NumPy, a record at a time, nothing shown ({_SAMPLE} of {n:,} records, scaled)"
        found.append(
            Row(
                work, f"{seconds(ours)} of a processor", f"{loop}: {seconds(peer)}",
                f"{peer / ours:.1f}×",
                "" if quick else f"≤ {BAR:g} s", None if quick else ours <= BAR,
            )
        )  # fmt: skip
    return found


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the records")
    found = rows(quick=parser.parse_args(arguments).quick)
    print(HEADER, *(row.markdown() for row in found), sep="\n")
    return found


if __name__ == "__main__":
    main()
