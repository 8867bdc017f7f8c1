"""How alone records are: similarity to the nearest neighbour, (ε,δ)-sparsity,
and what Theorem 1 makes of it.

Implements [NS08, §3, Def. 1 and Fig. 1]. Sparse data are what makes the attack work: where hardly
anybody has a record like theirs, a few known ratings point at one. With m random ratings of a
target known, the matching set of Scoreboard holds a false match with probability at most n (1 -
δ)^m, whatever the data [NS08, §4.1].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack import _sparsity as kernels
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.dates import dates_of
from ratingpriv.attack.intervals import Judging, share
from ratingpriv.attack.knowledge import Knowledge, draw
from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run, portions
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.documents import attack as documents
from ratingpriv.documents.demands import Rate
from ratingpriv.documents.making import document_of
from ratingpriv.proximity.levels import proximate_codes

MOST_WORK = 2_000_000_000
"""Visits of an inverted list's entries, above which a sample of the records is taken by default.

All pairs of ml-100k take 17 million. A core does 100 to 500 million a second, fewer where lists are
long.
"""

# visits between two looks at the clock and at Ctrl-C: some tens of milliseconds
_PIECE = 20_000_000
_NONE = np.empty(0, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Sparsity:
    """Similarity of each examined record to its nearest neighbour among all others.

    Attributes
    ----------
    positions : int64 (m,); the examined records, ascending
    similarity : float64 (m,); 0..1, to the most similar other record
    rating_tolerance : two ratings within it are similar; None: whatever they are
    date_tolerance : days, likewise
    rated : how many records rate anything; the others have no similarity and are not examined
    sampled : whether only a sample of them was examined (against all)
    """

    positions: NDArray[np.int64]
    similarity: NDArray[np.float64]
    rating_tolerance: float | None
    date_tolerance: float | None
    rated: int
    sampled: bool

    def delta(self, epsilon: float, *, method: str = "wilson", confidence: float = 0.95) -> Rate:
        """Return the least δ for which the data are (ε,δ)-sparse:
        P[nearest similarity > ε] [NS08, Def. 1].

        Where all records were examined the share is exact and the interval is a point.
        """
        epsilon = checks.non_negative_number("epsilon", epsilon)
        above = int(np.count_nonzero(self.similarity > epsilon))
        of = len(self.similarity)
        if of and not self.sampled:
            return Rate(above / of, above / of, above / of, above, of)
        return Judging(interval=method, confidence=confidence).share(above, of)

    def curve(self, points: Sequence[float] | None = None) -> tuple[tuple[float, float], ...]:
        """Return (x, share of records whose nearest similarity is at least x), x 0, 0.05, ...,
        1 by default.

        [NS08, Fig. 1].
        """
        wanted = [step / 20 for step in range(21)] if points is None else [float(x) for x in points]
        ascending = np.sort(self.similarity)
        of = len(ascending)
        return tuple(
            (x, float(of - np.searchsorted(ascending, x, side="left")) / max(of, 1)) for x in wanted
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the curve and the quartiles as plain lists and numbers."""
        quartiles = (
            np.quantile(self.similarity, (0.25, 0.5, 0.75)).tolist()
            if len(self.similarity)
            else None
        )
        count, curve = len(self.similarity), list(self.curve())
        return document_of(
            documents.Sparsity, self, records=count, quartiles=quartiles, curve=curve
        )


