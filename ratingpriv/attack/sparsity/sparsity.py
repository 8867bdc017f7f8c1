"""How alone records are: similarity to the nearest neighbour, and (ε,δ)-sparsity.

Implements [NS08, §3, Def. 1 and Fig. 1]. Sparse data are what makes the attack work: where hardly anybody has
a record like theirs, a few known ratings point at one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.dates import dates_of
from ratingpriv.attack.intervals import Share, share
from ratingpriv.attack.sparsity import _sparsity as kernels
from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import proximate_codes

__all__ = ["MOST_WORK", "Sparsity", "pieces", "similarity_work", "sparsity"]

MOST_WORK = 2_000_000_000
"""Visits of an inverted list's entries, above which a sample of the records is taken by default.

All pairs of ml-100k take 17 million. A core does 100 to 500 million a second, fewer where lists are long."""

_PIECE = 20_000_000  # visits between two looks at the clock and at Ctrl-C: some tens of milliseconds
_NONE = np.empty(0, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Sparsity:
    """Similarity of each examined record to its nearest neighbour among all others.

    Attributes
    ----------
    positions : int64 (m,); the examined records, ascending
    similarity : float64 (m,); 0..1, to the most similar other record
    neighbour : int64 (m,); its position, the least of several; -1 where the similarity is 0
    rating_tolerance : two ratings within it are similar; None: whatever they are
    date_tolerance : days, likewise
    rated : how many records rate anything; the others have no similarity and are not examined
    sampled : whether only a sample of them was examined (against all)
    """

    positions: NDArray[np.int64]
    similarity: NDArray[np.float64]
    neighbour: NDArray[np.int64]
    rating_tolerance: float | None
    date_tolerance: float | None
    rated: int
    sampled: bool

    def delta(self, epsilon: float, *, method: str = "wilson", confidence: float = 0.95) -> Share:
        """Return the least δ for which the data are (ε,δ)-sparse: P[nearest similarity > ε] [NS08, Def. 1].

        Where all records were examined the share is exact and the interval is a point.
        """
        epsilon = checks.non_negative_number("epsilon", epsilon)
        above = int(np.count_nonzero(self.similarity > epsilon))
        of = len(self.similarity)
        if of and not self.sampled:
            return Share(above, of, above / of, above / of)
        return share(above, of, method=method, confidence=confidence)

    def curve(self, points: Sequence[float] | None = None) -> tuple[tuple[float, float], ...]:
        """Return (x, share of records whose nearest similarity is at least x) [NS08, Fig. 1].

        ``points`` are the x; default: 0, 0.05, ..., 1.
        """
        wanted = [step / 20 for step in range(21)] if points is None else [float(x) for x in points]
        ascending = np.sort(self.similarity)
        of = len(ascending)
        return tuple((x, float(of - np.searchsorted(ascending, x, side="left")) / max(of, 1)) for x in wanted)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve and the quartiles as plain lists and numbers."""
        quartiles = np.quantile(self.similarity, (0.25, 0.5, 0.75)).tolist() if len(self.similarity) else None
        return {
            "rating_tolerance": self.rating_tolerance,
            "date_tolerance": self.date_tolerance,
            "records": len(self.similarity),
            "rated": self.rated,
            "sampled": self.sampled,
            "quartiles": quartiles,
            "curve": [{"similarity": x, "share": y} for x, y in self.curve()],
        }


