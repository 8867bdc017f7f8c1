"""``ratingpriv.utility/1``: what a release is still good for,
beside its original and a worthless release.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, get_args, get_type_hints

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import DatasetShape, Selection, Tool
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Count, Document, meaning
from ratingpriv.documents.release import StatedUtility, WholeDistortion


class Answers(Document):
    __doc__ = "How one item was rated."

    ratings: Annotated[Count, meaning("Number of ratings of the item.")]
    mean: Annotated[float | None, meaning("Mean of these ratings; null without ratings.")]
    sd: Annotated[float | None, meaning("Population SD of these ratings; null without ratings.")]
    distribution: Annotated[list[Count] | None, meaning("By level.")]


class QuestionBeforeAfter(Document):
    __doc__ = "An item in the original and in the release."

    name: Annotated[str, meaning("Name of the item.")]
    before: Answers
    after: Answers
    moved: Annotated[
        float | None,
        meaning(
            "The share of ratings that would have to be others for one distribution to become the "
            "other."
        ),
    ]


class Measure(StatedUtility, kw_only=True):
    __doc__ = "What every measure has."

    better: ClassVar[str] = "lower"
    """Which values are good: lower, higher or near the original."""
    always: ClassVar[bool] = False
    """Whether it is measured of every release: one pass over the ratings or few, and no model."""
    percent: ClassVar[bool] = False
    """Whether figures draw it in percent."""
    of_whole: ClassVar[bool] = False
    """Whether it is the part of a whole that few people may decide."""
    constant: ClassVar[Literal["original", "worthless"] | None] = None
    """The reference that says nothing: the original's is 0, or a worthless one's is the same."""

    of: Annotated[str, meaning("What these are, in words.")]


class MeasuredQueryError(Measure, kw_only=True):
    __doc__ = (
        "How far counts of records are off: the mean of |count in the release - count| / count "
        "over random conditions."
    )

    always = True
    percent = True
    constant = "original"

    median: Annotated[float | UnsetType | None, meaning("Of the queries.")] = UNSET
    queries: Annotated[Count | UnsetType, meaning("How many queries there are.")] = UNSET
    redrawn: Annotated[
        Count | UnsetType,
        meaning("Queries that no record of the original matches, drawn again."),
    ] = UNSET
    issues: Annotated[Count | UnsetType, meaning("Non-sensitive items in a query.")] = UNSET
    selectivity: Annotated[
        float | UnsetType,
        meaning("The share of records that a query is expected to match."),
    ] = UNSET
    effective_selectivity: Annotated[
        float | UnsetType | None,
        meaning("The share that it is given the whole number of values."),
    ] = UNSET
    values: Annotated[
        Count | UnsetType | None, meaning("How many values of an item are wanted.")
    ] = UNSET
    levels: Annotated[Count | UnsetType, meaning("Of how many levels.")] = UNSET
    estimator: Annotated[str | UnsetType, meaning("count or boxes.")] = UNSET
    floor: Annotated[
        float | UnsetType,
        meaning(
            "The mean of |difference| / max(count, a thousandth of the records), nothing drawn "
            "again."
        ),
    ] = UNSET


class MeanAndRange(Document):
    __doc__ = "Mean and range of several runs."

    mean: Annotated[float, meaning("Mean of the runs.")]
    low: Annotated[float, meaning("Smallest value of a run.")]
    high: Annotated[float, meaning("Largest value of a run.")]


class MeasuredMembershipChange(Measure, kw_only=True):
    __doc__ = "The share of records that k-means puts into another cluster."

    percent = True
    of_whole = True
    constant = "original"

    clusters: Annotated[Count | UnsetType, meaning("How many.")] = UNSET
    nulls: Annotated[str | UnsetType, meaning("What a missing rating counts as: zero or mean.")] = (
        UNSET
    )
    runs: Annotated[Count | UnsetType, meaning("How many times k-means was run.")] = UNSET
    records: Annotated[Count | UnsetType, meaning("Records that are in both.")] = UNSET
    relabelled: Annotated[
        MeanAndRange | UnsetType,
        meaning(
            "The share under the best relabelling of the clusters: mean and range of the runs."
        ),
    ] = UNSET
    adjusted_rand: Annotated[
        MeanAndRange | UnsetType,
        meaning("Adjusted Rand index: mean and range."),
    ] = UNSET


class ReleasedRows(Document):
    __doc__ = "The same, predicting from released ratings."

    accuracy: Annotated[
        float,
        meaning("Share of the test records whose class is predicted, the mean of the trials."),
    ]
    balanced_accuracy: Annotated[
        float, meaning("Mean of the classes' shares, the mean of the trials.")
    ]


class MeasuredClassification(Measure, kw_only=True):
    __doc__ = "How often naive Bayes trained on the release predicts the target of other people."

    better = "higher"
    percent = True

    target: Annotated[str | UnsetType, meaning("What is predicted.")] = UNSET
    classifier: Annotated[str | UnsetType, meaning("categorical or gaussian.")] = UNSET
    protocol: Annotated[
        str | UnsetType,
        meaning("release: released rows train, originals of other records test."),
    ] = UNSET
    trials: Annotated[Count | UnsetType, meaning("How many times the records were divided.")] = (
        UNSET
    )
    part: Annotated[
        Count | UnsetType,
        meaning("Records in each of the two parts, training and test."),
    ] = UNSET
    records: Annotated[
        Count | UnsetType, meaning("Records that are in both and have the target.")
    ] = UNSET
    classes: Annotated[Count | UnsetType, meaning("Classes of the target.")] = UNSET
    training_target: Annotated[
        str | UnsetType, meaning("Whose target trains: release or original.")
    ] = UNSET
    majority: Annotated[
        float | UnsetType,
        meaning("Share that is right by always predicting the most frequent class."),
    ] = UNSET
    balanced_accuracy: Annotated[float | UnsetType, meaning("The mean of the classes' shares.")] = (
        UNSET
    )
    released_rows: ReleasedRows | UnsetType = UNSET


class InnerProducts(Document):
    __doc__ = (
        "Of the vectors of means with themselves and with each other, over the items that "
        "both rated."
    )

    original: Annotated[float, meaning("Of the original's vector of means with itself.")]
    release: Annotated[float, meaning("Of the release's vector of means with itself.")]
    both: Annotated[float, meaning("Of the two vectors with each other.")]


class MeasuredCentroid(Measure, kw_only=True):
    __doc__ = "How far the means of the items moved: the mean of |m - m'|."

    always = True
    constant = "worthless"

    inner_products: InnerProducts | UnsetType = UNSET
    cosine: Annotated[
        float | UnsetType | None,
        meaning("Cosine of the two vectors; null where one is zero."),
    ] = UNSET
    greatest: Annotated[float | UnsetType | None, meaning("The most that a mean moved.")] = UNSET
    issues: Annotated[Count | UnsetType, meaning("Items that both rated.")] = UNSET
    issues_without_ratings: Annotated[
        Count | UnsetType, meaning("Items that lost all ratings.")
    ] = UNSET


class IssuesLeft(Document):
    __doc__ = "How many have ratings."

    original: Annotated[Count, meaning("Items of the original that have ratings.")]
    release: Annotated[Count, meaning("Items of the release that have ratings.")]


class WithinGroups(Document):
    __doc__ = "The mean SD within the groups of the method; null where they are not at hand."

    value: Annotated[float, meaning("Mean SD within the groups.")]


class MeasuredStandardDeviation(Measure, kw_only=True):
    __doc__ = "How much the ratings of an item differ: the mean over the items of their SD."

    better = "near the original"
    always = True

    change: Annotated[float | UnsetType | None, meaning("The value minus the original's.")] = UNSET
    issues: IssuesLeft | UnsetType = UNSET
    within_groups: WithinGroups | UnsetType | None = UNSET


class MeasuredClusteringCoefficient(Measure, kw_only=True):
    __doc__ = "How often two neighbours of a record are proximate too: mean over the records."

    better = "near the original"

    epsilon: Annotated[float | UnsetType, meaning("Who is proximate.")] = UNSET
    nulls: Annotated[str | UnsetType, meaning("strict or wildcard.")] = UNSET
    of_two_neighbours: Annotated[
        float | UnsetType | None,
        meaning("The mean over records with two neighbours or more."),
    ] = UNSET
    pairs: Annotated[Count | UnsetType | None, meaning("Proximate pairs; null of a sample.")] = (
        UNSET
    )
    triangles: Annotated[Count | UnsetType | None, meaning("Likewise.")] = UNSET
    sampled: Annotated[
        Count | UnsetType | None,
        meaning("How many records it is the mean of; null: all."),
    ] = UNSET


class MeasuredInformationLoss(Measure, kw_only=True):
    __doc__ = "The share of the original's ratings that were changed or suppressed."

    always = True
    of_whole = True

    distortion: WholeDistortion | UnsetType = UNSET


class ImputedBias(Document):
    __doc__ = "What was imputed; null without a pairing."

    ratings: Annotated[Count, meaning("Imputed ratings.")]
    mean: Annotated[float | None, meaning("Of these.")]
    sd: Annotated[float | None, meaning("Their population SD.")]
    levels: Annotated[list[float] | None, meaning("What the counts are of.")]
    distribution: Annotated[list[Count] | None, meaning("Imputed ratings at each level.")]
    original: Annotated[list[Count] | None, meaning("The original's ratings at each.")]


class MeasuredBias(Measure, kw_only=True):
    __doc__ = "How far the mean of all ratings moved."

    always = True

    mean_before: Annotated[
        float | UnsetType | None,
        meaning("Mean of all ratings of the original; null without ratings."),
    ] = UNSET
    mean_after: Annotated[
        float | UnsetType | None,
        meaning("Mean of all ratings of the release; null without ratings."),
    ] = UNSET
    imputed: ImputedBias | UnsetType | None = UNSET
    imputed_reason: Annotated[str | UnsetType, meaning("Why that is not known.")] = UNSET


class DirectError(Document):
    __doc__ = "What the release has in these cells: distortion, no prediction."

    rmse: Annotated[
        float | None,
        meaning("RMSE of the release's ratings in these cells; null where it has none."),
    ]
    coverage: Annotated[float, meaning("Share of these cells in which the release has a rating.")]


class MeasuredRecommender(Measure, kw_only=True):
    __doc__ = "RMSE of held-out ratings, predicted by a model trained on the release."

    factors: Annotated[Count | UnsetType, meaning("Of the model, at most.")] = UNSET
    share: Annotated[float | UnsetType, meaning("Of the ratings that is held out.")] = UNSET
    runs: Annotated[Count | UnsetType, meaning("How many times.")] = UNSET
    held_out: Annotated[float | UnsetType, meaning("Ratings a run.")] = UNSET
    predicted: Annotated[float | UnsetType, meaning("Of these, those of released records.")] = UNSET
    global_mean: Annotated[float | UnsetType, meaning("RMSE by the original's mean.")] = UNSET
    issue_mean: Annotated[float | UnsetType, meaning("RMSE by its items' means.")] = UNSET
    biases: Annotated[float | UnsetType, meaning("RMSE by the model without factors.")] = UNSET
    direct: DirectError | UnsetType = UNSET


class Edges(Document):
    __doc__ = (
        "Ratings; what was added, lost and suppressed with its record is null without a pairing."
    )

    before: Annotated[Count, meaning("Ratings of the original.")]
    after: Annotated[Count, meaning("Ratings of the release.")]
    added: Annotated[
        Count | None,
        meaning("Ratings that only the release has, in released records; null without a pairing."),
    ]
    lost: Annotated[
        Count | None,
        meaning("Ratings that only the original has, in released records; null without a pairing."),
    ]
    withheld: Annotated[
        Count | None, meaning("Ratings of suppressed records; null without a pairing.")
    ]


class Density(Document):
    __doc__ = "Ratings a cell of the table."

    before: Annotated[float | None, meaning("Of the original; null where it has no cell.")]
    after: Annotated[float | None, meaning("Of the release; null where it has no cell.")]


class Labels(Document):
    __doc__ = "How far the ratings that both have moved; null without a pairing."

    mean: Annotated[float, meaning("Mean of the absolute differences.")]
    rmse: Annotated[float, meaning("Root of the mean squared difference.")]
    edges: Annotated[Count, meaning("Of how many ratings.")]


class Distribution(Document):
    __doc__ = "How many ratings of each level."

    before: Annotated[list[Count] | None, meaning("Of the original.")]
    after: Annotated[list[Count] | None, meaning("Of the release.")]


class RatingsPerRecord(Document):
    __doc__ = "How many records have so many ratings."

    ratings: Annotated[list[Count], meaning("The numbers of ratings that occur, ascending.")]
    before: Annotated[
        list[Count],
        meaning("Records of the original with that many ratings, one for each number."),
    ]
    after: Annotated[
        list[Count],
        meaning("Records of the release with that many ratings, one for each number."),
    ]


class MeasuredStructure(Measure, kw_only=True):
    __doc__ = "How far items gained or lost ratings, as a share of all ratings."

    always = True

    edges: Edges | UnsetType = UNSET
    density: Density | UnsetType = UNSET
    labels: Labels | UnsetType | None = UNSET
    levels: Annotated[
        list[float] | UnsetType | None, meaning("What the distributions are over.")
    ] = UNSET
    distribution: Distribution | UnsetType = UNSET
    ratings_per_record: RatingsPerRecord | UnsetType = UNSET
    popularity: Annotated[
        float | UnsetType | None,
        meaning("Spearman's correlation of the items' numbers of ratings."),
    ] = UNSET


class Correlations(Document):
    __doc__ = "What was compared."

    pairs: Annotated[Count, meaning("Pairs compared.")]
    undefined_after: Annotated[Count, meaning("Pairs with a correlation before only.")]
    greatest: Annotated[float | None, meaning("The greatest change.")]
    greatest_of: Annotated[list[str] | None, meaning("Between which two.")]


class Alpha(Document):
    __doc__ = "Cronbach's α, and of how many records."

    value: Annotated[float | None, meaning("Cronbach's α; null where it is not defined.")]
    records: Annotated[Count, meaning("Records that rate all items.")]


class CronbachAlpha(Document):
    __doc__ = "Over the records that rate all items."

    before: Alpha
    after: Alpha


class MeasuredQuestions(Measure, kw_only=True):
    __doc__ = "How far correlations of two items moved: the mean of |r - r'|."

    levels: Annotated[
        list[float] | UnsetType | None, meaning("What the distributions are over.")
    ] = UNSET
    questions: Annotated[list[QuestionBeforeAfter] | UnsetType, meaning("Item by item.")] = UNSET
    of_questions: Annotated[Count | UnsetType, meaning("How many there are.")] = UNSET
    correlations: Correlations | UnsetType = UNSET
    cronbach_alpha: CronbachAlpha | UnsetType = UNSET


class UtilitySettings(Document):
    __doc__ = "The settings that were given; the others are each measure's own."

    epsilon: Annotated[float | UnsetType, meaning("Who is proximate.")] = UNSET
    nulls: Annotated[
        str | UnsetType,
        meaning("The rule for missing ratings there: strict or wildcard."),
    ] = UNSET
    queries: Annotated[Count | UnsetType, meaning("How many count queries are drawn.")] = UNSET
    target: Annotated[str | UnsetType, meaning("The item that classification predicts.")] = UNSET
    classifier: Annotated[str | UnsetType, meaning("categorical or gaussian.")] = UNSET
    clusters: Annotated[Count | UnsetType, meaning("How many clusters k-means makes.")] = UNSET
    cluster_nulls: Annotated[
        str | UnsetType,
        meaning("What a missing rating counts as there: zero or mean."),
    ] = UNSET


class UtilityParameters(Document):
    __doc__ = "What it takes to measure the same again."

    seed: Annotated[Count, meaning("Of all that is drawn.")]
    measures: Annotated[list[str], meaning("What was measured, by name.")]
    settings: UtilitySettings


class UtilityOfRelease(Document):
    __doc__ = "What a release is still good for: an object a measure."

    parameters: UtilityParameters
    pairing: Annotated[
        Literal["key", "ids"] | None,
        meaning("How it is known which released record is whose; null where it is not."),
    ]
    withheld: Annotated[Count | None, meaning("Suppressed records; null without a pairing.")]
    issues_lost: Annotated[
        Count,
        meaning("Items that only the original has; they count as missing in the release."),
    ]
    issues_added: Annotated[
        Count,
        meaning("Items that only the release has; they count as missing in the original."),
    ]
    query_error: MeasuredQueryError | UnsetType = UNSET
    membership_change: MeasuredMembershipChange | UnsetType = UNSET
    classification: MeasuredClassification | UnsetType = UNSET
    centroid: MeasuredCentroid | UnsetType = UNSET
    standard_deviation: MeasuredStandardDeviation | UnsetType = UNSET
    clustering_coefficient: MeasuredClusteringCoefficient | UnsetType = UNSET
    information_loss: MeasuredInformationLoss | UnsetType = UNSET
    bias: MeasuredBias | UnsetType = UNSET
    recommender: MeasuredRecommender | UnsetType = UNSET
    structure: MeasuredStructure | UnsetType = UNSET
    questions: MeasuredQuestions | UnsetType = UNSET


def _measured() -> dict[str, type[Measure]]:
    kinds = {key: get_args(hint) for key, hint in get_type_hints(UtilityOfRelease).items()}
    measures = {key: kind[0] for key, kind in kinds.items() if kind and isinstance(kind[0], type)}
    return {key: kind for key, kind in measures.items() if issubclass(kind, Measure)}


MEASURED: Mapping[str, type[Measure]] = _measured()
"""Every measure by its key, in the order of :data:`ratingpriv.utility.measures.MEASURES`.

Pages read from it which values are good, without the models that measure them.
"""


class Compared(DatasetShape):
    __doc__ = "One of the two tables."

    selection: Annotated[
        Selection | None,
        meaning("Which part of the data; null where all were used."),
    ]


class Utility(UtilityOfRelease, kw_only=True, tag_field="schema", tag="ratingpriv.utility/1"):
    __doc__ = "The utility of a release, beside its original and the random baseline."

    tool: Tool
    original: Compared
    release: Compared
    gate: Gate | UnsetType = UNSET
