"""``ratingpriv.audit/1``: the verdict, and who is at risk; ``explain/1``:
by which few ratings one is.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents import data
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Amount, AtLeastOne, Count, Document, Positive, Share, meaning
from ratingpriv.documents.verdicts import AuditVerdicts


class IssueInference(Document):
    __doc__ = "What can be inferred about one sensitive item."

    neighbourhoods: Annotated[
        Count,
        meaning(
            "Neighbourhoods with a known value. The other keys are about these; they are null or "
            "0 where "
            "there is none."
        ),
    ]
    largest_share: Annotated[
        Share | None,
        meaning(
            "The largest share of one value among the known ones of a neighbourhood, rounded up "
            "in its "
            "last digit where it has no decimal, so that it holds as a demand."
        ),
    ]
    record: Annotated[
        str | None,
        meaning("A record whose neighbourhood it is; null unless records were to be shown."),
    ]
    distinct: Annotated[Positive | None, meaning("The fewest distinct known values.")]
    entropy: Annotated[Amount | None, meaning("The least entropy in bits.")]
    entropy_l: Annotated[
        AtLeastOne | None, meaning("The largest L of entropy l-diversity that holds.")
    ]
    agreeing: Annotated[
        Count, meaning("Neighbourhoods of two or more whose known values are all the same.")
    ]
    alone: Annotated[Count, meaning("Neighbourhoods of one record whose value is known.")]
    distance: Annotated[
        Share | None,
        meaning(
            "The largest distance from the distribution of all; null unless t-closeness was "
            "requested."
        ),
    ]
    distance_record: Annotated[
        str | None,
        meaning(
            "A record whose neighbourhood it is; null unless records were to be shown, and of "
            "Spark."
        ),
    ]


class PickRisk(Document):
    __doc__ = "The chance of a pick at random among the records within ε of the exact ratings."

    prosecutor_max: Annotated[
        Share,
        meaning(
            "Largest 1 / neighbourhood size: the chance of a pick at random among the records "
            "within ε of "
            "the exact ratings; of no other adversary."
        ),
    ]
    marketer: Annotated[
        Share,
        meaning("Mean of 1 / neighbourhood size: the same on average over all records."),
    ]
    share_below_k: Annotated[
        Share, meaning("Share of records whose neighbourhood has fewer than k records.")
    ]


class SizeCount(Document):
    __doc__ = "How many records have a neighbourhood of one size."

    size: Annotated[Positive, meaning("Records in a neighbourhood.")]
    records: Annotated[Positive, meaning("Records that have a neighbourhood of this size.")]


class NeighbourhoodSizes(Document):
    __doc__ = "A record counts in its own neighbourhood."

    min: Annotated[Count, meaning("Records in the smallest neighbourhood.")]
    median: Annotated[Amount, meaning("Median size.")]
    mean: Annotated[Amount, meaning("Mean size.")]
    max: Annotated[Count, meaning("Records in the largest neighbourhood.")]
    pairs: Annotated[
        Count | None,
        meaning(
            "Unordered pairs of ε-proximate records; null under the rule known, which is "
            "asymmetric and "
            "has none."
        ),
    ]
    histogram: Annotated[
        list[SizeCount],
        meaning("How many records have a neighbourhood of each size, ascending."),
    ]


class RecordCount(Document):
    __doc__ = "How many records are left with so few that fit."

    left: Annotated[Positive, meaning("How many records fit the knowledge.")]
    records: Annotated[
        Positive,
        meaning("Examined records of which some knowledge was found to leave so few."),
    ]


class Exposure(Document):
    __doc__ = "The exposure to an adversary with a rating error."

    error: Annotated[Amount, meaning("How far knowledge may be off.")]
    nulls: Annotated[
        Literal["strict", "wildcard", "known"], meaning("The rule for missing ratings.")
    ]
    expected: Annotated[
        Share,
        meaning(
            "Mean over the records of the expectation of 1 / (records that fit the knowledge): "
            "the chance "
            "that a pick at random among them is right."
        ),
    ]
    expected_low: Annotated[
        Share,
        meaning(
            "Lower end of its interval, of a confidence of 95 % (Hoeffding); equal to it where it "
            "is exact."
        ),
    ]
    expected_high: Annotated[
        Share,
        meaning(
            "Upper end of its interval, of a confidence of 95 % (Hoeffding); equal to it where it "
            "is exact."
        ),
    ]
    worst: Annotated[Count, meaning("The fewest records that some knowledge was found to leave.")]
    certain: Annotated[
        Count, meaning("Records of which some knowledge was found to fit no other record.")
    ]
    exact: Annotated[bool, meaning("Whether all three are exact.")]
    expected_exact: Annotated[
        bool, meaning("Whether all knowledge was enumerated; otherwise it was drawn.")
    ]
    worst_exact: Annotated[
        bool,
        meaning(
            "Whether it is proved that no knowledge leaves fewer; otherwise a search found "
            "`worst`, and "
            "there may be worse."
        ),
    ]
    certain_exact: Annotated[
        bool,
        meaning("Whether it is proved that there are no others; otherwise there may be more."),
    ]
    records: Annotated[
        Count,
        meaning(
            "Records that were examined; fewer than all, drawn at random, only in very large data."
        ),
    ]
    of_records: Annotated[Count, meaning("Of how many.")]
    samples: Annotated[
        Count,
        meaning("Draws of knowledge for each record whose knowledge was not enumerated."),
    ]
    seed: Annotated[Count | None, meaning("What they were drawn from.")]
    step: Annotated[
        Amount | None, meaning("Knowledge takes multiples of it; null where any number.")
    ]
    scale_declared: Annotated[
        bool,
        meaning("Whether knowledge ends with the scale. The range of the data does not bound it."),
    ]
    fewest_left: Annotated[
        list[RecordCount],
        meaning("How many records have some knowledge found that leaves so few, ascending."),
    ]


class BelowK(Document):
    __doc__ = "How many records some so many known ratings narrow down to fewer than k."

    m: Annotated[Positive, meaning("How many ratings are known.")]
    records: Annotated[
        Count, meaning("Records that some so many known ratings narrow down to fewer than k.")
    ]
    share: Annotated[Share, meaning("The same as a share of all records.")]


class LargestK(Document):
    __doc__ = "The largest k that any so many known ratings leave."

    m: Annotated[Positive, meaning("How many ratings are known.")]
    k: Annotated[Positive, meaning("The largest k that any so many leave.")]


class RandomKnown(Document):
    __doc__ = "What this number of random known ratings of a record disclose."

    m: Annotated[Positive, meaning("How many ratings are known.")]
    below_k: Annotated[
        Share | None,
        meaning(
            "Mean share of the choices that leave fewer than k; null where no record has so many "
            "ratings."
        ),
    ]
    below_k_low: Annotated[Share | None, meaning("Lower end of its interval.")]
    below_k_high: Annotated[Share | None, meaning("Upper end of its interval.")]
    pick: Annotated[
        Share | None, meaning("Mean chance that a pick among the records left is right.")
    ]
    pick_low: Annotated[Share | None, meaning("Lower end of its interval.")]
    pick_high: Annotated[Share | None, meaning("Upper end of its interval.")]
    records: Annotated[Count, meaning("Records with so many ratings.")]
    too_few: Annotated[Count, meaning("Records with fewer, which are in no mean.")]
    draws: Annotated[Count, meaning("Choices drawn of each record; 0 where all were gone through.")]
    exact: Annotated[bool, meaning("Whether all were.")]
    seed: Annotated[Count | None, meaning("What they were drawn from; null where none were.")]


class SinglingCounts(Document):
    __doc__ = "An item whose ratings narrow records down to fewer than k."

    item: Annotated[str, meaning("Its name.")]
    alone: Annotated[Count, meaning("Records that its rating alone narrows down.")]
    in_pairs: Annotated[
        Count | None,
        meaning(
            "Records that it narrows down together with the rating of one other item, where "
            "neither does alone; null where pairs were not counted."
        ),
    ]


class KnownVerdict(Document):
    __doc__ = "The verdict against any m known ratings; not there unless it was requested."

    m: Annotated[Positive, meaning("How many ratings may be known, at most.")]
    k: Annotated[Positive, meaning("How many records these shall leave, at least.")]
    epsilon: Annotated[
        Amount | None,
        meaning("Records within so much of exact knowledge are left; null where knowledge is off."),
    ]
    error: Annotated[
        Amount | None, meaning("The largest error of the knowledge; null where it is exact.")
    ]
    items: Annotated[
        str | None,
        meaning(
            "The only items of which ratings can be known, such as top:100; null where of anything."
        ),
    ]
    satisfied: Annotated[
        bool | None,
        meaning(
            "Whether it holds; null where the budget ended before that was known, which is never "
            "a yes."
        ),
    ]
    proved_m: Annotated[
        Count,
        meaning(
            "Up to how many known ratings everything was looked at. Of more nothing is claimed."
        ),
    ]
    exact: Annotated[bool, meaning("Whether that is m.")]
    below_k: Annotated[
        list[BelowK],
        meaning("For each number of known ratings, whom some so many narrow down."),
    ]
    largest_k: Annotated[list[LargestK], meaning("The largest k where the search knows it.")]
    without_ratings: Annotated[
        Count,
        meaning("Records without a rating, which are never at risk by this definition."),
    ]
    random: Annotated[
        list[RandomKnown],
        meaning("What random known ratings disclose, which is a mean and no promise."),
    ]
    singling: Annotated[
        list[SinglingCounts] | UnsetType,
        meaning("The fifty items whose ratings narrow most records down; only in an audit."),
    ] = UNSET


class Violator(Document):
    __doc__ = "A record at risk."

    record: Annotated[str, meaning("Id as in the data.")]
    size: Annotated[Positive, meaning("Of its neighbourhood.")]
    sd: Annotated[
        dict[str, Amount | None] | None,
        meaning(
            "SD of each sensitive item over the neighbourhood; null where nothing can be "
            "inferred. The whole is null where all sensitive items are nominal."
        ),
    ]
    share: Annotated[
        dict[str, Share | None],
        meaning(
            "Of each sensitive item the largest share of one value in the neighbourhood; null "
            "where nothing can be inferred."
        ),
    ]
    distinct: Annotated[
        dict[str, Positive | None],
        meaning(
            "Of each sensitive item the distinct values in the neighbourhood; null where nothing "
            "can be inferred."
        ),
    ]
    entropy: Annotated[
        dict[str, Amount | None],
        meaning(
            "Of each sensitive item the entropy in the neighbourhood, in bits; null where nothing "
            "can be inferred."
        ),
    ]


class Audit(AuditVerdicts, tag="ratingpriv.audit/1"):
    __doc__ = "What an audit found: the verdict, and who is at risk."

    equal: data.CountedAsEqual
    inference: Annotated[
        dict[str, IssueInference],
        meaning(
            "What neighbourhoods disclose of each sensitive item, whatever was requested; empty "
            "without "
            "one. A missing value is no value."
        ),
    ]
    risk: PickRisk
    neighbourhood_sizes: NeighbourhoodSizes
    exposure: Annotated[Exposure | None, meaning("Null unless --exposure was given.")]
    violators: Annotated[
        list[Violator],
        meaning(
            "Records that break the verdict, worst first: the smallest neighbourhood, then the "
            "smallest "
            "SD, then the largest share, then the order of the data (without a list of records, "
            "of their "
            "ids). Cut by --show N; none is named without it. Counts are never cut."
        ),
    ]
    warnings: Annotated[list[str], meaning("Sentences to read before relying on the result.")]
    cautions: Annotated[list[data.Caution], meaning("The same with codes for programs.")]
    accepted: data.AcceptedCodes
    known: KnownVerdict | UnsetType = UNSET
    gate: Gate | UnsetType = UNSET


class IdentifyingSet(Document):
    __doc__ = (
        "Some of the record's ratings that leave fewer than k records, none of which can be "
        "dropped."
    )

    issues: Annotated[list[str], meaning("What they are ratings of.")]
    left: Annotated[
        Positive,
        meaning(
            "How many records rate all of these within epsilon of the record, itself included."
        ),
    ]


class Contribution(Document):
    __doc__ = "How much one rating does."

    issue: Annotated[str, meaning("Name of the item.")]
    rating: Annotated[float, meaning("The record's.")]
    share: Annotated[Share, meaning("Of the sets, how many it is in.")]


class Blanks(Document):
    __doc__ = (
        "Ratings without which nothing that is known of the record leaves fewer than k; null "
        "unless they "
        "were asked for and the sets are complete."
    )

    issues: Annotated[list[str], meaning("What they are ratings of; as few as were found.")]
    proved: Annotated[bool, meaning("Whether no fewer will do.")]
    knock_on: Annotated[
        Count | None,
        meaning(
            "Other records that fall below k, or by fewer known ratings, once this record fits "
            "them no "
            "more; null where that was not decided, which is never a zero."
        ),
    ]


class Explanation(data.Contract, tag="ratingpriv.explain/1"):
    __doc__ = "Which few known ratings narrow one record down. It names a person's ratings."

    dataset: data.DatasetShape
    selection: Annotated[data.Selection | None, meaning("Null where all data were used.")]
    record: Annotated[str, meaning("Id as in the data.")]
    k: Annotated[Positive, meaning("Fewer records than these are looked for.")]
    epsilon: Annotated[Amount, meaning("Records within so much of each known rating are left.")]
    m: Annotated[Positive, meaning("How many ratings are known, at most.")]
    ratings: Annotated[Count, meaning("How many the record has.")]
    sets: Annotated[list[IdentifyingSet], meaning("The minimal sets, the smaller ones first.")]
    complete: Annotated[
        bool,
        meaning(
            "Whether these are all; otherwise there are more than are kept, and nothing is said "
            "of the rest."
        ),
    ]
    contribution: Annotated[
        list[Contribution],
        meaning("Of each rating that is in a set, the largest share first."),
    ]
    blanks: Blanks | None
