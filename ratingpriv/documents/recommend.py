"""``ratingpriv.recommend/2``: what may be published; ``experiment/1``: measures over the seeds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import AcceptedCodes, Caution, Contract, DatasetShape, SelectedPart
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share, meaning


class RecommendParameters(Document):
    __doc__ = "What was requested."

    k: Annotated[list[Positive] | None, meaning("Every k that was asked for, null where none was.")]
    epsilon: Annotated[
        list[Amount] | None, meaning("Every ε that was asked for, null where none was.")
    ]
    l: Annotated[Amount | None, meaning("The l that was asked for, null where none was.")]
    method: Annotated[
        list[str] | None, meaning("The methods that were asked for, null where none was.")
    ]
    full: Annotated[bool, meaning("Whether every k that can keep the demands was computed.")]
    nulls: Annotated[Literal["strict", "wildcard"], meaning("The rule for missing ratings.")]
    sensitive_nulls: Annotated[
        Literal["paper", "ignore"], meaning("The rule for missing sensitive ratings.")
    ]
    seed: Annotated[Count, meaning("What all seeds are made of.")]
    found_at_most: Annotated[
        Share, meaning("The share of the released people who may be re-identified.")
    ]
    withhold_at_most: Annotated[Share, meaning("The share of the records that may be suppressed.")]
    guessed_at_most: Annotated[
        Share | str | None,
        meaning(
            "The share of released people whose sensitive value may be inferred; a text adds it "
            "to that of the commonest value; null where that is no demand."
        ),
    ]


class MapDistance(Document):
    __doc__ = "What suppressing records does at one ε, exactly, for each k of the map."

    epsilon: Annotated[Amount, meaning("The distance.")]
    protects: Annotated[bool, meaning("Whether releases are compared at it.")]
    reason: Annotated[str, meaning("Why not; empty where they are.")]
    withheld: Annotated[
        list[Count],
        meaning("The fewest records to suppress, for each k; empty where nothing is compared."),
    ]
    distinct_left: Annotated[
        list[Count],
        meaning(
            "Distinct records among the others; over their number it is the share that can be "
            "re-identified."
        ),
    ]


class PeopleFound(Document):
    __doc__ = "The share of the released people that the strongest adversary re-identifies."

    low: Annotated[Share, meaning("It is at least so much.")]
    high: Annotated[Share, meaning("And at most so much.")]
    by: Annotated[
        Literal["proof", "measured"],
        meaning("Whether that is proved, or by the interval of an attack."),
    ]
    law: Annotated[
        str,
        meaning(
            "What decides the upper end: equal-records, distinct-rows, core, groups; attack; none."
        ),
    ]
    targets: Annotated[Count, meaning("How many people were attacked; 0 where none was.")]


class SensitiveGuess(Document):
    __doc__ = "How often a sensitive value is inferred by the commonest value."

    name: Annotated[str, meaning("The sensitive item.")]
    by_group: Annotated[
        Share,
        meaning("Of the records that are not distinguished, the person's own among them."),
    ]
    by_others: Annotated[Share, meaning("Of these without the person's own.")]
    by_commonest: Annotated[Share, meaning("Of all released records.")]


class MapCell(Document):
    __doc__ = "A release that could be made, what it costs and leaves; or why there is none."

    method: Annotated[str, meaning("The method.")]
    k: Annotated[Positive, meaning("The k.")]
    epsilon: Annotated[Amount, meaning("The distance.")]
    left_out: Annotated[
        Count | None, meaning("Records that are suppressed; null where there is no release.")
    ]
    changed: Annotated[
        Share | None, meaning("Share of the released ratings that are not as they were.")
    ]
    scatter: Annotated[
        Amount | None,
        meaning("Squares of changes as a share of all squares; within groups, of a swap."),
    ]
    correlations_moved: Annotated[
        Amount | None,
        meaning("Mean change of the correlation of two items; null: not measured."),
    ]
    query_error: Annotated[
        Amount | None,
        meaning("Mean relative error of counting queries; null: not measured."),
    ]
    found: PeopleFound
    read: Annotated[
        Share | None,
        meaning(
            "Share of the released people all of whose ratings are disclosed to an adversary who "
            "knows their group."
        ),
    ]
    guessed: Annotated[list[SensitiveGuess], meaning("Each sensitive item.")]
    reserved: Annotated[
        list[str],
        meaning(
            "Codes of the reservations that its release has beside those of the data, whatever is "
            "drawn."
        ),
    ]
    reason: Annotated[str, meaning("Why there is no release; empty where there is one.")]
    from_journal: Annotated[
        bool,
        meaning(
            "Whether its numbers were read from a journal, which whoever can write the file can "
            "change."
        ),
    ]
    passes: Annotated[bool | UnsetType, meaning("Whether it surely keeps every demand.")] = UNSET


class Chosen(Document):
    __doc__ = (
        "The release that may be published: of all that keep the demands the one with least "
        "scatter."
    )

    method: Annotated[str, meaning("The method.")]
    k: Annotated[Positive, meaning("The k.")]
    epsilon: Annotated[Amount, meaning("The distance.")]
    found: PeopleFound
    proof: Annotated[bool, meaning("Whether who can be re-identified is proved.")]
    words: Annotated[str, meaning("The release in a sentence.")]
    reserved: Annotated[
        list[str],
        meaning("Codes of the reservations that it has; the command that makes it accepts them."),
    ]


class MapRemedy(Document):
    __doc__ = "What would do where nothing keeps the demands, computed."

    kind: Annotated[
        Literal["withhold_at_most", "found_at_most", "items", "method", "tables"],
        meaning(
            "What it changes: the share suppressed, the share re-identified, the number of items, "
            "the method; or tables."
        ),
    ]
    words: Annotated[str, meaning("For people; may be reworded.")]
    value: Annotated[
        Amount | None, meaning("The share or number that would do; null where it is none.")
    ]
    method: Annotated[str | None, meaning("The method of the release; null where there is none.")]
    k: Annotated[Positive | None, meaning("Its k.")]
    epsilon: Annotated[Amount | None, meaning("Its distance.")]


class FoundThreshold(Document):
    __doc__ = "The share of people who may be re-identified."

    value: Annotated[Share, meaning("The share.")]
    source: Annotated[str, meaning("Where the default is from.")]


class Recommendation(Contract, tag="ratingpriv.recommend/2"):
    __doc__ = "What may be published: a choice, or that nothing keeps the demands."

    dataset: DatasetShape
    selection: SelectedPart
    parameters: RecommendParameters
    threshold: FoundThreshold
    chosen: Annotated[bool, meaning("Whether a release keeps the demands.")]
    choice: Annotated[Chosen | None, meaning("Null where nothing keeps the demands.")]
    keeps_more: Annotated[
        MapCell | None,
        meaning("Suppression, which keeps more and does not pass; null where there is none."),
    ]
    nearest: Annotated[list[MapRemedy], meaning("What would do; empty where there is a choice.")]
    k: Annotated[list[Positive], meaning("The smallest and the largest k of the map.")]
    epsilons: Annotated[list[MapDistance], meaning("The distances.")]
    cells: Annotated[list[MapCell], meaning("The releases that were computed.")]
    notes: Annotated[list[str], meaning("What was not compared, and why.")]
    cautions: Annotated[list[Caution], meaning("Reservations that every release of the data has.")]
    accepted: AcceptedCodes


class ExperimentDataset(Document):
    __doc__ = "A dataset of the experiment."

    name: Annotated[str, meaning("Its name in the specification.")]
    records: Annotated[Count, meaning("Records.")]
    issues: Annotated[Count, meaning("Non-sensitive items.")]
    ratings: Annotated[Count, meaning("Their ratings.")]
    sha256: Annotated[str | None, meaning("Hash of the file, null where there is none.")]


class ExperimentParameters(Document):
    __doc__ = "The specification without its data sets."

    methods: Annotated[dict[str, list[Any]], meaning("For each name the method and its options.")]
    attacks: Annotated[
        dict[str, dict[str, Any]], meaning("For each name what the adversary knows.")
    ]
    utility: Annotated[dict[str, Any], meaning("Settings of measures of utility.")]
    measures: Annotated[list[str], meaning("Groups of measures, and measures of utility.")]
    exposure: Annotated[
        Amount | None,
        meaning("E of exposure; null where each release is measured at its own ε."),
    ]
    nulls: Annotated[Literal["strict", "wildcard"], meaning("The rule for missing ratings.")]
    sensitive_nulls: Annotated[
        Literal["paper", "ignore"], meaning("The rule for missing sensitive ratings.")
    ]
    seed: Annotated[Count, meaning("What all seeds are made of.")]
    k: Annotated[list[Positive], meaning("Every k.")]
    epsilon: Annotated[list[Amount], meaning("Every ε.")]
    l: Annotated[list[Amount | None], meaning("Every l; null asks for none.")]
    seeds: Annotated[Positive, meaning("How many replicates of every cell.")]


class Cell(Document):
    __doc__ = "What was asked of a method."

    data: Annotated[str, meaning("The data set's name.")]
    method: Annotated[str, meaning("The method's name.")]
    k: Annotated[Positive, meaning("The k that was asked for.")]
    epsilon: Annotated[Amount, meaning("The distance.")]
    l: Annotated[Amount | None, meaning("The l that was asked for, null where none was.")]


class Replicate(Cell):
    __doc__ = "One replicate of a cell."

    seed: Annotated[Count, meaning("Number of the replicate.")]


class InfeasibleCell(Replicate):
    __doc__ = "A cell without a release, and why."

    reason: Annotated[str, meaning("Why no release was made.")]


class CellInterval(Cell):
    __doc__ = "A measure of one cell: its mean over the seeds, with an interval."

    attack: Annotated[str | None, meaning("Name of the attack, null for other measures.")]
    measure: Annotated[str, meaning("Name of the measure.")]
    mean: Annotated[
        float | None, meaning("Over the replicates that were measured; null where none was.")
    ]
    low: Annotated[
        float | None, meaning("Lower end of the interval of the mean, null below two replicates.")
    ]
    high: Annotated[
        float | None,
        meaning("Upper end of the interval of the mean, null below two replicates."),
    ]
    measured: Annotated[Count, meaning("How many replicates have a value.")]
    of: Annotated[Positive, meaning("How many there are.")]
    reason: Annotated[str, meaning("Why replicates have no value; empty where all have one.")]


class Experiment(Contract, tag="ratingpriv.experiment/1"):
    __doc__ = (
        "What an experiment found: how many cells, which had no release, and means over the seeds."
    )

    datasets: Annotated[list[ExperimentDataset], meaning("What was released and measured.")]
    parameters: ExperimentParameters
    cells: Annotated[Positive, meaning("How many releases there were to be.")]
    infeasible: Annotated[list[InfeasibleCell], meaning("The cells without a release.")]
    confidence: Annotated[float, meaning("Of the intervals.")]
    intervals: Annotated[list[CellInterval], meaning("Every measure over the seeds.")]
    from_journal: Annotated[
        list[Replicate],
        meaning(
            "The cells whose rows were read from the journal, which whoever can write the file "
            "can change."
        ),
    ]
