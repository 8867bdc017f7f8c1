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


class Utility(UtilityOfRelease, kw_only=True):
    """What a release is still good for, beside its original and a worthless release."""

    schema: Literal["ratingpriv.utility/1"]
    tool: Tool
    original: Compared
    release: Compared
    gate: Gate | UnsetType = UNSET
