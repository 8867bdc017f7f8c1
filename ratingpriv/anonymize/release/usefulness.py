"""What a release is still good for, measured where it is made, and what of that its manifest states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import UNSET

from ratingpriv.anonymize.release.manifest import two_digits
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import StatedUtility
from ratingpriv.utility.measures import QUICK, chosen
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Utility
from ratingpriv.utility.utility import utility_of_pair

AMOUNTS = ("quick", "all", "none")
"""What is measured: the measures that take a pass over the ratings or few, all, or none."""
_NUMBERS = ("value", "low", "high", "original", "worthless")


def usefulness(
    made: Anonymized,
    original: RatingTable,
    *,
    amount: str = "quick",
    rng: int | np.random.Generator | None = 0,
    resources: Resources = Resources(),
) -> Utility | None:
    """Measure what was made of ``original``, before it is written; None where the ``amount`` is "none".

    Who is whose is at hand, and so are the groups.
    """
    measures = _measures(amount)
    if not measures:
        return None
    groups = None if made.groups is None else made.groups.labels[made.kept].astype(np.int32)
    pair = Pair(original, made.table, pairing=made.pairing, paired_by="ids", groups=groups)
    target = made.parameters
    settings = {"epsilon": target.epsilon, "nulls": target.nulls} if amount == "all" else {}
    return utility_of_pair(pair, measures, settings, rng=rng, resources=resources)


def check_published(names: Sequence[str], amount: str) -> tuple[str, ...]:
    """Return the measures whose values the manifest shall state, in their order; "all": all that are made.

    One that is no measure, or not measured, is refused.
    """
    measured, names = _measures(amount), checks.texts("publish_utility", names)
    if "all" in names and measured:
        return measured
    for name in names:
        if name not in measured:
            checks.choice("publish_utility", name, (*chosen(None), "all"))
            more = "all" if amount == "quick" else "quick"
            remedy = f"measure it with `utility={more!r}`"
            raise ParameterError("publish_utility", name, "a measure that is measured", remedy)
    return tuple(name for name in measured if name in names)


def stated(utility: Utility | None, names: Sequence[str]) -> dict[str, Any] | None:
    """Return what a manifest states of measures, for everybody: two digits, no details and no seed.

    None where there are no ``names``, of ``publish_utility``; those that ``utility`` lacks are refused.
    """
    if not names:
        return None
    if utility is None:
        raise ParameterError("publish_utility", names[0], "a `utility` that was measured")
    content: dict[str, Any] = {}
    for name in names:
        measure = utility[checks.choice("publish_utility", name, utility.measured)]
        numbers = {key: two_digits(getattr(measure, key)) for key in _NUMBERS}
        content[name] = document_of(StatedUtility, measure, **numbers, reason=measure.reason or UNSET)
    return content


def _measures(amount: str) -> tuple[str, ...]:
    checks.choice("utility", amount, AMOUNTS)
    return () if amount == "none" else QUICK if amount == "quick" else chosen(None)
