"""What every group shall meet beside its size, on every sensitive column."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full, rounded_down
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.partition.greedy.greedy import sensitive_needs
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.near.arrays import Asked
from ratingpriv.proximity.amounts import label_moments, measure
from ratingpriv.proximity.counts import CountsBuilder, SensitiveCounts

type Judge = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""Takes labels, int64 (n,), of groups 0..m-1, and says of each whether it meets what is asked, bool (m,)."""

_MOST = 4  # times k is how large a group may grow


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What every group shall meet on every sensitive column, as an audit asks it of neighbourhoods.

    Attributes
    ----------
    max_share : the share of the known values that one value may have, above 0 and at most 1
    distinct : how many distinct known values there shall be, >= 1
    entropy : L >= 1; the entropy of the known values shall be at least log L
    l : the SD that numbers shall have, >= 0, with nulls counted by ``sensitive_nulls``
    judge : asked of finished groups, with all else
    """

    max_share: float | None = None
    distinct: int | None = None
    entropy: float | None = None
    l: float | None = None  # noqa: E741 -- the theory's word
    sensitive_nulls: str = "paper"
    judge: Judge | None = None

    def __post_init__(self) -> None:
        """Check every value."""
        if (
            self.max_share is not None
            and not 0 < checks.non_negative_number("max_share", self.max_share) <= 1
        ):
            raise ParameterError("max_share", self.max_share, "a share above 0 and at most 1")
        if self.distinct is not None:
            checks.whole_number("distinct", self.distinct, 1)
        if self.entropy is not None and checks.non_negative_number("entropy", self.entropy) < 1:
            raise ParameterError("entropy", self.entropy, "a finite number >= 1")
        if self.l is not None:
            checks.sd_bound("l", self.l)
        checks.choice("sensitive_nulls", self.sensitive_nulls, SENSITIVE_NULLS)
        if self.judge is not None:
            checks.function("judge", self.judge)

    @property
    def _counted(self) -> dict[str, float]:
        """What is asked of how often values occur."""
        said = {"max_share": self.max_share, "distinct": self.distinct, "entropy": self.entropy}
        return {name: value for name, value in said.items() if value is not None}

    def refuse_impossible(self, table: RatingTable) -> None:
        """Refuse what no groups of these data can meet: ParameterError.

        Where one value has a larger share of all than a group may give it, some group has it, too.
        """
        for name, value in self._counted.items():
            if not table.sensitive:
                remedy = f"name one with `sensitive`, or leave `{name}` out"
                raise ParameterError(name, value, "data with a sensitive issue", remedy)
        for column in table.sensitive if self._counted else ():
            values = column.values[column.present]
            counts = np.unique(values, return_counts=True)[1]
            if not len(counts):
                continue
            share = Fraction(int(counts.max()), len(values))
            if self.max_share is not None and share > _exact(self.max_share):
                expected = f"at least the share of the commonest value of {column.name} in all records"
                remedy = f"{in_full(math.ceil(float(share) * 1000) / 1000)} is above it"
                raise ParameterError("max_share", self.max_share, expected, remedy)
            if self.distinct is not None and len(counts) < self.distinct:
                expected = f"at most the {len(counts)} values that {column.name} has"
                raise ParameterError("distinct", self.distinct, expected)
            if self.entropy is not None and len(counts) < self.entropy:
                expected = f"at most {rounded_down(len(counts))}, the values that {column.name} has"
                raise ParameterError("entropy", self.entropy, expected)

    def asked(self, table: RatingTable, k: int) -> Asked:
        """Return what kernels hold groups to: a hair less than what is asked."""
        columns = table.sensitive if self._counted else ()
        values = np.full((len(columns), table.n_records), -1, dtype=np.int32)
        for q, column in enumerate(columns):
            values[q, column.present] = np.unique(column.values[column.present], return_inverse=True)[1]
        return Asked(
            k,
            _MOST * k,
            values,
            1.0 if self.max_share is None else float(self.max_share),
            int(self.distinct or 0),
            0.0 if self.entropy is None else math.log2(self.entropy),
            sensitive_needs(table, self.l, self.sensitive_nulls),
        )

    def met(self, table: RatingTable, groups: Groups) -> NDArray[np.bool_]:
        """Return whether each group meets everything, exactly; bool (count,)."""
        good = np.ones(groups.count, dtype=np.bool_)
        if groups.count == 0:
            return good
        for column in table.sensitive if self._counted else ():
            counts = _counts(column, groups, None if self.entropy is None else _exact(self.entropy))
            if self.max_share is not None:
                good &= ~counts.share_above(_exact(self.max_share))
            if self.distinct is not None:
                good &= (counts.known == 0) | (counts.distinct >= self.distinct)
            if self.entropy is not None:
                good &= counts.entropy_reached()
        for column in table.numeric_sensitive if self.l is not None else ():
            moments = label_moments(measure(column), groups.labels, groups.count)
            good &= moments.at_least(float(self.l or 0), groups.sizes, self.sensitive_nulls)
        if self.judge is not None:
            good &= np.asarray(self.judge(groups.labels), dtype=np.bool_)
        return good

    def without(self, table: RatingTable, groups: Groups) -> Groups:
        """Return ``groups`` without those that do not meet everything."""
        good = np.append(self.met(table, groups), True)
        return Groups.of_labels(np.where(good[groups.labels], groups.labels, -1))


def _exact(number: float) -> Fraction:
    """Return a float64 as the decimal that it prints as."""
    return Fraction(Decimal(repr(float(number))))


def _counts(column: SensitiveColumn, groups: Groups, entropy: Fraction | None) -> SensitiveCounts:
    """Count the known values of a column in every group."""
    builder = CountsBuilder(column.name, groups.count, len(groups.labels), entropy)
    here = column.present & (groups.labels >= 0)
    values, of = column.values[here], groups.labels[here]
    if len(of):
        number = np.unique(values, return_inverse=True)[1].astype(np.int64)
        cells, times = np.unique(of * (number.max() + 1) + number, return_counts=True)
        builder.add_sparse(np.arange(groups.count), cells // (number.max() + 1), times)
    return builder.result(np.arange(groups.count))
