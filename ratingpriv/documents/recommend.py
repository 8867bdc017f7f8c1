"""``ratingpriv.recommend/1``: what each k, ε and method costs; ``experiment/1``: measures over the seeds."""

from __future__ import annotations

from typing import Any, Literal

from ratingpriv.documents.data import Contract, DatasetShape, SelectedPart
from ratingpriv.documents.form import Amount, Count, Document, Positive

FrontColumn = Literal[
    "max_k", "records_suppressed", "ratings_kept", "query_error", "exposure_expected", "attack_success",
    "profile_disclosed",
]  # fmt: skip


class RecommendParameters(Document):
    """What was requested."""

    k: list[Positive] | None  #: Every k that was asked for, null where none was.
    epsilon: list[Amount] | None  #: Every ε that was asked for, null where none was.
    l: Amount | None  #: The l that was asked for, null where none was.
    method: list[str]  #: The methods.
    exposure: Amount | None  #: E of exposure; null where each release is measured at its own ε.
    nulls: Literal["strict", "wildcard"]  #: The rule for unanswered questions.
    sensitive_nulls: Literal["paper", "ignore"]  #: The rule for unknown sensitive ratings.
    seed: Count  #: What all seeds are made of.


class RecommendEpsilon(Document):
    """One ε that was looked at, and why it was chosen."""

    epsilon: Amount  #: The distance.
    max_k: Count  #: The largest k that holds for the data as they are.
    alone: Count  #: Records that are alone in their neighbourhood in the data as they are.
    reason: str  #: Why there are no rows for it; empty where there are.


class SuppressionStep(Document):
    """How many records have to go for one k."""

    k: Positive  #: It holds for the records that are left, and a larger one would cost more.
    suppressed: Count  #: The fewest records that have to be suppressed for it.


class SuppressionCost(Document):
    """Fewest records to suppress at one ε, for every k."""

    epsilon: Amount  #: The distance.
    steps: list[SuppressionStep]  #: Ascending; the first is the data as they are.
    complete: bool  #: Whether steps go on to where nobody is left; else they end beyond 5 % of the records.
    #: Steps from which on a record that is suppressed gains less k than on the way there.
    knees: list[SuppressionStep]


class MeasuredValue(Document):
    """A measure of one option."""

    value: float | None  #: The measure; null where it was not measured.
    low: float | None  #: Lower end of its interval, null where there is none.
    high: float | None  #: Upper end of its interval, null where there is none.
    original: float | None  #: The same measure of the data as they are.
    #: The same measure of a release whose every rating is drawn from those of its question.
    worthless: float | None
    reason: str  #: Why there is no value; empty where there is one.


class ReleaseOption(Document):
    """A release that could be made, or why not, and what it costs."""

    method: str  #: The method.
    k: Positive  #: The k that was asked for.
    epsilon: Amount  #: The distance.
    l: Amount | None  #: The l that was asked for, null where none was.
    reason: str  #: Why there is none; empty where there is.
    #: Whether no other row of this ε beats it in the front's columns; null where that cannot be said.
    front: bool | None
    measures: dict[str, MeasuredValue]  #: For each measure what was found.
    #: Whether its numbers were read from a journal, which whoever can write the file can change.
    from_journal: bool


class Front(Document):
    """Options at one ε of which none is better in every column."""

    epsilon: Amount  #: The distance.
    columns: list[FrontColumn]  #: What the front is of.
    compared: Count  #: Rows that have all of these, and were compared.


class Recommendation(Contract, tag="ratingpriv.recommend/1"):
    """What each k, ε and method costs, and what it leaves to an adversary; no verdict."""

    dataset: DatasetShape
    selection: SelectedPart
    parameters: RecommendParameters
    epsilons: list[RecommendEpsilon]  #: The distances that were considered.
    suppression: list[SuppressionCost]  #: For each ε, the fewest records to suppress for every k; exact.
    options: list[ReleaseOption]  #: The releases.
    fronts: list[Front]  #: For each ε, what its front is of.
    notes: list[str]  #: What to know before relying on this.


class ExperimentDataset(Document):
    """A dataset of the experiment."""

    name: str  #: Its name in the specification.
    records: Count  #: Records.
    issues: Count  #: Non-sensitive questions.
    ratings: Count  #: Their ratings.
    sha256: str | None  #: Hash of the file, null where there is none.


class ExperimentParameters(Document):
    """The specification without its data sets."""

    methods: dict[str, list[Any]]  #: For each name the method and its options.
    attacks: dict[str, dict[str, Any]]  #: For each name what the adversary knows.
    utility: dict[str, Any]  #: Settings of measures of utility.
    measures: list[str]  #: Groups of measures, and measures of utility.
    exposure: Amount | None  #: E of exposure; null where each release is measured at its own ε.
    nulls: Literal["strict", "wildcard"]  #: The rule for unanswered questions.
    sensitive_nulls: Literal["paper", "ignore"]  #: The rule for unknown sensitive ratings.
    seed: Count  #: What all seeds are made of.
    k: list[Positive]  #: Every k.
    epsilon: list[Amount]  #: Every ε.
    l: list[Amount | None]  #: Every l; null asks for none.
    seeds: Positive  #: How many replicates of every cell.


class Cell(Document):
    """What was asked of a method."""

    data: str  #: The data set's name.
    method: str  #: The method's name.
    k: Positive  #: The k that was asked for.
    epsilon: Amount  #: The distance.
    l: Amount | None  #: The l that was asked for, null where none was.


class Replicate(Cell):
    """One replicate of a cell."""

    seed: Count  #: Number of the replicate.


class InfeasibleCell(Replicate):
    """A cell without a release, and why."""

    reason: str  #: Why no release was made.


class CellInterval(Cell):
    """A measure of one cell: its mean over the seeds, with an interval."""

    attack: str | None  #: Name of the attack, null for other measures.
    measure: str  #: Name of the measure.
    mean: float | None  #: Over the replicates that were measured; null where none was.
    low: float | None  #: Lower end of the interval of the mean, null below two replicates.
    high: float | None  #: Upper end of the interval of the mean, null below two replicates.
    measured: Count  #: How many replicates have a value.
    of: Positive  #: How many there are.
    reason: str  #: Why replicates have no value; empty where all have one.


class Experiment(Contract, tag="ratingpriv.experiment/1"):
    """What an experiment found: how many cells, which had no release, and means over the seeds."""

    datasets: list[ExperimentDataset]  #: What was released and measured.
    parameters: ExperimentParameters
    cells: Positive  #: How many releases there were to be.
    infeasible: list[InfeasibleCell]  #: The cells without a release.
    confidence: float  #: Of the intervals.
    intervals: list[CellInterval]  #: Every measure over the seeds.
    #: The cells whose rows were read from the journal, which whoever can write the file can change.
    from_journal: list[Replicate]
