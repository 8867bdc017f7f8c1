"""Stated models of ratings, in parts that do not depend on each other, joined to blocks or to one table."""

from __future__ import annotations

import abc
import contextlib
import dataclasses
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import available_cores
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import Origin, RatingTable, SensitiveColumn
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.finishing import Handling
from ratingpriv_loaders.background import ahead

PART_RATINGS = 1 << 18
"""Ratings a part has room for. It belongs to the models: another number gives other ratings."""

BLOCK_RATINGS = 1 << 22
"""Ratings that are in memory together. It belongs to the machine: another number gives the same ratings."""

EPOCH = np.datetime64("1970-01-01")
"""Days are counted from here."""


@dataclass(frozen=True, slots=True)
class Block:
    """The ratings of ``count`` consecutive records from position ``first`` on, by records and issues.

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
    """A model of ratings: the same arguments and seed give the same ratings, whole numbers 1..``levels``.

    ``name``, ``layout`` : what it is called, and the layout that suits it, long or wide. ParameterError for a
    parameter that is out of range.
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
        """Give, in the order of records, what makes each part. Parts can be made at the same time."""

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
    """Make the ratings of ``model``, joined to blocks of about ``size`` ratings, in the order of records.

    The next parts are made by other threads while the caller uses a block. Neither ``size`` nor the number
    of processors changes the ratings.
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
            Coordinates(every.owners, every.issues, every.ratings, lambda _: (model.name, None, None)),
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
