"""Exact audits of data beyond one machine, on Apache Spark: an optional layer (``ratingpriv[spark]``).

Each function takes a DataFrame of Spark 4 and works on its session: ``ratingpriv.spark.audit(df, k=5,
epsilon=1)`` is :func:`ratingpriv.spark.auditing.audit`. What goes beyond it: ``frontier``, ``suppress``,
``attack``, ``offline`` (files of a graph), and one Hamming group at a time ``partition`` and ``modify``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.spark.attacks.attacking import attack as attack
    from ratingpriv.spark.auditing import audit as audit
    from ratingpriv.spark.graph.offline import offline as offline
    from ratingpriv.spark.groups.grouping import modify as modify
    from ratingpriv.spark.groups.grouping import partition as partition
    from ratingpriv.spark.groups.suppression import suppress as suppress
    from ratingpriv.spark.scanning import frontier as frontier

__all__ = ["attack", "audit", "frontier", "modify", "offline", "partition", "suppress"]

__getattr__ = _offer(
    __name__,
    {
        "attack": "ratingpriv.spark.attacks.attacking",
        "audit": "ratingpriv.spark.auditing",
        "frontier": "ratingpriv.spark.scanning",
        "modify": "ratingpriv.spark.groups.grouping",
        "offline": "ratingpriv.spark.graph.offline",
        "partition": "ratingpriv.spark.groups.grouping",
        "suppress": "ratingpriv.spark.groups.suppression",
    },
)
