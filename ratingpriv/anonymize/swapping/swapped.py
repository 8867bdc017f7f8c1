"""What a release by swapping says of itself, to its publisher alone, and what its key keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.evaluation.group_tables import GroupTables
from ratingpriv.base.cautions import Caution
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import Swapped as _Document
from ratingpriv.partition.groups import Groups

TOLD_AT_MOST = 0.09
"""Of the people so many may be told on every item by their group [European Medicines Agency,
0.09].
"""


@dataclass(frozen=True, slots=True, eq=False)
class Swapped:
    """Groups within which answers were exchanged.

    Attributes
    ----------
    groups, smallest, largest : how many groups, and how many people are in the smallest and the
        largest
    scatter : the squares within groups as a share of all
    nulls : what became of missing values: "exchange", "fill" or "strict"
    tables : what an adversary with the groups finds
    constant : quasi-identifiers that stand as they are, as each group has one value
    smaller, smaller_left_out : the next smaller ε that was tried, and how many it leaves out; None:
        none was
    sources : by column, int64 (m,): whose cell each released record has, as a position in the
        original
    answers_sha256 : of who answered what, by which a later release knows the same data
    seeded : whether somebody may know where the random numbers come from
    """

    groups: int
    smallest: int
    largest: int
    scatter: float
    nulls: str
    tables: GroupTables
    constant: tuple[str, ...]
    smaller: float | None
    smaller_left_out: int | None
    sources: Mapping[str, NDArray[np.int64]]
    answers_sha256: str
    seeded: bool

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """That groups tell all of many people,
        and that whoever knows a seed undoes the exchange.
        """
        text = (
            "the values were exchanged, or the rows ordered, by random numbers of a seed: a "
            "person who knows it can undo the exchange"
        )
        cautions = (Caution.due("seed-known", text),) if self.seeded else ()
        told = self.tables.all_agree
        if told <= TOLD_AT_MOST:
            return cautions
        text = (
            f"{100 * told:.3g} % of the people are in groups that agree on every item: who finds "
            f"one reads "
            "all of it, as no value became another one"
        )
        return (*cautions, Caution.due("groups-agree", text))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object ``swap`` of a release, for its publisher."""
        return document_of(_Document, self)

    def key_facts(
        self, groups: Groups, original: Sequence[Any], released: Sequence[Any]
    ) -> dict[str, Any]:
        """Return what the private key has beside the pairs: the groups and the permutation."""
        members = [own.tolist() for own in groups.members()]
        return {
            "groups": [
                {
                    "original": [original[at] for at in own],
                    "released": sorted(released[at] for at in own),
                }
                for own in members
            ],
            "nulls": self.nulls,
            "permutation": {name: places.tolist() for name, places in self.sources.items()},
            "answers_sha256": self.answers_sha256,
        }
