"""``ratingpriv.experiment/1``: how many cells, which had no release, and means over the seeds."""

from __future__ import annotations

from typing import Any, Literal

from ratingpriv.documents.data import Tool
from ratingpriv.documents.form import Amount, Count, Document, Positive


class ExperimentDataset(Document):
    """A dataset of the experiment.

    Attributes
    ----------
    name : Its name in the specification.
    records : Records.
    issues : Non-sensitive questions.
    ratings : Their ratings.
    sha256 : Hash of the file, null where there is none.
    """

    name: str
    records: Count
    issues: Count
    ratings: Count
    sha256: str | None


class ExperimentParameters(Document):
    """The specification without its data sets.

    Attributes
    ----------
    methods : For each name the method and its options.
    attacks : For each name what the adversary knows.
    utility : Settings of measures of utility.
    measures : Groups of measures, and measures of utility.
    exposure : E of exposure; null where each release is measured at its own ε.
    nulls : The rule for unanswered questions.
    sensitive_nulls : The rule for unknown sensitive ratings.
    seed : What all seeds are made of.
    k : Every k.
    epsilon : Every ε.
    l : Every l; null asks for none.
    seeds : How many replicates of every cell.
    """

    methods: dict[str, list[Any]]
    attacks: dict[str, dict[str, Any]]
    utility: dict[str, Any]
    measures: list[str]
    exposure: Amount | None
    nulls: Literal["strict", "wildcard"]
    sensitive_nulls: Literal["paper", "ignore"]
    seed: Count
    k: list[Positive]
    epsilon: list[Amount]
    l: list[Amount | None]  # noqa: E741 -- the theory's word
    seeds: Positive


class Cell(Document):
    """What was asked of a method.

    Attributes
    ----------
    data : The data set's name.
    method : The method's name.
    k : The k that was asked for.
    epsilon : The distance.
    l : The l that was asked for, null where none was.
    """

    data: str
    method: str
    k: Positive
    epsilon: Amount
    l: Amount | None  # noqa: E741 -- the theory's word


class InfeasibleCell(Cell):
    """A cell without a release, and why.

    Attributes
    ----------
    seed : Number of the replicate.
    reason : Why no release was made.
    """

    seed: Count
    reason: str


class CellInterval(Cell):
    """A measure of one cell: its mean over the seeds, with an interval.

    Attributes
    ----------
    attack : Name of the attack, null for other measures.
    measure : Name of the measure.
    mean : Over the replicates that were measured; null where none was.
    low : Lower end of the interval of the mean, null below two replicates.
    high : Upper end of the interval of the mean, null below two replicates.
    measured : How many replicates have a value.
    of : How many there are.
    reason : Why replicates have no value; empty where all have one.
    """

    attack: str | None
    measure: str
    mean: float | None
    low: float | None
    high: float | None
    measured: Count
    of: Positive
    reason: str


class Experiment(Document):
    """What an experiment found: how many cells, which had no release, and means over the seeds.

    Attributes
    ----------
    schema : Name and version of this form.
    datasets : What was released and measured.
    cells : How many releases there were to be.
    infeasible : The cells without a release.
    confidence : Of the intervals.
    intervals : Every measure over the seeds.
    """

    schema: Literal["ratingpriv.experiment/1"]
    tool: Tool
    datasets: list[ExperimentDataset]
    parameters: ExperimentParameters
    cells: Positive
    infeasible: list[InfeasibleCell]
    confidence: float
    intervals: list[CellInterval]
