"""The strategies by which a partition is searched for, and which of several results is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.components import small_components
from ratingpriv.partition.exact import ExactSolver
from ratingpriv.partition.greedy.greedy import Grouping, sensitive_needs
from ratingpriv.partition.greedy.listing import Listing
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.partition.index.index import pack_table
from ratingpriv.partition.near.demands import Demands
from ratingpriv.partition.near.made import NearGrouping, made
from ratingpriv.partition.papers.slicing import prune_and_adjust, slicing
from ratingpriv.partition.result import PartitionParameters

NEAR = "near"
"""The order that makes groups with least scatter, instead of as many as can be."""

_SEVERAL_ORDERS = 200_000  # records up to which more than one order is tried


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Labels, int64 (n_records,), UNPLACED where in no group; the method;
    what proves that more cannot be.
    """

    labels: NDArray[np.int64]
    how: str
    reason: str | None = None

    @property
    def left(self) -> int:
        """How many records are in no group."""
        return int(np.count_nonzero(self.labels == UNPLACED))


def search(
    table: RatingTable,
    parameters: PartitionParameters,
    sizes: NDArray[np.int64],
    resources: Resources,
) -> Found:
    """Search for groups by the method of ``parameters``; ``sizes`` : int64 (n_records,), |N(t)|."""
    if parameters.order == NEAR:
        return _near(table, parameters, resources)
    if parameters.method == "slicing":
        epsilon = parameters.epsilon
        rules: dict[str, Any] = {"nulls": parameters.nulls, "progress": resources.progress}
        groups = slicing(table, epsilon, threads=resources.threads, **rules)
        groups = prune_and_adjust(table, groups, parameters.k, epsilon, **rules)
        # the last: of those in none
        enough = np.append(groups.sizes >= parameters.k, False)[groups.labels]
        return Found(np.where(enough, groups.labels, UNPLACED), "slicing, prune and adjust")
    if parameters.method == "exact":
        return _by_search(table, parameters, sizes, resources)
    sensitive = sensitive_needs(table, parameters.l, parameters.sensitive_nulls)

    packed = pack_table(table, parameters.epsilon, parameters.nulls, parameters.k)
    listing = Listing(table, parameters, packed, sizes, resources)

    def made(order: str) -> tuple[Grouping, NDArray[np.int64]]:
        """GREEDY in an order, and its seeds."""
        grouping = Grouping(listing, sensitive)
        seeds = grouping.in_order(sizes if order == "fewest" else None, sizes)
        grouping.make(seeds, f"making groups by {order}")
        return grouping, seeds

    if parameters.method == "greedy":
        grouping, seeds = made(parameters.order)
        grouping.join(seeds, "joining groups")
        return Found(grouping.labels(), f"greedy by {parameters.order}")
    least = 0  # groups that the plain greedy by position makes

    def adjusted(order: str) -> Found:
        """GREEDY, then everything that places more records."""
        nonlocal least
        grouping, seeds = made(order)
        least = grouping.count if order == "position" else least
        grouping.join_and_borrow(seeds)
        return Found(grouping.labels(), f"greedy by {order}, adjusted")

    def merit(found: Found) -> tuple[bool, bool, int, int]:
        """Whether it places everybody, or else has ``least`` groups.

        How many it places, in how many.
        """
        count = _count(found.labels)
        return found.left == 0, count >= least, -found.left, count

    best, large = adjusted(parameters.order), table.n_records > _SEVERAL_ORDERS
    if large and parameters.order != "position":
        return best
    for order in ("position",) if large else ("position", "fewest"):
        if order != parameters.order and best.left:
            best = max(best, adjusted(order), key=merit)
    return _solve_small(best, table, parameters, sizes, least, resources) if best.left else best


def _near(table: RatingTable, parameters: PartitionParameters, resources: Resources) -> Found:
    """Make groups with least scatter, which leave nobody out, or at least k."""
    nulls = "strict" if parameters.nulls == "strict" else "exchange"
    demands = Demands(l=parameters.l, sensitive_nulls=parameters.sensitive_nulls)
    near = made(table, NearGrouping(parameters, nulls, demands, resources))
    return Found(near.labels.copy(), "nearest, improved")


def _count(labels: NDArray[np.int64]) -> int:
    return len(np.unique(labels[labels >= 0]))


def _solve_small(
    best: Found,
    table: RatingTable,
    parameters: PartitionParameters,
    sizes: NDArray[np.int64],
    least: int,
    resources: Resources,
) -> Found:
    """Search small components with records left over completely.

    A proof of one is a proof of all.
    """
    labels, reason, solved, reserve = best.labels.copy(), None, 0, []
    solver, fresh = ExactSolver(table, parameters), int(labels.max(initial=-1)) + 1
    for members in small_components(table, sizes, parameters.exact_up_to, parameters, resources):
        if not bool((labels[members] == UNPLACED).any()):
            continue
        solution = solver.solve(members)
        if solution.status == "impossible":
            reason = reason or _no_way(members, parameters)
        elif solution.status == "found":
            solved += 1
            if len(solution.sets) < _count(labels[members]):
                # fewer groups: only if that places everybody
                reserve.append((members, solution.sets))
                continue
            fresh = _replace(labels, solution.sets, fresh)
    left, fewer = labels == UNPLACED, 0
    for members, sets in reserve:
        left[members] = False
        fewer += _count(labels[members]) - len(sets)
    if not left.any() or _count(labels) - fewer >= least:
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
    model = f"{target.k} or more" + (
        "" if target.l is None else f" with SDs of at least {target.l:g}"
    )
    return (
        f"complete search: the component of {names}{more} does not fall apart into cliques of "
        f"{model}"
    )


def _by_search(
    table: RatingTable,
    parameters: PartitionParameters,
    sizes: NDArray[np.int64],
    resources: Resources,
) -> Found:
    components = small_components(table, sizes, parameters.exact_up_to, parameters, resources)
    inside = sum(map(len, components))
    if inside < table.n_records:
        groups, larger = (
            parameters.exact_up_to,
            f"{table.n_records - inside} records are in larger ones",
        )
        expected = f"at least the records of the largest component; {larger}"
        remedy = "use `method='auto'`, or allow more: the search takes exponential time"
        raise ParameterError("exact_up_to", groups, expected, remedy)
    labels, reason, unknown = np.full(table.n_records, UNPLACED, dtype=np.int64), None, 0
    solver, fresh = ExactSolver(table, parameters), 0
    for members in components:
        solution = solver.solve(members)
        if solution.status == "impossible":
            reason = reason or _no_way(members, parameters)
        unknown += solution.status == "unknown"
        fresh = _replace(labels, solution.sets, fresh)
    how = "complete search" + (
        f"; given up on {unknown} of {len(components)} components" if unknown else ""
    )
    return Found(Groups.of_labels(labels).labels.copy(), how, reason)
