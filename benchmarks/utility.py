"""Measures of utility against plain pandas and networkx:
``python -m benchmarks.utility [--quick]``.

Data: the 3-factor Likert survey of `engine`, a tenth of its ratings missing, and as release a copy
in which a fifth of the ratings are others. Peers do the same work by the plainest means: masks and
`isin`, `DataFrame.corr`, a merge of two long tables, `networkx.average_clustering` of the pairs.
networkx holds a Python object an edge, and so is given fewer records.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import networkx
import numpy as np
import pandas as pd

from benchmarks.engine import survey
from benchmarks.timing import HEADER, Row, median_time, seconds
from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.proximity.pairs import pairs
from ratingpriv.utility.clustering import clustering_coefficient
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.query_error import query_error
from ratingpriv.utility.questions import questions
from ratingpriv.utility.ratings import centroid, standard_deviation, structure

__all__ = ["main", "rows"]

BAR = 10.0


def released(table: RatingTable, seed: int = 1) -> Pair:
    """Return the table beside a copy in which a fifth of the ratings were drawn anew."""
    rng = np.random.default_rng(seed)
    anew = rng.random(table.n_ratings) < 0.2
    codes = np.where(anew, rng.integers(0, 5, table.n_ratings), table.codes).astype(
        table.codes.dtype
    )
    return Pair(table, table.replace(codes=codes), np.arange(table.n_records), "ids")


def with_gaps(table: RatingTable) -> RatingTable:
    """Return the table without a random tenth of its ratings."""
    kept = np.random.default_rng(2).random(table.n_ratings) >= 0.1
    before = np.concatenate(([0], np.cumsum(kept)))
    return table.replace(
        indptr=before[table.indptr], indices=table.indices[kept], codes=table.codes[kept]
    )


def frame(table: RatingTable) -> pd.DataFrame:
    """Return one row a record, NaN where it does not rate."""
    cells = np.full((table.n_records, table.n_issues), np.nan)
    cells[np.repeat(np.arange(table.n_records), np.diff(table.indptr)), table.indices] = (
        table.values
    )
    return pd.DataFrame(cells)


def long(table: RatingTable) -> pd.DataFrame:
    """Return one row a rating."""
    record = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
    return pd.DataFrame({"record": record, "issue": table.indices, "rating": table.values})


def by_masks(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """100 queries of two issues with three values each, answered by both."""
    rng, errors = np.random.default_rng(0), []
    for _ in range(100):
        chosen = rng.choice(before.shape[1], 2, replace=False)
        wanted = [1 + rng.choice(5, 2, replace=False) for _ in chosen]
        act, est = (
            int((data[chosen[0]].isin(wanted[0]) & data[chosen[1]].isin(wanted[1])).sum())
            for data in (before, after)
        )
        errors.append(abs(act - est) / max(act, 1))
    return float(np.mean(errors))


def by_merge(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """What became of each rating, and how many ratings each issue has."""
    both = before.merge(after, on=["record", "issue"], how="outer", indicator=True)
    there = both[both["_merge"] == "both"]
    off = (there["rating_x"] - there["rating_y"]).abs().mean()
    popularity = pd.concat([data["issue"].value_counts() for data in (before, after)], axis=1)
    return float(off + popularity.corr(method="spearman").iloc[0, 1])


def by_graph(table: RatingTable) -> float:
    """The mean clustering coefficient of the graph of all pairs."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(table.n_records))
    for block in pairs(table, 1):
        graph.add_edges_from(zip(block.left.tolist(), block.right.tolist(), strict=True))
    return float(networkx.average_clustering(graph))


def measure(which: Callable[..., Any], pair: Pair, **settings: Any) -> Callable[[], object]:
    """Return the measurement, to be timed."""
    return lambda: which(pair, rng=np.random.default_rng(0), resources=Resources(), **settings)


def rows(quick: bool) -> list[Row]:
    """Measure; ``quick``: a tenth of the records, and no bar."""
    n, few, runs = (10_000, 1_000, 1) if quick else (100_000, 10_000, 3)
    whole = survey(n)
    pair = released(with_gaps(whole))
    wide = [frame(table) for table in (pair.original, pair.release)]
    narrow = [long(table) for table in (pair.original, pair.release)]
    size = f"{n // 1000}k × {whole.n_issues}"
    works: list[tuple[str, Callable[[], object], str, Callable[[], object]]] = [
        (
            "query error, 100 queries",
            measure(query_error, pair),
            "pandas masks",
            lambda: by_masks(*wide),
        ),
        (
            "centroid and SD",
            lambda: (measure(centroid, pair)(), measure(standard_deviation, pair)()),
            "pandas mean, std",
            lambda: [(data.mean(), data.std(ddof=0)) for data in wide],
        ),
        (
            "questions: distributions, correlations, α",
            measure(questions, pair),
            "pandas value_counts, corr",
            lambda: [(data.corr(), [data[j].value_counts() for j in data]) for data in wide],
        ),
        ("structure", measure(structure, pair), "pandas merge", lambda: by_merge(*narrow)),
    ]
    found = []
    for work, ours, peer, theirs in works:
        mine, other = median_time(ours, runs), median_time(theirs, runs)
        found.append(
            Row(
                f"{work}, {size}",
                seconds(mine),
                f"{peer}: {seconds(other)}",
                f"{other / mine:.3g}×",
                "",
                None,
            )
        )
    small = Pair(survey(few), survey(few))
    clustering = measure(clustering_coefficient, small, epsilon=1)
    clustering()  # compiles
    mine, other = median_time(clustering, runs), median_time(lambda: by_graph(small.release), 1)
    found.append(
        Row(
            f"clustering coefficient, {few // 1000}k × 20, ε=1",
            seconds(mine),
            f"networkx: {seconds(other)}",
            f"{other / mine:.3g}×",
            "",
            None,
        )
    )
    start, processors = time.perf_counter(), time.process_time()
    measure(clustering_coefficient, Pair(whole, whole), epsilon=1)()
    spent, processors = time.perf_counter() - start, time.process_time() - processors
    found.append(
        Row(
            f"clustering coefficient, {size}, ε=1",
            seconds(spent),
            f"of processors {seconds(processors)}",
            "",
            "" if quick else f"≤ {BAR:g} s",
            None if quick else spent <= BAR,
        )
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
