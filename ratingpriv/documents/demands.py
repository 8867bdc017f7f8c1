"""What is asked for, and whether a value keeps it."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


class Target(Document):
    """What was requested.

    Attributes
    ----------
    k : The k that was requested.
    epsilon : The rating distance that was requested; no differential-privacy budget.
    l : The l that was requested, null where none was.
    nulls : The rule for unanswered questions.
    sensitive_nulls : The rule for unknown sensitive ratings.
    """

    k: Positive
    epsilon: Amount
    l: Amount | None  # noqa: E741 -- the theory's word
    nulls: Literal["strict", "wildcard", "known"]
    sensitive_nulls: Literal["paper", "ignore"]


class ReleaseTarget(Target):
    """What was requested of a release.

    Attributes
    ----------
    model : Only where the target is one against a few known ratings, by the rule known.
    m : How many ratings may be known then, at most.
    """

    model: Literal["k_epsilon_m"] | UnsetType = UNSET
    m: Positive | UnsetType = UNSET


class Rate(Document):
    """A share with its interval.

    Attributes
    ----------
    rate : The share, null where nothing was measured, which is never safe.
    low : Lower end of its interval.
    high : Upper end of its interval.
    count : How many; an expected number where coins decide.
    of : Of how many.
    """

    rate: Share | None
    low: Share
    high: Share
    count: Amount
    of: Count


class MeanInterval(Document):
    """A mean of probabilities with its interval.

    Attributes
    ----------
    rate : The mean probability, null where nothing was measured.
    low : Lower end of its interval.
    high : Upper end of its interval.
    of : Mean of how many.
    """

    rate: Share | None
    low: Share
    high: Share
    of: Count


class Shares(Document):
    """Shares of the input's ratings; null without ratings.

    Attributes
    ----------
    changed : Cells with another rating now.
    filled : Imputed cells; may exceed 1.
    erased : Suppressed cells.
    withheld : Ratings suppressed with their records.
    """

    changed: Amount | None
    filled: Amount | None
    erased: Amount | None
    withheld: Amount | None


class Requirement(Document):
    """A limit that was set, and whether it is kept.

    Attributes
    ----------
    measure : What the limit is on.
    operator : At most, or at least.
    limit : The value that it may still have.
    value : The value that it has; null where it was not measured.
    met : Whether that surely keeps the limit; false where it was not measured.
    reason : Why it was not measured, or does not surely keep the limit.
    low : The value is at least this, where it is not exact.
    high : The value is at most this, where it is not exact.
    """

    measure: str
    operator: Literal["<=", ">="]
    limit: float
    value: float | None
    met: bool
    reason: str | UnsetType = UNSET
    low: float | UnsetType = UNSET
    high: float | UnsetType = UNSET


class Gate(Document):
    """Only where limits were set.

    Attributes
    ----------
    required : The limits.
    passed : Whether every limit is kept.
    """

    required: list[Requirement]
    passed: bool
