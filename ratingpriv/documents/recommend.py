"""``ratingpriv.recommend/1``: what each k, ε and method costs; no verdict."""

from __future__ import annotations

from typing import Literal

from ratingpriv.documents.data import DatasetShape, Selection, Tool
from ratingpriv.documents.form import Amount, Count, Document, Positive

FrontColumn = Literal[
    "max_k", "records_suppressed", "ratings_kept", "query_error", "exposure_expected", "attack_success",
    "profile_disclosed",
]  # fmt: skip


class RecommendParameters(Document):
    """What was requested.

    Attributes
    ----------
    k : Every k that was asked for, null where none was.
    epsilon : Every ε that was asked for, null where none was.
    l : The l that was asked for, null where none was.
    method : The methods.
    exposure : E of exposure; null where each release is measured at its own ε.
    nulls : The rule for unanswered questions.
    sensitive_nulls : The rule for unknown sensitive ratings.
    seed : What all seeds are made of.
    """

    k: list[Positive] | None
    epsilon: list[Amount] | None
    l: Amount | None  # noqa: E741 -- the theory's word
    method: list[str]
    exposure: Amount | None
    nulls: Literal["strict", "wildcard"]
    sensitive_nulls: Literal["paper", "ignore"]
    seed: Count


class RecommendEpsilon(Document):
    """One ε that was looked at, and why it was chosen.

    Attributes
    ----------
    epsilon : The distance.
    max_k : The largest k that holds for the data as they are.
    alone : Records that are alone in their neighbourhood in the data as they are.
    reason : Why there are no rows for it; empty where there are.
    """

    epsilon: Amount
    max_k: Count
    alone: Count
    reason: str


class SuppressionStep(Document):
    """How many records have to go for one k.

    Attributes
    ----------
    k : It holds for the records that are left, and a larger one would cost more.
    suppressed : The fewest records that have to be suppressed for it.
    """

    k: Positive
    suppressed: Count


class SuppressionCost(Document):
    """Fewest records to suppress at one ε, for every k.

    Attributes
    ----------
    epsilon : The distance.
    steps : Ascending; the first is the data as they are.
    complete : Whether steps go on to where nobody is left; else they end beyond 5 % of the records.
    knees : Steps from which on a record that is suppressed gains less k than on the way there.
    """

    epsilon: Amount
    steps: list[SuppressionStep]
    complete: bool
    knees: list[SuppressionStep]


class MeasuredValue(Document):
    """A measure of one option.

    Attributes
    ----------
    value : The measure; null where it was not measured.
    low : Lower end of its interval, null where there is none.
    high : Upper end of its interval, null where there is none.
    original : The same measure of the data as they are.
    worthless : The same measure of a release whose every rating is drawn from those of its question.
    reason : Why there is no value; empty where there is one.
    """

    value: float | None
    low: float | None
    high: float | None
    original: float | None
    worthless: float | None
    reason: str


class ReleaseOption(Document):
    """A release that could be made, or why not, and what it costs.

    Attributes
    ----------
    method : The method.
    k : The k that was asked for.
    epsilon : The distance.
    l : The l that was asked for, null where none was.
    reason : Why there is none; empty where there is.
    front : Whether no other row of this ε beats it in the front's columns; null where that cannot be said.
    measures : For each measure what was found.
    """

    method: str
    k: Positive
    epsilon: Amount
    l: Amount | None  # noqa: E741 -- the theory's word
    reason: str
    front: bool | None
    measures: dict[str, MeasuredValue]


class Front(Document):
    """Options at one ε of which none is better in every column.

    Attributes
    ----------
    epsilon : The distance.
    columns : What the front is of.
    compared : Rows that have all of these, and were compared.
    """

    epsilon: Amount
    columns: list[FrontColumn]
    compared: Count


class Recommendation(Document):
    """What each k, ε and method costs, and what it leaves to an adversary; no verdict.

    Attributes
    ----------
    schema : Name and version of this form.
    selection : Null where nothing was left out of the data; otherwise the result is about this part only.
    epsilons : The distances that were considered.
    suppression : For each ε, the fewest records to suppress for every k; exact.
    options : The releases.
    fronts : For each ε, what its front is of.
    notes : What to know before relying on this.
    """

    schema: Literal["ratingpriv.recommend/1"]
    tool: Tool
    dataset: DatasetShape
    selection: Selection | None
    parameters: RecommendParameters
    epsilons: list[RecommendEpsilon]
    suppression: list[SuppressionCost]
    options: list[ReleaseOption]
    fronts: list[Front]
    notes: list[str]
