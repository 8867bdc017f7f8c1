"""What a table consists of: its arrays, scale, sensitive columns and origin, checked and frozen.

Everything that builds or selects works on :class:`Parts`; :class:`ratingpriv.table.RatingTable` is one with
the methods that users call, and nothing below it needs to know it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.errors import ParameterError

__all__ = ["Origin", "Parts", "Scale", "Selection", "SensitiveColumn"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The rating scale: its smallest and largest rating, and whether a user declared it.

    ``maximum`` is the papers' r, the distance between a rating and a null [SWLZ11, Eq. 1]. Not declared, it
    is the largest rating of the issues that are there, however the others were left out (before records were
    sampled): issues that are not audited do not decide what holds for those that are.
    """

    minimum: float
    maximum: float
    declared: bool

    def to_dict(self) -> dict[str, int | float]:
        """Return both ends as the JSON contracts have them: a whole number is an int (1..5, not 1.0..5.0)."""
        ends = {"min": self.minimum, "max": self.maximum}
        return {name: int(end) if end == int(end) else float(end) for name, end in ends.items()}


@dataclass(frozen=True, slots=True)
class SensitiveColumn:
    """One sensitive issue.

    Attributes
    ----------
    name : the issue's name
    values : float64 (n_records,), 0.0 where null
    present : bool (n_records,), False where null
    """

    name: str
    values: NDArray[np.float64]
    present: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which part of the data a table is, where something was left out. A verdict on it is about that part.

    Attributes
    ----------
    issues, of_issues : the non-sensitive issues that are there, and that the data have, dropped ones included
    records, of_records : the records that are there, and that the data have
    seed : what issues or records were drawn with; None where nothing was drawn, or not with one known seed
    dropped : names that were left out one by one (sensitive ones included)
    """

    issues: int
    of_issues: int
    records: int
    of_records: int
    seed: int | None = None
    dropped: tuple[str, ...] = ()

    @classmethod
    def made(cls, **numbers: Any) -> Self | None:
        """Return the selection of these attributes, or None where nothing is left out."""
        made = cls(**numbers)
        whole = made.issues == made.of_issues and made.records == made.of_records
        return None if whole and not made.dropped else made

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Turn :meth:`to_dict` back; TypeError where it is none."""
        return cls(**{**content, "dropped": tuple(content["dropped"])})

    def __str__(self) -> str:
        """Return it in words: ``20 of 1682 issues, 100 of 943 records, without age``."""
        numbers = (("issues", self.issues, self.of_issues), ("records", self.records, self.of_records))
        parts = [f"{here} of {whole} {name}" for name, here, whole in numbers if here < whole]
        return ", ".join([*parts, *([f"without {', '.join(self.dropped)}"] if self.dropped else [])])

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them."""
        return {**dataclasses.asdict(self), "dropped": list(self.dropped)}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table came from and how it was laid out; enough to write a release that looks like its input.

    ``order`` lists all issue names, sensitive ones included, as the input had them (empty: not known).
    ``place`` is the file or folder that was read, which no writer replaces; no result and no file names it.
    """

    name: str = "table"
    sha256: str | None = None
    format: str = "dataframe"
    layout: str = "wide"
    record_name: str = "record"
    issue_name: str = "issue"
    rating_name: str = "rating"
    timestamp_name: str = "timestamp"
    order: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    place: Path | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Parts:
    """Ratings of n records on p issues, as compressed sparse rows, and q sensitive columns.

    The attributes are those of :class:`ratingpriv.table.RatingTable`, which says what each one is.
    """

    record_ids: pl.Series
    issues: tuple[str, ...]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]
    levels: NDArray[np.float64]
    scale: Scale | None
    sensitive: tuple[SensitiveColumn, ...] = ()
    timestamps: pl.Series | None = None
    origin: Origin = field(default_factory=Origin)
    selection: Selection | None = None

    def __post_init__(self) -> None:
        n, nnz = len(self.record_ids), len(self.indices)
        if self.indptr.shape != (n + 1,) or len(self.codes) != nnz or int(self.indptr[-1]) != nnz:
            raise ParameterError(
                "RatingTable", self.indptr.shape, f"indptr of {n + 1} and codes of {nnz} entries"
            )
        if self.timestamps is not None and len(self.timestamps) != nnz:
            raise ParameterError("timestamps", len(self.timestamps), f"{nnz}, one for each rating")
        names = [*self.issues, *(column.name for column in self.sensitive)]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ParameterError("issues", twice, "every issue once", "rename one of the two columns")
        for array in (self.indptr, self.indices, self.codes, self.levels):
            array.flags.writeable = False
        for column in self.sensitive:
            if column.values.shape != (n,) or column.present.shape != (n,):
                raise ParameterError(
                    f"sensitive {column.name}", column.values.shape, f"{n} values, one a record"
                )
            column.values.flags.writeable = False
            column.present.flags.writeable = False

    @property
    def n_records(self) -> int:
        """How many records there are (n); records without any rating count."""
        return len(self.record_ids)

    @property
    def n_issues(self) -> int:
        """How many non-sensitive issues there are (p)."""
        return len(self.issues)

    @property
    def n_ratings(self) -> int:
        """How many non-sensitive ratings there are."""
        return len(self.indices)

    @property
    def values(self) -> NDArray[np.float64]:
        """The ratings, float64 (n_ratings,); a new array each time."""
        return self.levels[self.codes]

    @property
    def integral(self) -> bool:
        """Whether every non-sensitive rating is a whole number."""
        return bool(np.all(self.levels == np.floor(self.levels)))
