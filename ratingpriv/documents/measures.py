"""What a release is still good for, a type a measure."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from ratingpriv.documents.form import Count, Document
from ratingpriv.documents.release import WholeDistortion


class Answers(Document):
    """How one question was answered.

    Attributes
    ----------
    distribution : By level.
    """

    ratings: Count
    mean: float | None
    sd: float | None
    distribution: list[Count] | None


class QuestionBeforeAfter(Document):
    """A question in the original and in the release.

    Attributes
    ----------
    moved : The share of answers that would have to be others for one distribution to become the other.
    """

    name: str
    before: Answers
    after: Answers
    moved: float | None


class StatedUtility(Document):
    """A measure as a manifest states it, beside the original's and a worthless release's.

    Attributes
    ----------
    value : The measure; null where there is none, and then `reason` says why.
    low : The lower end of an interval or a range around it.
    high : The upper end.
    original : The same measure of the original itself.
    worthless : The same of a release in which every rating is a random one of its issue.
    reason : Why there is no value.
    """

    value: float | None
    low: float | None
    high: float | None
    original: float | None
    worthless: float | None
    reason: str | UnsetType = UNSET


class Measure(StatedUtility, kw_only=True):
    """What every measure has.

    Attributes
    ----------
    of : What these are, in words.
    """

    of: str


class MeasuredQueryError(Measure, kw_only=True):
    """How far counts are off: the mean of |count in the release - count| / count over random queries.

    Attributes
    ----------
    median : Of the queries.
    queries : How many queries there are.
    redrawn : Queries that no record of the original matches, drawn again.
    issues : Non-sensitive issues in a query.
    selectivity : The share of records that a query is expected to match.
    effective_selectivity : The share that it is given the whole number of values.
    values : How many values of an issue are wanted.
    levels : Of how many levels.
    estimator : count or boxes.
    floor : The mean of |difference| / max(count, a thousandth of the records), nothing drawn again.
    """

    median: float | UnsetType | None = UNSET
    queries: Count | UnsetType = UNSET
    redrawn: Count | UnsetType = UNSET
    issues: Count | UnsetType = UNSET
    selectivity: float | UnsetType = UNSET
    effective_selectivity: float | UnsetType | None = UNSET
    values: Count | UnsetType | None = UNSET
    levels: Count | UnsetType = UNSET
    estimator: str | UnsetType = UNSET
    floor: float | UnsetType = UNSET


class MeanAndRange(Document):
    """Mean and range of several runs."""

    mean: float
    low: float
    high: float


class MeasuredMembershipChange(Measure, kw_only=True):
    """The share of records that k-means puts into another cluster.

    Attributes
    ----------
    clusters : How many.
    nulls : What an unanswered issue counts as: zero or mean.
    runs : How many times k-means was run.
    records : Records that are in both.
    relabelled : The share under the best relabelling of the clusters: mean and range of the runs.
    adjusted_rand : Adjusted Rand index: mean and range.
    """

    clusters: Count | UnsetType = UNSET
    nulls: str | UnsetType = UNSET
    runs: Count | UnsetType = UNSET
    records: Count | UnsetType = UNSET
    relabelled: MeanAndRange | UnsetType = UNSET
    adjusted_rand: MeanAndRange | UnsetType = UNSET


class ReleasedRows(Document):
    """The same, predicting from released ratings."""

    accuracy: float
    balanced_accuracy: float


class MeasuredClassification(Measure, kw_only=True):
    """How often naive Bayes that learned from the release predicts the target of others.

    Attributes
    ----------
    target : What is predicted.
    classifier : categorical or gaussian.
    protocol : release: what is released trains, originals of others test.
    trials : How many.
    part : Records in either part.
    records : Records that are in both and have the target.
    classes : Of the target.
    training_target : Whose target trains: release or original.
    majority : What guessing the most frequent class gives.
    balanced_accuracy : The mean of the classes' shares.
    """

    target: str | UnsetType = UNSET
    classifier: str | UnsetType = UNSET
    protocol: str | UnsetType = UNSET
    trials: Count | UnsetType = UNSET
    part: Count | UnsetType = UNSET
    records: Count | UnsetType = UNSET
    classes: Count | UnsetType = UNSET
    training_target: str | UnsetType = UNSET
    majority: float | UnsetType = UNSET
    balanced_accuracy: float | UnsetType = UNSET
    released_rows: ReleasedRows | UnsetType = UNSET


class InnerProducts(Document):
    """Of the vectors of means with themselves and with each other, over the issues that both rate."""

    original: float
    release: float
    both: float


class MeasuredCentroid(Measure, kw_only=True):
    """How far the issues' mean ratings moved: the mean of |m - m'|.

    Attributes
    ----------
    cosine : Of the two vectors.
    greatest : The most that a mean moved.
    issues : Issues that both rate.
    issues_without_ratings : Issues that lost all ratings.
    """

    inner_products: InnerProducts | UnsetType = UNSET
    cosine: float | UnsetType | None = UNSET
    greatest: float | UnsetType | None = UNSET
    issues: Count | UnsetType = UNSET
    issues_without_ratings: Count | UnsetType = UNSET


class IssuesLeft(Document):
    """How many have ratings."""

    original: Count
    release: Count


class WithinGroups(Document):
    """The mean SD within the groups of the method; null where they are not at hand.

    Attributes
    ----------
    bound : epsilon / 2, which it keeps.
    """

    value: float
    bound: float | UnsetType = UNSET


class MeasuredStandardDeviation(Measure, kw_only=True):
    """The mean over the issues of the SD of their ratings.

    Attributes
    ----------
    change : The value minus the original's.
    """

    change: float | UnsetType | None = UNSET
    issues: IssuesLeft | UnsetType = UNSET
    within_groups: WithinGroups | UnsetType | None = UNSET


class MeasuredClusteringCoefficient(Measure, kw_only=True):
    """How often two neighbours of a record are proximate too: mean over the records.

    Attributes
    ----------
    epsilon : Who is proximate.
    nulls : strict or wildcard.
    of_two_neighbours : The mean over records with two neighbours or more.
    pairs : Proximate pairs; null of a sample.
    triangles : Likewise.
    sampled : How many records it is the mean of; null: all.
    """

    epsilon: float | UnsetType = UNSET
    nulls: str | UnsetType = UNSET
    of_two_neighbours: float | UnsetType | None = UNSET
    pairs: Count | UnsetType | None = UNSET
    triangles: Count | UnsetType | None = UNSET
    sampled: Count | UnsetType | None = UNSET


class MeasuredInformationLoss(Measure, kw_only=True):
    """The share of the original's ratings that were changed, erased or withheld."""

    distortion: WholeDistortion | UnsetType = UNSET


