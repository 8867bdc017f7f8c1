"""What a verdict says little about, because of what was asked: cautions on a target, whatever is found.

They are due beside an audit, a frontier and a partition alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ratingpriv.cautions import WILDCARD, Caution
from ratingpriv.comparison.levels import proximate_codes

__all__ = ["Counted", "has_missing", "reservations"]


class Counted(Protocol):
    """How many records, non-sensitive issues and their ratings there are."""

    @property
    def n_records(self) -> int:
        """How many records."""

    @property
    def n_issues(self) -> int:
        """How many non-sensitive issues."""

    @property
    def n_ratings(self) -> int:
        """How many non-sensitive ratings."""

    @property
    def levels(self) -> NDArray[np.float64]:
        """Distinct non-sensitive ratings, ascending; only the first and the last matter."""


def has_missing(data: Counted) -> bool:
    """Return whether some record leaves a non-sensitive issue unrated."""
    return data.n_ratings < data.n_records * data.n_issues


def reservations(data: Counted, nulls: str, k: int | None, epsilon: float) -> Iterator[Caution]:
    """Yield the cautions on a null rule, a ``k`` (None: none was asked for) and an ε."""
    if k == 1:
        yield Caution(
            "k-asks-nothing",
            "k = 1: this asks for nothing, every record is in its own neighbourhood, whatever the data are",
        )
    if nulls == "wildcard" and has_missing(data):
        yield Caution("nulls-wildcard", WILDCARD)
    levels = data.levels
    if len(levels) > 1 and proximate_codes(levels[[0, -1]], epsilon)[1][0] == 1:
        left = ", and only which issues are rated tells records apart" if has_missing(data) else ""
        yield Caution(
            "epsilon-covers-range",
            f"epsilon {epsilon:g} covers the whole range of ratings ({levels[0]:g} to {levels[-1]:g}): any "
            f"two ratings are indistinguishable{left if nulls != 'wildcard' else ''}",
        )
