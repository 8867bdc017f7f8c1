"""What the driver decides, once, before any executor compares a record.

A :class:`Profile` is what one pass over the data gives: columns, distinct values, how often they
occur. The pure function :func:`compare` makes the :class:`Comparison` of it, by the product's own
rules (:mod:`ratingpriv.proximity`): every step on every executor goes by that one object. Which
levels are within ε of each other is decided from *all* levels, and a task sees some: to decide it
there would be wrong.

A value is a *code*, its position among the ascending distinct values of its column. What has to be
equal for two records to be proximate at all is their *key*; records of one key have equally many
codes, which are compared one by one: code ``c`` is proximate to ``lo[c]..hi[c]``. The codes of
quasi-identifiers that may differ stand behind those of ratings, with a band of their own
(:mod:`ratingpriv.proximity.fixed_rules`).

* Where a null separates (ε < r), which issues are rated is in the key.
* Where no two levels are further apart than ε, ratings are not compared.
* Where only equal codes are proximate (as ε = 0 has it), they are in the key, and nothing is
  compared.
* Where ε ≥ r under ``strict`` a null separates no more; nulls of quasi-identifiers still do [ours],
  and those of the ones that may differ are codes of their own.

What is refused, because no key would tell records apart: ``wildcard`` and ``known``, and ε ≥ r
where some levels are further apart than ε, unless every record rates every issue.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.proximity.counts import Counting, Whole
from ratingpriv.proximity.fixed_rules import comparison_table, near_codes
from ratingpriv.proximity.levels import decimal_grid, null_separates

FEW = 64
"""Values of a sensitive issue with so many or fewer are counted in the join, of others behind
lists.
"""

CODE_BYTES = 24
"""What a code of a row takes in the join, beside :attr:`Comparison.row_bytes`."""

_ROW, _COUNT = 600, 60  # bytes of a row in the join, and of each value that is counted there
_SUM = 2.0**62  # sums of squares stay below it where they are int64


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """A sensitive issue, as a pass over the data found it: its distinct known values, ascending."""

    name: str
    values: NDArray[np.float64]  # (n_values,); of words their positions in ``labels``
    counts: NDArray[np.int64]  # (n_values,), how many records have each
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What the driver found out in a pass over the data."""

    # its levels, scale, roles, columns are those of the data; its records are nobody
    table: RatingTable
    records: int  # those without any rating included
    ratings: int  # non-sensitive ones
    sensitive: tuple[ValueCounts, ...] = ()

    @property
    def equal_quasi(self) -> tuple[QuasiColumn, ...]:
        """The quasi-identifiers that have to be equal."""
        return tuple(column for column in self.table.quasi if column.within is None)

    @property
    def moving_quasi(self) -> tuple[QuasiColumn, ...]:
        """The quasi-identifiers that may differ."""
        return tuple(column for column in self.table.quasi if column.within is not None)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, by their places: issues, equal quasi, moving quasi, sensitive."""
        quasi = (column.name for column in (*self.equal_quasi, *self.moving_quasi))
        return (*self.table.issues, *quasi, *(column.name for column in self.sensitive))


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveValues:
    """A sensitive issue, its values as codes and as numbers to add up.

    The numbers are those of :func:`ratingpriv.proximity.amounts.measure`: value =
    (number + shift) / 10**decimals, integers where the sum of squares over all records fits 63
    bits.
    """

    name: str
    nominal: bool
    numbers: NDArray[np.int64] | NDArray[np.float64]  # (n_values,), by code
    shift: float
    decimals: int
    first: int  # the place of its first value among those of all sensitive issues, from 1 on
    whole: Whole  # how often each occurs in all records

    @classmethod
    def of(cls, counted: ValueCounts, first: int) -> SensitiveValues:
        """Return the issue with its numbers, chosen from all its values
        and how often each occurs.
        """
        values, counts, nominal = counted.values, counted.counts, counted.labels is not None
        everything = Whole(counts.astype(np.int64), not nominal)
        grid = decimal_grid(values)
        if grid is not None:
            low = int(grid.numbers.min()) if len(grid.numbers) else 0
            numbers = grid.numbers - low
            if float(np.sum(counts * numbers.astype(np.float64) ** 2)) < _SUM:
                return cls(counted.name, nominal, numbers, low, grid.decimals, first, everything)
        n_known = np.cumsum(counts)
        shift = float(values[np.searchsorted(n_known, int(n_known[-1]) // 2, side="right")])
        return cls(counted.name, nominal, values - shift, shift, 0, first, everything)

    @property
    def last(self) -> int:
        """The place behind its last value."""
        return self.first + len(self.numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """By what records are compared; made by :func:`compare`."""

    lo: NDArray[np.int64]  # (n_codes,); codes ``lo[c]..hi[c]`` are proximate to code ``c``
    hi: NDArray[np.int64]
    separates: bool  # a null separates: the key says which issues are rated
    rated: bool  # ratings are compared at all; False: any two are within ε
    identical: bool  # only equal codes are proximate: they are part of the key
    # of each quasi-identifier that may differ the code of its first value
    first_code: tuple[int, ...]
    null_code: tuple[int | None, ...]  # the code of a null of each; None where a null separates
    sensitive: tuple[SensitiveValues, ...]
    asked: Counting  # what is decided of sensitive values

    @property
    def few(self) -> NDArray[np.bool_]:
        """Whether what is at each place is counted in the join: records (place 0),
        and few values.
        """
        numbers_few = [
            np.full(len(column.numbers), len(column.numbers) <= FEW) for column in self.sensitive
        ]
        return np.concatenate([np.ones(1, dtype=bool), *numbers_few])

    @property
    def row_bytes(self) -> int:
        """How many bytes are reckoned for a row in the join, its codes left out."""
        return _ROW + _COUNT * int(self.few.sum())


def refuse_rule(nulls: str) -> None:
    """Refuse a null rule under which all records would have to be compared with all."""
    if nulls != "strict":
        raise ParameterError(
            "nulls",
            nulls,
            "strict, the one rule by which Spark compares",
            f"under {nulls} a missing rating matches anything, so all records would have to be "
            "compared: audit the table on one machine, or a sample of it",
        )


def compare(profile: Profile, epsilon: float, asked: Counting | None = None) -> Comparison:
    """Decide by what records are compared, from everything that is known of the data."""
    table, moving = profile.table, profile.moving_quasi
    separates = null_separates(table.scale, epsilon, "strict")
    compared = comparison_table(table.replace(quasi=moving, sensitive=()), epsilon, "strict")
    lo, hi = near_codes(compared, epsilon)
    levels = len(table.levels)
    rated = not (levels == 0 or (lo[0] == 0 and hi[0] == levels - 1))
    if rated and not separates and profile.ratings != profile.records * table.n_issues:
        most, least = float(table.levels[-1]), float(table.levels[0])
        maximum = 0.0 if table.scale is None else float(table.scale.maximum)
        raise ParameterError(
            "epsilon",
            epsilon,
            f"an ε below {maximum:g}, the scale's maximum, or of at least "
            f"{most - least:g}, the distance of the ratings {least:g} and {most:g}",
            "from the scale's maximum on a missing rating separates no records, so all would have "
            "to be compared: audit the table on one machine, or choose another ε",
        )
    if not rated:
        lo, hi = lo[levels:] - levels, hi[levels:] - levels
    first = levels if rated else 0
    first_code: list[int] = []
    null_code: list[int | None] = []
    for column in moving:
        first_code.append(first)
        first += len(column.values)
        null_code.append(None if separates else first)
        first += not separates
    sensitive: list[SensitiveValues] = []
    for values_found in profile.sensitive:
        sensitive.append(SensitiveValues.of(values_found, sensitive[-1].last if sensitive else 1))
    return Comparison(
        lo=lo,
        hi=hi,
        separates=separates,
        rated=rated,
        identical=bool(np.array_equal(lo, hi)) and (rated or bool(moving)),
        first_code=tuple(first_code),
        null_code=tuple(null_code),
        sensitive=tuple(sensitive),
        asked=asked or Counting(),
    )