class ImputedBias(Document):
    """What was imputed; null without a pairing.

    Attributes
    ----------
    ratings : Imputed ratings.
    mean : Of these.
    sd : Their population SD.
    levels : What the counts are of.
    distribution : Imputed ratings at each level.
    original : The original's ratings at each.
    """

    ratings: Count
    mean: float | None
    sd: float | None
    levels: list[float] | None
    distribution: list[Count] | None
    original: list[Count] | None


class MeasuredBias(Measure, kw_only=True):
    """How far the mean of all ratings moved.

    Attributes
    ----------
    mean_before : Of all ratings of the original.
    mean_after : Of the release.
    imputed_reason : Why that is not known.
    """

    mean_before: float | UnsetType | None = UNSET
    mean_after: float | UnsetType | None = UNSET
    imputed: ImputedBias | UnsetType | None = UNSET
    imputed_reason: str | UnsetType = UNSET


class DirectError(Document):
    """What the release has in these cells: distortion, no prediction."""

    rmse: float | None
    coverage: float


class MeasuredRecommender(Measure, kw_only=True):
    """RMSE of held-out ratings, predicted by a model that learned from the release.

    Attributes
    ----------
    factors : Of the model, at most.
    share : Of the ratings that is held out.
    runs : How many times.
    held_out : Ratings a run.
    predicted : Of these, those of released records.
    global_mean : RMSE by the original's mean.
    issue_mean : RMSE by its issues' means.
    biases : RMSE by the model without factors.
    """

    factors: Count | UnsetType = UNSET
    share: float | UnsetType = UNSET
    runs: Count | UnsetType = UNSET
    held_out: float | UnsetType = UNSET
    predicted: float | UnsetType = UNSET
    global_mean: float | UnsetType = UNSET
    issue_mean: float | UnsetType = UNSET
    biases: float | UnsetType = UNSET
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
    """How far the ratings that both have moved; null without a pairing.

    Attributes
    ----------
    edges : Of how many ratings.
    """

    mean: float
    rmse: float
    edges: Count


class Distribution(Document):
    """How many ratings of each level.

    Attributes
    ----------
    before : Of the original.
    after : Of the release.
    """

    before: list[Count] | None
    after: list[Count] | None


class RatingsPerRecord(Document):
    """How many records have so many ratings."""

    ratings: list[Count]
    before: list[Count]
    after: list[Count]


class MeasuredStructure(Measure, kw_only=True):
    """How far issues gained or lost ratings, as a share of the original's.

    Attributes
    ----------
    levels : What the distributions are over.
    popularity : Spearman's correlation of the issues' numbers of ratings.
    """

    edges: Edges | UnsetType = UNSET
    density: Density | UnsetType = UNSET
    labels: Labels | UnsetType | None = UNSET
    levels: list[float] | UnsetType | None = UNSET
    distribution: Distribution | UnsetType = UNSET
    ratings_per_record: RatingsPerRecord | UnsetType = UNSET
    popularity: float | UnsetType | None = UNSET


class Correlations(Document):
    """What was compared.

    Attributes
    ----------
    pairs : Pairs compared.
    undefined_after : Pairs with a correlation before only.
    greatest : The greatest change.
    greatest_of : Between which two.
    """

    pairs: Count
    undefined_after: Count
    greatest: float | None
    greatest_of: list[str] | None


class Alpha(Document):
    """Cronbach's α, and of how many records.

    Attributes
    ----------
    records : Records that rate all questions.
    """

    value: float | None
    records: Count


class CronbachAlpha(Document):
    """Over the records that rate all questions."""

    before: Alpha
    after: Alpha


class MeasuredQuestions(Measure, kw_only=True):
    """How far correlations of two questions moved: the mean of |r - r'|.

    Attributes
    ----------
    levels : What the distributions are over.
    questions : Question by question.
    of_questions : How many there are.
    """

    levels: list[float] | UnsetType | None = UNSET
    questions: list[QuestionBeforeAfter] | UnsetType = UNSET
    of_questions: Count | UnsetType = UNSET
    correlations: Correlations | UnsetType = UNSET
    cronbach_alpha: CronbachAlpha | UnsetType = UNSET
