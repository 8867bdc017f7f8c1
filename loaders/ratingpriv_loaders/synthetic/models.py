"""Stated models of ratings, in parts that are joined to blocks or to one table.

And the model of a survey.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import functools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import available_cores
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.formats.reading import NULL_TOKENS
from ratingpriv.data.table import Origin, RatingTable, SensitiveColumn
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.finishing import Handling
from ratingpriv_loaders.background import ahead

PART_RATINGS = 1 << 18
"""Ratings a part has room for. It belongs to the models: another number gives other ratings."""

BLOCK_RATINGS = 1 << 22
"""Ratings that are in memory together. It belongs to the machine: another number gives the same
ratings.
"""

EPOCH = np.datetime64("1970-01-01")
"""Days are counted from here."""

_WIDTH = 5.0  # the scale covers so many standard deviations of the propensity
_MOST_PATTERNS = 1 << 16


@dataclass(frozen=True, slots=True)
class Block:
    """The ratings of ``count`` consecutive records from position ``first`` on,
    by records and issues.

    Attributes
    ----------
    owners : int32 (n_ratings,); positions of records, ``first`` or later
    issues : int32 (n_ratings,); positions of non-sensitive issues
    ratings : uint8 (n_ratings,); whole numbers from 1
    days : int32 (n_ratings,), days since 1970-01-01; or None
    sensitive : uint8 (count, n_sensitive); whole numbers from 1, 0 is null
    """

    first: int
    count: int
    owners: NDArray[np.int32]
    issues: NDArray[np.int32]
    ratings: NDArray[np.uint8]
    days: NDArray[np.int32] | None
    sensitive: NDArray[np.uint8]


def parameter(default: Any, meaning: str) -> Any:
    """Return a parameter of a model: its default and, for people, its meaning and range."""
    return field(default=default, metadata={"meaning": meaning}, kw_only=True)


@dataclass
class Model(abc.ABC):
    """A model of ratings: the same arguments and seed give the same ratings,
    whole numbers 1..``levels``.

    ``name``, ``layout`` : what it is called, and the layout that suits it, long or wide.
    ParameterError for a parameter that is out of range.
    """

    records: int
    issues: int
    seed: int = field(kw_only=True)
    issue_names: tuple[str, ...] = field(init=False)
    name: ClassVar[str]
    layout: ClassVar[str]
    most_issues: ClassVar[int]
    if TYPE_CHECKING:  # fields of the models
        levels: Any = field(init=False, default=5)
        sensitive: Any = field(init=False, default=())

    def __post_init__(self) -> None:
        self.seed = whole("seed", self.seed, 0, (1 << 64) - 1)
        self.records = whole("records", self.records, 1, (1 << 31) - 1)
        self.issues = whole("issues", self.issues, 1, self.most_issues)
        self.levels = whole("levels", self.levels, 2, 255)

    @property
    @abc.abstractmethod
    def statement(self) -> str:
        """The model in words, with its parameters."""

    @abc.abstractmethod
    def parts(self) -> Iterator[Callable[[], Block]]:
        """Give, in the order of records, what makes each part.

        Parts can be made at the same time.
        """

    def generator(self, *key: int) -> np.random.Generator:
        """Return the generator for one part: parts do not depend on how many others there are."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


