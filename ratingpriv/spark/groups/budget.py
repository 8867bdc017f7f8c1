"""Whether Hamming groups fit a task, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ratingpriv.spark.plan import Comparison
from ratingpriv.spark.session.session import functions

__all__ = ["TooLarge", "fitting"]

_RECORD, _RATING = 1500, 120
"""Bytes that are reckoned for a record of a group and for each of its ratings, working arrays included."""


@dataclass(frozen=True, slots=True)
class TooLarge:
    """Groups that do not fit.

    Attributes
    ----------
    groups : how many
    records : of all of them together
    largest : records of the largest
    budget : bytes that this one would need
    """

    groups: int
    records: int
    largest: int
    budget: int

    def __str__(self) -> str:
        """Return the numbers in words."""
        groups = "1 Hamming group" if self.groups == 1 else f"{self.groups:,} Hamming groups"
        return (
            f"{groups} of {self.records:,} records that do not fit a task; the largest has {self.largest:,}, "
            f"for which {-(-self.budget >> 20):,} MiB are reckoned"
        )


def fitting(assembled: Any, comparison: Comparison, budget: int) -> TooLarge | None:
    """Return what does not fit ``budget`` bytes, None where all groups do.

    Parameters
    ----------
    assembled : records by group (:func:`ratingpriv.spark.groups.tables.grouping_of` compares them)
    """
    F = functions()  # noqa: N806 -- its usual name
    width = np.dtype(comparison.code_type).itemsize
    rated = (F.max(F.length("codes")) / width).cast("bigint")
    sizes = assembled.groupBy("key").agg(F.count(F.lit(1)).alias("records"), rated.alias("rated"))
    sizes = sizes.withColumn("bytes", F.col("records") * (F.lit(_RECORD) + F.lit(_RATING) * F.col("rated")))
    large = sizes.where(F.col("bytes") > budget).agg(
        F.count(F.lit(1)), F.sum("records"), F.max("records"), F.max("bytes")
    )
    groups, records, largest, needed = large.collect()[0]
    return None if not groups else TooLarge(int(groups), int(records), int(largest), int(needed))
