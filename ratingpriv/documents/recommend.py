"""``ratingpriv.recommend/2``: what may be published; ``experiment/1``: measures over the seeds."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import Contract, DatasetShape, SelectedPart
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


class RecommendParameters(Document):
    """What was requested."""

    k: list[Positive] | None  #: Every k that was asked for, null where none was.
    epsilon: list[Amount] | None  #: Every ε that was asked for, null where none was.
    l: Amount | None  #: The l that was asked for, null where none was.
    method: list[str] | None  #: The methods that were asked for, null where none was.
    full: bool  #: Whether every k was computed.
    nulls: Literal["strict", "wildcard"]  #: The rule for missing ratings.
    sensitive_nulls: Literal["paper", "ignore"]  #: The rule for missing sensitive ratings.
    seed: Count  #: What all seeds are made of.
    found_at_most: Share  #: The share of the released people who may be re-identified.
    withhold_at_most: Share  #: The share of the records that may be left out.
    #: The share of released people whose sensitive value may be guessed right; a text adds it to that of the
    #: commonest value; null where that is no demand.
    guessed_at_most: Share | str | None


class MapDistance(Document):
    """What withholding records does at one ε, exactly, for each k of the map."""

    epsilon: Amount  #: The distance.
    protects: bool  #: Whether releases are compared at it.
    reason: str  #: Why not; empty where they are.
    withheld: list[Count]  #: The fewest records to withhold, for each k; empty where nothing is compared.
    #: Distinct records among the others; over their number it is the share that can be re-identified.
    distinct_left: list[Count]


class PeopleFound(Document):
    """The share of the released people that the strongest adversary re-identifies."""

    low: Share  #: It is at least so much.
    high: Share  #: And at most so much.
    by: Literal["proof", "measured"]  #: Whether that is proved, or by the interval of an attack.
    #: What decides the upper end: equal-records, distinct-rows, core, groups; attack; none.
    law: str
    targets: Count  #: How many people were attacked; 0 where none was.


class SensitiveGuess(Document):
    """How often a sensitive value is guessed right by the commonest value."""

    name: str  #: The sensitive issue.
    by_group: Share  #: Of the records that are not told apart, the person's own among them.
    by_others: Share  #: Of these without the person's own.
    by_commonest: Share  #: Of all released records.


class MapCell(Document):
    """A release that could be made, what it costs and leaves; or why there is none."""

    method: str  #: The method.
    k: Positive  #: The k.
    epsilon: Amount  #: The distance.
    left_out: Count | None  #: Records that are left out; null where there is no release.
    changed: Share | None  #: Share of the released answers that are not as they were.
    scatter: Amount | None  #: Squares of changes as a share of all squares; within groups, of a swap.
    correlations_moved: Amount | None  #: Mean change of the correlation of two items; null: not measured.
    query_error: Amount | None  #: Mean relative error of counting queries; null: not measured.
    found: PeopleFound
    #: Share of the released people all of whose answers are told to whoever finds their group.
    read: Share | None
    guessed: list[SensitiveGuess]  #: Each sensitive issue.
    reason: str  #: Why there is no release; empty where there is one.
    #: Whether its numbers were read from a journal, which whoever can write the file can change.
    from_journal: bool
    passes: bool | UnsetType = UNSET  #: Whether it surely keeps every demand.


class Chosen(Document):
    """The release that may be published: of all that keep the demands the one with least scatter."""

    method: str  #: The method.
    k: Positive  #: The k.
    epsilon: Amount  #: The distance.
    found: PeopleFound
    proof: bool  #: Whether who can be re-identified is proved.
    words: str  #: The release in a sentence.


class MapRemedy(Document):
    """What would do where nothing keeps the demands, computed."""

    #: What it changes: the share left out, the share found, the number of items, the method; or tables.
    kind: Literal["withhold_at_most", "found_at_most", "items", "method", "tables"]
    words: str  #: For people; may be reworded.
    value: Amount | None  #: The share or number that would do; null where it is none.
    method: str | None  #: The method of the release; null where there is none.
    k: Positive | None  #: Its k.
    epsilon: Amount | None  #: Its distance.


class FoundThreshold(Document):
    """The share of people who may be re-identified."""

    value: Share  #: The share.
    source: str  #: Where the default is from.


class Recommendation(Contract, tag="ratingpriv.recommend/2"):
    """What may be published: a choice, or that nothing keeps the demands."""

    dataset: DatasetShape
    selection: SelectedPart
    parameters: RecommendParameters
    threshold: FoundThreshold
    chosen: bool  #: Whether a release keeps the demands.
    choice: Chosen | None  #: Null where nothing keeps the demands.
    keeps_more: MapCell | None  #: Withholding, which keeps more and does not pass; null where there is none.
    nearest: list[MapRemedy]  #: What would do; empty where there is a choice.
    k: list[Positive]  #: The smallest and the largest k of the map.
    epsilons: list[MapDistance]  #: The distances.
    cells: list[MapCell]  #: The releases that were computed.
    notes: list[str]  #: What was not compared, and why.


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
