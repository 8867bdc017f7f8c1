"""``ratingpriv.experiment/1``: how many cells, which had no release, and means over the seeds."""

from __future__ import annotations

from typing import Any, Literal

from ratingpriv.documents.data import Tool
from ratingpriv.documents.form import Amount, Count, Document, Positive


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


class InfeasibleCell(Cell):
    """A cell without a release, and why."""

    seed: Count  #: Number of the replicate.
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


class Experiment(Document):
    """What an experiment found: how many cells, which had no release, and means over the seeds."""

    schema: Literal["ratingpriv.experiment/1"]
    tool: Tool
    datasets: list[ExperimentDataset]  #: What was released and measured.
    parameters: ExperimentParameters
    cells: Positive  #: How many releases there were to be.
    infeasible: list[InfeasibleCell]  #: The cells without a release.
    confidence: float  #: Of the intervals.
    intervals: list[CellInterval]  #: Every measure over the seeds.
