"""Releases that a law proves to miss a demand, or to be another one again: none is made of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ratingpriv.base.numbers import in_full
from ratingpriv.studies.candidates import SWAP
from ratingpriv.studies.choice import percent
from ratingpriv.studies.trials import COVERS, Trials

type Law = Literal["suppressed", "re-identified", "covers", "equal"]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a release is not made.

    Attributes
    ----------
    law : "suppressed": any such release suppresses too many records; "re-identified": of any too
        many people can be re-identified; "covers": any has a reservation that only its publisher
        can accept; "equal": it is made as at a smaller distance
    least : so many records, or such a share of the people, at least; of "equal" that distance
    """

    law: Law
    least: float = 0.0


def exclusion(
    trials: Trials, method: str, k: int, epsilon: float, smallest: float
) -> Exclusion | None:
    """Return why a release need not be made; None: it may keep the demands.

    ``smallest`` : the smallest of the distances
    """
    demands = trials.demands
    suppressed = trials.least_left_out(method, k, epsilon)
    if suppressed > demands.withhold_at_most * trials.n:
        return Exclusion("suppressed", suppressed)
    if method in (SWAP, "suppress") and trials.covers_questions(epsilon):
        return Exclusion("covers")
    found = None
    if method == "modify":
        found = trials.modified(k, epsilon)
    elif trials.counted(method):
        found = trials.suppressed(k, epsilon)
    if found is not None and found.exceeds(demands.found_at_most):
        return Exclusion("re-identified", found.low)
    # the records of its groups are equal, so that they are near at every distance
    if method == "predictive" and epsilon > smallest and trials.rules["l"] is None:
        return Exclusion("equal", smallest)
    return None


def words(
    trials: Trials, method: str, epsilon: float, excluded: Mapping[int, Exclusion]
) -> Iterator[str]:
    """Yield which k of a method at a distance are excluded, by what law: neighbouring ones at once.

    ``excluded`` : by k, ascending
    """
    place = {k: number for number, k in enumerate(excluded)}
    for (law, _), run in itertools.groupby(
        excluded.items(), key=lambda one: (one[1].law, one[0] - place[one[0]])
    ):
        some = dict(run)
        first, last = min(some), max(some)
        sizes = f"k = {first}" if first == last else f"k from {first} to {last}"
        why = _why(trials, law, min(one.least for one in some.values()))
        yield f"{method} with {sizes} at epsilon {in_full(epsilon)} was not made: {why}"


def _why(trials: Trials, law: Law, least: float) -> str:
    demands = trials.demands
    match law:
        case "suppressed":
            most = math.floor(demands.withhold_at_most * trials.n)
            return f"at least {least:,.0f} records would be suppressed, at most {most:,} may be"
        case "re-identified":
            share, may = percent(math.floor(1000 * least) / 1000), percent(demands.found_at_most)
            return f"at least {share} of the people could be re-identified, at most {may} may be"
        case "covers":
            return COVERS
        case "equal":
            return f"its records are as equal as at epsilon {in_full(least)}"
