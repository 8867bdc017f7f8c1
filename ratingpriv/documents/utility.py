"""``ratingpriv.utility/1``: what a release is still good for, beside its original and a worthless release."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import DatasetShape, Selection, Tool
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Count, Document
from ratingpriv.documents.release import StatedUtility, WholeDistortion


class Answers(Document):
    """How one question was answered."""

    ratings: Count
    mean: float | None
    sd: float | None
    distribution: list[Count] | None  #: By level.


class QuestionBeforeAfter(Document):
    """A question in the original and in the release."""

    name: str
    before: Answers
    after: Answers
    #: The share of answers that would have to be others for one distribution to become the other.
    moved: float | None


class Measure(StatedUtility, kw_only=True):
    """What every measure has."""

    of: str  #: What these are, in words.


class MeasuredQueryError(Measure, kw_only=True):
    """How far counts are off: the mean of |count in the release - count| / count over random queries."""

    median: float | UnsetType | None = UNSET  #: Of the queries.
    queries: Count | UnsetType = UNSET  #: How many queries there are.
    redrawn: Count | UnsetType = UNSET  #: Queries that no record of the original matches, drawn again.
    issues: Count | UnsetType = UNSET  #: Non-sensitive issues in a query.
    selectivity: float | UnsetType = UNSET  #: The share of records that a query is expected to match.
    #: The share that it is given the whole number of values.
    effective_selectivity: float | UnsetType | None = UNSET
    values: Count | UnsetType | None = UNSET  #: How many values of an issue are wanted.
    levels: Count | UnsetType = UNSET  #: Of how many levels.
    estimator: str | UnsetType = UNSET  #: count or boxes.
    #: The mean of |difference| / max(count, a thousandth of the records), nothing drawn again.
    floor: float | UnsetType = UNSET


class MeanAndRange(Document):
    """Mean and range of several runs."""

    mean: float
    low: float
    high: float


class MeasuredMembershipChange(Measure, kw_only=True):
    """The share of records that k-means puts into another cluster."""

    clusters: Count | UnsetType = UNSET  #: How many.
    nulls: str | UnsetType = UNSET  #: What an unanswered issue counts as: zero or mean.
    runs: Count | UnsetType = UNSET  #: How many times k-means was run.
    records: Count | UnsetType = UNSET  #: Records that are in both.
    #: The share under the best relabelling of the clusters: mean and range of the runs.
    relabelled: MeanAndRange | UnsetType = UNSET
    adjusted_rand: MeanAndRange | UnsetType = UNSET  #: Adjusted Rand index: mean and range.


class ReleasedRows(Document):
    """The same, predicting from released ratings."""

    accuracy: float
    balanced_accuracy: float


class MeasuredClassification(Measure, kw_only=True):
    """How often naive Bayes that learned from the release predicts the target of others."""

    target: str | UnsetType = UNSET  #: What is predicted.
    classifier: str | UnsetType = UNSET  #: categorical or gaussian.
    protocol: str | UnsetType = UNSET  #: release: what is released trains, originals of others test.
    trials: Count | UnsetType = UNSET  #: How many.
    part: Count | UnsetType = UNSET  #: Records in either part.
    records: Count | UnsetType = UNSET  #: Records that are in both and have the target.
    classes: Count | UnsetType = UNSET  #: Of the target.
    training_target: str | UnsetType = UNSET  #: Whose target trains: release or original.
    majority: float | UnsetType = UNSET  #: What guessing the most frequent class gives.
    balanced_accuracy: float | UnsetType = UNSET  #: The mean of the classes' shares.
    released_rows: ReleasedRows | UnsetType = UNSET


class InnerProducts(Document):
    """Of the vectors of means with themselves and with each other, over the issues that both rate."""

    original: float
    release: float
    both: float


class MeasuredCentroid(Measure, kw_only=True):
    """How far the issues' mean ratings moved: the mean of |m - m'|."""

    inner_products: InnerProducts | UnsetType = UNSET
    cosine: float | UnsetType | None = UNSET  #: Of the two vectors.
    greatest: float | UnsetType | None = UNSET  #: The most that a mean moved.
    issues: Count | UnsetType = UNSET  #: Issues that both rate.
    issues_without_ratings: Count | UnsetType = UNSET  #: Issues that lost all ratings.


class IssuesLeft(Document):
    """How many have ratings."""

    original: Count
    release: Count


class WithinGroups(Document):
    """The mean SD within the groups of the method; null where they are not at hand."""

    value: float


class MeasuredStandardDeviation(Measure, kw_only=True):
    """The mean over the issues of the SD of their ratings."""

    change: float | UnsetType | None = UNSET  #: The value minus the original's.
    issues: IssuesLeft | UnsetType = UNSET
    within_groups: WithinGroups | UnsetType | None = UNSET


class MeasuredClusteringCoefficient(Measure, kw_only=True):
    """How often two neighbours of a record are proximate too: mean over the records."""

    epsilon: float | UnsetType = UNSET  #: Who is proximate.
    nulls: str | UnsetType = UNSET  #: strict or wildcard.
    of_two_neighbours: float | UnsetType | None = UNSET  #: The mean over records with two neighbours or more.
    pairs: Count | UnsetType | None = UNSET  #: Proximate pairs; null of a sample.
    triangles: Count | UnsetType | None = UNSET  #: Likewise.
    sampled: Count | UnsetType | None = UNSET  #: How many records it is the mean of; null: all.


class MeasuredInformationLoss(Measure, kw_only=True):
    """The share of the original's ratings that were changed, erased or withheld."""

    distortion: WholeDistortion | UnsetType = UNSET


