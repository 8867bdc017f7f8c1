"""An original and a release of it, issue by issue, and which released record is which original one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable

__all__ = ["Anonymise", "Pair"]

type Anonymise = Callable[[RatingTable], tuple[RatingTable, NDArray[np.int64]]]
"""Makes a release of a table, for the papers' protocols: the release, and the position in it of each record
of the table, -1 where it was suppressed."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """What the measures are given. Both tables have the same issues, in one order.

    Attributes
    ----------
    original : n records
    release : m records, over the issues of ``original`` and then those that only the release has
    pairing : int64 (n,); the position in ``release`` of each original record, -1 where it was suppressed;
        None where it is not known who is who
    paired_by : "key" or "ids"; None without a pairing
    issues_lost, issues_added : how many issues only the original, and only the release, has: they are
        unrated in the other
    groups : int32 (m,); the group of each released record, where the method's groups are at hand; else None
    """

    original: RatingTable
    release: RatingTable
    pairing: NDArray[np.int64] | None = None
    paired_by: str | None = None
    issues_lost: int = 0
    issues_added: int = 0
    groups: NDArray[np.int32] | None = None

    @property
    def withheld(self) -> int | None:
        """How many records were suppressed; None where it is not known who is who."""
        return None if self.pairing is None else int(np.count_nonzero(self.pairing < 0))
