"""The strategies by which a partition is searched for, and which of several results is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.components import small_components
from ratingpriv.partition.exact import ExactSolver
from ratingpriv.partition.greedy.adjusting import join_and_borrow, move_along_chains
from ratingpriv.partition.greedy.greedy import Grouping, sensitive_needs
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.partition.index.index import pack_table
from ratingpriv.partition.papers.slicing import prune_and_adjust, slicing
from ratingpriv.partition.result import PartitionParameters

_SEVERAL_ORDERS = 200_000  # records up to which more than one order is tried


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Labels, int64 (n_records,), UNPLACED where in no group; the method; what proves that more cannot be."""

    labels: NDArray[np.int64]
    how: str
    reason: str | None = None


def search(
    table: RatingTable, parameters: PartitionParameters, sizes: NDArray[np.int64], resources: Resources
) -> Found:
    """Search for groups by the method of ``parameters``; ``sizes`` : int64 (n_records,), |N(t)|."""
    if parameters.method == "slicing":
        return _by_slicing(table, parameters, resources)
    if parameters.method == "exact":
        return _by_search(table, parameters, sizes, resources)
    greedily = _Greedily(table, parameters, sizes, resources)
    if parameters.method == "greedy":
        return Found(greedily.plain(parameters.order), f"greedy by {parameters.order}")
    best = greedily.adjusted(parameters.order)
    if parameters.order != "position" and table.n_records > _SEVERAL_ORDERS:
        return best
    orders = ["position", "fewest"] if table.n_records <= _SEVERAL_ORDERS else ["position"]
    for order in orders:
        if order != parameters.order and bool((best.labels == UNPLACED).any()):
            best = _better(best, greedily.adjusted(order), greedily.least)
    if bool((best.labels == UNPLACED).any()):
        best = _solve_small(best, table, parameters, sizes, greedily.least, resources)
    return best


class _Greedily:
    """The greedy in any order, plain or adjusted; ``least`` is what the plain one by position makes."""

    def __init__(
        self,
        table: RatingTable,
        parameters: PartitionParameters,
        sizes: NDArray[np.int64],
        resources: Resources,
    ) -> None:
        self._table, self._parameters, self._sizes, self._resources = table, parameters, sizes, resources
        self._sensitive = sensitive_needs(table, parameters.l, parameters.sensitive_nulls)
        self.least = 0

    def _made(self, order: str) -> tuple[Grouping, NDArray[np.int64]]:
        table, parameters = self._table, self._parameters
        grouping = Grouping(
            pack_table(table, parameters.epsilon, parameters.nulls, parameters.k),
            table.n_records, parameters.k, self._sensitive, self._resources,
        )  # fmt: skip
        seeds = grouping.in_order(self._sizes if order == "fewest" else None, self._sizes)
        grouping.make(seeds, f"making groups by {order}")
        if order == "position":
            self.least = grouping.count
        return grouping, seeds

    def plain(self, order: str) -> NDArray[np.int64]:
        """GREEDY with its JOIN."""
        grouping, seeds = self._made(order)
        grouping.join(seeds, "joining groups")
        return grouping.labels()

    def adjusted(self, order: str) -> Found:
        """GREEDY, then everything that places more records."""
        grouping, seeds = self._made(order)
        join_and_borrow(grouping, seeds)
        labels = grouping.labels()
        if bool((labels == UNPLACED).any()):
            labels = move_along_chains(
                self._table, labels, self._parameters, self._sensitive, self._resources
            )
        return Found(labels, f"greedy by {order}, adjusted")


def _count(labels: NDArray[np.int64]) -> int:
    return len(np.unique(labels[labels >= 0]))


def _better(first: Found, second: Found, least: int) -> Found:
    """Return the find that places everybody, or else more records with at least ``least`` groups."""

    def merit(found: Found) -> tuple[bool, bool, int, int]:
        left, count = int(np.count_nonzero(found.labels == UNPLACED)), _count(found.labels)
        return left == 0, count >= least, -left, count

    return max(first, second, key=merit)


