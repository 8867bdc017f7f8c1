"""Tables that nothing is suppressed of yet, for tests of what suppression keeps count of."""

from unittest import mock

from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.proximity import remaining
from ratingpriv.proximity.join import Classes, Join, Limits, prepare
from ratingpriv.proximity.remaining import Neighbours, Remaining

SORTED = Limits(direct=0, fuse=2, sort=2, split=1, queries=700)
"""Small tables go the way of large ones: sorted, and what is identical together."""


def begun(
    table: RatingTable, target: Target, *, sensitive: bool = True, limits: Limits | None = None
) -> Remaining:
    """Return the whole table, prepared within ``limits``."""

    def limited(
        table: RatingTable, epsilon: float, nulls: str, *, collapse: bool
    ) -> Join | Classes:
        return prepare(table, epsilon, nulls, collapse=collapse, limits=limits)

    with mock.patch.object(remaining, "prepare", limited):
        return Remaining(Neighbours(table, target, Resources(1), sensitive=sensitive))
