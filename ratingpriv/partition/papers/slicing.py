"""The papers' slicing: cut out a set of ε-proximate records,
and go on with the rest [SWLZ11, §5.2].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target, null_rule
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.greedy.greedy import Grouping, sensitive_needs
from ratingpriv.partition.greedy.listing import Listing
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.index.index import RecordIndex, pack_table

ORDERS = ("nearest", "position", "farthest")
"""The order in which candidates are kept: nearest to t0 first, as they stand, or farthest first."""


def slicing(
    table: RatingTable,
    epsilon: float,
    *,
    order: str | Sequence[int] | NDArray[np.int64] = "nearest",
    start: int | None = None,
    nulls: str = "strict",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Groups:
    """Partition all records into cliques, of any size, one slice after the other.

    Implements Slicing(ε, T, t0) [SWLZ11, §5.2 and Alg. 1]. t0 is the first record that is left. The
    candidates are the records that are left and within ε of t0: a cube of side 2ε. They are trimmed
    to a set that is pairwise ε-proximate and contains t0. That set leaves, and slicing goes on. A
    record that is proximate with no other is a set by itself.

    The paper does not say how to trim, and its two walk-throughs do it differently: at ε = 1, {t1,
    t2, t3} of its Table 2 loses t3, the last; at ε = 2, {t1, t2, t3, t4} loses t2, the first that
    is in the way. (The loops of Algorithm 1, taken literally, would drop *both* of any two records
    that are apart.) Here the candidates are taken up in ``order``, and each stays that is within ε
    of all that stayed before: one of ORDERS (ties by position), or all positions in an order that
    holds for t0 and for candidates. "nearest" gives the first walk-through; "farthest", ``start=3``
    (the very first t0: t4), or an order that lists t1, t3 and t4 before t2 gives the second.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    null_rule(nulls)
    n = table.n_records
    listed, how = np.arange(n), "position"
    if isinstance(order, str):
        how = checks.choice("order", order, ORDERS)
    else:
        listed = np.asarray(order, dtype=np.int64)
        if not np.array_equal(np.sort(listed), np.arange(n)):
            raise ParameterError(
                "order", order, f"{', '.join(ORDERS)}, or each position 0..{n - 1} once"
            )
        table = table.take(listed)  # its positions are those of the list
    packed = pack_table(table, epsilon, nulls, 1, grown=how != "farthest")
    if how == "farthest":
        packed = packed.farthest_first()
    elif how == "position":
        packed = packed.by_position()
    turn = np.arange(n)
    if start is not None:
        if checks.whole_number("start", start, 0) >= n:
            raise ParameterError("start", start, f"a position 0..{n - 1}")
        turn[listed == start] = -1
    target, resources = (
        Target(k=1, epsilon=epsilon, nulls=nulls),
        Resources(threads, progress=progress),
    )
    listing = Listing(table, target, packed, None, resources)
    grouping = Grouping(listing, sensitive_needs(table, None, "paper"), most=n + 1)
    grouping.make(grouping.in_order(turn), "slicing")
    labels = np.empty(n, dtype=np.int64)
    labels[listed] = grouping.labels()
    return Groups.of_labels(labels)


RECEIVERS = ("below_k", "singletons")
"""Who borrows: every group of fewer than k records, or those of one record only (the paper)."""


def prune_and_adjust(
    table: RatingTable,
    groups: Groups,
    k: int,
    epsilon: float,
    *,
    lender_min: int | None = None,
    receivers: str = "below_k",
    nulls: str = "strict",
    progress: Progress | None = None,
) -> Groups:
    """Let groups that are too small borrow, until nothing changes.

    Implements [SWLZ11, §5.3] for any k. A record moves from a lender to a receiver if it is
    ε-proximate with all of the receiver, and the lender keeps enough. Of several, the nearest moves
    (the least of the largest distance to a member of the receiver, then the least position).
    Receivers that lack least are served first, then in the order of their number. One that does not
    reach k gives everything back, so that no lender shrinks in vain. Cliques stay cliques, and
    groups of k or more never become fewer.

    Some groups left too small are the paper's Case 2. It says "there is no solution for this given
    ε"; that is not so: there is none *found*, and complete search can prove that there is none.

    A lender keeps ``lender_min`` records, k or more; None: k. The paper's text has "large groups",
    of more than three, lend, which is ``lender_min=3``; its example (k = 2) has a group of three
    lend, which is the default. ``receivers``: "below_k", or "singletons" as in the paper.
    """
    k = checks.whole_number("k", k, 1)
    epsilon = checks.non_negative_number("epsilon", epsilon)
    keeps = k if lender_min is None else checks.whole_number("lender_min", lender_min, k)
    checks.choice("receivers", receivers, RECEIVERS)
    null_rule(nulls)
    if len(groups.labels) != table.n_records:
        raise ParameterError(
            "groups", len(groups.labels), f"labels of the table's {table.n_records} records"
        )
    labels, sizes = groups.labels.copy(), groups.sizes
    small = sizes == 1 if receivers == "singletons" else sizes < k
    waiting = np.flatnonzero(small & (sizes < k))
    waiting = waiting[np.argsort(-sizes[waiting], kind="stable")]
    members = [group.tolist() for group in groups.members()]
    # who may be borrowed: of groups with more than they must keep
    index = RecordIndex(table, epsilon, nulls)
    able = np.append((sizes > keeps) & ~small, False)  # the last one: records in no group
    index.remove(np.flatnonzero(~able[labels]))

    def serve(receiver: list[int]) -> bool:
        """Add borrowed records to a receiver until it has k; if that fails, leave it as it was."""
        borrowed: list[int] = []
        taken: dict[int, int] = {}
        while len(receiver) + len(borrowed) < k:
            so_far = np.array(receiver + borrowed, dtype=np.int64)
            candidates = [u for u in index.proximate_with_all(so_far).tolist() if u not in borrowed]
            spared = [
                u for u in candidates if sizes[labels[u]] - taken.get(int(labels[u]), 0) > keeps
            ]
            if len(spared) + len(so_far) < k:
                return False
            distances = index.farthest(np.array(spared, dtype=np.int64), so_far)
            nearest = spared[int(np.argmin(distances))]  # of equals the first: the least position
            borrowed.append(nearest)
            taken[int(labels[nearest])] = taken.get(int(labels[nearest]), 0) + 1
        index.remove(np.array(borrowed, dtype=np.int64))
        for lender, lent in taken.items():
            sizes[lender] -= lent
        receiver += borrowed
        return True

    total, served, changed = len(waiting), 0, True
    while changed and len(waiting):
        changed, left = False, []
        for receiver in waiting.tolist():
            if serve(members[receiver]):
                labels[members[receiver]] = receiver
                changed, served = True, served + 1
            else:
                left.append(receiver)
            if progress is not None:
                progress("adjusting groups", served, total)
        waiting = np.array(left, dtype=np.int64)
    return Groups.of_labels(labels)
