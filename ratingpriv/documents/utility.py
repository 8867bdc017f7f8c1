"""``ratingpriv.utility/1``: what a release is still good for, beside its original and a worthless release."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.data import DatasetShape, Selection, Tool
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Count, Document
from ratingpriv.documents.measures import (
    MeasuredBias,
    MeasuredCentroid,
    MeasuredClassification,
    MeasuredClusteringCoefficient,
    MeasuredInformationLoss,
    MeasuredMembershipChange,
    MeasuredQueryError,
    MeasuredQuestions,
    MeasuredRecommender,
    MeasuredStandardDeviation,
    MeasuredStructure,
)


class UtilitySettings(Document):
    """The settings that were given; the others are each measure's own.

    Attributes
    ----------
    epsilon : Who is proximate.
    nulls : The rule for unanswered issues there: strict or wildcard.
    queries : How many count queries are drawn.
    target : The issue that classification predicts.
    classifier : categorical or gaussian.
    clusters : How many clusters k-means makes.
    cluster_nulls : What an unanswered issue counts as there: zero or mean.
    """

    epsilon: float | UnsetType = UNSET
    nulls: str | UnsetType = UNSET
    queries: Count | UnsetType = UNSET
    target: str | UnsetType = UNSET
    classifier: str | UnsetType = UNSET
    clusters: Count | UnsetType = UNSET
    cluster_nulls: str | UnsetType = UNSET


class UtilityParameters(Document):
    """What it takes to measure the same again.

    Attributes
    ----------
    seed : Of all that is drawn.
    measures : What was measured, by name.
    """

    seed: Count
    measures: list[str]
    settings: UtilitySettings


class UtilityOfRelease(Document):
    """What a release is still good for: an object a measure.

    Attributes
    ----------
    pairing : How it is known which released record is whose; null where it is not.
    withheld : Suppressed records; null without a pairing.
    issues_lost : Issues that only the original has.
    issues_added : Issues that only the release has.
    """

    parameters: UtilityParameters
    pairing: Literal["key", "ids"] | None
    withheld: Count | None
    issues_lost: Count
    issues_added: Count
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
    """One of the two tables.

    Attributes
    ----------
    selection : Which part of the data; null where nothing was left out.
    """

    selection: Selection | None


class Utility(UtilityOfRelease, kw_only=True):
    """What a release is still good for, beside its original and a worthless release.

    Attributes
    ----------
    schema : Name and version of this form.
    """

    schema: Literal["ratingpriv.utility/1"]
    tool: Tool
    original: Compared
    release: Compared
    gate: Gate | UnsetType = UNSET