def whole(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as int; it must be a whole number from ``low`` to ``high``."""
    number = checks.whole_number(name, value, low)
    if number > high:
        raise ParameterError(name, value, f"a whole number from {low} to {high}")
    return number


def blocks(model: Model, size: int = BLOCK_RATINGS) -> Generator[Block]:
    """Make the ratings of ``model``, joined to blocks of about ``size`` ratings,
    in the order of records.

    The next parts are made by other threads while the caller uses a block. Neither ``size`` nor the
    number of processors changes the ratings.
    """
    gathered: list[Block] = []
    room = 0
    with contextlib.closing(ahead(model.parts(), available_cores())) as parts:
        for part in parts:
            gathered.append(part)
            room += max(len(part.ratings), 1)
            if room >= size:
                yield _joined(gathered)
                gathered, room = [], 0
    if gathered:
        yield _joined(gathered)


def table_of(model: Model) -> RatingTable:
    """Return all ratings of ``model`` as a table; record ids are 1..n."""
    with contextlib.closing(blocks(model)) as made:
        every = _joined(list(made))
    table = RatingTable.of(
        parts_from_coordinates(
            Coordinates(
                every.owners, every.issues, every.ratings, lambda _: (model.name, None, None)
            ),
            Handling(scale=(1, model.levels)),
            record_ids=pl.int_range(1, model.records + 1, dtype=pl.Int64, eager=True),
            issue_names=model.issue_names,
            timestamps=None if every.days is None else pl.Series(EPOCH + every.days),
            origin=Origin(
                name=model.name,
                format="synthetic",
                layout=model.layout,
                details={"model": model.statement, "seed": model.seed},
            ),
        )
    )
    columns = tuple(
        SensitiveColumn(name, values.astype(np.float64), values > 0)
        for name, values in zip(model.sensitive, every.sensitive.T, strict=True)
    )
    order = (*model.issue_names, *model.sensitive)
    return table.replace(sensitive=columns, origin=dataclasses.replace(table.origin, order=order))


def _joined(parts: Sequence[Block]) -> Block:
    if len(parts) == 1:
        return parts[0]
    days = [part.days for part in parts if part.days is not None]
    return Block(
        parts[0].first,
        sum(part.count for part in parts),
        np.concatenate([part.owners for part in parts]),
        np.concatenate([part.issues for part in parts]),
        np.concatenate([part.ratings for part in parts]),
        np.concatenate(days) if days else None,
        np.concatenate([part.sensitive for part in parts]),
    )


class _Drawn(NamedTuple):
    """What all records share: float32 (n_issues + n_sensitive, factors),
    (n_issues + n_sensitive,); bool.
    """

    loadings: NDArray[np.float32]
    shifts: NDArray[np.float32]
    skipped: NDArray[np.bool_] | None


@dataclass
class SurveyModel(Model):
    """Likert answers from a linear factor model.

    Record i has factors z_i ~ N(0, I) in ``factors`` dimensions. Its propensity to item j (counted
    from 0) is

        x_ij = λ_j·z_i + √(1 − |λ_j|²)·e_ij,    e_ij ~ N(0, 1), so that x_ij ~ N(0, 1),

    and its answer the whole number of 1..``levels`` that is nearest to

        (levels + 1)/2 + (x_ij + d_j)·levels/5.

    λ_j is drawn from U(0.5, 0.8) for factor j mod ``factors`` and from U(−0.2, 0.2) for the others,
    and shortened to |λ_j|² = 0.9 where it is longer; d_j ~ N(0, 0.4²). The correlation of the
    propensities to items j and k is λ_j·λ_k. A sensitive issue is answered by the same rule with d
    = 0 and every component of λ equal to 0.6/√factors: its correlation with item j is
    0.6·Σλ_j/√factors, with other sensitive ones 0.36.

    An answer to an item is left out with probability ``missing``, independently. With ``patterns``,
    so many distinct sets of skipped items are drawn (the first is empty; in the others an item is
    skipped with probability 0.3, at times another share where these run out; none is everything),
    and each record follows one of them, all equally likely. A sensitive answer is left out with
    probability ``sensitive_missing``.

    A survey of fewer records and the same seed is the beginning of this one. Memory: one block of
    answers.
    """

    factors: int = parameter(3, "how many latent factors; 1 to 1000")
    levels: int = parameter(5, "ratings are 1..levels; 2 to 255")
    missing: float = parameter(0.0, "probability that a rating is missing; below 1")
    patterns: int | None = parameter(
        None, "how many skip patterns, equally likely; none by default"
    )
    sensitive: Sequence[str] = parameter(("income", "health"), "names of the sensitive items")
    sensitive_missing: float = parameter(
        0.0, "probability that a sensitive value is missing; below 1"
    )
    name, layout, most_issues = "synthetic survey", "wide", 100_000

    def __post_init__(self) -> None:
        super().__post_init__()
        self.factors = whole("factors", self.factors, 1, 1000)
        for name in ("missing", "sensitive_missing"):
            share = checks.non_negative_number(name, getattr(self, name))
            if share >= 1:
                raise ParameterError(
                    name, getattr(self, name), "a probability, at least 0 and below 1"
                )
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
                raise ParameterError(
                    "sensitive", issue, "a name that the file has no other use for"
                )
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
        words = (
            f"ratings 1..{self.levels} are rounded sums of {self.factors} latent {normal} and noise"
        )
        words += f", sensitive ones ({', '.join(self.sensitive)}) too" if self.sensitive else ""
        words += f"; a rating is missing with probability {self.missing:g}" if self.missing else ""
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
        """Make the answers of at most ``size`` records.

        Always drawn for all, however short the survey.
        """
        rng = self.generator(1, number)
        # x_ij, factor by factor, and the answers: sensitive ones last
        factors = rng.standard_normal((size, self.factors), dtype=np.float32)
        answers = rng.standard_normal((size, len(drawn.loadings)), dtype=np.float32)
        answers *= np.sqrt(1 - (drawn.loadings**2).sum(axis=1))
        for column, weights in zip(factors.T, drawn.loadings.T, strict=True):
            # not ``@``: a BLAS adds in an order of its own, and an answer near a half would depend
            # on it
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
            sensitive = np.where(
                rng.random(sensitive.shape) < self.sensitive_missing, np.uint8(0), sensitive
            )
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
