"""k-decompositions: partitions of the records into cliques of the proximity graph [SWLP10, §4.3].

``ratingpriv.partition(table, k=5, epsilon=1)`` is :func:`ratingpriv.partition.partitioning.partition`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.partition.groups import UNPLACED as UNPLACED
    from ratingpriv.partition.groups import Groups as Groups
    from ratingpriv.partition.partitioning import partition as partition
    from ratingpriv.partition.result import PartitionResult as PartitionResult

__all__ = ["UNPLACED", "Groups", "PartitionResult", "partition"]

__getattr__ = _offer(
    __name__,
    {
        "UNPLACED": "ratingpriv.partition.groups",
        "Groups": "ratingpriv.partition.groups",
        "PartitionResult": "ratingpriv.partition.result",
        "partition": "ratingpriv.partition.partitioning",
    },
)
