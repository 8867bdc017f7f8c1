"""The papers' slicing: cut out a set of ε-proximate records, and go on with the rest [SWLZ11, §5.2]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import null_rule
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.greedy.grouping import Grouping, sensitive_needs
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.index.index import pack_table

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
    candidates are the records that are left and within ε of t0: a cube of side 2ε. They are trimmed to a set
    that is pairwise ε-proximate and contains t0. That set leaves, and slicing goes on. A record that is
    proximate with no other is a set by itself.

    The paper does not say how to trim, and its two walk-throughs do it differently: at ε = 1, {t1, t2, t3} of
    its Table 2 loses t3, the last; at ε = 2, {t1, t2, t3, t4} loses t2, the first that is in the way. (The
    loops of Algorithm 1, taken literally, would drop *both* of any two records that are apart.) Here the
    candidates are taken up in ``order``, and each stays that is within ε of all that stayed before: one of
    ORDERS (ties by position), or all positions in an order that holds for t0 and for candidates. "nearest"
    gives the first walk-through; "farthest", ``start=3`` (the very first t0: t4), or an order that lists t1,
    t3 and t4 before t2 gives the second.
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
            raise ParameterError("order", order, f"{', '.join(ORDERS)}, or each position 0..{n - 1} once")
        table = table.take(listed)  # its positions are those of the list
    packed = pack_table(table, epsilon, nulls, 1)
    if how == "farthest":
        packed = packed.farthest_first()
    elif how == "position":
        packed = packed.by_position()
    turn = np.arange(n)
    if start is not None:
        if checks.whole_number("start", start, 0) >= n:
            raise ParameterError("start", start, f"a position 0..{n - 1}")
        turn[listed == start] = -1
    grouping = Grouping(
        packed, n, 1, sensitive_needs(table, None, "paper"), Resources(threads, progress=progress), most=n + 1
    )
    grouping.make(grouping.in_order(turn), "slicing")
    labels = np.empty(n, dtype=np.int64)
    labels[listed] = grouping.labels()
    return Groups.of_labels(labels)
