"""``ratingpriv.frontier/1``: which k, ε and l are within reach."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType, field

from ratingpriv.documents import data
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share, meaning


class FrontierParameters(Document):
    __doc__ = "What was requested."

    k: Annotated[Positive | None, meaning("Null where none was requested.")]
    l: Annotated[Amount | None, meaning("The l that was requested, null where none was.")]
    epsilon: Annotated[
        list[Amount] | None, meaning("The distances that were named, null where none was.")
    ]
    method: Annotated[Literal["exact", "paper"], meaning("The search.")]
    partition: Annotated[bool, meaning("Whether partitions were looked for.")]
    nulls: Annotated[Literal["strict", "wildcard"], meaning("The rule for missing ratings.")]
    sensitive_nulls: Annotated[
        Literal["paper", "ignore"], meaning("The rule for missing sensitive ratings.")
    ]


class RowPartition(Document):
    __doc__ = "Null where none was looked for."

    k: Annotated[Positive, meaning("Records of each group at least.")]
    found: Annotated[
        bool,
        meaning(
            "Whether every record is in a group of at least k records that are all ε-proximate."
        ),
    ]
    proved_impossible: Annotated[
        bool,
        meaning(
            "Whether there is no such partition. Where this and `found` are false, none was "
            "found, which "
            "proves nothing."
        ),
    ]
    groups: Annotated[Count, meaning("How many groups there are; 0 where no partition was found.")]
    min_size: Annotated[
        Count, meaning("Records of the smallest group; 0 where no partition was found.")
    ]
    min_sd: Annotated[dict[str, Amount | None], meaning("Least SD of a group.")]
    epsilon: Annotated[
        Amount,
        meaning(
            "Where it was found. It serves every larger ε as well, so it is not looked for again."
        ),
    ]


class FrontierRow(Document):
    __doc__ = "What one ε gives."

    epsilon: Annotated[Amount, meaning("The distance.")]
    max_k: Annotated[Count, meaning("The largest k that holds.")]
    max_l: Annotated[
        dict[str, Amount | None],
        meaning("For each sensitive item the largest l that holds, null where every l does."),
    ]
    max_l_by_rule: Annotated[
        dict[str, dict[str, Amount | None]],
        meaning("The same under both rules for missing sensitive ratings."),
    ]
    singletons: Annotated[Count, meaning("Isolated records: no other is within ε.")]
    pairs: Annotated[Count, meaning("Unordered pairs of proximate records.")]
    satisfied: Annotated[
        bool | None,
        meaning(
            "Whether the k and the l that were requested hold; null where neither was, false "
            "without "
            "protection."
        ),
    ]
    protection: Annotated[
        bool,
        meaning(
            "False where ε is at least the range of the ratings (any two are indistinguishable) "
            "or, with "
            "missing ratings under the rule strict, at least the scale's maximum."
        ),
    ]
    partition: RowPartition | None


class SmallestEpsilon(Document):
    __doc__ = (
        "The smallest ε that protects; null where neither k nor l was requested, or ε was named."
    )

    neighbourhood: Annotated[
        Amount | None,
        meaning(
            "The smallest ε that protects for the k and the l, by the definition, exact; null "
            "where none "
            "does."
        ),
    ]
    partition: Annotated[
        Amount | None,
        meaning("The smallest ε at which a partition was found; null where none was."),
    ]
    partition_proved: Annotated[bool, meaning("Whether no smaller one has any.")]
    reason: Annotated[
        str | None,
        meaning(
            "Where one of the two is null although a larger ε does: why nothing is protected there."
        ),
    ]


class FeasibleTarget(Document):
    __doc__ = "A range of ε within which the target holds; no end where it is null."

    from_: Annotated[Amount, meaning("Smallest ε.")] = field(name="from")
    below: Annotated[Amount | None, meaning("No part of it; null: however large.")]


class BisectionStep(Document):
    __doc__ = "One ε that the bisection of the paper tried."

    epsilon: Annotated[Amount, meaning("The ε that was tried.")]
    served: Annotated[bool, meaning("Whether groups were found at it.")]
    groups: Annotated[list[list[str]], meaning("The groups, as ids of their records.")]


class RecodeLevel(Document):
    __doc__ = "One way to recode a column, and how many values it leaves."

    recoded: Annotated[str, meaning("How values are recoded; empty: as read.")]
    values: Annotated[Count, meaning("How many different values occur.")]


class RecodedColumn(Document):
    __doc__ = "A column that may be recoded."

    name: Annotated[str, meaning("The column.")]
    levels: Annotated[list[RecodeLevel], meaning("Each level, from as it is to the coarsest.")]


class ShareOf(Document):
    __doc__ = "A share of a whole."

    share: Annotated[Share, meaning("The share.")]
    of: Annotated[tuple[Count, Count], meaning("Numerator and denominator.")]


class RecodeNode(Document):
    __doc__ = "A choice of levels that reaches the target."

    levels: Annotated[dict[str, Count], meaning("The level of each column; 0: as it is.")]
    epsilon: Annotated[Amount, meaning("The smallest ε at which k is reached.")]
    values: Annotated[dict[str, Count], meaning("How many different values each column has.")]
    height: Annotated[ShareOf, meaning("Levels climbed, of all there are.")]
    values_lost: Annotated[
        ShareOf, meaning("The share of different values lost, the mean over the columns.")
    ]


class Recodes(Document):
    __doc__ = """Which recodes of quasi-identifiers reach k; null where none were searched for.

    All other answers are about the data without them.
    """

    columns: Annotated[list[RecodedColumn], meaning("The quasi-identifiers that have levels.")]
    searched: Annotated[
        Positive, meaning("How many combinations of levels there are; all are decided.")
    ]
    nodes: Annotated[
        list[RecodeNode],
        meaning(
            "The minimal ones that reach k: none that is finer in every column does at the same "
            "ε or a "
            "smaller one."
        ),
    ]


class Frontier(data.Contract, tag="ratingpriv.frontier/1"):
    __doc__ = "Which k, ε and l are within reach."

    dataset: data.AuditedDataset
    selection: data.SelectedPart
    parameters: FrontierParameters
    satisfied: Annotated[
        bool,
        meaning("Whether the target is within reach: at one of the ε that were named, or at any."),
    ]
    complete: Annotated[
        bool,
        meaning(
            "Whether rows has every ε at which anything changes. If not, it has some of them; "
            "smallest_epsilon and feasible look at all in either case."
        ),
    ]
    rows: Annotated[list[FrontierRow], meaning("What holds at each ε, ascending.")]
    smallest_epsilon: SmallestEpsilon | None
    feasible: Annotated[
        list[FeasibleTarget] | None,
        meaning(
            "Every ε that protects and for which the k and the l hold, as intervals; null where "
            "neither "
            "was requested, or ε was named."
        ),
    ]
    feasible_by_rule: Annotated[
        dict[str, list[FeasibleTarget]],
        meaning("The same under both rules for missing sensitive ratings."),
    ]
    bisection: Annotated[
        list[BisectionStep] | None,
        meaning(
            "Always null, as the method is exact. Earlier versions had the steps of the papers' "
            "search."
        ),
    ]
    equal: data.CountedAsEqual
    warnings: Annotated[list[str], meaning("Sentences to read before relying on the result.")]
    cautions: Annotated[list[data.Caution], meaning("The same with codes for programs.")]
    accepted: data.AcceptedCodes
    recodes: Recodes | None
    gate: Gate | UnsetType = UNSET
