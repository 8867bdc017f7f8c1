"""What Theorem 1 promises the adversary, beside what happens.

Implements [NS08, §4.1]: with m random ratings of a target known, the matching set of Scoreboard holds a false
match with probability at most n (1 - δ)^m, whatever the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.intervals import Share, share
from ratingpriv.attack.knowledge import Knowledge, draw
from ratingpriv.attack.sparsity import _sparsity as kernels
from ratingpriv.attack.sparsity.sparsity import Lists, Ratings, Similar, Space, compare_all, similarity_work
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import proximate_codes


@dataclass(frozen=True, slots=True)
class FalseMatches:
    """How often the matching set of Scoreboard holds a false match, and how often it may.

    Attributes
    ----------
    known : how many ratings are known (m)
    delta : δ; a false match agrees on less than 1 - δ of the target's ratings
    bound : n (1 - δ)^m, at most 1
    measured : of the targets, for how many there is one
    by_similarity : the same where a false match is a record whose similarity to the target over both supports
        is at most 1 - δ: the theorem's own words, for which its proof, and the bound, do not hold
    could_not_attack : targets with fewer than m ratings
    """

    known: int
    delta: float
    bound: float
    measured: Share
    by_similarity: Share
    could_not_attack: int


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
) -> tuple[FalseMatches, ...]:
    """Measure for each number of known ratings how often there is a false match.

    Parameters
    ----------
    known : m, one or several; the ratings are exact
    delta : δ, between 0 and 1
    rating_tolerance : two ratings within it agree
    targets : how many records are tried; None: all
    rng : seed or Generator
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    """
    low, high = proximate_codes(
        table.levels, checks.non_negative_number("rating_tolerance", rating_tolerance)
    )
    numbers = tuple(known) if isinstance(known, Sequence) else (known,)
    bounds = [false_match_bound(max(table.n_records, 1), number, delta=delta) for number in numbers]
    index = Index.of(table, dates=False)
    lists = Lists(index.indptr, index.records, index.codes, np.empty(0))
    similar = Similar(low, high, 0.0)
    work, seed = similarity_work(index), checks.seed_from(rng)

    def measured(number: int, bound: float) -> FalseMatches:
        drawn = draw(table, Knowledge(targets=targets, known=number), rng=seed)
        aux, positions = drawn.auxiliary, drawn.auxiliary.targets
        marks = np.zeros(table.n_ratings, dtype=np.uint8)  # of what is known
        for place, target in enumerate(positions.tolist()):
            issues = aux.issues[aux.indptr[place] : aux.indptr[place + 1]]
            marks[int(table.indptr[target]) + np.searchsorted(table.support(target), issues)] = 1
        ratings = Ratings(table.indptr, table.indices, table.codes, np.empty(0), marks)
        answers = np.zeros((2, len(positions)), dtype=bool)

        def compare(part: slice, space: Space) -> None:
            kernels.false_matches(
                positions[part], ratings, lists, similar, space, 1.0 - delta, answers[:, part]
            )

        compare_all(compare, work[positions], table.n_records, "searching for false matches", resources)
        by_support, by_similarity = (share(int(which.sum()), len(positions)) for which in answers)
        missed = drawn.could_not_attack
        return FalseMatches(number, float(delta), bound, by_support, by_similarity, missed)

    return tuple(measured(number, bound) for number, bound in zip(numbers, bounds, strict=True))


def false_match_bound(n: int, known: int, *, delta: float) -> float:
    """Return min(1, n (1 - δ)^m): the probability of a false match that Theorem 1's proof allows for.

    The proof counts the *target's* ratings on which a record agrees (its Lemma 1), and so does this bound. It
    does not hold for the similarity over both supports of §3: a record that rates all the target rated, and
    much more, always matches although that similarity is small.
    """
    n, known = checks.whole_number("n", n, 1), checks.whole_number("known", known, 0)
    if not 0 < checks.non_negative_number("delta", delta) < 1:
        raise ParameterError("delta", delta, "a number between 0 and 1")
    return min(1.0, math.exp(math.log(n) + known * math.log1p(-delta)))
