"""Anonymisation: ``python -m benchmarks.anonymize [--quick] [ROW...]``.

Time of modify() and suppress() on the 3-factor Likert survey of `engine`, and how it grows;
distortion on real data against the plain slicing partition: the papers' slices with
prune-and-adjust, whoever is in no group of k put where it costs least (one group of everybody where
no slice has k records), and the same windows for both. The real data are those of the tests
(RATINGPRIV_TEST_DATA); without them their rows are left out.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

import ratingpriv
from benchmarks.engine import survey
from benchmarks.timing import HEADER, Row, seconds
from ratingpriv import RatingTable
from ratingpriv.anonymize.methods import modify, suppress
from ratingpriv.anonymize.modification.dense import dense
from ratingpriv.anonymize.modification.grouping import costs_of, place_rest
from ratingpriv.base.compute.resources import Resources
from ratingpriv.partition.distortion.windows import choose_windows, measure
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.papers.modification import graph_modification
from ratingpriv.partition.partitioning import partition

__all__ = ["main", "sliced_distortion"]

DATA = Path(os.environ.get("RATINGPRIV_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


def sliced_distortion(table: RatingTable, k: int, epsilon: float) -> float:
    """What the plain slicing partition costs.

    Everybody is one group where no slice has k records.
    """
    by = measure(table, epsilon)
    groups = partition(table, k=k, epsilon=epsilon, method="slicing").groups
    labels = groups.labels if groups.count else np.zeros(table.n_records, dtype=np.int64)
    if groups.count and len(groups.unplaced):
        cells = dense(table, by, None)
        costs = costs_of(cells.levels, by, fabricate=True)
        labels = place_rest(cells.codes, labels, costs, groups.unplaced, Resources())
    return float(
        choose_windows(table, by, *Groups.of_labels(labels).arranged(), fabricate=True).cost.sum()
        / by.unit
    )


def timed(method: str, table: RatingTable, k: int, epsilon: float) -> tuple[float, str]:
    """Return (seconds, what was done) of one run; a run is long, so that one is enough."""
    start = time.perf_counter()
    function = modify if method == "modify" else suppress
    found = function(table, k=k, epsilon=epsilon)
    spent, told = time.perf_counter() - start, found.distortion
    if method == "suppress":
        return spent, f"{told.records_withheld} records withheld"
    return spent, f"distortion {told.total:g} in {told.records_touched} records"


def growth(method: str, quick: bool) -> list[Row]:
    """Time at 100k × 20, and against 10k × 20."""
    n = 10_000 if quick else 100_000
    timed(method, survey(20_000), 5, 1)  # compiles: smaller ones are left to plain Python
    less, _ = timed(method, survey(n // 10), 20, 1)
    more, done = timed(method, survey(n), 20, 1)
    work = f"{method}, {n // 1000}k × 20, k=20, ε=1 ({done})"
    return [
        Row(
            work,
            seconds(more),
            f"{n // 10000}k: {seconds(less)}",
            f"{more / less:.3g}× the time",
            "",
            None,
        )
    ]


def by_the_papers(quick: bool) -> list[Row]:
    """The papers' graph modification at 100k x 20."""
    n = 10_000 if quick else 100_000
    graph_modification(survey(2000), 20, 1)
    start = time.perf_counter()
    found = graph_modification(survey(n), 20, 1)
    spent = time.perf_counter() - start
    work = f"graph modification, {n // 1000}k × 20, k=20, ε=1: {found.groups.count} groups"
    return [Row(work, seconds(spent), "", "", "≤ 60 s", None if quick else spent <= 60)]


def real_tables(quick: bool) -> dict[str, RatingTable]:
    """The real data by name."""
    if not DATA.is_dir():
        return {}
    tables = {
        "MovieLens 100k, top:20": ratingpriv.read(DATA / "ml-100k" / "u.data", issues="top:20")
    }
    other = ("age", "gender", "race", "engnat", "hand", "source", "country")
    five = ratingpriv.read(DATA / "op-big5" / "data.csv", null=("0",), drop=other)
    tables["Big Five, sample of 2000, 50 items"] = five.sample(2000, rng=1)
    if not quick:
        tables["Big Five, 10 items E"] = five.select_issues(
            [i for i in five.issues if i.startswith("E")]
        )
        tables["Big Five, 50 items"] = five
    return tables


def distortions(quick: bool) -> list[Row]:
    """Distortion against the plain slicing partition, window strategy for both."""
    rows = []
    for name, table in real_tables(quick).items():
        for k, epsilon in ((2, 1), (5, 1), (20, 1), (5, 2)):
            start = time.perf_counter()
            found = modify(table, k=k, epsilon=epsilon).distortion
            spent = time.perf_counter() - start
            plain = sliced_distortion(table, k, epsilon)
            rows.append(
                Row(
                    f"distortion, {name}, k={k}, ε={epsilon}",
                    f"{found.total:g} in {found.records_touched} records; {seconds(spent)}",
                    f"slices: {plain:g}",
                    f"{found.total / plain:.2f} of it" if plain else "",
                    "no more than slices",
                    found.total <= plain,
                )
            )
            print(rows[-1].markdown(), flush=True)
    return rows


def main(arguments: list[str] | None = None) -> list[Row]:
    """Run the rows asked for, print and return them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help="modify, suppress, papers, distortion"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes")
    asked = parser.parse_args(arguments)
    print(HEADER)
    rows = []
    for method in ("modify", "suppress"):
        if not asked.rows or method in asked.rows:
            rows += growth(method, asked.quick)
            print(rows[-1].markdown(), flush=True)
    if not asked.rows or "papers" in asked.rows:
        rows += by_the_papers(asked.quick)
        print(rows[-1].markdown(), flush=True)
    if not asked.rows or "distortion" in asked.rows:
        rows += distortions(asked.quick)
    return rows


if __name__ == "__main__":
    main()
