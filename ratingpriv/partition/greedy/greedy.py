"""The greedy k-decomposition: seeds in a stated order take their nearest until they are k [SWLP10, §4.3-4.4].

1. Seeds in ``order``: "position" (ascending), or "fewest" (by |N(t)|, then position).
2. A seed s that is in no group yet looks at the records in no group that are proximate with it, by (distance
   to s, position). Each that is proximate with all taken so far is taken, until they are k: a new group.
   Where fewer can be had, nothing happens; later seeds may take s.
3. JOIN: each record that is left, in the same order, joins a group all of whose members are proximate with
   it; of several that with the least (distance to the farthest member, number in order of making).

Nobody is compared with everybody: see ``_search.py``. Memory is linear in the ratings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.greedy.grouping import Grouping, sensitive_needs
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.index.index import pack_table
from ratingpriv.proximity.neighbourhoods import neighbourhoods

ORDERS = ("position", "fewest")
"""position: ascending; fewest: the records with the smallest neighbourhoods first."""


def greedy(
    table: RatingTable,
    k: int,
    epsilon: float,
    *,
    order: str = "position",
    nulls: str = "strict",
    join: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Groups:
    """Decompose ``table`` into cliques of at least ``k`` records, as far as the greedy gets.

    ``join``: whether records that are left may join groups, so that groups can be larger than k. The groups
    are the same on any number of ``threads``. ResourceError where nulls match anything, and the groups on so
    many issues do not fit 1 GiB.
    """
    target, resources = Target(k=k, epsilon=epsilon, nulls=nulls), Resources(threads, progress=progress)
    checks.choice("order", order, ORDERS)
    packed = pack_table(table, target.epsilon, nulls, target.k)
    grouping = Grouping(packed, table.n_records, target.k, sensitive_needs(table, None, "paper"), resources)
    sizes = None
    if order == "fewest" or not packed.scanned:  # a scan finds out about as fast that a seed has too few
        sizes = neighbourhood_sizes(table, target, resources)
    seeds = grouping.in_order(sizes if order == "fewest" else None, sizes)
    grouping.make(seeds, "making groups")
    if join:
        grouping.join(seeds, "joining groups")
    return Groups.of_labels(grouping.labels())


def neighbourhood_sizes(table: RatingTable, target: Target, resources: Resources) -> NDArray[np.int64]:
    """Return |N(t)| of every record, int64 (n_records,)."""
    return neighbourhoods(
        table, target.epsilon, nulls=target.nulls, sensitive=False, threads=resources.threads,
        progress=resources.progress,
    ).sizes  # fmt: skip
