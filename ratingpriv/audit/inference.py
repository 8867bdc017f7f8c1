"""What neighbourhoods give away of a sensitive issue without re-identifying anybody, and demands on it.

An SD of at least l is no protection against inference: 19 of 20 equal answers can have an SD of 0.8. Beside
it stand always: the largest share of one value (the adversary's best guess), the distinct values and the
entropy. As demands they are distinct and entropy l-diversity [Machanavajjhala, Kifer, Gehrke,
Venkitasubramaniam: l-Diversity, ACM TKDD 2007] and a bound on the largest share [ours], over neighbourhoods
instead of blocks of equal records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.cautions import Caution
from ratingpriv.proximity.counts import SensitiveCounts, largest_entropy_l

__all__ = ["Demand", "Inference", "as_decimal", "inference_cautions", "judge", "summarise"]


@dataclass(frozen=True, slots=True)
class Inference:
    """What all neighbourhoods give away of one sensitive issue. A null is no value.

    Attributes
    ----------
    neighbourhoods : those with at least one known value; the rest of the attributes is about them
    largest_share : the largest share of one value in one of them, rounded up where it has no decimal of its
        own, so that it holds as ``max_share``; None where nothing is known
    record : the position of the record whose neighbourhood that is, the largest of several
    distinct : the fewest distinct values: the largest L of distinct l-diversity that holds; None as above
    entropy : the least entropy, in bits; None as above
    entropy_l : the largest float64 L of entropy l-diversity that holds, about 2 to the ``entropy``; None: any
    agreeing : of those with two or more records, how many have one distinct value only
    alone : those of one record, whose value is known
    """

    neighbourhoods: int
    largest_share: float | None
    record: int | None
    distinct: int | None
    entropy: float | None
    entropy_l: float | None
    agreeing: int
    alone: int

    def to_dict(self, record: str | None) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them, with the id of the ``record``."""
        return {
            "neighbourhoods": self.neighbourhoods,
            "largest_share": self.largest_share,
            "record": record,
            "distinct": self.distinct,
            "entropy": self.entropy,
            "entropy_l": self.entropy_l,
            "agreeing": self.agreeing,
            "alone": self.alone,
        }


@dataclass(frozen=True, slots=True)
class Demand:
    """The verdict on one demand: a bound on the largest share, or on distinct values, or on the entropy.

    Attributes
    ----------
    satisfied : whether every neighbourhood meets it on every sensitive issue
    best : for each sensitive issue the strictest demand that holds (the smallest ``max_share``, the largest
        ``distinct`` or ``entropy``); None where any does, because nothing is known
    violators : records whose neighbourhood does not meet it
    """

    satisfied: bool
    best: Mapping[str, float | None]
    violators: int


def as_decimal(number: float) -> Fraction:
    """Return a float64 as the decimal that it prints as, exactly."""
    return Fraction(Decimal(repr(float(number))))


def summarise(counts: SensitiveCounts, sizes: NDArray[np.int64]) -> Inference:
    """Sum up what neighbourhoods of ``sizes``, int64 (n,), give away of one issue."""
    known = counts.known > 0
    one = counts.distinct == 1
    worst = counts.worst()
    some = worst is not None
    return Inference(
        neighbourhoods=int(np.count_nonzero(known)),
        largest_share=None
        if worst is None
        else _rounded_up(Fraction(int(counts.largest[worst]), int(counts.known[worst]))),
        record=worst,
        distinct=int(counts.distinct[known].min()) if some else None,
        entropy=float(counts.entropy[known].min()) if some else None,
        entropy_l=largest_entropy_l(counts.least),
        agreeing=int(np.count_nonzero(one & (sizes > 1))),
        alone=int(np.count_nonzero(one & (sizes == 1))),
    )


def _rounded_up(share: Fraction) -> float:
    """Return the float64 nearest to ``share`` that is not below it as the decimal it prints as."""
    rounded = float(share)
    while as_decimal(rounded) < share:
        rounded = math.nextafter(rounded, 2)
    return rounded


def judge(
    counts: Sequence[SensitiveCounts],
    found: Mapping[str, Inference],
    max_share: float | None,
    distinct: int | None,
    entropy: float | None,
) -> dict[str, tuple[Demand, NDArray[np.bool_]]]:
    """Judge the demands that are not None: name, verdict, and which records meet it, bool (n,).

    All comparisons are exact. A neighbourhood of which nothing is known meets every demand.
    """
    judged: dict[str, tuple[Demand, NDArray[np.bool_]]] = {}
    if max_share is not None:
        met = [~one.share_above(as_decimal(max_share)) for one in counts]
        judged["max_share"] = _demand(met, {name: one.largest_share for name, one in found.items()})
    if distinct is not None:
        met = [(one.known == 0) | (one.distinct >= distinct) for one in counts]
        judged["distinct"] = _demand(met, {name: one.distinct for name, one in found.items()})
    if entropy is not None:
        decided = [one.entropy_reached() for one in counts]
        judged["entropy"] = _demand(decided, {name: one.entropy_l for name, one in found.items()})
    return judged


def _demand(
    met: Sequence[NDArray[np.bool_]], best: Mapping[str, float | None]
) -> tuple[Demand, NDArray[np.bool_]]:
    holds = np.logical_and.reduce(met)
    return Demand(bool(holds.all()), best, int(np.count_nonzero(~holds))), holds


def inference_cautions(
    counts: Sequence[SensitiveCounts], k: int, max_share: float | None
) -> Iterator[Caution]:
    """Yield a caution for each issue on which one value makes up too much of a neighbourhood.

    Too much is more than ``max_share``, or, where that was not requested, more than 1 - 1/k.
    """
    limit = Fraction(k - 1, k) if max_share is None else as_decimal(max_share)
    asked = f"1 - 1/k = {float(limit):.4g}" if max_share is None else f"{max_share:g}"
    for one in counts:
        above = int(np.count_nonzero(one.share_above(limit)))
        if not above:
            continue
        agreeing = int(np.count_nonzero(one.distinct == 1))
        holds = "holds" if agreeing == 1 else "hold"
        all_the_same = f"; {agreeing} of them {holds} one known value only" if agreeing else ""
        yield Caution(
            "inference",
            f"inference: in {above} neighbourhood{'' if above == 1 else 's'} one value of {one.name!r} has a "
            f"share of more than {asked} of the known ones{all_the_same}. Who guesses it there learns a "
            "sensitive rating without re-identifying anybody; neither k nor an SD of at least l prevents "
            "that. An audit takes `max_share`, `distinct` and `entropy` as demands",
        )
