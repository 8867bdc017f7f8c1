"""Groups of at least k records that are cliques, with least scatter: who answered alike is together.

Farthest first [Domingo-Ferrer and Mateo-Sanz, TKDE 2002]: the record farthest from the mean takes those that
are nearest and keep the group a clique, until they are k.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.near.answers import Answers, Compared, scatter

NULLS = ("exchange", "fill", "strict")
"""exchange, fill: a missing answer matches anything; strict: a group's records have the same ones missing."""

type Judge = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""Takes labels, int64 (n,), of groups 0..m-1, and says of each whether it meets what is asked, bool (m,)."""


@dataclass(frozen=True, slots=True, eq=False)
class NearGroups:
    """Groups of records that answered alike.

    Attributes
    ----------
    groups : disjoint cliques of at least k records; who is in none is left out
    scatter : the squares within groups as a share of all squares, over those who are in a group: 0 to 1
    k, epsilon, nulls : what was asked
    """

    groups: Groups
    scatter: float
    k: int
    epsilon: float
    nulls: str

    @property
    def labels(self) -> NDArray[np.int64]:
        """The group of each record, int64 (n,), 0..count-1 by their first records; -1: left out."""
        return self.groups.labels

    @property
    def left_out(self) -> int:
        """How many records are in no group: none, or at least k."""
        return len(self.groups.unplaced)

    @property
    def left_out_share(self) -> float:
        """The same as a share of all records."""
        return self.left_out / max(len(self.labels), 1)

    def __repr__(self) -> str:
        return (
            f"<NearGroups k={self.k}, ε={in_full(self.epsilon)}: {self.groups.count} groups, scatter "
            f"{self.scatter:.3g}, {self.left_out} left out>"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What every group shall meet on every sensitive column, as an audit asks it of neighbourhoods."""

    max_share: float | None = None
    distinct: int | None = None
    entropy: float | None = None
    l: float | None = None  # noqa: E741 -- the theory's word
    sensitive_nulls: str = "paper"
    judge: Judge | None = None


def near_groups(
    table: RatingTable,
    k: int,
    epsilon: float,
    *,
    nulls: str = "exchange",
    max_share: float | None = None,
    distinct: int | None = None,
    entropy: float | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    sensitive_nulls: str = "paper",
    judge: Judge | None = None,
    withhold_at_most: float = 0.5,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> NearGroups:
    """Put the records of ``table`` into cliques of at least ``k`` with little scatter.

    In each group any two known values of an item differ by at most ``epsilon``, of a quasi-identifier by what
    its rule allows. Nothing is drawn: the same data give the same groups. That a record is left out is no
    proof that it has to be.

    Parameters
    ----------
    table : the ratings
    k : records of a group at least, >= 2
    epsilon : the largest distance >= 0 of two ratings of an item in a group
    nulls : "exchange" or "fill": a missing value matches anything; "strict": all of a group have the same
        values missing
    max_share, distinct, entropy, l, sensitive_nulls : what every group shall meet on every sensitive issue,
        as in :func:`ratingpriv.audit`
    judge : asked at the end which groups are good; those that are not are left out
    withhold_at_most : the share of records that may be left out
    threads, memory, progress : as in :func:`ratingpriv.partition`

    Raises
    ------
    ParameterError
        An argument is out of range; there are fewer than 2k records; more are left out than may be.
    ResourceError
        A matrix of records and items does not fit the memory.
    """
    target = Target(k=k, epsilon=epsilon, l=l, sensitive_nulls=sensitive_nulls)
    checks.whole_number("k", k, 2)
    checks.choice("nulls", nulls, NULLS)
    most = checks.non_negative_number("withhold_at_most", withhold_at_most)
    demands = Demands(
        max_share=max_share, distinct=distinct, entropy=entropy, l=l, sensitive_nulls=sensitive_nulls,
        judge=judge,
    )  # fmt: skip
    if table.n_records < 2 * target.k:
        expected = f"at least {2 * target.k} records, twice `k`: one group alone hides nothing in others"
        raise ParameterError("table", f"{table.n_records} records", expected, "ask for a smaller `k`")
    found = grouped(table, target, nulls, demands, Resources(threads, memory, progress))
    if found.left_out_share > most:
        expected = f"at most {most:.4g} of the records left out, not {found.left_out_share:.3f}"
        raise ParameterError("epsilon", epsilon, expected, "ask for a larger `epsilon`, or fewer items")
    return found


def grouped(
    table: RatingTable, target: Target, nulls: str, demands: Demands, resources: Resources
) -> NearGroups:
    """Make the groups, whatever is left out."""
    compared = Compared.of(
        table, target.epsilon, "strict" if nulls == "strict" else "wildcard", resources.memory
    )
    labels, first = np.full(table.n_records, -1, dtype=np.int64), 0
    for records in compared.parts():
        own = _grown(compared.answers.of(records), target.k)
        labels[records] = np.where(own >= 0, own + first, -1)
        first += int(own.max(initial=-1)) + 1
        resources.report("making groups", len(records), table.n_records)
    groups = _enough_left_out(Groups.of_labels(labels), target.k)
    return NearGroups(groups, scatter(compared.answers, groups.labels), target.k, target.epsilon, nulls)


def _enough_left_out(groups: Groups, k: int) -> Groups:
    """Leave nobody out, or at least k: by leaving a whole group out."""
    if 0 < len(groups.unplaced) < k and groups.count:
        smallest = int(np.argmin(groups.sizes))
        return Groups.of_labels(np.where(groups.labels == smallest, -1, groups.labels))
    return groups


def _grown(answers: Answers, k: int) -> NDArray[np.int64]:
    """Grow groups farthest first, then let who is left join."""
    codes, numbers, reach = answers
    n, p = codes.shape
    labels = np.full(n, -1, dtype=np.int64)
    boxes: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def fits(low: NDArray[np.int64], high: NDArray[np.int64], j: int) -> bool:
        known = codes[j] >= 0
        least = np.where(known, np.minimum(low, codes[j]), low)
        most = np.where(known, np.maximum(high, codes[j]), high)
        some = most >= 0
        return bool(np.all(most[some] <= reach[least[some]]))

    def add(low: NDArray[np.int64], high: NDArray[np.int64], j: int) -> None:
        known = codes[j] >= 0
        low[known] = np.minimum(low, codes[j])[known]
        high[known] = np.maximum(high, codes[j])[known]

    for seed in np.argsort(-(numbers**2).sum(axis=1), kind="stable").tolist():
        if labels[seed] >= 0:
            continue
        free = np.flatnonzero(labels < 0)
        free = free[free != seed]
        low, high = np.full(p, len(reach), dtype=np.int64), np.full(p, -1, dtype=np.int64)
        add(low, high, seed)
        members = [seed]
        for j in free[np.argsort(((numbers[free] - numbers[seed]) ** 2).sum(axis=1), kind="stable")].tolist():
            if len(members) == k:
                break
            if fits(low, high, j):
                add(low, high, j)
                members.append(j)
        if len(members) == k:
            labels[members] = len(boxes)
            boxes.append((low, high))
    for j in np.flatnonzero(labels < 0).tolist():
        group = next((g for g, box in enumerate(boxes) if fits(*box, j)), None)
        if group is not None:
            labels[j] = group
            add(*boxes[group], j)
    return labels
