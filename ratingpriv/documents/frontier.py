"""``ratingpriv.frontier/1``: which k, ε and l are within reach."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType, field

from ratingpriv.documents import data
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


class FrontierParameters(Document):
    """What was requested."""

    k: Positive | None  #: Null where none was requested.
    l: Amount | None  #: The l that was requested, null where none was.
    epsilon: list[Amount] | None  #: The distances that were named, null where none was.
    method: Literal["exact", "paper"]  #: The search.
    partition: bool  #: Whether partitions were looked for.
    nulls: Literal["strict", "wildcard"]  #: The rule for unanswered questions.
    sensitive_nulls: Literal["paper", "ignore"]  #: The rule for unknown sensitive ratings.


class RowPartition(Document):
    """Null where none was looked for."""

    k: Positive  #: Records of each group at least.
    found: bool  #: Whether everybody is in such a group.
    proved_impossible: bool  #: Whether there is no such partition.
    groups: Count
    min_size: Count
    min_sd: dict[str, Amount | None]  #: Least SD of a group.
    epsilon: Amount  #: Where it was found.


class FrontierRow(Document):
    """What one ε gives."""

    epsilon: Amount  #: The distance.
    max_k: Count  #: The largest k that holds.
    #: For each sensitive issue the largest l that holds, null where every l does.
    max_l: dict[str, Amount | None]
    max_l_by_rule: dict[str, dict[str, Amount | None]]  #: The same under both rules for sensitive nulls.
    singletons: Count  #: Records that have nobody within ε.
    pairs: Count  #: Unordered pairs of proximate records.
    satisfied: bool | None  #: Whether the k and the l that were requested hold; null where neither was.
    protection: bool  #: False where this ε protects nothing.
    partition: RowPartition | None


class SmallestEpsilon(Document):
    """The smallest ε that protects; null where neither k nor l was requested, or ε was named."""

    neighbourhood: Amount | None  #: By the definition, exact; null where none does.
    partition: Amount | None  #: At which a partition was found.
    partition_proved: bool  #: Whether no smaller one has any.
    reason: str | None  #: Why one is null although a larger ε does.


class FeasibleTarget(Document):
    """A range of ε within which the target holds; no end where it is null."""

    from_: Amount = field(name="from")  #: Smallest ε.
    below: Amount | None  #: No part of it; null: however large.


class BisectionStep(Document):
    """One ε that the bisection of the paper tried."""

    epsilon: Amount
    served: bool
    groups: list[list[str]]


class RecodeLevel(Document):
    """One way to recode a column, and how many values it leaves."""

    recoded: str  #: How values are recoded; empty: as read.
    values: Count  #: How many different values occur.


class RecodedColumn(Document):
    """A column that may be recoded."""

    name: str  #: The column.
    levels: list[RecodeLevel]  #: Each level, from as it is to the coarsest.


class ShareOf(Document):
    """A share of a whole."""

    share: Share  #: The share.
    of: tuple[Count, Count]  #: Numerator and denominator.


class RecodeNode(Document):
    """A choice of levels that reaches the target."""

    levels: dict[str, Count]  #: The level of each column; 0: as it is.
    epsilon: Amount  #: The smallest ε at which k is reached.
    values: dict[str, Count]  #: How many different values each column has.
    height: ShareOf  #: Levels climbed, of all there are.
    values_lost: ShareOf  #: The share of different values lost, the mean over the columns.


class Recodes(Document):
    """Which recodes of quasi-identifiers reach k; null where none were searched for.

    All other answers are about the data without them.
    """

    columns: list[RecodedColumn]  #: The quasi-identifiers that have levels.
    searched: Positive  #: How many combinations of levels there are; all are decided.
    #: The minimal ones that reach k: none that is finer in every column does at the same ε or a smaller one.
    nodes: list[RecodeNode]


class Frontier(data.Contract, tag="ratingpriv.frontier/1"):
    """Which k, ε and l are within reach."""

    dataset: data.AuditedDataset
    selection: data.SelectedPart
    parameters: FrontierParameters
    satisfied: bool  #: Whether the target is within reach.
    complete: bool  #: Whether rows has every ε at which anything changes.
    rows: list[FrontierRow]  #: What holds at each ε, ascending.
    smallest_epsilon: SmallestEpsilon | None
    feasible: list[FeasibleTarget] | None  #: Every ε that serves, as intervals.
    feasible_by_rule: dict[str, list[FeasibleTarget]]  #: The same under both rules for sensitive nulls.
    bisection: list[BisectionStep] | None  #: The steps of the paper's search, else null.
    equal: data.CountedAsEqual
    warnings: list[str]  #: Sentences to read before relying on the result.
    cautions: list[data.Caution]  #: The same with codes for programs.
    accepted: data.AcceptedCodes
    recodes: Recodes | None
    gate: Gate | UnsetType = UNSET