@checks.takes_random_state
def sparsity(
    table: RatingTable,
    *,
    rating_tolerance: float | None = None,
    date_tolerance: float | None = None,
    sample: int | str | None = "auto",
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    resources: Resources = Resources(),
) -> Sparsity:
    """Find every record's similarity to its nearest neighbour, exactly, over inverted lists.

    Implements Sim(r, r') = Σ Sim(r_i, r'_i) / |supp(r) ∪ supp(r')| and [NS08, Def. 1]; Sim of two
    ratings is 1 iff they are within the tolerances, else 0. An issue that only one rates counts 0.

    Parameters
    ----------
    rating_tolerance : None: having rated the same issue is enough; 0: the same rating; 1: one
        apart. Decimals are compared as decimals
    date_tolerance : days; None: dates do not matter. A rating without a date is similar to none
    sample : how many records to examine (each against all others); None: all of them, whatever it
        takes; "auto": all up to MOST_WORK, else as many as that allows, at least 100, drawn
        uniformly
    rng : seed or Generator for the sample
    random_state : the same as ``rng``, by scikit-learn's name; one of the two

    Raises
    ------
    ParameterError
        A tolerance is negative, the sample is not a number from 1 to the records that rate
        something, or there are no dates.
    """
    low = high = np.empty(0, dtype=np.int64)
    if rating_tolerance is not None:
        rating_tolerance = checks.non_negative_number("rating_tolerance", rating_tolerance)
        low, high = proximate_codes(table.levels, rating_tolerance)
    days = list_days = _NONE
    if date_tolerance is not None:
        date_tolerance = checks.non_negative_number("date_tolerance", date_tolerance)
        days = dates_of(table)
    index = Index.of(table, dates=date_tolerance is not None)
    if date_tolerance is not None:
        list_days = index.when.astype(np.float64) + index.first_day
        if index.span:
            list_days[index.when == index.span] = np.nan
    work = similarity_work(index)
    positions = rated = np.flatnonzero(np.diff(table.indptr) > 0)
    size, total = len(rated), int(work.sum())
    if sample == "auto" and total > MOST_WORK:
        size = min(max(100, size * MOST_WORK // total), size)
    elif sample not in ("auto", None):
        size = checks.whole_number("sample", sample, 1)
        if size > len(rated):
            raise ParameterError(
                "sample", sample, f"at most the {len(rated)} records that rate something"
            )
    if size < len(rated):
        positions = np.sort(checks.generator(rng).choice(rated, size=size, replace=False))
    unknown = np.empty(0, dtype=np.uint8)
    ratings = kernels.Ratings(table.indptr, table.indices, table.codes, days, unknown)
    lists = kernels.Lists(index.indptr, index.records, index.codes, list_days)
    similar = kernels.Similar(low, high, date_tolerance or 0.0)
    similarity = np.zeros(len(positions), dtype=np.float64)

    def compare(part: slice, space: kernels.Space) -> None:
        kernels.nearest(positions[part], ratings, lists, similar, space, similarity[part])

    compare_all(compare, work[positions], table.n_records, "comparing records", resources)
    for array in (positions, similarity):
        array.flags.writeable = False
    sampled = len(positions) < len(rated)
    return Sparsity(positions, similarity, rating_tolerance, date_tolerance, len(rated), sampled)


@checks.takes_random_state
def false_matches(
    table: RatingTable,
    known: int | Sequence[int] = (2, 4, 8, 12, 16),
    *,
    delta: float = 0.5,
    rating_tolerance: float = 0.0,
    targets: int | None = None,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    resources: Resources = Resources(),
) -> tuple[documents.Theorem1, ...]:
    """Measure for each number of known ratings how often there is a false match.

    Parameters
    ----------
    known : m, one or several; the ratings are exact
    delta : δ, between 0 and 1
    rating_tolerance : two ratings within it agree
    targets : how many records are tried; None: all
    rng : seed or Generator
    random_state : the same as ``rng``, by scikit-learn's name; one of the two

    Returns
    -------
    tuple of Theorem1
        For each m its ``bound`` n (1 - δ)^m, at most 1; of how many targets a false match, one that
        agrees on less than 1 - δ of the target's ratings, is ``measured``; ``by_similarity`` the
        same where it is one whose similarity over both supports is at most 1 - δ: the theorem's own
        words, for which its proof, and the bound, do not hold; and how many targets have fewer than
        m ratings.
    """
    low, high = proximate_codes(
        table.levels, checks.non_negative_number("rating_tolerance", rating_tolerance)
    )
    numbers = tuple(known) if isinstance(known, Sequence) else (known,)
    bounds = [false_match_bound(max(table.n_records, 1), number, delta=delta) for number in numbers]
    index = Index.of(table, dates=False)
    lists = kernels.Lists(index.indptr, index.records, index.codes, np.empty(0))
    similar = kernels.Similar(low, high, 0.0)
    work, seed = similarity_work(index), checks.seed_from(rng)

    def measured(number: int, bound: float) -> documents.Theorem1:
        drawn = draw(table, Knowledge(targets=targets, known=number), rng=seed)
        aux, positions = drawn.auxiliary, drawn.auxiliary.targets
        marks = np.zeros(table.n_ratings, dtype=np.uint8)  # of what is known
        for index, target in enumerate(positions.tolist()):
            issues = aux.issues[aux.indptr[index] : aux.indptr[index + 1]]
            marks[int(table.indptr[target]) + np.searchsorted(table.support(target), issues)] = 1
        ratings = kernels.Ratings(table.indptr, table.indices, table.codes, np.empty(0), marks)
        answers = np.zeros((2, len(positions)), dtype=bool)

        def compare(part: slice, space: kernels.Space) -> None:
            kernels.false_matches(
                positions[part], ratings, lists, similar, space, 1.0 - delta, answers[:, part]
            )

        compare_all(
            compare, work[positions], table.n_records, "searching for false matches", resources
        )
        by_support, by_similarity = (share(int(which.sum()), len(positions)) for which in answers)
        missed = drawn.could_not_attack
        return documents.Theorem1(number, float(delta), bound, by_support, by_similarity, missed)

    return tuple(measured(number, bound) for number, bound in zip(numbers, bounds, strict=True))


def false_match_bound(n: int, known: int, *, delta: float) -> float:
    """Return min(1, n (1 - δ)^m): the probability of a false match that
    Theorem 1's proof allows for.

    The proof counts the *target's* ratings on which a record agrees (its Lemma 1), and so does this
    bound. It does not hold for the similarity over both supports of §3: a record that rates all the
    target rated, and much more, always matches although that similarity is small.
    """
    n, known = checks.whole_number("n", n, 1), checks.whole_number("known", known, 0)
    if not 0 < checks.non_negative_number("delta", delta) < 1:
        raise ParameterError("delta", delta, "a number between 0 and 1")
    return min(1.0, math.exp(math.log(n) + known * math.log1p(-delta)))


def compare_all(
    compare: Callable[[slice, kernels.Space], None],
    work: NDArray[np.int64],
    records: int,
    what: str,
    resources: Resources,
) -> None:
    """Compare some records, whose ``work`` is given, with all ``records``, a few at a time."""
    run = Run(resources.thread_count, resources.progress, what)
    spaces = [kernels.Space.of(records) for _ in range(run.threads)]

    def task(part: slice) -> Callable[[int], None]:
        return lambda worker: compare(part, spaces[worker])

    total = np.concatenate(([0], np.cumsum(work)))
    run.total = int(total[-1])
    ranges = portions(total[1:], _PIECE)
    run([(int(total[last] - total[first]), task(slice(first, last))) for first, last in ranges])


def similarity_work(index: Index) -> NDArray[np.int64]:
    """Return how many entries of inverted lists the comparison of each record visits,
    int64 (n_records,).
    """
    upto = np.concatenate(([0], np.cumsum(index.supports[index.table.indices])))
    return np.diff(upto[index.table.indptr])
