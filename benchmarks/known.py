"""What a few known ratings give away: ``python -m benchmarks.known [--quick]``.

CPU seconds of one thread, as waiting for a core is no work. Data: the 3-factor Likert survey of
`engine`, and sparse ratings of 20,000 things, popular as 1 / rank^0.8, 20 of a record in the mean.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.attack import movielens
from benchmarks.engine import survey
from benchmarks.timing import HEADER, Row, seconds
from ratingpriv.anonymize.methods import blank
from ratingpriv.audit.known import identifying_sets, known_ratings, unicity
from ratingpriv.audit.verdict import audit
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable, Scale
from ratingpriv.data.table.building.coding import encode_levels

__all__ = ["main", "rows", "sparse"]

ITEMS, EACH = 20_000, 20


def sparse(total: int, items: int = ITEMS, each: int = EACH) -> RatingTable:
    """Return about ``total`` ratings 1..5 of a long tail of things."""
    rng, n = np.random.default_rng(1), total // each
    weights = np.arange(1, items + 1) ** -0.8
    drawn = rng.choice(items, size=int(1.15 * total), p=weights / weights.sum())
    cells = np.unique(rng.integers(0, n, len(drawn)) * items + drawn)
    cells = np.sort(rng.permutation(cells)[:total])
    record, issue = np.divmod(cells, items)
    levels, codes = encode_levels(
        rng.choice([1.0, 2, 3, 4, 5], size=len(cells), p=[0.06, 0.11, 0.27, 0.35, 0.21])
    )
    return RatingTable(
        record_ids=pl.int_range(n, eager=True),
        issues=tuple(map(str, range(items))),
        indptr=np.concatenate(([0], np.cumsum(np.bincount(record, minlength=n)))),
        indices=issue.astype(np.int32),
        codes=codes,
        levels=levels,
        scale=Scale(1, 5, True),
    )


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def resident(*, peak: bool) -> int:
    """Return KiB of memory that this process has.

    At its ``peak`` since it was last asked without.
    """
    if not peak:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    word = "VmHWM" if peak else "VmRSS"
    found = re.search(rf"{word}:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) if found else 0


def rows(*, quick: bool = False) -> list[Row]:
    """Measure; ``quick`` takes a tenth of the sizes, for which the bars are not meant."""
    scale = 10 if quick else 1
    table, found = survey(100_000 // scale), []
    for warm in (survey(5_000), sparse(100_000)):
        known_ratings(warm, k=2, epsilon=1, m=2, threads=1)
        known_ratings(warm, k=2, epsilon=1, m=2, threads=1, memory=10_000_000)
        audit(warm, k=2, epsilon=1)
        unicity(warm, m=2, epsilon=1, threads=1, samples=1)

    def row(work: str, ours: float, against: str, ratio: float, unit: str, bar: float) -> None:
        met = None if quick else ratio <= bar
        found.append(
            Row(work, seconds(ours), against, f"{ratio:.3g}{unit}", f"≤ {bar:g}{unit}", met)
        )

    peer = cpu(lambda: audit(table, k=20, epsilon=1, threads=1))
    one = cpu(lambda: known_ratings(table, k=20, epsilon=1, m=4, threads=1))
    none = cpu(lambda: known_ratings(table, k=20, epsilon=0, m=4, threads=1))
    dense = f"{100 // scale}k × 20, k = 20, m ≤ 4"
    row(
        f"known ratings, {dense}, ε = 1",
        one,
        f"audit(k=20, epsilon=1): {seconds(peer)}",
        one / peer,
        "×",
        4,
    )
    row("the same, ε = 0", none, f"the row above: {seconds(one)}", none / one, "×", 8)
    small = sparse(100_000, items=1_700, each=106)
    draws = 200 * small.n_records
    spent = cpu(lambda: unicity(small, m=8, epsilon=1, samples=200, threads=1))
    row(
        f"unicity, {small.n_records} × 1,700, m = 8, 200 draws each",
        spent,
        "",
        1e6 * spent / draws,
        " µs a draw",
        2,
    )
    some = range(0, small.n_records, 30)
    for blanks, bar in ((False, 30), (True, 100)):
        how = {"k": 2, "epsilon": 1, "m": 2, "resources": Resources(1), "blanks": blanks}
        spent = cpu(lambda how=how: [identifying_sets(small, t, **how) for t in some])
        work = (
            f"identifying sets of one record there, m ≤ 2, k = "
            f"2{', blanks, and whom they harm' * blanks}"
        )
        row(work, spent, f"{len(some)} records", 1000 * spent / len(some), " ms a record", bar)
    movies, name = movielens()
    how = {"k": 2, "nulls": "known", "threads": 1}
    peer = cpu(lambda: audit(movies, epsilon=1, **how))
    spent = cpu(lambda: known_ratings(movies, k=2, epsilon=1, m=4, threads=1))
    row(
        f"{name}, k = 2, ε = 1, m ≤ 4",
        spent,
        f'audit(nulls="known"): {seconds(peer)}',
        spent / peer,
        "×",
        5,
    )
    peer = cpu(lambda: known_ratings(movies, k=5, epsilon=1, m=2, threads=1))
    spent = cpu(lambda: blank(movies, k=5, epsilon=1, m=2, threads=1))
    row(
        f"blank, {name}, k = 5, m = 2",
        spent,
        f"known ratings, m ≤ 2: {seconds(peer)}",
        spent / peer,
        "×",
        100,
    )
    for total, shape in (
        (950_000 // scale, {"items": 3_706, "each": 157}),
        (1_000_000 // scale, {}),
        (10_000_000 // scale, {}),
    ):
        large = sparse(total, **shape)
        before = resident(peak=False)
        m = 3 if shape else 2
        spent = cpu(partial(known_ratings, large, k=2, epsilon=1, m=m, threads=1))
        more = max(resident(peak=True) - before, 0) / 2**10
        data = f"{total / 1e6:g}M sparse ratings, {large.n_records:,} × {len(large.issues):,}"
        work = f"{data}, k = 2, ε = 1, m ≤ {m}"
        row(
            work,
            spent,
            f"memory {more:.0f} MiB beside the table's",
            1e6 * spent / total,
            " µs a rating",
            3,
        )
    return found


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    found = rows(quick=parser.parse_args(arguments).quick)
    print(HEADER, *(row.markdown() for row in found), sep="\n")
    return found


if __name__ == "__main__":
    main()
