"""What graph modification decided: who is with whom, and why [SWLP10, §4.4]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.partition.groups import Groups
from ratingpriv.partition.papers.merging import Merge

__all__ = ["CASES", "Loan", "Modification"]

CASES = {
    "1": "k-decomposable: published as it is",
    "2": "merged with components of its Hamming group, or edges added within it",
    "3.1": "fewer than k records: borrowed from other components",
    "3.2": "no k-clique: smaller cliques combined by adding edges",
    "joined": "nobody had a record to lend: joined to records of other components",
}
"""What was done with a component [SWLP10, §4.4]; "joined" is ours, so that it always ends."""


@dataclass(frozen=True, slots=True)
class Loan:
    """A record that was lent.

    Attributes
    ----------
    distortion : of the receiver with the record
    receiver, lender : components, by label
    record : its position
    """

    distortion: float
    receiver: int
    lender: int
    record: int


@dataclass(frozen=True, slots=True, eq=False)
class Modification:
    """Groups whose data must be changed where they are no cliques.

    Attributes
    ----------
    groups : every record is in one, of at least k records; adding all edges within them makes the graph
        k-decomposable [SWLP10, Problem 2]
    components : int64 (n_records,), the label of each record's component: its least position
    cases : for each component, by label, a key of CASES
    merges : in the order in which they were done
    borrows : the same
    log : the same in words
    """

    groups: Groups
    components: NDArray[np.int64]
    cases: dict[int, str]
    merges: tuple[Merge, ...]
    borrows: tuple[Loan, ...]
    log: tuple[str, ...]
