"""What the driver finds out and decides, once, before any executor compares a record.

A :class:`Profile` is what one pass over the data gives: names, distinct values and how often they occur. The
pure function :func:`compare` makes the :class:`Comparison` of it, by the product's own rules
(:mod:`ratingpriv.comparison`): every step on every executor goes by that one object. Deciding anything anew
in a task would be wrong: which levels are within ε of each other is decided from *all* levels (as decimals,
or as float64), and a task sees some.

Every record becomes two byte strings (:mod:`ratingpriv.spark.rows`):

``key``
    What two records must share to be proximate at all: which issues they rate, where a null separates
    (ε < r), and their codes of the quasi-identifiers that have to be equal, a null being a code of its own.
    The issues are a bitmap where there are at most 256 of them, else an ascending list of positions, in the
    smallest unsigned type that holds them.
``codes``
    What is then compared: the codes of the rated issues in ascending order, and behind them those of the
    quasi-identifiers that may differ, as further issues with a band of codes of their own
    (:mod:`ratingpriv.comparison.fixed_rules`). Code ``c`` is proximate to ``lo[c]..hi[c]``.

Rows of one key have codes of one length, issue under issue. Three cases need less:

* No two levels are further apart than ε: ratings have no place in ``codes``.
* Only equal codes are proximate (ε parts any two levels, as ε = 0 does): they belong to the key, and
  ``codes`` is empty. Wherever it is empty, all records of a key are each other's neighbours.
* ε >= r under ``strict``, any two levels within ε: a null separates no more, and which issues are rated is
  not in the key either. Nulls of quasi-identifiers still separate [ours], and those of the ones that may
  differ are codes of their own.

What is refused, because no key would tell records apart: ``wildcard`` and ``known``, and ε >= r where some
levels are further apart than ε, unless every record rates every issue.

Sensitive values are codes as well: positions among the ascending distinct values of their issue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.comparison.fixed_rules import comparison_table, near_codes
from ratingpriv.comparison.levels import decimal_grid, null_separates
from ratingpriv.errors import ParameterError
from ratingpriv.table import QuasiColumn, RatingTable, Scale
from ratingpriv.table.building.coding import smallest_code_type
from ratingpriv.target import AUDIT_NULL_RULES

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Comparison",
    "Profile",
    "QuasiValues",
    "SensitiveValues",
    "ValueCounts",
    "assembled_schema",
    "compare",
    "long_schema",
    "members_schema",
    "queries_schema",
    "refuse_rule",
    "results_schema",
    "routed_schema",
    "routing_schema",
    "wide_schema",
]

_BITMAP = 256  # up to so many issues, 32 bytes, which of them are rated is a bitmap
_SUM = 2.0**62  # sums of squares stay below it where they are int64


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """A sensitive issue, as a pass over the data found it.

    Attributes
    ----------
    name : the issue
    values : float64 (n_values,); the distinct known values, ascending, finite; of an issue of words their
        positions in ``labels``
    counts : int64 (n_values,); how many records have each
    labels : the words; None for numbers
    """

    name: str
    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class QuasiValues:
    """A quasi-identifier, as a pass over the data found it.

    Attributes
    ----------
    name : the attribute
    values : its distinct known values: words, or numbers (float64, ascending, finite)
    within : None: two records must have equal values; else the most by which they may differ
    recoded : how the values were made of what the data have, in words; empty: as read
    """

    name: str
    values: tuple[str, ...] | NDArray[np.float64]
    within: float | None = None
    recoded: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What the driver found out in a pass over the data.

    Attributes
    ----------
    issues : names of the p non-sensitive issues, in the data's order
    levels : float64 (n_levels,); the distinct non-sensitive ratings, ascending, finite
    scale : the Scale; None where nothing is rated and nothing was declared
    records : how many records there are, those without any rating included
    ratings : how many non-sensitive ratings there are
    sensitive, quasi : the other columns
    """

    issues: tuple[str, ...]
    levels: NDArray[np.float64]
    scale: Scale | None
    records: int
    ratings: int
    sensitive: tuple[ValueCounts, ...] = ()
    quasi: tuple[QuasiValues, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveValues:
    """A sensitive issue, its values as codes and as numbers to add up.

    The numbers are those of :func:`ratingpriv.proximity.amounts.measure`: value =
    (number + shift) / 10**decimals, integers where the sum of squares over all records fits 63 bits.

    Attributes
    ----------
    name : the issue
    values : float64 (n_values,); ascending; the value of each code
    labels : what each value means, ``labels[int(value)]``; None for numbers
    numbers : int64 or float64 (n_values,)
    shift, decimals : as in :class:`ratingpriv.proximity.moments.SensitiveMoments`
    """

    name: str
    values: NDArray[np.float64]
    labels: tuple[str, ...] | None
    numbers: NDArray[np.int64] | NDArray[np.float64]
    shift: float
    decimals: int

    @classmethod
    def of(cls, found: ValueCounts) -> SensitiveValues:
        """Return the issue with its numbers, chosen from all its values and how often each occurs."""
        values, counts = found.values, found.counts
        grid = decimal_grid(values)
        if grid is not None:
            low = int(grid.numbers.min()) if len(grid.numbers) else 0
            numbers = grid.numbers - low
            if float(np.sum(counts * numbers.astype(np.float64) ** 2)) < _SUM:
                return cls(found.name, values, found.labels, numbers, low, grid.decimals)
        known = np.cumsum(counts)
        shift = float(values[np.searchsorted(known, int(known[-1]) // 2, side="right")])
        return cls(found.name, values, found.labels, values - shift, shift, 0)

    @property
    def exact(self) -> bool:
        """Whether numbers are integers, so that sums and verdicts are exact."""
        return self.numbers.dtype.kind == "i"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """By what every task turns records into keys and codes and compares them; made by :func:`compare`.

    Attributes
    ----------
    issues : names of the p non-sensitive issues
    levels : float64 (n_levels,); the rating of each code below n_levels
    lo, hi : int64 (n_codes,); codes ``lo[c]..hi[c]`` are proximate to code ``c``, those of the
        quasi-identifiers that may differ behind those of ratings
    code_type : the numpy type of a code in bytes, ``uint8``, ``uint16`` or ``uint32``
    by_support : whether the key says which issues are rated
    rated : whether ratings are compared at all; False: any two are within ε
    identical : whether only equal codes are proximate: they are part of the key then
    complete : whether every record rates every issue, as it must where nulls have no meaning here
    equal_quasi, moving_quasi : the quasi-identifiers that have to be equal, and that may differ
    first_code : int64 (n_moving,); the code of the first value of each of ``moving_quasi``
    null_code : int64 (n_moving,); the code of a null of each; -1: its place is empty, as an unrated issue's
    sensitive : the sensitive issues
    entropy : L, where entropies are to be compared with log L; None: not asked
    records : how many records there are: no neighbourhood is larger
    """

    issues: tuple[str, ...]
    levels: NDArray[np.float64]
    lo: NDArray[np.int64]
    hi: NDArray[np.int64]
    code_type: str
    by_support: bool
    rated: bool
    identical: bool
    complete: bool
    equal_quasi: tuple[QuasiValues, ...]
    moving_quasi: tuple[QuasiValues, ...]
    first_code: NDArray[np.int64]
    null_code: NDArray[np.int64]
    sensitive: tuple[SensitiveValues, ...]
    entropy: Fraction | None
    records: int

    @property
    def n_places(self) -> int:
        """How many issues there are, the quasi-identifiers that may differ included."""
        return len(self.issues) + len(self.moving_quasi)

    @property
    def by_bitmap(self) -> bool:
        """Whether a key says by a bitmap which issues are rated (else by a list)."""
        return self.n_places <= _BITMAP

    @property
    def place_type(self) -> np.dtype[Any]:
        """The type of a position in such a list."""
        return smallest_code_type(self.n_places)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of an input in the order in which it numbers them: issues, quasi, sensitive.

        Of the quasi-identifiers those that have to be equal come first.
        """
        return (
            *self.issues,
            *(one.name for one in self.equal_quasi),
            *(one.name for one in self.moving_quasi),
            *(one.name for one in self.sensitive),
        )


def refuse_rule(epsilon: float, nulls: str, entropy: Fraction | None = None) -> None:
    """Refuse, before a long read, what :func:`compare` refuses whatever the data are."""
    compare(Profile((), np.empty(0), None, 0, 0), epsilon, nulls, entropy)


def compare(
    profile: Profile, epsilon: float, nulls: str = "strict", entropy: Fraction | None = None
) -> Comparison:
    """Decide by what records are compared, from everything that is known of the data.

    Parameters
    ----------
    profile : what a pass over the data found
    epsilon : largest rating distance on any issue, >= 0, in units of the ratings
    nulls : "strict"; the other rules are refused
    entropy : an L >= 1: decide exactly which entropies of sensitive values are at least log L

    Raises
    ------
    ParameterError
        The rule is not ``strict``, or a null separates no records (ε >= r), some levels are further apart
        than ε and some record leaves an issue unrated: no key would tell records apart.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    checks.choice("nulls", nulls, AUDIT_NULL_RULES)
    if nulls != "strict":
        raise ParameterError(
            "nulls", nulls, "strict, the one rule by which Spark compares",
            f"under {nulls} a null matches anything, so that nothing tells apart which records can meet, and "
            "all would have to be compared with all: audit the table on one machine, or a sample of it",
        )  # fmt: skip
    moving = tuple(one for one in profile.quasi if one.within is not None)
    table = _empty_table(profile, moving)
    separates = null_separates(profile.scale, epsilon, nulls)
    lo, hi = near_codes(comparison_table(table, epsilon, nulls), epsilon)
    levels = len(profile.levels)
    complete = not separates and profile.ratings == profile.records * len(profile.issues)
    rated = not (levels == 0 or (lo[0] == 0 and hi[0] == levels - 1))
    if rated and not separates and not complete:
        most, least = float(profile.levels[-1]), float(profile.levels[0])
        raise ParameterError(
            "epsilon", epsilon,
            f"an ε below {_maximum(profile.scale):g}, the scale's maximum, or of at least "
            f"{most - least:g}, the distance of the ratings {least:g} and {most:g}",
            "from the scale's maximum on an unanswered question keeps nobody apart, and nothing tells apart "
            "which records can meet: audit the table on one machine, or choose another ε",
        )  # fmt: skip
    if not rated:
        lo, hi = lo[levels:] - levels, hi[levels:] - levels
    sizes = np.array([len(one.values) + (not separates) for one in moving], dtype=np.int64)
    first = np.cumsum(sizes) - sizes + (levels if rated else 0)
    identical = bool(np.array_equal(lo, hi)) and (rated or bool(moving))
    return Comparison(
        issues=profile.issues,
        levels=profile.levels,
        lo=lo,
        hi=hi,
        code_type=smallest_code_type(len(lo)).name,
        by_support=separates,
        rated=rated,
        identical=identical,
        complete=complete and rated,
        equal_quasi=tuple(one for one in profile.quasi if one.within is None),
        moving_quasi=moving,
        first_code=first,
        null_code=np.full(len(moving), -1) if separates else first + sizes - 1,
        sensitive=tuple(map(SensitiveValues.of, profile.sensitive)),
        entropy=entropy,
        records=profile.records,
    )


def _maximum(scale: Scale | None) -> float:
    return 0.0 if scale is None else float(scale.maximum)


def _empty_table(profile: Profile, moving: Sequence[QuasiValues]) -> RatingTable:
    """Return a table without records that has the levels, the scale and the columns that may differ."""
    nobody = np.empty(0, dtype=np.int32)
    return RatingTable(
        record_ids=pl.Series("record", [], dtype=pl.String),
        issues=profile.issues,
        indptr=np.zeros(1, dtype=np.int64),
        indices=np.empty(0, dtype=np.int32),
        codes=np.empty(0, dtype=smallest_code_type(len(profile.levels))),
        levels=profile.levels.copy(),
        scale=profile.scale,
        quasi=tuple(
            QuasiColumn(one.name, nobody, pl.Series(list(one.values), dtype=pl.Float64), one.within)
            for one in moving
        ),
    )


def long_schema() -> pa.Schema:
    """Return the schema of assembling's input by rating, sorted by record and issue.

    ``issue`` is a position in :attr:`Comparison.columns`; a row where it is null says that the record exists.
    ``rating`` is the value, of columns of words the word's position; null: not rated.
    """
    import pyarrow as pa

    return pa.schema([("record", pa.string()), ("issue", pa.int32()), ("rating", pa.float64())])


def wide_schema(comparison: Comparison) -> pa.Schema:
    """Return the schema of assembling's input by record: ``record``, and ``c0``, ``c1``, … double.

    They are :attr:`Comparison.columns` in their order. A column of words may hold the words themselves.
    """
    import pyarrow as pa

    columns = [(f"c{number}", pa.float64()) for number in range(len(comparison.columns))]
    return pa.schema([("record", pa.string()), *columns])


def assembled_schema(comparison: Comparison) -> pa.Schema:
    """Return the schema of a record: its id, ``key``, ``codes``, and a code for each sensitive issue."""
    import pyarrow as pa

    return pa.schema([("record", pa.string()), *_row(comparison)])


def members_schema(comparison: Comparison) -> pa.Schema:
    """Return the schema of records that are equal in everything: ``weight`` of them."""
    import pyarrow as pa

    return pa.schema([*_row(comparison), ("weight", pa.int64())])


def queries_schema() -> pa.Schema:
    """Return the schema of records that are compared alike: ``weight`` of them."""
    import pyarrow as pa

    return pa.schema([("key", pa.binary()), ("codes", pa.binary()), ("weight", pa.int64())])


def routing_schema(comparison: Comparison) -> pa.Schema:
    """Return the schema of routing's input: queries (``role`` 0, sensitive codes null) and members (1)."""
    import pyarrow as pa

    return pa.schema([
        ("hash", pa.int64()), ("role", pa.int32()), *_row(comparison), ("weight", pa.int64())
    ])  # fmt: skip


def routed_schema(comparison: Comparison) -> pa.Schema:
    """Return the schema of what is shuffled by (hash, cell) and sorted by (hash, cell, role)."""
    import pyarrow as pa

    return pa.schema([
        ("hash", pa.int64()), ("cell", pa.int32()), ("role", pa.int32()),
        *_row(comparison), ("weight", pa.int64()),
    ])  # fmt: skip


def results_schema(comparison: Comparison) -> pa.Schema:
    """Return the schema of results, a row for each query.

    ``size`` is |N(t)|. For the sensitive issue j: ``known{j}``, ``sums{j}`` and ``squares{j}`` (of numbers as
    in :class:`SensitiveValues`), ``largest{j}``, ``distinct{j}``, ``entropy{j}`` as in
    :mod:`ratingpriv.proximity.moments` and :mod:`ratingpriv.proximity.counts`; ``reaches{j}`` where an L was
    asked (else null); ``least{j}``, the counts in ascending order without their common divisor, at one query
    of each such list whose entropy is the least of those found beside it, up to what float64 can tell apart
    (else null).
    """
    import pyarrow as pa

    fields = [("key", pa.binary()), ("codes", pa.binary()), ("weight", pa.int64()), ("size", pa.int64())]
    for j, column in enumerate(comparison.sensitive):
        number = pa.int64() if column.exact else pa.float64()
        fields += [
            (f"known{j}", pa.int64()), (f"sums{j}", number), (f"squares{j}", number),
            (f"largest{j}", pa.int64()), (f"distinct{j}", pa.int64()), (f"entropy{j}", pa.float64()),
            (f"reaches{j}", pa.bool_()), (f"least{j}", pa.list_(pa.int64())),
        ]  # fmt: skip
    return pa.schema(fields)


def _row(comparison: Comparison) -> list[tuple[str, Any]]:
    import pyarrow as pa

    sensitive = [(f"s{j}", pa.int32()) for j in range(len(comparison.sensitive))]
    return [("key", pa.binary()), ("codes", pa.binary()), *sensitive]
