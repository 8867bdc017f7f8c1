"""The greedy partition against a NumPy greedy, and at scale:
``python -m benchmarks.partition [--quick]``.

Data: `ratingpriv_loaders.synthetic.generators.likert_survey`, answers 1..5 to 20 items, three
factors. The NumPy greedy is what one writes without this package: for each seed one vectorised
comparison with everybody who is left, the nearest first, each tested against the ranges of the
clique. It makes the same groups and is run in full.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from benchmarks.engine import peak_mib, reset_peak
from benchmarks.timing import HEADER, Row, median_time, seconds
from ratingpriv import RatingTable
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.partitioning import partition
from ratingpriv.partition.verifying import verify
from ratingpriv_loaders.synthetic.generators import likert_survey

__all__ = ["main", "numpy_greedy"]

ISSUES = 20


def numpy_greedy(answers: NDArray[np.int8], k: int, epsilon: int) -> NDArray[np.int64]:
    """Groups by seeds in order of position, without JOIN; -1 where in none.

    ``answers`` : int8 (n, p), no nulls
    """
    n = len(answers)
    labels = np.full(n, -1, dtype=np.int64)
    count = 0
    for seed in range(n):
        if labels[seed] >= 0:
            continue
        left = np.flatnonzero(labels < 0)
        far = np.abs(answers[left] - answers[seed]).max(axis=1)
        near = left[far <= epsilon]
        if len(near) < k:
            continue
        near = near[np.argsort(far[far <= epsilon], kind="stable")]
        clique, low, high = [seed], answers[seed].copy(), answers[seed].copy()
        for t in near:
            if t == seed:
                continue
            lower, upper = np.minimum(low, answers[t]), np.maximum(high, answers[t])
            if (upper - lower).max() <= epsilon:
                clique.append(t)
                low, high = lower, upper
                if len(clique) == k:
                    break
        if len(clique) == k:
            labels[clique] = count
            count += 1
    return labels


def _table(n: int) -> RatingTable:
    return likert_survey(n, ISSUES, rng=1)


def against_numpy(n: int, runs: int, judged: bool) -> list[Row]:
    """The bar: 10k records, k = 2 to 20, the peer in full."""
    rows = []
    table = _table(n)
    answers = table.values.reshape(n, ISSUES).astype(np.int8)
    for k, epsilon in ((20, 1), (5, 1), (20, 2)):
        ours = median_time(lambda k=k, e=epsilon: greedy(table, k, e, join=False), runs)  # type: ignore[misc]
        start = time.perf_counter()
        theirs = Groups.of_labels(numpy_greedy(answers, k, epsilon))
        spent = time.perf_counter() - start
        found = greedy(table, k, epsilon, join=False)
        assert np.array_equal(found.labels, theirs.labels)
        ratio = spent / ours
        rows.append(
            Row(
                f"greedy, {n // 1000}k × {ISSUES}, k={k}, ε={epsilon}: {found.count} groups",
                seconds(ours),
                f"NumPy greedy (in full, same groups): {seconds(spent)}",
                f"{ratio:.0f}×",
                "≥ 100×",
                ratio >= 100 if judged else None,
            )
        )
    return rows


def at_scale(sizes: tuple[int, ...]) -> list[Row]:
    """Greedy with JOIN, verified; growth with n; the whole driver."""
    rows, last = [], None
    for n in sizes:
        table = _table(n)
        reset_peak()
        before = peak_mib()
        start = time.perf_counter()
        found = greedy(table, 20, 1)
        spent = time.perf_counter() - start
        extra = peak_mib() - before
        assert verify(table, found, 20, 1).valid
        growth = "" if last is None else f"{spent / last:.0f}"
        rows.append(
            Row(
                f"greedy and join, {n // 1000}k × {ISSUES}, k=20, ε=1: {found.count} groups, "
                f"{n - len(found.unplaced)} records placed",
                seconds(spent),
                "" if last is None else "a tenth of the records",
                growth,
                f"≤ 30 s at 1M; +{extra:.0f} MiB at the peak",
                spent <= 30 if n == 1_000_000 else None,
            )
        )
        last = spent
        start = time.perf_counter()
        checked = verify(table, found, 20, 1)
        rows.append(
            Row(
                f"verifying these {checked.sizes.size} groups",
                seconds(time.perf_counter() - start),
                "",
                "",
                "",
                None,
            )
        )
    n = sizes[0]
    table = _table(n)
    start = time.perf_counter()
    best = partition(table, k=20, epsilon=1)
    spent = time.perf_counter() - start
    plain = greedy(table, 20, 1)
    rows.append(
        Row(
            f"partition (auto), {n // 1000}k × {ISSUES}, k=20, ε=1: {best.n_groups} groups, "
            f"{n - best.withheld} records placed",
            seconds(spent),
            f"greedy: {plain.count} groups, {n - len(plain.unplaced)} placed",
            "",
            "",
            None,
        )
    )
    return rows


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print as Markdown, and return the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes; no bar is judged")
    options = parser.parse_args(arguments)
    for _ in range(2):  # compiles: smaller tables are left to plain Python
        greedy(_table(50_000), 5, 1)
    verify(_table(50_000), greedy(_table(50_000), 5, 1), 5, 1)
    print(HEADER)
    rows = []
    parts = (
        lambda: against_numpy(
            2000 if options.quick else 10_000, 3 if options.quick else 5, not options.quick
        ),
        lambda: at_scale((10_000, 50_000) if options.quick else (100_000, 1_000_000)),
    )
    for part in parts:
        for row in part():
            print(row.markdown(), flush=True)
            rows.append(row)
    return rows


if __name__ == "__main__":
    main()
