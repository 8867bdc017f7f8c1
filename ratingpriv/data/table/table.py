"""RatingTable: records x issues, sparse, with presence that is structural and never "non-zero".

Implements the data model of [SWLZ11, §4] and its flag matrix [SWLZ11, Def. 5.2]: a rating is there
or it is not; 0 and negative numbers are ratings like any other. Inside, records and issues are
positions 0..n-1 and 0..p-1; ids and names appear only at the edges.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.display import Displayed
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table.building import conversion
from ratingpriv.data.table.building.finishing import Handling
from ratingpriv.data.table.parts import EVERY_ISSUE, Parts, SensitiveColumn
from ratingpriv.data.table.selection import Selecting

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class RatingTable(Displayed, Selecting):
    """Immutable ratings of n records on p issues, as compressed sparse rows,
    and q sensitive columns.

    Build one with :func:`ratingpriv.read`, :meth:`from_wide` or :meth:`from_long`.

    Attributes
    ----------
    record_ids : polars Series (n_records,), Int64 or String, unique, without nulls; ids as in the
        data
    issues : names of the p non-sensitive issues
    indptr : int64 (n_records + 1,); the ratings of record i are at ``indptr[i]:indptr[i + 1]``
    indices : int32 (n_ratings,); issue positions, ascending and distinct within a record. Made when
        first asked for, where the table was built from columns and every record rates every issue
    codes : uint8, uint16 or uint32 (n_ratings,); positions in ``levels``
    levels : float64 (n_levels,); the distinct ratings, ascending, finite. ``levels[codes]`` are the
        ratings
    scale : the Scale, or None where nothing is rated and nothing was declared
    sensitive : the q sensitive columns
    timestamps : polars Series (n_ratings,) aligned with ``codes`` as the data had them, or None
    origin : the Origin
    selection : the Selection, where issues or records of the data were not selected; None: all are
        there
    quasi : the quasi-identifiers, each a QuasiColumn with a rule of its own; they are no issues
    carried : polars Series (n_records,), columns that are released without an audit
        nevertheless
    roles : the Roles of the data's columns; None where none were declared: plain ratings
    joined : how its records fit those of a file of their attributes; None: there is no such file
    """

    def support(self, record: int) -> NDArray[np.int32]:
        """Positions of the issues that the record at position ``record`` rates, ascending."""
        return self.indices[self.indptr[record] : self.indptr[record + 1]]

    def sensitive_column(self, name: str) -> SensitiveColumn:
        """Return the sensitive column called ``name``; ParameterError if there is none."""
        for column in self.sensitive:
            if column.name == name:
                return column
        names = ", ".join(column.name for column in self.sensitive) or "none"
        raise ParameterError("sensitive", name, f"one of the table's sensitive items ({names})")

    def __repr__(self) -> str:
        return (
            f"<RatingTable {self.origin.name!r}: {self.n_records} records x {self.n_issues} "
            f"items, {self.n_ratings} ratings, {len(self.sensitive)} sensitive"
            + (f", {len(self.quasi)} quasi-identifiers>" if self.quasi else ">")
        )

    @classmethod
    def of(cls, parts: Parts) -> Self:
        """Return the table of these parts; arrays are shared."""
        return cls(**{"indices": EVERY_ISSUE, **vars(parts)})

    @classmethod
    def from_wide(
        cls,
        df: Any,
        *,
        id: str | None = None,  # noqa: A002 -- the word of the field, and of --id
        sensitive: Sequence[str] = (),
        drop: Sequence[str] = (),
        scale: tuple[float, float] | None = None,
        sensitive_scale: Mapping[str, tuple[float, float] | None] | None = None,
        name: str = "table",
    ) -> RatingTable:
        """Build a table from a data frame of one row a record and one column an issue:
        ratings by your word.

        :func:`ratingpriv.read` takes a frame, too, judges its columns as those of a file, and has
        more words.

        Parameters
        ----------
        df : polars, pandas or arrow table; nulls (for pandas also NaN) are "not rated"
        id : the column with the record ids; without it the records are numbered 0..n-1
        sensitive : names of the sensitive columns
        drop : columns to leave out
        scale : (minimum, maximum) of the rating scale, which sensitive ratings are held to as well;
            without it, the smallest and largest non-sensitive rating present
        sensitive_scale : (minimum, maximum) of sensitive columns that have another scale, by name,
            as ``{"pay": (1, 7)}`` (None: any rating will do); holds without ``scale`` too
        name : the dataset's name in results

        Raises
        ------
        ParameterError, DataError
            A column is missing or not numeric, an id is null or duplicated, a rating is NaN,
            infinite or off the declared scale.
        """
        handling = Handling.checked(sensitive, drop, scale, sensitive_scale)
        return cls.of(conversion.from_wide(df, handling, record=id, name=name))

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
        sensitive_scale: Mapping[str, tuple[float, float] | None] | None = None,
        name: str = "table",
        duplicates: str = "refuse",
    ) -> RatingTable:
        """Build a table from a data frame with one row a rating.

        Records and issues keep the order of their first row (where the issue column is a polars
        Enum, a pandas categorical or an arrow dictionary: the order of its categories, rated or
        not). A row whose rating is null says that the record and the issue exist, not rated.

        Parameters
        ----------
        df : polars, pandas or arrow table
        record, issue, rating, timestamp : names of its columns
        sensitive : names of issues that are sensitive
        drop : issues, and further columns, to leave out; a column that nothing names is refused
        scale, sensitive_scale, name : as in :meth:`from_wide`
        duplicates : what to do with a duplicated (record, issue) pair: refuse, first, last or mean

        Raises
        ------
        ParameterError, DataError
            As :meth:`from_wide`; also a duplicated (record, issue) pair, or a further column.
        """
        handling = Handling.checked(sensitive, drop, scale, sensitive_scale, duplicates)
        named = {"record": record, "issue": issue, "rating": rating, "timestamp": timestamp}
        columns = {
            role: checks.text(role, column)
            for role, column in named.items()
            if role != "timestamp" or column is not None
        }
        return cls.of(conversion.from_long(df, columns, handling, name=name))

    @overload
    def to_wide(self, kind: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def to_wide(self, kind: str | None = None) -> Any: ...

    def to_wide(self, kind: str | None = None) -> Any:
        """Return one row a record, one column an issue (sensitive ones included),
        null where not rated.

        ``kind`` is polars, pandas or arrow; without it, the kind the table was built from (else
        polars). Timestamps have no place in this layout.
        """
        return conversion.wide_frame(self, kind)

    @overload
    def to_long(self, kind: Literal["polars"]) -> pl.DataFrame: ...
    @overload
    def to_long(self, kind: str | None = None) -> Any: ...

    def to_long(self, kind: str | None = None) -> Any:
        """Return one row a rating (sensitive ones included), in the order of records and issues.

        A record without any rating gets one row with a null rating, so that nothing is lost.
        ``kind`` is polars, pandas or arrow; without it, the kind the table was built from (else
        polars).
        """
        return conversion.long_frame(self, kind)


def identical_ratings(table: Parts) -> NDArray[np.int64]:
    """Return a number for each record, int64 (n_records,),
    that records with the same ratings share.

    The same issues rated, each with the same rating; all else that a record has is left aside. The
    numbers are 0, 1, … in the order in which they first appear.
    """
    numbers: dict[tuple[bytes, bytes], int] = {}
    return np.fromiter(
        (
            numbers.setdefault(
                (table.indices[a:b].tobytes(), table.codes[a:b].tobytes()), len(numbers)
            )
            for a, b in itertools.pairwise(table.indptr.tolist())
        ),
        dtype=np.int64,
        count=table.n_records,
    )