class ImputedBias(Document):
    """What was imputed; null without a pairing."""

    ratings: Count  #: Imputed ratings.
    mean: float | None  #: Of these.
    sd: float | None  #: Their population SD.
    levels: list[float] | None  #: What the counts are of.
    distribution: list[Count] | None  #: Imputed ratings at each level.
    original: list[Count] | None  #: The original's ratings at each.


class MeasuredBias(Measure, kw_only=True):
    """How far the mean of all ratings moved."""

    mean_before: float | UnsetType | None = UNSET  #: Of all ratings of the original.
    mean_after: float | UnsetType | None = UNSET  #: Of the release.
    imputed: ImputedBias | UnsetType | None = UNSET
    imputed_reason: str | UnsetType = UNSET  #: Why that is not known.


class DirectError(Document):
    """What the release has in these cells: distortion, no prediction."""

    rmse: float | None
    coverage: float


class MeasuredRecommender(Measure, kw_only=True):
    """RMSE of held-out ratings, predicted by a model that learned from the release."""

    factors: Count | UnsetType = UNSET  #: Of the model, at most.
    share: float | UnsetType = UNSET  #: Of the ratings that is held out.
    runs: Count | UnsetType = UNSET  #: How many times.
    held_out: float | UnsetType = UNSET  #: Ratings a run.
    predicted: float | UnsetType = UNSET  #: Of these, those of released records.
    global_mean: float | UnsetType = UNSET  #: RMSE by the original's mean.
    issue_mean: float | UnsetType = UNSET  #: RMSE by its issues' means.
    biases: float | UnsetType = UNSET  #: RMSE by the model without factors.
    direct: DirectError | UnsetType = UNSET


class Edges(Document):
    """Ratings; what was added, lost and suppressed with its record is null without a pairing."""

    before: Count
    after: Count
    added: Count | None
    lost: Count | None
    withheld: Count | None


class Density(Document):
    """Ratings a cell of the table."""

    before: float | None
    after: float | None


class Labels(Document):
    """How far the ratings that both have moved; null without a pairing."""

    mean: float
    rmse: float
    edges: Count  #: Of how many ratings.


class Distribution(Document):
    """How many ratings of each level."""

    before: list[Count] | None  #: Of the original.
    after: list[Count] | None  #: Of the release.


class RatingsPerRecord(Document):
    """How many records have so many ratings."""

    ratings: list[Count]
    before: list[Count]
    after: list[Count]


class MeasuredStructure(Measure, kw_only=True):
    """How far issues gained or lost ratings, as a share of the original's."""

    edges: Edges | UnsetType = UNSET
    density: Density | UnsetType = UNSET
    labels: Labels | UnsetType | None = UNSET
    levels: list[float] | UnsetType | None = UNSET  #: What the distributions are over.
    distribution: Distribution | UnsetType = UNSET
    ratings_per_record: RatingsPerRecord | UnsetType = UNSET
    popularity: float | UnsetType | None = UNSET  #: Spearman's correlation of the issues' numbers of ratings.


class Correlations(Document):
    """What was compared."""

    pairs: Count  #: Pairs compared.
    undefined_after: Count  #: Pairs with a correlation before only.
    greatest: float | None  #: The greatest change.
    greatest_of: list[str] | None  #: Between which two.


class Alpha(Document):
    """Cronbach's α, and of how many records."""

    value: float | None
    records: Count  #: Records that rate all questions.


class CronbachAlpha(Document):
    """Over the records that rate all questions."""

    before: Alpha
    after: Alpha


class MeasuredQuestions(Measure, kw_only=True):
    """How far correlations of two questions moved: the mean of |r - r'|."""

    levels: list[float] | UnsetType | None = UNSET  #: What the distributions are over.
    questions: list[QuestionBeforeAfter] | UnsetType = UNSET  #: Question by question.
    of_questions: Count | UnsetType = UNSET  #: How many there are.
    correlations: Correlations | UnsetType = UNSET
    cronbach_alpha: CronbachAlpha | UnsetType = UNSET


class UtilitySettings(Document):
    """The settings that were given; the others are each measure's own."""

    epsilon: float | UnsetType = UNSET  #: Who is proximate.
    nulls: str | UnsetType = UNSET  #: The rule for unanswered issues there: strict or wildcard.
    queries: Count | UnsetType = UNSET  #: How many count queries are drawn.
    target: str | UnsetType = UNSET  #: The issue that classification predicts.
    classifier: str | UnsetType = UNSET  #: categorical or gaussian.
    clusters: Count | UnsetType = UNSET  #: How many clusters k-means makes.
    cluster_nulls: str | UnsetType = UNSET  #: What an unanswered issue counts as there: zero or mean.


class UtilityParameters(Document):
    """What it takes to measure the same again."""

    seed: Count  #: Of all that is drawn.
    measures: list[str]  #: What was measured, by name.
    settings: UtilitySettings


class UtilityOfRelease(Document):
    """What a release is still good for: an object a measure."""

    parameters: UtilityParameters
    #: How it is known which released record is whose; null where it is not.
    pairing: Literal["key", "ids"] | None
    withheld: Count | None  #: Suppressed records; null without a pairing.
    issues_lost: Count  #: Issues that only the original has.
    issues_added: Count  #: Issues that only the release has.
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


class Compared(DatasetShape):
    """One of the two tables."""

    selection: Selection | None  #: Which part of the data; null where nothing was left out.


class Utility(UtilityOfRelease, kw_only=True, tag_field="schema", tag="ratingpriv.utility/1"):
    """What a release is still good for, beside its original and a worthless release."""

    tool: Tool
    original: Compared
    release: Compared
    gate: Gate | UnsetType = UNSET
