"""What every group shall meet beside its size, on every sensitive column."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.partition.greedy.greedy import sensitive_needs
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.near.arrays import Asked
from ratingpriv.proximity.amounts import label_moments, measure
from ratingpriv.proximity.counting import grouped, valued
from ratingpriv.proximity.counts import Counting, SensitiveCounts
from ratingpriv.proximity.demands import DEMANDS, CountedDemands

type Judge = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""Takes labels, int64 (n,), of groups 0..m-1, and says of each whether it meets what is asked, bool
(m,).
"""

_MOST = 4  # times k is how large a group may grow


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands(CountedDemands):
    """What every group shall meet on every sensitive column, as an audit asks it of neighbourhoods.

    Attributes
    ----------
    l : the SD that numbers shall have, >= 0, with nulls counted by ``sensitive_nulls``
    judge : asked of finished groups, with all else
    """

    l: float | None = None  # noqa: E741 -- the theory's word
    sensitive_nulls: str = "paper"
    judge: Judge | None = None

    def __post_init__(self) -> None:
        """Check every value."""
        self.check_demands()
        if self.l is not None:
            checks.sd_bound("l", self.l)
        checks.choice("sensitive_nulls", self.sensitive_nulls, SENSITIVE_NULLS)
        if self.judge is not None:
            checks.function("judge", self.judge)

    def refuse_impossible(self, table: RatingTable) -> None:
        """Refuse what no groups of these data can meet: ParameterError."""
        for name, value in self.demands.items():
            if not table.sensitive:
                remedy = f"name one with `sensitive`, or leave `{name}` out"
                raise ParameterError(name, value, "data with a sensitive item", remedy)
        for column in table.sensitive if self.demands else ():
            values = column.values[column.present]
            counts = np.unique(values, return_counts=True)[1]
            if not len(counts):
                continue
            for name, value in self.demands.items():
                DEMANDS[name].refuse_impossible(column.name, counts, value)

    def asked(self, table: RatingTable, k: int) -> Asked:
        """Return what kernels hold groups to: a hair less than what is asked."""
        columns = table.sensitive if self.demands else ()
        coded = [valued(column) for column in columns]
        values = np.full((len(coded), table.n_records), -1, dtype=np.int32)
        shares = np.zeros((len(coded), max((one.values for one in coded), default=0)))
        for q, column in enumerate(coded):
            values[q] = column.code
            shares[q, : column.values] = column.whole.counts / max(
                int(column.whole.counts.sum()), 1
            )
        steps = [max(one.values - 1, 1) if one.ordered else 0 for one in coded]
        return Asked(
            k,
            _MOST * k,
            values,
            1.0 if self.largest_share is None else float(self.largest_share),
            int(self.distinct or 0),
            0.0 if self.entropy is None else math.log2(self.entropy),
            1.0 if self.t_closeness is None else float(self.t_closeness),
            shares,
            np.array(steps, dtype=np.float64),
            sensitive_needs(table, self.l, self.sensitive_nulls),
        )

    def met(self, table: RatingTable, groups: Groups) -> NDArray[np.bool_]:
        """Return whether each group meets everything, exactly; bool (count,)."""
        good = np.ones(groups.count, dtype=np.bool_)
        if groups.count == 0:
            return good
        for column in table.sensitive if self.demands else ():
            counts = _counts(column, groups, self.counting)
            for name, value in self.demands.items():
                good &= DEMANDS[name].met(counts, value)
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


def _counts(column: SensitiveColumn, groups: Groups, asked: Counting) -> SensitiveCounts:
    """Count the known values of a column in every group."""
    values = valued(column)
    builder = values.builder(groups.count, asked)
    here, everyone = groups.labels >= 0, np.arange(groups.count)
    code = values.code[here]
    builder.add_sparse(everyone, *grouped(groups.labels[here], code, groups.count, values.values))
    return builder.result(everyone)
