"""``ratingpriv.frontier/1``: which k, ε and l are within reach."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType, field

from ratingpriv.documents.data import AuditedDataset, Caution, EqualRecords, Selection, Tool
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


class FrontierParameters(Document):
    """What was requested.

    Attributes
    ----------
    k : Null where none was requested.
    l : The l that was requested, null where none was.
    epsilon : The distances that were named, null where none was.
    method : The search.
    partition : Whether partitions were looked for.
    nulls : The rule for unanswered questions.
    sensitive_nulls : The rule for unknown sensitive ratings.
    """

    k: Positive | None
    l: Amount | None  # noqa: E741 -- the theory's word
    epsilon: list[Amount] | None
    method: Literal["exact", "paper"]
    partition: bool
    nulls: Literal["strict", "wildcard"]
    sensitive_nulls: Literal["paper", "ignore"]


class RowPartition(Document):
    """Null where none was looked for.

    Attributes
    ----------
    k : Records of each group at least.
    found : Whether everybody is in such a group.
    proved_impossible : Whether there is no such partition.
    min_sd : Least SD of a group.
    epsilon : Where it was found.
    """

    k: Positive
    found: bool
    proved_impossible: bool
    groups: Count
    min_size: Count
    min_sd: dict[str, Amount | None]
    epsilon: Amount


class FrontierRow(Document):
    """What one ε gives.

    Attributes
    ----------
    epsilon : The distance.
    max_k : The largest k that holds.
    max_l : For each sensitive issue the largest l that holds, null where every l does.
    max_l_by_rule : The same under both rules for sensitive nulls.
    singletons : Records that have nobody within ε.
    pairs : Unordered pairs of proximate records.
    satisfied : Whether the k and the l that were requested hold; null where neither was.
    protection : False where this ε protects nothing.
    """

    epsilon: Amount
    max_k: Count
    max_l: dict[str, Amount | None]
    max_l_by_rule: dict[str, dict[str, Amount | None]]
    singletons: Count
    pairs: Count
    satisfied: bool | None
    protection: bool
    partition: RowPartition | None


class SmallestEpsilon(Document):
    """The smallest ε that protects; null where neither k nor l was requested, or ε was named.

    Attributes
    ----------
    neighbourhood : By the definition, exact; null where none does.
    partition : At which a partition was found.
    partition_proved : Whether no smaller one has any.
    reason : Why one is null although a larger ε does.
    """

    neighbourhood: Amount | None
    partition: Amount | None
    partition_proved: bool
    reason: str | None


class FeasibleTarget(Document):
    """A range of ε within which the target holds; no end where it is null.

    Attributes
    ----------
    from : Smallest ε.
    below : No part of it; null: however large.
    """

    from_: Amount = field(name="from")
    below: Amount | None


class BisectionStep(Document):
    """One ε that the bisection of the paper tried."""

    epsilon: Amount
    served: bool
    groups: list[list[str]]


class RecodeLevel(Document):
    """One way to recode a column, and how many values it leaves.

    Attributes
    ----------
    recoded : How values are recoded; empty: as read.
    values : How many different values occur.
    """

    recoded: str
    values: Count


class RecodedColumn(Document):
    """A column that may be recoded.

    Attributes
    ----------
    name : The column.
    levels : Each level, from as it is to the coarsest.
    """

    name: str
    levels: list[RecodeLevel]


class ShareOf(Document):
    """A share of a whole.

    Attributes
    ----------
    share : The share.
    of : Numerator and denominator.
    """

    share: Share
    of: tuple[Count, Count]


class RecodeNode(Document):
    """A choice of levels that reaches the target.

    Attributes
    ----------
    levels : The level of each column; 0: as it is.
    epsilon : The smallest ε at which k is reached.
    values : How many different values each column has.
    height : Levels climbed, of all there are.
    values_lost : The share of different values lost, the mean over the columns.
    """

    levels: dict[str, Count]
    epsilon: Amount
    values: dict[str, Count]
    height: ShareOf
    values_lost: ShareOf


class Recodes(Document):
    """Which recodes of quasi-identifiers reach k; null where none were searched for.

    All other answers are about the data without them.

    Attributes
    ----------
    columns : The quasi-identifiers that have levels.
    searched : How many combinations of levels there are; all are decided.
    nodes : The minimal ones that reach k: none that is finer in every column does at the same ε or a smaller
        one.
    """

    columns: list[RecodedColumn]
    searched: Positive
    nodes: list[RecodeNode]


class Frontier(Document):
    """Which k, ε and l are within reach.

    Attributes
    ----------
    schema : Name and version of this form.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    satisfied : Whether the target is within reach.
    complete : Whether rows has every ε at which anything changes.
    rows : What holds at each ε, ascending.
    feasible : Every ε that serves, as intervals.
    feasible_by_rule : The same under both rules for sensitive nulls.
    bisection : The steps of the paper's search, else null.
    equal : The same records counted as equal: at epsilon 0, with all other rules the same; null where that
        was not counted.
    warnings : Sentences to read before relying on the result.
    cautions : The same with codes for programs.
    accepted : Codes of the reservations of this result that were accepted: with all of them accepted, a but
        is a yes.
    """

    schema: Literal["ratingpriv.frontier/1"]
    tool: Tool
    dataset: AuditedDataset
    selection: Selection | None
    parameters: FrontierParameters
    satisfied: bool
    complete: bool
    rows: list[FrontierRow]
    smallest_epsilon: SmallestEpsilon | None
    feasible: list[FeasibleTarget] | None
    feasible_by_rule: dict[str, list[FeasibleTarget]]
    bisection: list[BisectionStep] | None
    equal: EqualRecords | None
    warnings: list[str]
    cautions: list[Caution]
    accepted: list[str]
    recodes: Recodes | None
    gate: Gate | UnsetType = UNSET
