"""A survey with Likert items that hang together by a few factors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv_loaders.synthetic.blocks import PART_RATINGS, Block, generator_of
from ratingpriv_loaders.synthetic.parameters import share, unique_names, whole

_WIDTH = 5.0  # the scale covers so many standard deviations of the propensity
_MOST_PATTERNS = 1 << 16


class SurveyModel:
    """Likert answers from a linear factor model.

    Record i has factors z_i ~ N(0, I) in ``factors`` dimensions. Its propensity to item j (counted from 0) is

        x_ij = λ_j·z_i + √(1 − |λ_j|²)·e_ij,    e_ij ~ N(0, 1), so that x_ij ~ N(0, 1),

    and its answer the whole number of 1..``levels`` that is nearest to

        (levels + 1)/2 + (x_ij + d_j)·levels/5.

    λ_j is drawn from U(0.5, 0.8) for factor j mod ``factors`` and from U(−0.2, 0.2) for the others, and
    shortened to |λ_j|² = 0.9 where it is longer; d_j ~ N(0, 0.4²). The correlation of the propensities to
    items j and k is λ_j·λ_k. A sensitive issue is answered by the same rule with d = 0 and every component of
    λ equal to 0.6/√factors: its correlation with item j is 0.6·Σλ_j/√factors, with other sensitive ones 0.36.

    An answer to an item is left out with probability ``missing``, independently. With ``patterns``, so many
    distinct sets of skipped items are drawn (the first is empty; in the others an item is skipped with
    probability 0.3, at times another share where these run out; none is everything), and each record follows
    one of them, all equally likely. A sensitive answer is left out with probability ``sensitive_missing``.

    A survey of fewer records and the same seed is the beginning of this one. Memory: one block of answers.
    """

    layout = "wide"
    dated = False
    name = "synthetic survey"

    def __init__(
        self,
        records: int,
        items: int,
        *,
        seed: int,
        factors: int = 3,
        levels: int = 5,
        missing: float = 0.0,
        patterns: int | None = None,
        sensitive: Sequence[str] = ("income", "health"),
        sensitive_missing: float = 0.0,
    ) -> None:
        self.seed = whole("seed", seed, 0, (1 << 64) - 1)
        self.n_records = whole("records", records, 1, (1 << 31) - 1)
        self.n_issues = whole("issues", items, 1, 100_000)
        self.factors = whole("factors", factors, 1, 1000)
        self.levels = whole("levels", levels, 2, 255)
        self.missing = share("missing", missing)
        self.sensitive_missing = share("sensitive_missing", sensitive_missing)
        self.issue_names = tuple(f"q{number}" for number in range(1, self.n_issues + 1))
        self.sensitive_names = unique_names("sensitive", sensitive, ("record", *self.issue_names))
        self.patterns = None
        if patterns is not None:
            # half of all sets at most: the last ones would take for ever to be drawn
            most = min(_MOST_PATTERNS, 2 ** (self.n_issues - 1))
            if whole("patterns", patterns, 1, _MOST_PATTERNS) > most:
                raise ParameterError("patterns", patterns, f"at most {most} skip patterns of so few items")
            self.patterns = int(patterns)
        self.most_ratings = self.n_records * (self.n_issues + len(self.sensitive_names))
        self.statement = (
            f"answers 1..{self.levels} are rounded sums of {self.factors} latent normal "
            f"{'factor' if self.factors == 1 else 'factors'} and noise"
            + (f", sensitive ones ({', '.join(self.sensitive_names)}) too" if self.sensitive_names else "")
            + (f"; an answer is missing with probability {self.missing:g}" if self.missing else "")
            + (
                f"; a sensitive one is missing with probability {self.sensitive_missing:g}"
                if self.sensitive_missing
                else ""
            )
            + (f"; {self.patterns} skip patterns, equally likely" if self.patterns is not None else "")
        )

    def parts(self) -> Iterator[Callable[[], Block]]:
        """Give what makes each part, in the order of records."""
        rng = generator_of(self.seed, 0)
        p, q, f = self.n_issues, len(self.sensitive_names), self.factors
        loadings = rng.uniform(-0.2, 0.2, size=(p, f))
        loadings[np.arange(p), np.arange(p) % f] = rng.uniform(0.5, 0.8, size=p)
        length = np.sqrt((loadings**2).sum(axis=1, keepdims=True))
        loadings *= np.minimum(1.0, np.sqrt(0.9) / length)
        every = np.concatenate([loadings, np.full((q, f), 0.6 / np.sqrt(f))]).astype(np.float32)
        shifts = np.concatenate([rng.normal(0, 0.4, size=p), np.zeros(q)]).astype(np.float32)
        skipped = None if self.patterns is None else _skip_patterns(self.patterns, p, rng)
        size = max(1, PART_RATINGS // (p + q))
        for number, first in enumerate(range(0, self.n_records, size)):
            yield functools.partial(
                self._part, number, first, size, loadings=every, shifts=shifts, skipped=skipped
            )

    def _part(
        self,
        number: int,
        first: int,
        size: int,
        *,
        loadings: NDArray[np.float32],
        shifts: NDArray[np.float32],
        skipped: NDArray[np.bool_] | None,
    ) -> Block:
        rng = generator_of(self.seed, 1, number)
        # always drawn for ``size`` records, so that a shorter survey is the beginning of a longer one
        answers = self._answers(rng, size, loadings, shifts)
        there = np.ones((size, self.n_issues), dtype=bool)
        if self.missing:
            there &= rng.random(there.shape) >= self.missing
        if skipped is not None:
            there &= ~skipped[rng.integers(len(skipped), size=size)]
        sensitive = answers[:, self.n_issues :]
        if self.sensitive_missing:
            sensitive = np.where(rng.random(sensitive.shape) < self.sensitive_missing, np.uint8(0), sensitive)
        count = min(size, self.n_records - first)
        there = there[:count]
        owners, issues = np.nonzero(there)
        return Block(
            first,
            count,
            (owners + first).astype(np.int32),
            issues.astype(np.int32),
            answers[:count, : self.n_issues][there],
            None,
            sensitive[:count].copy(),
        )

    def _answers(
        self, rng: np.random.Generator, size: int, loadings: NDArray[np.float32], shifts: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """Return answers, sensitive ones last: uint8 (size, n_issues + n_sensitive)."""
        factors = rng.standard_normal((size, self.factors), dtype=np.float32)
        answers = rng.standard_normal((size, len(loadings)), dtype=np.float32)
        answers *= np.sqrt(1 - (loadings**2).sum(axis=1))
        for column, weights in zip(factors.T, loadings.T, strict=True):
            # not ``@``: a BLAS adds in an order of its own, and an answer near a half would depend on it
            answers += column[:, None] * weights
        answers += shifts
        answers *= np.float32(self.levels / _WIDTH)
        answers += np.float32((self.levels + 1) / 2)
        return np.clip(np.rint(answers), 1, self.levels).astype(np.uint8)


def _skip_patterns(number: int, p: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return distinct sets of skipped items, bool (number, p); the first is empty, none is everything."""
    found = {bytes(p): None}
    tries = 0
    while len(found) < number:
        tries += 1
        # few items and many patterns: the rare sets would take for ever at 0.3
        pattern = rng.random(p) < (0.3 if tries < 20 * number else rng.random())
        if not pattern.all():
            found[pattern.tobytes()] = None
    return np.array([np.frombuffer(pattern, dtype=bool) for pattern in found])
