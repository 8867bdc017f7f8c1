"""k-decompositions: partitions of the records into cliques of the proximity graph [SWLP10, §4.3].

``ratingpriv.partition`` is this package and may also be called: ``ratingpriv.partition(table, k=5,
epsilon=1)`` is :func:`ratingpriv.partition.partitioning.partition`.
"""

from __future__ import annotations

from ratingpriv.callable_package import make_callable as _make_callable
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.partition.partitioning import partition
from ratingpriv.partition.result import PartitionResult

__all__ = ["UNPLACED", "Groups", "PartitionResult", "partition"]

_make_callable(__name__, partition)
