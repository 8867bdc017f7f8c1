"""Groups as they are made of a table, whatever they leave out: nobody, or at least k."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self, Unpack

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.near.answers import Compared, scatter
from ratingpriv.partition.near.arrays import Answers
from ratingpriv.partition.near.demands import Demands, Judge
from ratingpriv.partition.near.grouping import make_groups
from ratingpriv.proximity.demands import DemandWords

NULLS = ("exchange", "fill", "strict")
"""exchange, fill: a missing answer matches anything; strict: a group's records have the same ones
missing.
"""


@dataclass(frozen=True, slots=True)
class NearGrouping:
    """What groups are asked for, checked when it is made.

    Attributes
    ----------
    target : how many records a group has at least, and within which ε
    nulls : one of NULLS
    demands : what each group shall meet beside
    resources : what making them may use
    give_up_beyond : TargetNotReachedError where more records are in no group once groups are grown,
        before the others are found a place; None: they are made to the end
    """

    target: Target
    nulls: str
    demands: Demands
    resources: Resources
    give_up_beyond: int | None = None

    def __post_init__(self) -> None:
        """Check the rule for missing values."""
        checks.choice("nulls", self.nulls, NULLS)

    @classmethod
    def of(
        cls,
        k: int,
        epsilon: float,
        *,
        nulls: str = "exchange",
        l: float | None = None,  # noqa: E741 -- the theory's word
        sensitive_nulls: str = "paper",
        judge: Judge | None = None,
        give_up_beyond: int | None = None,
        threads: int | None = None,
        memory: int | None = None,
        progress: Progress | None = None,
        **words: Unpack[DemandWords],
    ) -> Self:
        """Return the grouping of these parameters, see :func:`ratingpriv.partition.near_groups`."""
        demands = Demands(l=l, sensitive_nulls=sensitive_nulls, judge=judge, **words)
        target = Target(k=k, epsilon=epsilon, l=l, sensitive_nulls=sensitive_nulls)
        return cls(target, nulls, demands, Resources(threads, memory, progress), give_up_beyond)

    def at(self, epsilon: float) -> Self:
        """Return the same at another ε."""
        return replace(self, target=replace(self.target, epsilon=epsilon))

    def refuse_impossible(self, table: RatingTable) -> None:
        """Refuse groups of one, a table of fewer than 2k records,
        and what no groups of it can meet.

        ParameterError.
        """
        k = self.target.k
        if k == 1:
            raise ParameterError("k", k, "at least 2: a group of one is the record itself")
        if table.n_records < 2 * k:
            expected = (
                f"at least {2 * k} records, twice `k`: with one group there is nothing to choose"
            )
            raise ParameterError(
                "table", f"{table.n_records} records", expected, "ask for a smaller `k`"
            )
        self.demands.refuse_impossible(table)


@dataclass(frozen=True, slots=True, eq=False)
class NearGroups:
    """Groups of records that answered alike.

    Attributes
    ----------
    groups : disjoint cliques of at least k records; who is in none is left out
    scatter : the squares within groups as a share of all squares, over those who are in a group: 0
        to 1
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
            f"<NearGroups k={self.k}, ε={in_full(self.epsilon)}: {self.groups.count} groups, "
            f"scatter {self.scatter:.3g}, {self.left_out} suppressed>"
        )


def comparing_rule(nulls: str) -> str:
    """Return the rule by which records are compared."""
    return "strict" if nulls == "strict" else "wildcard"


def made(table: RatingTable, grouping: NearGrouping) -> NearGroups:
    """Make groups as they are asked for; TargetNotReachedError as ``give_up_beyond`` says."""
    target, demands, resources = grouping.target, grouping.demands, grouping.resources
    compared = Compared.of(table, target.epsilon, comparing_rule(grouping.nulls), resources.memory)
    resources.report("making groups", 0, table.n_records)
    requested = demands.asked(table, target.k)
    labels, first = np.full(table.n_records, -1, dtype=np.int64), 0
    beyond = np.inf if grouping.give_up_beyond is None else grouping.give_up_beyond
    out = 0
    for records in compared.parts():
        if len(records) < target.k:
            out += len(records)
            continue
        answers, of_part = compared.answers.of(records), requested.of(records)
        groups_made = make_groups(
            answers, of_part, table.n_records, resources, give_up_beyond=beyond - out
        )
        if isinstance(groups_made, int):
            out += groups_made
            break
        out += int(np.count_nonzero(groups_made < 0))
        labels[records] = np.where(groups_made >= 0, groups_made + first, -1)
        first += int(groups_made.max(initial=-1)) + 1
    if out > beyond:
        reason = (
            f"given up: {out:,} of {table.n_records:,} records are in no group once groups "
            f"are grown"
        )
        raise TargetNotReachedError(reason, None)
    groups = demands.without(table, Groups.of_labels(labels))
    groups = _left_out(groups, target.k, compared.answers)
    if not bool(demands.met(table, groups).all()):  # a group that has lost some
        groups = _whole_left_out(demands.without(table, groups), target.k)
    spread = scatter(compared.answers, groups.labels)
    return NearGroups(groups, spread, target.k, target.epsilon, grouping.nulls)


def _left_out(groups: Groups, k: int, answers: Answers) -> Groups:
    """Leave nobody out, or at least k: two files that differ by fewer people tell of these.

    Those farthest from the means of groups of more than k go, too; where these have too few, a
    whole group.
    """
    missing = k - len(groups.unplaced)
    sizes = groups.sizes
    if missing in (0, k) or missing < 0 or groups.count == 0:
        return groups
    if int((sizes - k).sum()) < missing:
        return _whole_left_out(groups, k)
    present = answers.codes >= 0
    placed = np.flatnonzero(groups.labels >= 0)
    of = groups.labels[placed]
    sums, counts = (np.zeros((groups.count, present.shape[1])) for _ in range(2))
    np.add.at(sums, of, answers.numbers[placed])
    np.add.at(counts, of, present[placed])
    means = sums / np.maximum(counts, 1)
    far = (((answers.numbers[placed] - means[of]) * present[placed]) ** 2).sum(axis=1)
    labels = groups.labels.copy()
    for t in placed[np.argsort(-far, kind="stable")].tolist():
        if missing and sizes[labels[t]] > k:
            sizes[labels[t]] -= 1
            labels[t] = -1
            missing -= 1
    return Groups.of_labels(labels)


def _whole_left_out(groups: Groups, k: int) -> Groups:
    """Leave the smallest group out where fewer than k are, and somebody is."""
    if 0 < len(groups.unplaced) < k and groups.count:
        smallest = int(np.argmin(groups.sizes))
        return Groups.of_labels(np.where(groups.labels == smallest, -1, groups.labels))
    return groups
