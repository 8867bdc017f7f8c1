"""A survey with Likert items that hang together by a few factors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.formats.reading import NULL_TOKENS
from ratingpriv_loaders.synthetic.models import PART_RATINGS, Block, Model, parameter, whole

_WIDTH = 5.0  # the scale covers so many standard deviations of the propensity
_MOST_PATTERNS = 1 << 16


class _Drawn(NamedTuple):
    """What all records share: float32 (n_issues + n_sensitive, factors), (n_issues + n_sensitive,); bool."""

    loadings: NDArray[np.float32]
    shifts: NDArray[np.float32]
    skipped: NDArray[np.bool_] | None


@dataclass
class SurveyModel(Model):
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

    factors: int = parameter(3, "how many latent factors; 1 to 1000")
    levels: int = parameter(5, "ratings are 1..levels; 2 to 255")
    missing: float = parameter(0.0, "probability that an answer is left out; below 1")
    patterns: int | None = parameter(None, "how many skip patterns, equally likely; none by default")
    sensitive: Sequence[str] = parameter(("income", "health"), "names of the sensitive issues")
    sensitive_missing: float = parameter(0.0, "probability that a sensitive answer is left out; below 1")
    name, layout, most_issues = "synthetic survey", "wide", 100_000

    def __post_init__(self) -> None:
        super().__post_init__()
        self.factors = whole("factors", self.factors, 1, 1000)
        for name in ("missing", "sensitive_missing"):
            share = checks.non_negative_number(name, getattr(self, name))
            if share >= 1:
                raise ParameterError(name, getattr(self, name), "a probability, at least 0 and below 1")
            setattr(self, name, share)
        self.issue_names = tuple(f"q{number}" for number in range(1, self.issues + 1))
        if isinstance(self.sensitive, str) or not isinstance(self.sensitive, Iterable):
            raise ParameterError("sensitive", self.sensitive, "a list of names")
        self.sensitive = tuple(self.sensitive)
        for issue in self.sensitive:
            named = isinstance(issue, str) and issue.isprintable() and issue == issue.strip()
            if not named or issue in NULL_TOKENS:
                expected = "a name: text without spaces around it that does not mean null"
                raise ParameterError("sensitive", issue, expected)
            if issue in ("record", *self.issue_names):
                raise ParameterError("sensitive", issue, "a name that the file has no other use for")
        if len(set(self.sensitive)) < len(self.sensitive):
            raise ParameterError("sensitive", self.sensitive, "every name once")
        if self.patterns is not None:
            # half of all sets at most: the last ones would take for ever to be drawn
            most = min(_MOST_PATTERNS, 2 ** (self.issues - 1))
            self.patterns = whole("patterns", self.patterns, 1, _MOST_PATTERNS)
            if self.patterns > most:
                expected = f"at most {most} skip patterns of so few items"
                raise ParameterError("patterns", self.patterns, expected)

    @property
    def statement(self) -> str:
        """The model in words, with its parameters."""
        normal = f"normal {'factor' if self.factors == 1 else 'factors'}"
        words = f"answers 1..{self.levels} are rounded sums of {self.factors} latent {normal} and noise"
        words += f", sensitive ones ({', '.join(self.sensitive)}) too" if self.sensitive else ""
        words += f"; an answer is missing with probability {self.missing:g}" if self.missing else ""
        if self.sensitive_missing:
            words += f"; a sensitive one is missing with probability {self.sensitive_missing:g}"
        patterns = f"; {self.patterns} skip patterns, equally likely"
        return words + (patterns if self.patterns is not None else "")

    def parts(self) -> Iterator[Callable[[], Block]]:
        """Give what makes each part, in the order of records."""
        rng = self.generator(0)
        p, q, f = self.issues, len(self.sensitive), self.factors
        loadings = rng.uniform(-0.2, 0.2, size=(p, f))
        loadings[np.arange(p), np.arange(p) % f] = rng.uniform(0.5, 0.8, size=p)
        length = np.sqrt((loadings**2).sum(axis=1, keepdims=True))
        loadings *= np.minimum(1.0, np.sqrt(0.9) / length)
        every = np.concatenate([loadings, np.full((q, f), 0.6 / np.sqrt(f))]).astype(np.float32)
        shifts = np.concatenate([rng.normal(0, 0.4, size=p), np.zeros(q)]).astype(np.float32)
        skipped = None
        if self.patterns is not None:
            patterns, tries = {bytes(p): None}, 0
            while len(patterns) < self.patterns:
                tries += 1
                # few items and many patterns: the rare sets would take for ever at 0.3
                pattern = rng.random(p) < (0.3 if tries < 20 * self.patterns else rng.random())
                if not pattern.all():
                    patterns[pattern.tobytes()] = None
            skipped = np.array([np.frombuffer(pattern, dtype=bool) for pattern in patterns])
        size = max(1, PART_RATINGS // (p + q))
        drawn = _Drawn(every, shifts, skipped)
        for number, first in enumerate(range(0, self.records, size)):
            yield functools.partial(self._part, number, first, size, drawn)

    def _part(self, number: int, first: int, size: int, drawn: _Drawn) -> Block:
        """Make the answers of at most ``size`` records; always drawn for all, however short the survey."""
        rng = self.generator(1, number)
        # x_ij, factor by factor, and the answers: sensitive ones last
        factors = rng.standard_normal((size, self.factors), dtype=np.float32)
        answers = rng.standard_normal((size, len(drawn.loadings)), dtype=np.float32)
        answers *= np.sqrt(1 - (drawn.loadings**2).sum(axis=1))
        for column, weights in zip(factors.T, drawn.loadings.T, strict=True):
            # not ``@``: a BLAS adds in an order of its own, and an answer near a half would depend on it
            answers += column[:, None] * weights
        answers += drawn.shifts
        answers *= np.float32(self.levels / _WIDTH)
        answers += np.float32((self.levels + 1) / 2)
        ratings = np.clip(np.rint(answers), 1, self.levels).astype(np.uint8)
        # which of them are there
        presence = np.ones((size, self.issues), dtype=bool)
        if self.missing:
            presence &= rng.random(presence.shape) >= self.missing
        if drawn.skipped is not None:
            presence &= ~drawn.skipped[rng.integers(len(drawn.skipped), size=size)]
        sensitive = ratings[:, self.issues :]
        if self.sensitive_missing:
            sensitive = np.where(rng.random(sensitive.shape) < self.sensitive_missing, np.uint8(0), sensitive)
        count = min(size, self.records - first)
        presence = presence[:count]
        owners, issues = np.nonzero(presence)
        return Block(
            first,
            count,
            (owners + first).astype(np.int32),
            issues.astype(np.int32),
            ratings[:count, : self.issues][presence],
            None,
            sensitive[:count].copy(),
        )
