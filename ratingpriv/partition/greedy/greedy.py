"""The greedy k-decomposition: seeds in a stated order take their nearest
until they are k [SWLP10, §4.3-4.4].

1. Seeds in ``order``: "position" (ascending), or "fewest" (by |N(t)|, then position).
2. A seed s that is in no group yet looks at the records in no group that are proximate with it, by
   (distance to s, position). Each that is proximate with all taken so far is taken, until they are
   k: a new group. Where fewer can be had, nothing happens; later seeds may take s.
3. JOIN: each record that is left, in the same order, joins a group all of whose members are
   proximate with it; of several that with the least (distance to the farthest member, number in
   order of making).

Nobody is compared with everybody: see ``_search.py``. Memory is linear in the ratings.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.greedy import _greedy
from ratingpriv.partition.greedy.listing import Listing
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.partition.index.arrays import Sensitive, Task
from ratingpriv.partition.index.index import pack_cliques, pack_table
from ratingpriv.proximity.amounts import measure
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

    ``join``: whether records that are left may join groups, so that groups can be larger than k.
    The groups are the same on any number of ``threads``. ResourceError where nulls match anything,
    and the groups on so many issues do not fit 1 GiB.
    """
    target, resources = (
        Target(k=k, epsilon=epsilon, nulls=nulls),
        Resources(threads, progress=progress),
    )
    checks.choice("order", order, ORDERS)
    packed = pack_table(table, target.epsilon, nulls, target.k)
    sizes = None
    # a scan finds out about as fast that a seed has too few
    if order == "fewest" or not packed.scanned:
        sizes = neighbourhood_sizes(table, target, resources)
    listing = Listing(table, target, packed, sizes, resources)
    grouping = Grouping(listing, sensitive_needs(table, None, "paper"))
    seeds = grouping.in_order(sizes if order == "fewest" else None, sizes)
    grouping.make(seeds, "making groups")
    if join:
        grouping.join(seeds, "joining groups")
    return Groups.of_labels(grouping.labels())


def neighbourhood_sizes(
    table: RatingTable, target: Target, resources: Resources
) -> NDArray[np.int64]:
    """Return |N(t)| of every record, int64 (n_records,)."""
    search_resources = Resources(resources.threads, progress=resources.progress)
    return neighbourhoods(
        table, target.epsilon, nulls=target.nulls, sensitive=False, resources=search_resources
    ).sizes


_MEMORY = 1 << 30
_MOMENT = 0.1  # seconds between two checks for Ctrl-C, about
# share of the leftovers that another round of borrowing must place, where they are many
_WORTH = 0.01
_MANY = 20_000


def sensitive_needs(
    table: RatingTable,
    l: float | None,  # noqa: E741
    sensitive_nulls: str,
) -> Sensitive:
    """Return what a clique needs to be diverse enough; nothing without ``l``."""
    columns = [] if l is None else [measure(column) for column in table.numeric_sensitive]
    n = table.n_records
    return Sensitive(
        np.array([column.present for column in columns], dtype=bool).reshape(len(columns), n),
        np.array([column.numbers for column in columns], dtype=np.float64).reshape(len(columns), n),
        np.array([column.shift for column in columns], dtype=np.float64),
        np.array(
            [((l or 0.0) * 10.0**column.decimals) ** 2 for column in columns], dtype=np.float64
        ),
        sensitive_nulls == "ignore",
    )


