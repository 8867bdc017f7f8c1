"""Who is found in a release that is being made: an attack on it before it is written."""

from __future__ import annotations

from dataclasses import dataclass

from ratingpriv.anonymize.result import Anonymized
from ratingpriv.attack.intervals import Share
from ratingpriv.attack.studies import TARGETS, study
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import RatingPrivError
from ratingpriv.base.keys import Key
from ratingpriv.data.table import RatingTable

__all__ = ["Attacked", "attacked"]

_AFFORDABLE = 300_000_000
"""Targets times ratings of an attack that takes some ten seconds."""
_LEAST = 100
"""With fewer targets of more records the interval would be too wide to say anything."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """What the strongest attack found.

    Attributes
    ----------
    algorithm, algorithms : its name, and of how many it is the strongest
    known : how many ratings of each target it knew
    success : targets found, of those who are in the release
    original : the same attack's success on the data
    profile : targets all of whose released values are disclosed, most by any of the attacks
    """

    algorithm: str
    algorithms: int
    known: int | str
    success: Share
    original: Share
    profile: Share


def attacked(
    made: Anonymized,
    original: RatingTable,
    *,
    resources: Resources = Resources(),
) -> Attacked | None:
    """Attack what was made; None where that takes long, or nothing could be measured: that is never safe.

    Parameters
    ----------
    original : the table that was anonymised
    """
    targets = min(original.n_records, TARGETS, _AFFORDABLE // max(1, original.n_ratings))
    if targets < min(original.n_records, _LEAST) or not made.table.n_records:
        return None
    ids, kept = tuple(original.record_ids.to_list()), set(made.kept.tolist())
    key = Key(ids, tuple(one if place in kept else None for place, one in enumerate(ids)))
    try:
        found = study(
            original, made.table, truth=key, targets=targets, false_positives=False, **resources.keywords
        )
    except RatingPrivError:  # too little is known of everybody, or memory does not suffice
        return None
    pair = found.paired
    if pair is None or not pair.of_released.of:
        return None
    return Attacked(
        str(pair.after.parameters["algorithm"]), len(found.pairs), pair.before.parameters["known"],
        pair.of_released, pair.before.measures.success,
        max((one.after.measures.profile for one in found.pairs), key=lambda one: one.rate or 0.0),
    )  # fmt: skip
