"""Predictive Anonymization: ``python -m benchmarks.predictive [--quick] [ROW...]``.

Time and peak memory of the method "predictive" (pure, rounded, k = 20, audit at ε = 0 included) on
sparse ratings of stated size, each in a process of its own; on MovieLens 100k, if the tests' data
are there; and against a dense implementation: the same bins and groups from padded rows of all
issues, and means by NumPy from a matrix with NaN where nobody rated.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ratingpriv
from benchmarks.timing import HEADER, Row, seconds
from ratingpriv.anonymize.methods import predictive
from ratingpriv.anonymize.predictive.groups import groups_of, points_of
from ratingpriv.anonymize.predictive.homogenise import cells_of
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable, Scale
from ratingpriv.utility.prediction import RatingModel

__all__ = ["main", "sparse_table"]

DATA = Path(os.environ.get("RATINGPRIV_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
K = 20
SIZES = ((10_000, 5_000, 1_000_000), (100_000, 5_000, 10_000_000))


def sparse_table(records: int, issues: int, ratings: int, seed: int = 0) -> RatingTable:
    """Return so many ratings 1..5 with two factors behind them.

    Some issues are rated far more often.
    """
    rng = np.random.default_rng(seed)
    weight = np.arange(1, issues + 1) ** -0.7
    reach = np.cumsum(weight) / weight.sum()
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < ratings:
        missing = int(1.1 * (ratings - len(keys))) + 1
        more = rng.integers(0, records, missing) * issues
        more += np.searchsorted(reach, rng.random(missing)).clip(0, issues - 1)
        keys = np.unique(np.concatenate((keys, more)))
    record, issue = np.divmod(keys, issues)
    del keys
    people, films = rng.normal(size=(records, 2)), rng.normal(size=(issues, 2))
    liked = (
        3.5 + 0.7 * (people[record] * films[issue]).sum(axis=1) + rng.normal(0, 0.7, len(record))
    )
    return RatingTable(
        record_ids=pl.Series("record", np.arange(records)),
        issues=tuple(map(str, range(issues))),
        indptr=np.concatenate(([0], np.cumsum(np.bincount(record, minlength=records)))),
        indices=issue.astype(np.int32),
        codes=(np.clip(np.rint(liked), 1, 5) - 1).astype(np.uint8),
        levels=np.arange(1.0, 6.0),
        scale=Scale(1.0, 5.0, declared=True),
    )


def once(records: int, issues: int, ratings: int) -> dict[str, float]:
    """Return what one run takes, in this process."""
    table = sparse_table(records, issues, ratings)
    before = _peak()
    start = time.perf_counter()
    made = predictive(table, k=K, rng=0)
    return {
        "seconds": time.perf_counter() - start,
        "before": before,
        "peak": _peak(),
        "released": made.table.n_ratings,
        "largest_k": made.audit.k_epsilon.max_k,
    }


def _peak() -> float:
    """Return the most memory that this process has taken, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)


def growth(quick: bool) -> list[Row]:
    """Time and memory of ten times the users, and of ten times fewer."""
    found = []
    for records, issues, ratings in SIZES[:1] if quick else SIZES:
        ended = subprocess.run(
            [
                sys.executable,
                "-m",
                "benchmarks.predictive",
                "--once",
                f"{records},{issues},{ratings}",
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        found.append(json.loads(ended.stdout))
    rows = []
    for (records, issues, ratings), one, less in zip(
        SIZES, found, [None, *found[:-1]], strict=False
    ):
        large = records == SIZES[1][0]
        rows.append(
            Row(
                f"predictive, {records // 1000}k × {issues // 1000}k, {ratings // 10**6}M "
                f"ratings, k={K} "
                f"({one['released'] / 1e6:.0f}M released)",
                f"{seconds(one['seconds'])}, peak {one['peak']:.2f} GiB (data {one['before']:.2f})",
                "" if less is None else f"a tenth: {seconds(less['seconds'])}",
                "" if less is None else f"{one['seconds'] / less['seconds']:.3g}× the time",
                "5 min, 4 GiB" if large else "",
                one["seconds"] <= 300 and one["peak"] <= 4 if large else None,
            )
        )
    return rows


def real() -> list[Row]:
    """MovieLens 100k, if it is there."""
    path = DATA / "ml-100k" / "u.data"
    if not path.exists():
        return []
    table = ratingpriv.read(path)
    predictive(table, k=K, rng=0)  # compiles
    rows = []
    for scheme in ("pure", "padded"):
        start = time.perf_counter()
        made = predictive(table, k=5, rng=0, scheme=scheme)
        spent = time.perf_counter() - start
        rows.append(
            Row(
                f"predictive, MovieLens 100k, k=5, {scheme} ({made.table.n_ratings:,} released)",
                seconds(spent),
                "",
                "",
                "10 s",
                spent <= 10,
            )
        )
    return rows


def against_dense(quick: bool) -> list[Row]:
    """The groups and their means, sparse and in factors, and dense in rows of all issues."""
    records, issues = (500, 1000) if quick else (2000, 4000)
    table = sparse_table(records, issues, 20 * records)
    model, resources = RatingModel.fit(table), Resources(threads=1)

    def ours() -> int:
        labels = groups_of(points_of(model), K, np.random.default_rng(0), resources)
        return len(cells_of(table, labels).means)

    def dense() -> int:
        rows = np.array(model.predicted_rows(np.arange(records)), dtype=np.float64)
        rows[np.repeat(np.arange(records), np.diff(table.indptr)), table.indices] = table.values
        labels = groups_of(rows, K, np.random.default_rng(0), resources)
        return int(np.count_nonzero(~np.isnan(_dense_means(table, labels))))

    ours()
    times = []
    for work in (ours, dense):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    work = f"groups and means, {records:,} × {issues:,}, {table.n_ratings:,} ratings, k={K}"
    return [
        Row(
            work,
            seconds(times[0]),
            f"dense: {seconds(times[1])}",
            f"{times[0] / times[1]:.3f}",
            "",
            None,
        )
    ]


def _dense_means(table: RatingTable, labels: NDArray[np.int32]) -> NDArray[np.float64]:
    cells = np.full((table.n_records, table.n_issues), np.nan)
    cells[np.repeat(np.arange(table.n_records), np.diff(table.indptr)), table.indices] = (
        table.values
    )
    means = np.full((int(labels.max()) + 1, table.n_issues), np.nan)
    for group in range(len(means)):
        rows = cells[labels == group]
        rated = ~np.isnan(rows).all(axis=0)
        means[group, rated] = np.nanmean(rows[:, rated], axis=0)
    return means


def main(arguments: list[str] | None = None) -> list[Row]:
    """Run the rows asked for, print and return them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="growth, real, dense")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--once", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.once:
        sys.stdout.write(json.dumps(once(*map(int, asked.once.split(",")))))
        return []
    print(HEADER)
    rows = []
    for name, work in (
        ("real", real),
        ("dense", lambda: against_dense(asked.quick)),
        ("growth", lambda: growth(asked.quick)),
    ):
        if not asked.rows or name in asked.rows:
            found = work()
            rows += found
            for row in found:
                print(row.markdown(), flush=True)
    return rows


if __name__ == "__main__":
    main()