class Grouping:
    """The state of a greedy decomposition.

    A seed's clique grows to ``most`` records (None: to k of the target).
    """

    def __init__(self, listing: Listing, sensitive: Sensitive, *, most: int | None = None) -> None:
        self.packed, self.count = listing.packed.fresh(), 0
        self._listing, self._resources = listing, listing.resources
        packed, self._k = self.packed, listing.target.k
        k = self._k
        items, cliques = len(packed.record), len(packed.record) // max(k, 1) + 1
        size, spare = np.zeros((2, cliques), dtype=np.int64)
        sums = np.zeros((cliques, len(sensitive.needed), 3), dtype=np.float64)
        label = np.full(items, UNPLACED, dtype=np.int64)
        self.task = Task(
            k, most or k, sensitive, packed.record, packed.tree, label, size, spare, sums
        )
        self._space = packed.space(len(sensitive.needed))

    @property
    def left(self) -> int:
        """How many items are in no clique."""
        return int(np.count_nonzero(self.task.label == UNPLACED))

    def _live(self) -> NDArray[np.bool_]:
        """Return which records are to be found."""
        label = self.task.label
        live = np.zeros(self._listing.table.n_records, dtype=np.bool_)
        live[self.packed.record] = (label == UNPLACED) | (self.task.spare[label] > 0)
        return live

    def in_order(
        self, rank: NDArray[np.int64] | None = None, sizes: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Return items, tree by tree, by (``rank`` of the record, position), or by position alone.

        With ``sizes``, |N(t)| of the records, only those that have k: no other makes or joins a
        clique of k. Others stay to be found: one that is taken can be in the way of more.
        """
        items = self.packed.sequence.item
        record = self.packed.record[items]
        if sizes is not None:
            items, record = items[sizes[record] >= self._k], record[sizes[record] >= self._k]
        if rank is None:
            return items
        return items[np.lexsort((record, rank[record], self.packed.tree[items]))]

    def make(self, seeds: NDArray[np.int64], what: str) -> None:
        """Let each of ``seeds`` (items) that is still to be found grow
        a clique of those to be found.
        """
        done, chunk, slab = 0, 256, max(len(seeds) // 64, 1)
        while done < len(seeds):
            candidates, covered = self._listing.of(seeds[done : done + slab], self._live())
            stop = done + covered
            while done < stop:
                start = time.perf_counter()
                some = seeds[done : min(done + chunk, stop)]
                self.count = _greedy.in_turn(
                    some, self.count, self.packed, self.task, self._space, candidates
                )
                done += len(some)
                slow = time.perf_counter() - start > 2 * _MOMENT
                chunk = max(64, chunk // 2) if slow else min(2 * chunk, 1 << 20)
                self._resources.report(what, done, len(seeds))
            slab = 2 * covered  # of the first seeds, most are picked by others before their turn

    def join(self, waiting: NDArray[np.int64], what: str) -> int:
        """Let the items ``waiting`` that are in no clique join one; return how many did."""
        waiting = waiting[self.task.label[waiting] == UNPLACED]
        if self.count == 0 or len(waiting) == 0:
            return 0
        memory = self._resources.memory or _MEMORY
        cliques, forest = pack_cliques(self.packed, self.task, self.count, memory)
        index = self.packed._replace(forest=forest)
        done, chunk, joined = 0, 256, 0
        while done < len(waiting):
            start = time.perf_counter()
            joined += _greedy.join(
                waiting[done : done + chunk], index, cliques, self.task, self._space
            )
            done += chunk
            chunk = max(64, chunk // 2) if time.perf_counter() - start > 2 * _MOMENT else 2 * chunk
            self._resources.report(what, min(done, len(waiting)), len(waiting))
        return joined

    def borrow(self, seeds: NDArray[np.int64], what: str) -> int:
        """Let ``seeds`` in no clique make one with what cliques of more than k can spare.

        Return how many do.

        A part of a clique is a clique, so no clique is lost.
        """
        if not np.any(self.task.size[: self.count] > self._k):
            return 0
        waiting = seeds[self.task.label[seeds] == UNPLACED]
        before, packed = self.count, self.packed
        _greedy.offer(True, packed.forest, packed.sequence, self.task)
        self.make(waiting, what)
        _greedy.offer(False, packed.forest, packed.sequence, self.task)
        return self.count - before

    def join_and_borrow(self, seeds: NDArray[np.int64]) -> None:
        """Let leftovers join groups, then make groups with what others can spare,
        until little changes.

        No group is lost. Ours; the papers' own way is :func:`..papers.slicing.prune_and_adjust`.
        """
        self.join(seeds, "joining groups")
        left = self.left
        while self.borrow(seeds, "borrowing from groups"):
            self.join(seeds, "joining groups")
            before, left = left, self.left
            if left > _MANY and before - left < _WORTH * before:
                return

    def labels(self) -> NDArray[np.int64]:
        """Return the clique of every record in order of making, or UNPLACED, int64 (n_records,)."""
        labels = np.full(self._listing.table.n_records, UNPLACED, dtype=np.int64)
        labels[self.packed.record] = self.task.label
        return labels
