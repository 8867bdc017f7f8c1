"""What is asked for, and whether a value keeps it."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


class Target(Document):
    """What was requested."""

    k: Positive  #: The k that was requested.
    epsilon: Amount  #: The rating distance that was requested; no differential-privacy budget.
    l: Amount | None  #: The l that was requested, null where none was.
    nulls: Literal["strict", "wildcard", "known"]  #: The rule for unanswered questions.
    sensitive_nulls: Literal["paper", "ignore"]  #: The rule for unknown sensitive ratings.


class ReleaseTarget(Target):
    """What was requested of a release."""

    #: Only where the target is one against a few known ratings, by the rule known.
    model: Literal["k_epsilon_m"] | UnsetType = UNSET
    m: Positive | UnsetType = UNSET  #: How many ratings may be known then, at most.


class Rate(Document):
    """A share with its interval."""

    rate: Share | None  #: The share, null where nothing was measured, which is never safe.
    low: Share  #: Lower end of its interval.
    high: Share  #: Upper end of its interval.
    count: Amount  #: How many; an expected number where coins decide.
    of: Count  #: Of how many.


class MeanInterval(Document):
    """A mean of probabilities with its interval."""

    rate: Share | None  #: The mean probability, null where nothing was measured.
    low: Share  #: Lower end of its interval.
    high: Share  #: Upper end of its interval.
    of: Count  #: Mean of how many.


class Shares(Document):
    """Shares of the input's ratings; null without ratings."""

    changed: Amount | None  #: Cells with another rating now.
    filled: Amount | None  #: Imputed cells; may exceed 1.
    erased: Amount | None  #: Suppressed cells.
    withheld: Amount | None  #: Ratings suppressed with their records.


class Requirement(Document):
    """A limit that was set, and whether it is kept."""

    measure: str  #: What the limit is on.
    operator: Literal["<=", ">="]  #: At most, or at least.
    limit: float  #: The value that it may still have.
    value: float | None  #: The value that it has; null where it was not measured.
    met: bool  #: Whether that surely keeps the limit; false where it was not measured.
    reason: str | UnsetType = UNSET  #: Why it was not measured, or does not surely keep the limit.
    low: float | UnsetType = UNSET  #: The value is at least this, where it is not exact.
    high: float | UnsetType = UNSET  #: The value is at most this, where it is not exact.


class Gate(Document):
    """Only where limits were set."""

    required: list[Requirement]  #: The limits.
    passed: bool  #: Whether every limit is kept.
