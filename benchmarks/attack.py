"""Scoreboard-RH over inverted lists, beside programs that score every record for every target.

``python -m benchmarks.attack [--quick] [--ratings N] [--skip-large]``

Peers do the same work (scores of all records, σ, eccentricity, Shannon entropy), and their answers
are compared with ours. They run on the first so many targets, as the rows say; times are for a
target.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.timing import HEADER, Row, median_time, seconds

if TYPE_CHECKING:
    from ratingpriv import RatingTable
    from ratingpriv.attack import Attacked, Auxiliary

__all__ = ["against_peers", "large", "main"]

RECORDS, ISSUES, RATINGS = 480_000, 17_770, 100_000_000
_MINUTES = 600.0
Peer = Callable[[int], tuple[int, float, float]]


def movielens() -> tuple[RatingTable, str]:
    """Return ml-100k, or generated ratings of its size where it is not at hand."""
    import ratingpriv
    from ratingpriv_loaders.synthetic.generators import sparse_ratings

    default = Path(__file__).resolve().parent.parent / ".." / "shared" / "data"
    path = Path(os.environ.get("RATINGPRIV_TEST_DATA", default)) / "ml-100k"
    if path.is_dir():
        return ratingpriv.read(path), "ml-100k"
    return sparse_ratings(943, 1682, 100_000, rng=1), "generated, of the size of ml-100k"


def peers(table: RatingTable, aux: Auxiliary) -> dict[str, tuple[Peer, int]]:
    """Return what attacks one target, and on how many it is tried."""
    import numpy as np
    import pandas as pd

    from ratingpriv.attack.knowledge import dates_of

    n = table.n_records
    owner = np.repeat(np.arange(n), np.diff(table.indptr))
    dates = dates_of(table)
    ratings, days = np.full((2, n, table.n_issues), np.nan)
    ratings[owner, table.indices], days[owner, table.indices] = table.values, dates
    weights = 1 / np.log(np.maximum(np.bincount(table.indices, minlength=table.n_issues), 2))
    columns = {"record": owner, "issue": table.indices, "rating": table.values, "date": dates}
    frame = pd.DataFrame(columns)

    def finish(scores: np.ndarray) -> tuple[int, float, float]:
        second, first = np.sort(scores)[-2:]
        sigma = scores.std()
        powers = np.exp((scores - first) / sigma)
        powers /= powers.sum()
        eccentricity = (first - second) / sigma
        match = int(scores.argmax()) if eccentricity >= 1.5 else -1
        return match, eccentricity, -(powers * np.log2(powers)).sum()

    def known(t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        part = slice(aux.indptr[t], aux.indptr[t + 1])
        return aux.issues[part], aux.ratings[part], aux.dates[part]

    def by_record(t: int) -> tuple[int, float, float]:
        issues, rating, date = known(t)
        scores = np.empty(n)
        for record in range(n):
            row, when = ratings[record, issues], days[record, issues]
            rated = ~np.isnan(row)
            near = np.exp(-np.abs(row[rated] - rating[rated]) / 1.5)
            soon = np.exp(-np.abs(when[rated] - date[rated]) / 30)
            scores[record] = np.sum(weights[issues][rated] * (near + soon))
        return finish(scores)

    def joined(t: int) -> tuple[int, float, float]:
        issues, rating, date = known(t)
        aux_frame = pd.DataFrame(
            {"issue": issues, "known": rating, "when": date, "weight": weights[issues]}
        )
        both = frame.merge(aux_frame, on="issue")
        near = np.exp(-(both.rating - both.known).abs() / 1.5)
        both["term"] = both.weight * (near + np.exp(-(both.date - both.when).abs() / 30))
        scores = both.groupby("record").term.sum().reindex(range(n), fill_value=0.0)
        return finish(scores.to_numpy())

    def dense(t: int) -> tuple[int, float, float]:
        issues, rating, date = known(t)
        near = np.exp(-np.abs(ratings[:, issues] - rating) / 1.5)
        soon = np.exp(-np.abs(days[:, issues] - date) / 30)
        return finish(np.nansum(weights[issues] * (near + soon), axis=1))

    return {
        "NumPy, record by record": (by_record, 20),
        "pandas, join and group by": (joined, 100),
        "NumPy, a dense matrix of all records at once": (dense, 500),
    }


def against_peers(*, quick: bool) -> Iterator[Row]:
    """Compare with every peer on a table of 943 x 1,682."""
    import numpy as np

    from ratingpriv.attack import Index, Knowledge, draw, scoreboard_rh

    table, name = movielens()
    drawn = draw(table, Knowledge(known=8, wrong=2, date_error=14), rng=1)
    aux, index = drawn.auxiliary, Index.of(table)
    found: Attacked = scoreboard_rh(index, aux)
    ours = median_time(lambda: scoreboard_rh(index, aux), 3 if quick else 15) / aux.n_targets
    for peer, (attack, count) in peers(table, aux).items():
        count = 3 if quick else count
        answers: list[tuple[int, float, float]] = []
        start = time.perf_counter()
        answers += [attack(t) for t in range(count)]
        theirs = (time.perf_counter() - start) / count
        best, eccentricity, entropy = (np.array(column) for column in zip(*answers, strict=True))
        assert np.array_equal(best, found.best[:count])
        assert np.allclose(eccentricity, found.eccentricity[:count], rtol=1e-9)
        assert np.allclose(entropy, found.shannon_bits[:count], rtol=1e-9)
        barred = "dense" not in peer
        yield Row(
            f"{name}: a target of {aux.n_targets}, m = 8, 2 wrong, dates ±14 days "
            f"(peer: {peer}; {count} targets, same answers)",
            seconds(ours), seconds(theirs), f"{theirs / ours:,.0f}x", ">= 200x" if barred else "",
            theirs >= 200 * ours if barred else None,
        )  # fmt: skip
    whole = median_time(lambda: scoreboard_rh(table, aux), 3)
    work = f"{name}: all {aux.n_targets} targets in one call, inverted lists made within it"
    yield Row(work, seconds(whole), "", "", "", None)


def large(ratings: int, targets: int) -> Iterator[Row]:
    """Attack a table of the size of the Netflix Prize data, generated."""
    from ratingpriv.attack import Index, Knowledge, draw, scoreboard_rh
    from ratingpriv_loaders.synthetic.generators import sparse_ratings

    records, issues = (RECORDS, ISSUES) if ratings > 5_000_000 else (ratings // 100, 2_000)
    table = sparse_ratings(records, issues, ratings, rng=1)
    shape = f"{records:,} records x {issues:,} issues, {ratings:,} ratings with dates"
    start = time.perf_counter()
    drawn = draw(table, Knowledge(targets=targets, known=8, wrong=2, date_error=14), rng=1)
    drawing = time.perf_counter() - start
    start = time.perf_counter()
    index = Index.of(table)
    inverting = time.perf_counter() - start
    held = sum(part.nbytes for part in (index.indptr, index.records, index.codes, index.when))
    yield Row(
        f"{shape}: inverted lists, {held / 1e6:,.0f} MB", seconds(inverting), "", "", "", None
    )
    aux = drawn.auxiliary
    # compiled, once
    scoreboard_rh(index, draw(table, Knowledge(targets=4, date_error=14), rng=1).auxiliary)
    entries = int(index.supports[aux.issues].sum())
    bar = f"<= {_MINUTES:.0f} s" if ratings >= RATINGS else ""
    for dates in (True, False):
        start = time.perf_counter()
        found = scoreboard_rh(index, aux, dates=dates)
        took = time.perf_counter() - start
        right = int((found.best == aux.targets).sum())
        yield Row(
            f"{shape}: {aux.n_targets:,} of {drawn.requested:,} targets (others rate fewer "
            f"than 8), "
            f"m = 8, 2 wrong, dates {'±14 days' if dates else 'not used'}; drawn in "
            f"{seconds(drawing)}, "
            f"{entries:,} list entries read, {right:,} identified",
            seconds(took), "", "", bar, took <= _MINUTES if bar else None,
        )  # fmt: skip


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="few targets and a small generated table"
    )
    parser.add_argument("--ratings", type=int, default=RATINGS, help="of the large table")
    parser.add_argument("--skip-large", action="store_true", help="leave the large table out")
    options = parser.parse_args(arguments)
    print(HEADER)
    found = []
    sizes = (200_000, 500) if options.quick else (options.ratings, 10_000)
    parts = [against_peers(quick=options.quick)] + ([] if options.skip_large else [large(*sizes)])
    for part in parts:
        for row in part:
            print(row.markdown(), flush=True)
            found.append(row)
    return found


if __name__ == "__main__":
    main()
