"""``ratingpriv.recommend/1``: what each k, ε and method costs; no verdict."""

from __future__ import annotations

from typing import Literal

from ratingpriv.documents.data import DatasetShape, SelectedPart, Tool
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


class Front(Document):
    """Options at one ε of which none is better in every column."""

    epsilon: Amount  #: The distance.
    columns: list[FrontColumn]  #: What the front is of.
    compared: Count  #: Rows that have all of these, and were compared.


class Recommendation(Document):
    """What each k, ε and method costs, and what it leaves to an adversary; no verdict."""

    schema: Literal["ratingpriv.recommend/1"]
    tool: Tool
    dataset: DatasetShape
    selection: SelectedPart
    parameters: RecommendParameters
    epsilons: list[RecommendEpsilon]  #: The distances that were considered.
    suppression: list[SuppressionCost]  #: For each ε, the fewest records to suppress for every k; exact.
    options: list[ReleaseOption]  #: The releases.
    fronts: list[Front]  #: For each ε, what its front is of.
    notes: list[str]  #: What to know before relying on this.
