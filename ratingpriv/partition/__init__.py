"""k-decompositions: partitions of the records into cliques of the proximity graph [SWLP10, §4.3].

``ratingpriv.partition(table, k=5, epsilon=1)`` is
:func:`ratingpriv.partition.partitioning.partition`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.partition.groups import UNPLACED as UNPLACED
    from ratingpriv.partition.groups import Groups as Groups
    from ratingpriv.partition.near.checking import check_groups as check_groups
    from ratingpriv.partition.near.least import LeastEpsilon as LeastEpsilon
    from ratingpriv.partition.near.least import least_epsilon as least_epsilon
    from ratingpriv.partition.near.made import NearGroups as NearGroups
    from ratingpriv.partition.near.near import near_groups as near_groups
    from ratingpriv.partition.partitioning import partition as partition
    from ratingpriv.partition.result import PartitionResult as PartitionResult

__all__ = [
    "UNPLACED",
    "Groups",
    "LeastEpsilon",
    "NearGroups",
    "PartitionResult",
    "check_groups",
    "least_epsilon",
    "near_groups",
    "partition",
]

__getattr__ = _offer(
    __name__,
    {
        "UNPLACED": "ratingpriv.partition.groups",
        "Groups": "ratingpriv.partition.groups",
        "LeastEpsilon": "ratingpriv.partition.near.least",
        "NearGroups": "ratingpriv.partition.near.made",
        "PartitionResult": "ratingpriv.partition.result",
        "check_groups": "ratingpriv.partition.near.checking",
        "least_epsilon": "ratingpriv.partition.near.least",
        "near_groups": "ratingpriv.partition.near.near",
        "partition": "ratingpriv.partition.partitioning",
    },
)
