"""The engine against its peers: ``python -m benchmarks.engine [--quick] [ROW...]``.

Data: the 3-factor Likert survey of `survey`. Every ratio is taken within one run of this program. A
peer that would take more than about three minutes is run on a random sample of its queries and
scaled up, and its cell says so.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from benchmarks.timing import HEADER, Row, median_time, seconds
from ratingpriv import RatingTable
from ratingpriv.data.table import Scale, SensitiveColumn
from ratingpriv.data.table.building.coding import encode_levels
from ratingpriv.proximity.neighbourhoods import meets_k, neighbourhoods
from ratingpriv.proximity.pairs import pairs

__all__ = ["ROWS", "main", "survey"]

ISSUES = 20


def survey(
    n: int, *, patterns: int | None = None, sensitive: int = 0, seed: int = 0
) -> RatingTable:
    """Answers 1..5 of n people to 20 items that three factors and as much noise explain.

    With ``patterns``, everybody follows one of so many random skip patterns, each of half of the
    items.
    """
    rng = np.random.default_rng(seed)
    loadings = rng.normal(0, 1, (3, ISSUES)) / np.sqrt(3)
    latent = rng.normal(size=(n, 3)) @ loadings + rng.normal(0, 1.0, (n, ISSUES))
    answers = np.clip(np.round(3 + latent / latent.std(axis=0)), 1, 5)
    answered = np.ones((n, ISSUES), dtype=bool)
    if patterns is not None:
        asked = np.array([rng.permutation(ISSUES) < ISSUES // 2 for _ in range(patterns)])
        answered = asked[rng.integers(0, patterns, n)]
    issue = np.broadcast_to(np.arange(ISSUES, dtype=np.int32), (n, ISSUES))[answered]
    levels, codes = encode_levels(answers[answered])
    columns = tuple(
        SensitiveColumn(f"s{j}", rng.integers(1, 6, n).astype(np.float64), np.ones(n, dtype=bool))
        for j in range(sensitive)
    )
    return RatingTable(
        record_ids=pl.Series(np.arange(n)),
        issues=tuple(f"item {j + 1}" for j in range(ISSUES)),
        indptr=np.concatenate(([0], np.cumsum(answered.sum(axis=1)))),
        indices=issue,
        codes=codes,
        levels=levels,
        scale=Scale(1, 5, True),
        sensitive=columns,
    )


def dense(table: RatingTable) -> NDArray[np.float64]:
    """The answers as the peers want them."""
    return np.ascontiguousarray(table.values.reshape(table.n_records, -1))


class Bench:
    """Rows by name; sizes shrink with ``quick``, and then no bar is judged."""

    def __init__(self, quick: bool) -> None:
        self.quick = quick
        self.n = 10_000 if quick else 100_000
        self.runs = 3 if quick else 5
        self.name = f"{self.n // 1000}k × {ISSUES}"
        warm = survey(3000, sensitive=2)
        neighbourhoods(warm, 1)
        list(pairs(warm, 1))

    def bar(self, met: bool) -> bool | None:
        """A verdict, unless sizes are not those of the bar."""
        return None if self.quick else met

    def tree_counts(
        self, points: NDArray[np.float64], limit: float = 120.0
    ) -> tuple[float, str, NDArray[np.int64]]:
        """Seconds of query_ball_point(return_length) with all cores.

        Sampled where that takes too long.
        """
        start = time.perf_counter()
        tree = cKDTree(points)
        built = time.perf_counter() - start
        rng, size = np.random.default_rng(0), min(500, len(points))
        while True:
            chosen = rng.choice(len(points), size, replace=False)
            start = time.perf_counter()
            counts = tree.query_ball_point(
                points[chosen], 1.0, p=np.inf, return_length=True, workers=-1
            )
            spent = time.perf_counter() - start
            if size == len(points):
                return built + spent, "in full", counts
            scaled = spent * len(points) / size
            if scaled <= limit:
                size = len(points)
            elif spent >= limit / 6 or size >= len(points) // 4:
                return built + scaled, f"{size} of {len(points)} queries, scaled", counts
            else:
                size = min(len(points), int(size * limit / 4 / max(spent, 1e-3)))

    def sizes(self) -> list[Row]:
        """Sizes of all neighbourhoods against the k-d tree and a scan."""
        table = survey(self.n)
        ours = median_time(lambda: neighbourhoods(table, 1), self.runs)
        work, rows = f"sizes, {self.name}, ε=1", []
        spent, how, _ = self.tree_counts(dense(table))
        rows.append(
            versus(
                work, ours, f"cKDTree query_ball_point, 2 workers ({how})", spent, 3000, self.bar
            )
        )
        spent = one_hot_scan_time(table, 10 if self.quick else 1)
        rows.append(versus(work, ours, "one-hot scan in numba, one thread", spent, 15, self.bar))
        tree = cKDTree(dense(table))
        start = time.perf_counter()
        found = tree.query_pairs(1.0, p=np.inf, output_type="ndarray")
        counts = np.bincount(found.ravel(), minlength=table.n_records) + 1
        spent = time.perf_counter() - start
        assert np.array_equal(counts, neighbourhoods(table, 1).sizes)
        rows.append(
            versus(work, ours, "cKDTree query_pairs + bincount (in full)", spent, 800, self.bar)
        )
        listing = median_time(lambda: sum(map(len, pairs(table, 1))), self.runs)
        work = f"all {len(found) / 1e6:.1f}M pairs, {self.name}, ε=1"
        rows.append(versus(work, listing, "cKDTree query_pairs (in full)", spent, 320, self.bar))
        each = listing / max(len(found), 1) * 1e9
        rows.append(Row(work, f"{each:.1f} ns a pair", "", "", "≤ 12 ns", self.bar(each <= 12)))
        return rows

    def moments(self) -> list[Row]:
        """Sizes and SDs of two sensitive columns."""
        table = survey(self.n, sensitive=2)
        plain = median_time(lambda: neighbourhoods(table, 1, sensitive=False), self.runs)

        def with_sds() -> None:
            found = neighbourhoods(table, 1)
            for moments in found.moments:
                moments.sd(found.sizes, "paper")

        ours = median_time(with_sds, self.runs)
        work = f"sizes + SD of two columns, {self.name}, ε=1"
        ratio = ours / plain
        first = Row(
            work,
            seconds(ours),
            f"sizes alone {seconds(plain)}",
            f"{ratio:.2f}",
            "≤ 4×",
            self.bar(ratio <= 4),
        )
        counted = median_time(lambda: neighbourhoods(table, 1, counts=True), self.runs)
        ratio = counted / plain
        second = Row(
            f"sizes + SD + shares, distinct values, entropies of two columns, {self.name}, ε=1",
            seconds(counted),
            f"sizes alone {seconds(plain)}",
            f"{ratio:.2f}",
            "≤ 4×",
            self.bar(ratio <= 4),
        )
        points, tree = dense(table), cKDTree(dense(table))
        chosen = np.random.default_rng(0).choice(
            table.n_records, min(table.n_records, 2000), replace=False
        )
        start = time.perf_counter()
        for record in chosen:
            near = tree.query_ball_point(points[record], 1.0, p=np.inf)
            for column in table.sensitive:
                column.values[near].std()
        spent = (time.perf_counter() - start) * table.n_records / len(chosen)
        peer = f"cKDTree + NumPy ({len(chosen)} of {table.n_records} queries, scaled)"
        return [first, second, versus(work, ours, peer, spent, 1500, self.bar)]

    def scaling(self) -> list[Row]:
        """Ten times the records; the boolean audit."""
        small, large = survey(self.n), survey(10 * self.n)
        base = median_time(lambda: neighbourhoods(small, 1), self.runs)
        ours = median_time(lambda: neighbourhoods(large, 1), 3)
        ratio = ours / base
        rows = [Row(f"sizes, ten times {self.name}, ε=1", seconds(ours), f"at {self.name} "
                                                                         f"{seconds(base)}",
                    f"{ratio:.0f}", "≤ 90×", self.bar(ratio <= 90))]  # fmt: skip
        full = median_time(lambda: neighbourhoods(large, 2), 1)
        least = int(neighbourhoods(large, 2).sizes.min())
        for k in (20, least, least + 1):
            verdict = meets_k(large, k, 2)
            quick = median_time(lambda k=k: meets_k(large, k, 2), 3)  # type: ignore[misc]
            share = full / quick
            word = "satisfied" if verdict else "not satisfied"
            work = f"boolean audit, ten times {self.name}, ε=2, k={k} ({word})"
            # the largest that holds: everybody has to be looked at
            least_share = 4 if k == least else 8
            peer = f"full audit {seconds(full)}"
            rows.append(
                Row(
                    work,
                    seconds(quick),
                    peer,
                    f"1/{share:.0f}",
                    f"≤ 1/{least_share}",
                    self.bar(share >= least_share),
                )
            )
        return rows

    def patterns(self) -> list[Row]:
        """200 skip patterns: many groups of a few hundred, and of fifty."""
        rows = []
        for n, least in ((self.n, 150), (self.n // 10, 50)):
            table = survey(n, patterns=200)
            ours = median_time(lambda table=table: neighbourhoods(table, 1), 2 * self.runs + 1)  # type: ignore[misc]
            _, group = np.unique(table.indices.reshape(n, -1), axis=0, return_inverse=True)
            points, counts = dense(table), np.empty(n, dtype=np.int64)
            members = [np.flatnonzero(group == g) for g in range(group.max() + 1)]

            def per_group(members=members, points=points, counts=counts) -> None:  # type: ignore[no-untyped-def]
                for some in members:
                    tree = cKDTree(points[some])
                    counts[some] = tree.query_ball_point(
                        points[some], 1.0, p=np.inf, return_length=True
                    )

            spent = median_time(per_group, 3)
            assert np.array_equal(counts, neighbourhoods(table, 1).sizes)
            work = f"sizes, 200 skip patterns, {n // 1000}k × {ISSUES}, ε=1"
            rows.append(
                versus(work, ours, "cKDTree per group (groups given)", spent, least, self.bar)
            )
        return rows

    def pairwise(self) -> list[Row]:
        """The papers' baseline."""
        table = survey(10_000)
        ours = median_time(lambda: neighbourhoods(table, 1), 11)
        spent = median_time(lambda: neighbourhoods(table, 1, engine="pairwise"), 1)
        return [
            versus(
                f"sizes, 10k × {ISSUES}, ε=1",
                ours,
                "pairwise engine (NumPy)",
                spent,
                1000,
                lambda met: met,
            )
        ]

    def first_call(self) -> list[Row]:
        """The first call of a new process, with an empty and a filled JIT cache."""
        code = (
            "import time; from benchmarks.engine import survey; table = survey(3000, sensitive=2)\n"
            "from ratingpriv.proximity.neighbourhoods import neighbourhoods\n"
            "start = time.perf_counter(); neighbourhoods(table, 1); print(time.perf_counter() - "
            "start)"
        )
        rows = []
        with tempfile.TemporaryDirectory() as cache:
            for state, limit in (("cold", 4.0), ("warm JIT cache", 0.5)):
                times = [
                    float(run_python(code, NUMBA_CACHE_DIR=cache))
                    for _ in range(1 if state == "cold" else 3)
                ]
                took = float(np.median(times))
                rows.append(
                    Row(
                        f"first call in a new process, {state}",
                        seconds(took),
                        "",
                        "",
                        f"≤ {limit} s",
                        took <= limit,
                    )
                )
        return rows

    def memory(self) -> list[Row]:
        """Peak memory of a full audit's neighbourhoods in a process of its own."""
        rows = []
        for n in (self.n, 10 * self.n):
            code = (
                "from benchmarks.engine import survey, peak_mib, reset_peak\n"
                f"table = survey({n}, sensitive=2)\n"
                "from ratingpriv.proximity.neighbourhoods import neighbourhoods\n"
                "reset_peak(); before = peak_mib(); neighbourhoods(table, 1); print(before, "
                "peak_mib())"
            )
            before, after = map(float, run_python(code).split())
            work = f"peak RSS, sizes + two SDs, {n // 1000}k × {ISSUES}"
            peer = f"{before:.0f} MiB before the call (Python, libraries, the table)"
            rows.append(Row(work, f"{after:.0f} MiB", peer, "", "", None))
        return rows