def _solve_small(
    best: Found, table: RatingTable, parameters: PartitionParameters, sizes: NDArray[np.int64], least: int,
    resources: Resources,
) -> Found:  # fmt: skip
    """Search small components with records left over completely; a proof of one is a proof of all."""
    labels, reason, solved, reserve = best.labels.copy(), None, 0, []
    solver = ExactSolver(table, parameters)
    fresh = int(labels.max(initial=-1)) + 1
    components = small_components(table, sizes, parameters.exact_up_to, parameters, resources)
    for members in components:
        if not bool((labels[members] == UNPLACED).any()):
            continue
        solution = solver.solve(members)
        if solution.status == "impossible":
            reason = reason or _no_way(members, parameters)
        elif solution.status == "found":
            solved += 1
            if len(solution.sets) < _count(labels[members]):
                reserve.append((members, solution.sets))  # fewer groups: only if that places everybody
                continue
            fresh = _replace(labels, solution.sets, fresh)
    left = set(np.flatnonzero(labels == UNPLACED).tolist())
    for members, _ in reserve:
        left -= set(members.tolist())
    if (
        not left
        or _count(labels) - sum(_count(labels[members]) - len(sets) for members, sets in reserve) >= least
    ):
        for _, sets in reserve:
            fresh = _replace(labels, sets, fresh)
    how = best.how + (f", {solved} small components by complete search" if solved else "")
    return replace(best, labels=labels, how=how, reason=reason)


def _replace(labels: NDArray[np.int64], sets: tuple[tuple[int, ...], ...], fresh: int) -> int:
    """Give the records of ``sets`` new labels from ``fresh`` on; return the next."""
    for members in sets:
        labels[list(members)] = fresh
        fresh += 1
    return fresh


def _no_way(members: NDArray[np.int64], target: Target) -> str:
    names = ", ".join(f"no. {int(t) + 1}" for t in members[:6])
    more = f" and {len(members) - 6} more" if len(members) > 6 else ""
    model = f"{target.k} or more" + ("" if target.l is None else f" with SDs of at least {target.l:g}")
    return f"complete search: the component of {names}{more} does not fall apart into cliques of {model}"


def _by_slicing(table: RatingTable, parameters: PartitionParameters, resources: Resources) -> Found:
    epsilon, nulls, progress = parameters.epsilon, parameters.nulls, resources.progress
    groups = slicing(table, epsilon, nulls=nulls, threads=resources.threads, progress=progress)
    groups = prune_and_adjust(table, groups, parameters.k, epsilon, nulls=nulls, progress=progress)
    labels = groups.labels.copy()
    placed = labels >= 0
    labels[placed] = np.where(groups.sizes[labels[placed]] >= parameters.k, labels[placed], UNPLACED)
    return Found(labels, "slicing, prune and adjust")


def _by_search(
    table: RatingTable, parameters: PartitionParameters, sizes: NDArray[np.int64], resources: Resources
) -> Found:
    components = small_components(table, sizes, parameters.exact_up_to, parameters, resources)
    inside = sum(map(len, components))
    if inside < table.n_records:
        raise ParameterError(
            "exact_up_to",
            parameters.exact_up_to,
            f"at least the records of the largest component; {table.n_records - inside} records are in "
            "larger ones",
            "use `method='auto'`, or allow more: the search takes exponential time",
        )
    labels, reason, unknown = np.full(table.n_records, UNPLACED, dtype=np.int64), None, 0
    solver, fresh = ExactSolver(table, parameters), 0
    for members in components:
        solution = solver.solve(members)
        if solution.status == "impossible":
            reason = reason or _no_way(members, parameters)
        unknown += solution.status == "unknown"
        fresh = _replace(labels, solution.sets, fresh)
    how = "complete search" + (f"; given up on {unknown} of {len(components)} components" if unknown else "")
    return Found(Groups.of_labels(labels).labels.copy(), how, reason)
