"""What is asked for, and whether a value keeps it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from ratingpriv.documents.form import Amount, Count, Document, Positive, Share, meaning


class Target(Document):
    __doc__ = "What was requested."

    k: Annotated[Positive, meaning("The k that was requested.")]
    epsilon: Annotated[
        Amount,
        meaning("The rating distance that was requested; no differential-privacy budget."),
    ]
    l: Annotated[Amount | None, meaning("The l that was requested, null where none was.")]
    nulls: Annotated[
        Literal["strict", "wildcard", "known"], meaning("The rule for missing ratings.")
    ]
    sensitive_nulls: Annotated[
        Literal["paper", "ignore"], meaning("The rule for missing sensitive ratings.")
    ]


class ReleaseTarget(Target):
    __doc__ = "What was requested of a release."

    model: Annotated[
        Literal["k_epsilon_m"] | UnsetType,
        meaning("Only where the target is one against a few known ratings, by the rule known."),
    ] = UNSET
    m: Annotated[Positive | UnsetType, meaning("How many ratings may be known then, at most.")] = (
        UNSET
    )


class Rate(Document):
    __doc__ = "A share with its interval."

    rate: Annotated[
        Share | None, meaning("The share, null where nothing was measured, which is never safe.")
    ]
    low: Annotated[Share, meaning("Lower end of its interval.")]
    high: Annotated[Share, meaning("Upper end of its interval.")]
    count: Annotated[Amount, meaning("How many; an expected number where coins decide.")]
    of: Annotated[Count, meaning("Of how many.")]


class MeanInterval(Document):
    __doc__ = "A mean of probabilities with its interval."

    rate: Annotated[Share | None, meaning("The mean probability, null where nothing was measured.")]
    low: Annotated[Share, meaning("Lower end of its interval.")]
    high: Annotated[Share, meaning("Upper end of its interval.")]
    of: Annotated[Count, meaning("Mean of how many.")]


class Shares(Document):
    __doc__ = "Shares of the input's ratings; null without ratings."

    changed: Annotated[Amount | None, meaning("Cells with another rating now.")]
    filled: Annotated[Amount | None, meaning("Imputed cells; may exceed 1.")]
    erased: Annotated[Amount | None, meaning("Suppressed cells.")]
    withheld: Annotated[Amount | None, meaning("Ratings suppressed with their records.")]


class Requirement(Document):
    __doc__ = "A limit that was set, and whether it is kept."

    measure: Annotated[str, meaning("What the limit is on.")]
    operator: Annotated[Literal["<=", ">="], meaning("At most, or at least.")]
    limit: Annotated[float, meaning("The value that it may still have.")]
    value: Annotated[
        float | None, meaning("The value that it has; null where it was not measured.")
    ]
    met: Annotated[
        bool, meaning("Whether that surely keeps the limit; false where it was not measured.")
    ]
    reason: Annotated[
        str | UnsetType,
        meaning("Why it was not measured, or does not surely keep the limit."),
    ] = UNSET
    low: Annotated[
        float | UnsetType, meaning("The value is at least this, where it is not exact.")
    ] = UNSET
    high: Annotated[
        float | UnsetType, meaning("The value is at most this, where it is not exact.")
    ] = UNSET


class Gate(Document):
    __doc__ = "Only where limits were set."

    required: Annotated[list[Requirement], meaning("The limits.")]
    passed: Annotated[bool, meaning("Whether every limit is kept.")]