ROWS = ("sizes", "moments", "scaling", "patterns", "pairwise", "first_call", "memory")


def versus(
    work: str,
    ours: float,
    peer: str,
    theirs: float,
    bar: float,
    judge: Callable[[bool], bool | None],
) -> Row:
    """Put our time beside a peer's."""
    ratio = theirs / ours
    return Row(
        work,
        seconds(ours),
        f"{peer}: {seconds(theirs)}",
        f"{ratio:.0f}×",
        f"≥ {bar:.0f}×",
        judge(ratio >= bar),
    )


def peak_mib() -> float:
    """Peak resident memory of this process since it was last reset, MiB (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def reset_peak() -> None:
    """Forget the peak so far (Linux)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def run_python(code: str, **environment: str) -> str:
    """Run a program in a new process and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@numba.njit(nogil=True)
def _one_hot_scan(
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
    no_low: NDArray[np.uint64],
    no_high: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    step: int,
) -> None:
    for i in range(0, len(low), step):
        near = 0
        for j in range(len(low)):
            near += (low[j] & no_low[i]) | (high[j] & no_high[i]) == 0
        sizes[i] = near


def one_hot_scan_time(table: RatingTable, step: int) -> float:
    """Seconds of comparing all records by two words each: a bit an answer,
    against answers too far.
    """
    answers = dense(table).astype(np.int64) - 1
    words = np.zeros((4, table.n_records), dtype=np.uint64)
    for item in range(ISSUES):
        for answer in range(5):
            half, bit = divmod(5 * item + answer, 50)
            one = np.uint64(1) << np.uint64(bit)
            words[half] |= np.where(answers[:, item] == answer, one, np.uint64(0))
            words[2 + half] |= np.where(np.abs(answers[:, item] - answer) > 1, one, np.uint64(0))
    sizes = np.zeros(table.n_records, dtype=np.int64)
    _one_hot_scan(*words[:, :10], sizes[:10], 1)
    start = time.perf_counter()
    _one_hot_scan(*words, sizes, step)
    spent = (time.perf_counter() - start) * step
    assert np.array_equal(sizes[::step], neighbourhoods(table, 1).sizes[::step])
    return spent


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure the rows asked for, print them as Markdown, and return them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=list(ROWS), metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--quick", action="store_true", help="small sizes; no bar is judged")
    options = parser.parse_args(arguments)
    for name in options.rows:
        if name not in ROWS:
            parser.error(f"no row {name!r}; there are {', '.join(ROWS)}")
    bench = Bench(options.quick)
    print(HEADER)
    rows = []
    for name in options.rows:
        for row in getattr(bench, name)():
            print(row.markdown(), flush=True)
            rows.append(row)
    return rows


if __name__ == "__main__":
    main()
