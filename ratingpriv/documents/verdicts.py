"""What an audit was asked for, and its verdict on each part; all that documents say of a demand.

A demand on sensitive values has a key here in each of three types, and a verdict of its own.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from ratingpriv.base.parameter import Parameter
from ratingpriv.documents import data
from ratingpriv.documents.demands import Target
from ratingpriv.documents.form import Amount, AtLeastOne, Count, Document, Positive, Share, meaning


class AuditParameters(Target):
    __doc__ = "What was requested."

    engine: Annotated[
        str, meaning("What counted neighbourhoods: slicing, pairwise, cypher or spark.")
    ]
    max_share: Annotated[
        Share | None,
        meaning(
            "The largest share of one sensitive value that was allowed; null where none was "
            "requested."
        ),
        Parameter(
            words="Largest share of one sensitive value in a neighbourhood.",
            metavar="S",
            least=0,
            most=1,
        ),
    ]
    sensitive_kind: Annotated[
        Literal["interval", "nominal"],
        meaning("Whether sensitive ratings are numbers or codes."),
    ]
    distinct: Annotated[
        Positive | None,
        meaning("How many distinct values were required; null where none were."),
        Parameter(
            words="Distinct l-diversity: L different sensitive values.",
            kind=int,
            metavar="L",
            least=1,
        ),
    ]
    entropy: Annotated[
        AtLeastOne | None,
        meaning("L of entropy l-diversity that was required; null where none was."),
        Parameter(words="Entropy l-diversity: as varied as L equally frequent ones.", metavar="L"),
    ]
    t_closeness: Annotated[
        Share | None,
        meaning(
            "The largest distance from the distribution of all records that was allowed; null "
            "where none "
            "was requested."
        ),
        Parameter(
            words="t-closeness: largest distance of the sensitive values from those of all.",
            metavar="T",
            least=0,
            most=1,
        ),
    ]


class GroupDemands(Document, kw_only=True):
    __doc__ = "What was requested of each group of a release by swap; only what was."

    max_share: Annotated[
        Share | UnsetType,
        meaning("Demand on the groups of swap: largest share of a sensitive value."),
        Parameter(words="swap: largest share of a sensitive value in a group.", least=0, most=1),
    ] = UNSET
    distinct: Annotated[
        Positive | UnsetType,
        meaning("Demand on the groups of swap: different sensitive values."),
        Parameter(
            words="swap: different sensitive values in a group.", kind=int, metavar="L", least=1
        ),
    ] = UNSET
    entropy: Annotated[
        Amount | UnsetType,
        meaning("Demand on the groups of swap: exponential of the entropy."),
        Parameter(words="swap: as varied as L equally frequent ones.", metavar="L"),
    ] = UNSET
    t_closeness: Annotated[
        Share | UnsetType,
        meaning(
            "Demand on the groups of swap: distance of sensitive values from those of all records."
        ),
        Parameter(words="swap: no farther from the values of all.", metavar="T", least=0, most=1),
    ] = UNSET


class Tolerance(Document):
    __doc__ = "Null unless at-most was given."

    at_most: Annotated[
        float,
        Meta(ge=0, lt=1),
        meaning("The share of records that may break the verdict before the gate fails."),
    ]
    share: Annotated[Share, meaning("The share that does.")]
    within: Annotated[bool, meaning("Whether that is at most as much, exactly.")]


class KEpsilonVerdict(Document):
    __doc__ = "The verdict for k."

    satisfied: Annotated[bool, meaning("Whether every neighbourhood has at least k records.")]
    max_k: Annotated[Count, meaning("The largest k for which that holds.")]
    violators: Annotated[Count, meaning("Records with a smaller neighbourhood.")]

    def __bool__(self) -> bool:
        """Whether it is satisfied."""
        return self.satisfied


class DiversityVerdict(Document):
    __doc__ = "The verdict for l of one rule."

    satisfied: Annotated[bool, meaning("Whether it holds.")]
    max_l: Annotated[
        dict[str, Amount | None],
        meaning(
            "For each sensitive item the largest l that holds; null where every l does, because no "
            "neighbourhood has a known rating."
        ),
    ]
    violators: Annotated[Count, meaning("Records that break it.")]


class ByRule(Document):
    __doc__ = "The same under each rule for missing sensitive ratings."

    paper: DiversityVerdict
    ignore: DiversityVerdict


class KEpsilonLVerdict(DiversityVerdict):
    __doc__ = "The verdict for k and l together; null without l."

    by_rule: Annotated[
        ByRule,
        meaning(
            "The same under each rule for missing sensitive ratings; the outer values are those of "
            "parameters.sensitive_nulls."
        ),
    ]


class MaxShareVerdict(Document):
    __doc__ = "The verdict on the largest share; null unless requested."

    satisfied: Annotated[
        bool,
        meaning("Whether no value has a larger share of the known ones in any neighbourhood."),
    ]
    smallest: Annotated[
        dict[str, Share | None],
        meaning(
            "For each sensitive item the smallest share that holds; null where any does, because "
            "no value "
            "is known."
        ),
    ]
    violators: Annotated[Count, meaning("Neighbourhoods that break it.")]


class DistinctVerdict(Document):
    __doc__ = "The verdict on distinct values; null unless requested."

    satisfied: Annotated[bool, meaning("Whether it holds.")]
    largest: Annotated[
        dict[str, Amount | None],
        meaning("For each sensitive item the largest number that holds, null where any does."),
    ]
    violators: Annotated[Count, meaning("Neighbourhoods that break it.")]


class EntropyVerdict(DistinctVerdict):
    __doc__ = "The verdict on entropy; null unless requested."

    largest: Annotated[
        dict[str, Amount | None],
        meaning("For each sensitive item the largest L that holds, null where any does."),
    ]


class ClosenessVerdict(Document):
    __doc__ = (
        "The verdict on the distance from the distribution of all records; null unless requested."
    )

    satisfied: Annotated[bool, meaning("Whether it holds.")]
    smallest: Annotated[
        dict[str, Share | None],
        meaning("For each sensitive item the smallest distance that holds, null where any does."),
    ]
    violators: Annotated[Count, meaning("Neighbourhoods that break it.")]


class AuditVerdicts(data.Contract):
    __doc__ = "What was audited and requested, and the verdict on each part of that."

    dataset: data.AuditedDataset
    selection: data.SelectedPart
    parameters: AuditParameters
    satisfied: Annotated[
        bool,
        meaning(
            "The verdict: whether every record meets all that was requested; no tolerance "
            "changes it."
        ),
    ]
    n_violators: Annotated[Count, meaning("Records that break it.")]
    tolerance: Tolerance | None
    k_epsilon: KEpsilonVerdict
    k_epsilon_l: KEpsilonLVerdict | None
    max_share: MaxShareVerdict | None
    distinct: DistinctVerdict | None
    entropy: EntropyVerdict | None
    t_closeness: ClosenessVerdict | None
