"""Average clustering coefficient of the proximity graph,
without building the graph [SWLP10, §5.4, Fig. 18].

A record's neighbours are compared among themselves, 512 at a time as bits; neighbours lie in one
Hamming group, so that nothing beyond it is ever looked at. Equal to
``cypher/utility/average-clustering``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run, share_out
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import null_rule
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.arrays import Lists
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.fixed_rules import comparison_table, near_codes
from ratingpriv.proximity.join import Join, prepare, select
from ratingpriv.proximity.levels import null_separates
from ratingpriv.proximity.run import add_up, list_later, no_amounts
from ratingpriv.utility import _clustering as kernels
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured, not_measured

_Whole = NDArray[np.int64]
_MEMORY = 1 << 30  # bytes that lists of neighbours may take
_WORK = 1 << 34  # rows of 64 bytes compared, some 20 s of a core
_FEWEST = 100  # records of a sample
_ROWS = 16_384  # of 64 bytes, twice for each thread; beyond, neighbours are compared pair by pair
_NORMAL = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False)
class LocalClustering:
    """Degrees and triangles of s records in the proximity graph."""

    records: NDArray[np.int64]  # (s,); positions, ascending: all n of the table, or a sample
    degrees: NDArray[np.int64]  # (s,); how many other records each is proximate with
    triangles: NDArray[np.int64]  # (s,); how many pairs of those are proximate with each other
    of: int  # n

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """2 T / (d (d - 1)), 0 where d < 2: float64 (s,)."""
        d = self.degrees.astype(np.float64)
        return np.asarray(2.0 * self.triangles / np.maximum(d * (d - 1.0), 1.0))


def clustering_coefficient(
    pair: Pair,
    *,
    rng: np.random.Generator,
    resources: Resources,
    epsilon: float | None = None,
    nulls: str = "strict",
) -> Measured:
    """Return the mean local clustering coefficient of the release's proximity graph, 0..1.

    Implements [SWLP10, §5.4]; records with fewer than two neighbours count as 0. Neither a higher
    nor a lower value is better by itself: compare it with the original's. The paper says that 1
    means a connected graph; disjoint cliques have it too. Needs no pairing; needs ``epsilon``.
    ``nulls`` is "strict" or "wildcard": under "known" proximity has a direction, and there is no
    such graph. Where all lists of neighbours would take more than ``memory`` (1 GiB) or too long to
    compare it is the mean of a sample, with a 95 % interval. Details:
    ``documents.utility.MeasuredClusteringCoefficient``.
    """
    nulls = null_rule(nulls)
    if epsilon is None:
        return not_measured("`epsilon` says who is proximate, and was not given")
    epsilon = checks.non_negative_number("epsilon", epsilon)
    if pair.release.n_records == 0:
        return not_measured("the release has no records")
    counted = local_clustering(pair.release, epsilon, nulls, rng=rng, resources=resources)
    local, two = counted.coefficients, counted.degrees >= 2
    sampled = len(local) < counted.of
    value, low, high, of = float(local.mean()), None, None, "mean over all records"
    if sampled:
        spread = float(local.std(ddof=1)) * math.sqrt((1 - len(local) / counted.of) / len(local))
        low, high = max(value - _NORMAL * spread, 0.0), min(value + _NORMAL * spread, 1.0)
        of = f"mean of a sample of {len(local):,} of {counted.of:,} records, 95 % interval"
    details = {
        "epsilon": epsilon,
        "nulls": nulls,
        "of_two_neighbours": float(local[two].mean()) if two.any() else None,
        "pairs": None if sampled else int(counted.degrees.sum()) // 2,
        "triangles": None if sampled else int(counted.triangles.sum()) // 3,
        "sampled": len(local) if sampled else None,
    }
    return Measured(value, low, high, of, details)


def local_clustering(
    table: RatingTable,
    epsilon: float,
    nulls: str,
    *,
    rng: np.random.Generator,
    resources: Resources,
) -> LocalClustering:
    """Count the neighbours of each record, and the proximate pairs among them.

    Exact for the records that are looked at: all, or as many, drawn by ``rng``, as leave the lists
    of neighbours within ``memory`` and can be compared in about 20 seconds of a core.
    """
    n = table.n_records
    join = prepare(table, epsilon, nulls, collapse=False)
    if isinstance(join, Classes):  # cliques
        others = np.bincount(join.of, minlength=join.count)[join.of].astype(np.int64) - 1
        return LocalClustering(np.arange(n), others, others * (others - 1) // 2, n)
    run = Run(resources.threads, resources.progress, "clustering")
    sizes = np.ones(n, dtype=np.int64)
    sizes[join.records.record] = np.maximum(add_up(join, no_amounts(), run).sizes, 1)
    memory = _MEMORY if resources.memory is None else resources.memory
    compared = comparison_table(table, epsilon, nulls)
    entries = np.diff(compared.indptr)
    work = float(np.sum(sizes * (-(-sizes // kernels.BLOCK) + 1.0) / 2 * entries))
    share = min(memory / (4.0 * float(sizes.sum())), _WORK / max(work, 1.0))
    records = np.arange(n)
    if share < 1:
        records = np.sort(rng.choice(n, min(max(int(n * share), _FEWEST), n), replace=False))
    degrees, triangles = _around(compared, join, epsilon, nulls, records, sizes, resources)
    return LocalClustering(records, degrees, triangles, n)


def _around(
    table: RatingTable,
    join: Join,
    epsilon: float,
    nulls: str,
    records: _Whole,
    sizes: _Whole,
    resources: Resources,
) -> tuple[_Whole, _Whole]:
    """Return how many neighbours ``records`` have, and how many pairs of these are proximate."""
    row = np.full(table.n_records, -1, dtype=np.int64)
    row[records] = np.arange(len(records))
    begin = np.cumsum(sizes[records]) - sizes[records]
    lists = np.empty(int(sizes[records].sum()), dtype=np.int32)
    queries = join.records
    if len(records) < table.n_records:
        queries = select(queries, row[queries.record] >= 0)[0]
    row_of_query = row[queries.record]
    cursor = begin[row_of_query]
    run = Run(resources.threads, resources.progress, "clustering")
    list_later(
        join, run, queries, join.records, Lists(cursor, lists, everybody=True, ordered=False)
    )
    end = begin.copy()
    end[row_of_query] = cursor
    degrees = np.maximum(end - begin - 1, 0)  # a list has the record itself
    low, high = near_codes(table, epsilon)
    aligned = null_separates(table.scale, epsilon, nulls)
    width = int(np.diff(table.indptr)[records].max(initial=0)) if aligned else table.n_issues
    rows = min(width * len(low), _ROWS)
    codes = table.codes if table.codes.dtype == np.uint8 else table.codes.astype(np.uint32)
    codes.flags.writeable = False
    triangles = np.zeros(len(records), dtype=np.int64)

    neighbours = kernels.Neighbours(records, begin, end, lists)
    ratings = kernels.Ratings(
        table.indptr, table.indices, codes, aligned, table.n_issues, low, high
    )

    def count(first: int, last: int) -> None:
        memory = (np.empty((size, kernels.WORDS), dtype=np.uint64) for size in (rows, rows, 2))
        kernels.count_triangles(first, last, neighbours, ratings, kernels.Space(*memory), triangles)

    work = (degrees + kernels.BLOCK) * (degrees + 1)
    share_out(count, work, resources.threads, resources.progress, "clustering")
    return degrees, triangles
