"""Information loss: how many of the original's ratings the release no longer has as they were."""

from __future__ import annotations

import dataclasses

import numpy as np

from ratingpriv.base.compute.resources import Resources
from ratingpriv.partition.distortion.measure import distortion_of
from ratingpriv.utility.measured import Measured, not_measured
from ratingpriv.utility.pair import Pair


def information_loss(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return the share of the original's ratings that were changed, erased or withheld. Lower is better.

    0 is none and 1 is all. Imputed ratings are no part of it; they are in the details, and in ``bias``. Needs
    a pairing. Issues that only one of the two has count as erased, and as imputed. Details: the
    ``distortion``, [SWLP10, Def. 5-6] among it; quasi-identifiers are compared where both have them by the
    same names, as words or as numbers.
    """
    if pair.pairing is None:
        return not_measured("it is not known which released record is whose")
    if not pair.original.n_ratings:
        return not_measured("the original has no ratings")
    kept = np.flatnonzero(pair.pairing >= 0)
    original, released = pair.original, pair.release.take(pair.pairing[kept])
    kinds = [[(column.name, column.values.dtype) for column in table.quasi] for table in (original, released)]
    if kinds[0] != kinds[1]:
        original, released = (dataclasses.replace(table, quasi=()) for table in (original, released))
    found = distortion_of(original, released, kept)
    return Measured(
        found.ratings_lost / found.ratings,
        of="share of the original's ratings that were changed, erased or withheld",
        details={"distortion": found.to_dict()},
    )
