"""What a partition found: frozen values, and the JSON contract
``ratingpriv.partition/1`` made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.display import Result
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.tally import tally
from ratingpriv.base.target import Target
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents import partition as documents
from ratingpriv.documents.making import document_of
from ratingpriv.partition.groups import UNPLACED, Groups

if TYPE_CHECKING:
    import polars as pl

    from ratingpriv.partition.verifying import Verification
    from ratingpriv.proximity.neighbourhoods import EqualRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionParameters(Target):
    """The target of a partition, and how one is searched for; see :func:`ratingpriv.partition`."""

    method: str
    order: str
    exact_up_to: int
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check every value and bring it to its type."""
        Target.__post_init__(self)
        object.__setattr__(self, "accept", checked_codes(self.accept))


@dataclass(frozen=True, eq=False)
class PartitionResult(Result):
    """A k-decomposition, as far as one was found [SWLP10, §4.3].

    Attributes
    ----------
    dataset, parameters : what was partitioned, and for what
    found : whether every record is in a group; the data then is (k,ε)-anonymous [SWLP10, Cor. 1]
    proved_impossible : whether no such partition exists. Where neither is true, none was found: no
        proof
    reason : what proves it, in a sentence; None otherwise
    groups : cliques of at least k records, with SDs of at least l if there is one; all others are
        UNPLACED
    min_size, max_size : of the groups; None without groups
    min_sd : for each sensitive issue the least SD of a group; None where nothing is known
    withheld : records in no group; a release would have to suppress them
    method : what made the groups, in words
    verification : of the groups, made anew from the table
    record_ids : ids of the records, as in the data
    cautions : what to know before relying on it
    equal : the records counted as equal, at ε = 0
    """

    dataset: TableDescription
    parameters: PartitionParameters
    found: bool
    proved_impossible: bool
    reason: str | None
    groups: Groups
    min_size: int | None
    max_size: int | None
    min_sd: Mapping[str, float | None]
    withheld: int
    method: str
    verification: Verification
    record_ids: pl.Series
    cautions: tuple[Caution, ...] = ()
    equal: EqualRecords | None = None

    @property
    def standing(self) -> Standing:
        """What it comes to with its reservations, those of ``parameters.accept`` accepted."""
        return Standing.of(self.found, self.cautions, self.parameters.accept)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return self.groups.count

    @property
    def group_sizes(self) -> tuple[tuple[int, int], ...]:
        """The sizes that groups have, ascending, and how many groups have each."""
        return tally(np.bincount(self.groups.labels[self.groups.labels >= 0]))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.partition/1`` as plain dicts, lists,
        strings and numbers.
        """
        return document_of(
            documents.Partition,
            self,
            selection=self.dataset.selection,
            groups=self.n_groups,
            accepted=self.standing.accepted,
        )

    def to_frame(self) -> pl.DataFrame:
        """Return one row a record, in the order of the data: ``record`` (its id) and ``group``.

        ``group`` is Int64, from 0; null for a record that is in none.
        """
        import polars as pl

        groups = pl.Series("group", self.groups.labels, dtype=pl.Int64)
        return pl.DataFrame(
            [self.record_ids.rename("record"), groups.set(groups == UNPLACED, None)]
        )

    def __repr__(self) -> str:
        target = self.parameters
        model = target.model
        state = "found" if self.found else "impossible" if self.proved_impossible else "not found"
        return (
            f"<PartitionResult {self.dataset.name!r}: {state} ({model}), {self.n_groups} groups, "
            f"{self.withheld} records in none>"
        )
