"""Counted as equal records: what holds at ε = 0 under the same rules, whatever ε a verdict is about.

A question whose range is within ε tells nobody apart, so a verdict at ε > 0 can hold of data in which nearly
every record is unique. The definition is right; what it says is not what anybody means. So these numbers
stand beside every verdict [ours].
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.resources import Resources
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.table import RatingTable

__all__ = ["EqualRecords", "equal_records"]


@dataclass(frozen=True, slots=True)
class EqualRecords:
    """What holds at ε = 0.

    Attributes
    ----------
    max_k : the largest k, min |N(t)| at ε = 0 [SWLZ11, Def. 4.2]
    unique : records that no other record is equal to
    violators : records with fewer than k equal ones, themselves included; None where no k was asked for
    """

    max_k: int
    unique: int
    violators: int | None

    @classmethod
    def of(cls, sizes: NDArray[np.int64], k: int | None) -> Self:
        """Return it of the sizes of all neighbourhoods at ε = 0, int64 (n,), n >= 1."""
        below = None if k is None else int(np.count_nonzero(sizes < k))
        return cls(int(sizes.min()), int(np.count_nonzero(sizes == 1)), below)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them under ``equal``."""
        return asdict(self)


def equal_records(
    table: RatingTable, k: int | None, nulls: str, resources: Resources, *, engine: str = "slicing"
) -> EqualRecords:
    """Count the records of ``table`` that are equal: a grouping, but where a null need not equal a null."""
    found = neighbourhoods(
        table, 0.0, nulls=nulls, sensitive=False, engine=engine, threads=resources.threads,
        memory=resources.memory, progress=resources.progress,
    )  # fmt: skip
    return EqualRecords.of(found.sizes, k)
