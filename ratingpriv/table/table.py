"""RatingTable: records x issues, sparse, with presence that is structural and never "non-zero".

Implements the data model of [SWLZ11, §3] and its flag matrix [SWLZ11, Def. 5.2]: a rating is there or it is
not; 0 and negative numbers are ratings like any other. Inside, records and issues are positions 0..n-1 and
0..p-1; ids and names appear only at the edges.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Origin", "RatingTable", "Scale", "SensitiveColumn"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The rating scale: its smallest and largest rating, and whether a user declared it.

    ``maximum`` is the papers' r, the distance between a rating and a null [SWLZ11, Eq. 1]. Not declared,
    it is the largest non-sensitive rating of the data that was read (before issues were selected or
    records sampled).
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


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table came from and how it was laid out; enough to write a release that looks like its input.

    ``order`` lists all issue names, sensitive ones included, as the input had them (empty: not known).
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


@dataclass(frozen=True, eq=False)
class RatingTable:
    """Immutable ratings of n records on p issues, as compressed sparse rows, and q sensitive columns.

    Build one with :func:`ratingpriv.read`, :meth:`from_wide` or :meth:`from_long`.

    Attributes
    ----------
    record_ids : polars Series (n_records,), Int64 or String, unique, without nulls; ids as in the data
    issues : names of the p non-sensitive issues
    indptr : int64 (n_records + 1,); the ratings of record i are at ``indptr[i]:indptr[i + 1]``
    indices : int32 (n_ratings,); issue positions, ascending and distinct within a record
    codes : uint8, uint16 or uint32 (n_ratings,); positions in ``levels``
    levels : float64 (n_levels,); the distinct ratings, ascending, finite. ``levels[codes]`` are the ratings
    scale : the Scale, or None where nothing is rated and nothing was declared
    sensitive : the q sensitive columns
    timestamps : polars Series (n_ratings,) aligned with ``codes`` as the data had them, or None
    origin : the Origin
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

    def support(self, record: int) -> NDArray[np.int32]:
        """Positions of the issues that the record at position ``record`` rates, ascending."""
        return self.indices[self.indptr[record] : self.indptr[record + 1]]

    def sensitive_column(self, name: str) -> SensitiveColumn:
        """Return the sensitive column called ``name``; ParameterError if there is none."""
        for column in self.sensitive:
            if column.name == name:
                return column
        known = ", ".join(column.name for column in self.sensitive) or "none"
        raise ParameterError("sensitive", name, f"one of the table's sensitive issues ({known})")

    def __repr__(self) -> str:
        return (
            f"<RatingTable {self.origin.name!r}: {self.n_records} records x {self.n_issues} issues, "
            f"{self.n_ratings} ratings, {len(self.sensitive)} sensitive>"
        )

    # Built from, and turned back into, data frames: see building/conversion.py.

    @classmethod
    def from_wide(
        cls,
        df: Any,
        *,
        id: str | None = None,  # noqa: A002 -- the word of the field, and of --id
        sensitive: Sequence[str] = (),
        drop: Sequence[str] = (),
        scale: tuple[float, float] | None = None,
        name: str = "table",
    ) -> RatingTable:
        """Build a table from a data frame with one row a record and one column an issue.

        Parameters
        ----------
        df : polars, pandas or arrow table; nulls (for pandas also NaN) are "not rated"
        id : the column with the record ids; without it the records are numbered 0..n-1
        sensitive : names of the sensitive columns
        drop : columns to leave out
        scale : (minimum, maximum) of the rating scale; without it, the smallest and largest rating present
        name : the dataset's name in results

        Raises
        ------
        ParameterError, DataError
            A column is missing or not numeric, an id is null or stands twice, a rating is NaN, infinite or
            off the declared scale.
        """
        from ratingpriv.table.building import conversion

        return conversion.table_from_wide(df, id=id, sensitive=sensitive, drop=drop, scale=scale, name=name)

    @classmethod
    def from_long(
        cls,
        df: Any,
        *,
        record: str = "record",
        issue: str = "issue",
        rating: str = "rating",
        timestamp: str | None = None,
        sensitive: Sequence[str] = (),
        drop: Sequence[str] = (),
        scale: tuple[float, float] | None = None,
        name: str = "table",
        duplicates: str = "refuse",
    ) -> RatingTable:
        """Build a table from a data frame with one row a rating.

        Records and issues keep the order of their first row (where the issue column is a polars Enum, a
        pandas categorical or an arrow dictionary: the order of its categories, rated or not). A row whose
        rating is null says that the record and the issue exist, not rated.

        Parameters
        ----------
        df : polars, pandas or arrow table
        record, issue, rating, timestamp : names of its columns
        sensitive : names of issues that are sensitive
        drop : issues to leave out
        scale, name : as in :meth:`from_wide`
        duplicates : what to do with a (record, issue) pair that stands twice: refuse, first, last or mean

        Raises
        ------
        ParameterError, DataError
            As :meth:`from_wide`; also a (record, issue) pair that stands twice.
        """
        from ratingpriv.table.building import conversion

        return conversion.table_from_long(
            df, record=record, issue=issue, rating=rating, timestamp=timestamp,
            sensitive=sensitive, drop=drop, scale=scale, name=name, duplicates=duplicates,
        )  # fmt: skip

    def to_wide(self, kind: str | None = None) -> Any:
        """Return one row a record, one column an issue (sensitive ones included), null where not rated.

        ``kind`` is polars, pandas or arrow; without it, the kind the table was built from (else polars).
        Timestamps have no place in this layout.
        """
        from ratingpriv.table.building import conversion

        return conversion.wide_frame(self, kind)

    def to_long(self, kind: str | None = None) -> Any:
        """Return one row a rating (sensitive ones included), in the order of records and issues.

        A record without any rating gets one row with a null rating, so that nothing is lost.
        ``kind`` is polars, pandas or arrow; without it, the kind the table was built from (else polars).
        """
        from ratingpriv.table.building import conversion

        return conversion.long_frame(self, kind)

    def select_issues(
        self, spec: str | Sequence[str], *, rng: int | np.random.Generator | None = None
    ) -> RatingTable:
        """Keep only some non-sensitive issues; all records and sensitive columns stay.

        ``spec`` is a list of names, or text: ``a,b,c``, ``top:20`` (the most rated; ties by position),
        ``random:20:SEED``, or ``@file`` with a name a line. ``rng`` serves ``random:20`` without a seed.
        """
        from ratingpriv.table import selection

        return selection.select_issues(self, spec, rng)

    def sample(self, amount: float, *, rng: int | np.random.Generator | None = None) -> RatingTable:
        """Keep a uniform random sample of the records, in data order.

        ``amount`` is a number of records (a whole number >= 1) or a fraction of them (between 0 and 1).
        """
        from ratingpriv.table import selection

        return selection.sample(self, amount, rng)

    def take(self, positions: NDArray[np.int64]) -> RatingTable:
        """Keep the records at ``positions`` (distinct, 0..n-1), in that order."""
        from ratingpriv.table import selection

        return selection.take(self, positions)

    def drop(self, names: Sequence[str]) -> RatingTable:
        """Leave out issues, sensitive or not, by name; ParameterError for a name that is not there."""
        from ratingpriv.table import selection

        return selection.drop(self, names)

    def replace(self, **changes: Any) -> RatingTable:
        """Return a copy with some attributes replaced (names as in the class docstring)."""
        return dataclasses.replace(self, **changes)
