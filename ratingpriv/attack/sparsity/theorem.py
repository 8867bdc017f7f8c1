"""What Theorem 1 promises the adversary, beside what happens.

Implements [NS08, §4.1]: with m random ratings of a target known, the matching set of Scoreboard holds a false
match with probability at most n (1 - δ)^m, whatever the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.intervals import Share, share
from ratingpriv.attack.knowledge.drawing import draw
from ratingpriv.attack.sparsity import _sparsity as kernels
from ratingpriv.attack.sparsity.sparsity import pieces, similarity_work
from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import proximate_codes

__all__ = ["FalseMatches", "false_match_bound", "false_matches"]


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

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {
            "known": self.known,
            "delta": self.delta,
            "bound": self.bound,
            "measured": self.measured.to_dict(),
            "by_similarity": self.by_similarity.to_dict(),
            "could_not_attack": self.could_not_attack,
        }


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
    threads: int | None = None,
    progress: Progress | None = None,
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
    threads, progress : as everywhere

    Raises
    ------
    ParameterError
        As :func:`ratingpriv.attack.knowledge.drawing.draw`; or δ is not between 0 and 1.
    """
    resources = Resources(threads, None, progress)
    low, high = proximate_codes(
        table.levels, checks.non_negative_number("rating_tolerance", rating_tolerance)
    )
    numbers = tuple(known) if isinstance(known, Sequence) else (known,)
    bounds = [false_match_bound(max(table.n_records, 1), number, delta=delta) for number in numbers]
    index = Index.of(table, dates=False)
    work = similarity_work(index)
    seed = checks.seed_from(rng)
    run = Run(resources.thread_count, resources.progress, "searching for false matches")
    space = [
        (*(np.zeros(table.n_records, np.int32) for _ in range(3)), np.empty(table.n_records, np.int64))
        for _ in range(run.threads)
    ]
    results = []
    for number, bound in zip(numbers, bounds, strict=True):
        drawn = draw(table, targets=targets, known=number, rng=seed)
        positions = drawn.auxiliary.targets
        marked = np.zeros(table.n_ratings, dtype=np.uint8)
        for target, first, last in zip(
            positions.tolist(), drawn.auxiliary.indptr[:-1], drawn.auxiliary.indptr[1:], strict=True
        ):
            begin = int(table.indptr[target])
            marked[begin + np.searchsorted(table.support(target), drawn.auxiliary.issues[first:last])] = 1
        by_support, by_similarity = (np.zeros(len(positions), dtype=bool) for _ in range(2))

        def task(
            first: int, last: int, positions: Any = positions, marked: Any = marked,
            by_support: Any = by_support, by_similarity: Any = by_similarity,
        ) -> Callable[[int], None]:  # fmt: skip
            return lambda worker: kernels.false_matches(
                positions[first:last], table.indptr, table.indices, table.codes, marked, index.indptr,
                index.records, index.codes, low, high, 1.0 - delta, *space[worker], by_support[first:last],
                by_similarity[first:last],
            )  # fmt: skip

        total = np.concatenate(([0], np.cumsum(work[positions])))
        run([(int(total[last] - total[first]), task(first, last)) for first, last in pieces(total)])
        results.append(
            FalseMatches(
                known=number,
                delta=float(delta),
                bound=bound,
                measured=share(int(by_support.sum()), len(positions)),
                by_similarity=share(int(by_similarity.sum()), len(positions)),
                could_not_attack=drawn.could_not_attack,
            )
        )
    return tuple(results)


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