@checks.takes_random_state
def sparsity(
    table: RatingTable,
    *,
    rating_tolerance: float | None = None,
    date_tolerance: float | None = None,
    sample: int | str | None = "auto",
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Sparsity:
    """Find every record's similarity to its nearest neighbour, exactly, over inverted lists.

    Implements Sim(r, r') = Σ Sim(r_i, r'_i) / |supp(r) ∪ supp(r')| and [NS08, Def. 1]; Sim of two ratings is
    1 iff they are within the tolerances, else 0. An issue that only one rates counts 0.

    Parameters
    ----------
    rating_tolerance : None: having rated the same issue is enough; 0: the same rating; 1: one apart. Decimals
        are compared as decimals
    date_tolerance : days; None: dates do not matter. A rating without a date is similar to none
    sample : how many records to examine (each against all others); None: all of them, whatever it takes;
        "auto": all up to MOST_WORK, else as many as that allows, at least 100, drawn uniformly
    rng : seed or Generator for the sample
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    threads, progress : as everywhere

    Raises
    ------
    ParameterError
        A tolerance is negative, the sample is not a number from 1 to the records that rate something, or
        there are no dates.
    """
    resources = Resources(threads, None, progress)
    low = high = np.empty(0, dtype=np.int64)
    if rating_tolerance is not None:
        rating_tolerance = checks.non_negative_number("rating_tolerance", rating_tolerance)
        low, high = proximate_codes(table.levels, rating_tolerance)
    dates = _NONE
    if date_tolerance is not None:
        date_tolerance = checks.non_negative_number("date_tolerance", date_tolerance)
        dates = dates_of(table)
    index = Index.of(table, dates=date_tolerance is not None)
    column_dates = _column_dates(index) if date_tolerance is not None else _NONE
    work = similarity_work(index)
    rated = np.flatnonzero(np.diff(table.indptr) > 0)
    positions = _chosen(rated, work, sample, rng)
    similarity = np.zeros(len(positions), dtype=np.float64)
    neighbour = np.full(len(positions), -1, dtype=np.int64)
    run = Run(resources.thread_count, resources.progress, "comparing records")
    n = table.n_records
    space = [
        (np.zeros(n, np.int32), np.zeros(n, np.int32), np.empty(n, np.int64)) for _ in range(run.threads)
    ]

    def task(first: int, last: int) -> Callable[[int], None]:
        return lambda worker: kernels.nearest(
            positions[first:last], table.indptr, table.indices, table.codes, dates, index.indptr,
            index.records, index.codes, column_dates, low, high, date_tolerance or 0.0,
            *space[worker], similarity[first:last], neighbour[first:last],
        )  # fmt: skip

    total = np.concatenate(([0], np.cumsum(work[positions])))
    run.total = int(total[-1])
    run([(int(total[last] - total[first]), task(first, last)) for first, last in pieces(total)])
    for array in (positions, similarity, neighbour):
        array.flags.writeable = False
    return Sparsity(
        positions, similarity, neighbour, rating_tolerance, date_tolerance, len(rated),
        len(positions) < len(rated),
    )  # fmt: skip


def similarity_work(data: RatingTable | Index) -> NDArray[np.int64]:
    """Return how many entries of inverted lists the comparison of each record visits, int64 (n_records,)."""
    index = data if isinstance(data, Index) else Index.of(data, dates=False)
    visits = np.empty(index.table.n_records, dtype=np.int64)
    kernels.work(index.table.indptr, index.table.indices, index.supports, visits)
    return visits


def _chosen(
    rated: NDArray[np.int64],
    work: NDArray[np.int64],
    sample: int | str | None,
    rng: int | np.random.Generator | None,
) -> NDArray[np.int64]:
    """Return the positions to examine, ascending."""
    if sample is None:
        return rated
    if sample == "auto":
        total = int(work.sum())
        if total <= MOST_WORK:
            return rated
        size = min(max(100, len(rated) * MOST_WORK // total), len(rated))
    else:
        size = checks.whole_number("sample", sample, 1)
        if size > len(rated):
            raise ParameterError("sample", sample, f"at most the {len(rated)} records that rate something")
    return np.sort(checks.generator(rng).choice(rated, size=size, replace=False))


def _column_dates(index: Index) -> NDArray[np.float64]:
    """Return the dates of the inverted lists' entries, float64 (n_ratings,) days, NaN where null."""
    if index.span == 0:
        return np.asarray(index.when, dtype=np.float64)
    days = index.when + index.first_day
    days[index.when == index.span] = np.nan
    return np.asarray(days, dtype=np.float64)


def pieces(total: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut 0..m into ranges of about _PIECE units of work, or a single record."""
    m, cuts = len(total) - 1, [0]
    while cuts[-1] < m:
        last = int(np.searchsorted(total, total[cuts[-1]] + _PIECE, side="right")) - 1
        cuts.append(min(max(last, cuts[-1] + 1), m))
    return list(itertools.pairwise(cuts))
