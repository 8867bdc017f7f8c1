"""Knowing all of a target's ratings: as many draws as there are numbers of ratings, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.knowledge.adversaries import ALL, check_known, default_known
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.attack.knowledge.drawing import Drawn, draw, eligible_ratings
from ratingpriv.base import checks
from ratingpriv.data.table import RatingTable

__all__ = ["draw_known"]


@checks.takes_random_state
def draw_known(
    table: RatingTable,
    *,
    known: int | str | None = None,
    wrong: int = 0,
    unrated: int = 0,
    items: str = "uniform",
    targets: int | Sequence[int] | NDArray[np.int64] | None = None,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    **others: Any,
) -> Drawn:
    """Draw as :func:`ratingpriv.attack.knowledge.draw`, with two more words for how many ratings are known.

    Parameters
    ----------
    known : a number; None: :func:`default_known`; ALL: every rating of a target (of such ``items``). A record
        without any cannot be attacked
    rng, random_state, others : as for ``draw``

    Raises
    ------
    ParameterError
        As ``draw``; or all ratings are known and some shall be wrong, or ``known`` is another word.
    """
    if known is None:
        known = default_known(table, items)
    if not isinstance(known, str):
        return draw(
            table, known=known, wrong=wrong, unrated=unrated, items=items, targets=targets, rng=rng, **others
        )
    check_known(known, wrong, unrated)
    some = draw(table, known=1, items=items, targets=targets, rng=rng, **others)
    positions, seed = some.auxiliary.targets, some.parameters["seed"]
    lengths = eligible_ratings(table, items)[positions]
    pieces, places = [], []
    for length in np.unique(lengths).tolist():
        place = np.flatnonzero(lengths == length)
        stream = np.random.default_rng([seed, length])
        piece = draw(table, known=length, items=items, targets=positions[place], rng=stream, **others)
        pieces.append(piece.auxiliary)
        places.append(place)
    auxiliary = some.auxiliary
    if pieces:
        auxiliary = _joined(pieces).only(np.argsort(np.concatenate(places)))
    return Drawn(
        auxiliary=auxiliary,
        wrong=np.zeros(len(auxiliary.issues), dtype=bool),
        unrated=np.zeros(len(auxiliary.issues), dtype=bool),
        requested=some.requested,
        could_not_attack=some.could_not_attack,
        skipped=some.skipped,
        reasons=some.reasons,
        parameters={**some.parameters, "known": ALL},
    )


def _joined(pieces: Sequence[Auxiliary]) -> Auxiliary:
    """Return what is known of the targets of all pieces, one piece after the other."""
    known = np.concatenate([piece.known for piece in pieces])
    return Auxiliary(
        targets=np.concatenate([piece.targets for piece in pieces]),
        indptr=np.concatenate(([0], np.cumsum(known))).astype(np.int64),
        issues=np.concatenate([piece.issues for piece in pieces]),
        ratings=np.concatenate([piece.ratings for piece in pieces]),
        dates=np.concatenate([piece.dates for piece in pieces]),
        absent=pieces[0].absent,
        counts=None if pieces[0].counts is None else np.concatenate([piece.counts for piece in pieces]),
        attributes=pieces[0].attributes,
        values=None if pieces[0].values is None else np.concatenate([piece.values for piece in pieces]),
    )
