"""Whether a curve does what a paper says of it: stated rules, and "cannot be said" where noise is larger.

A curve has at each x a value and the range that it was seen in: that of repeated runs, or an interval. Two
values differ *clearly* where their ranges do not overlap. A statement that is neither borne out nor
contradicted clearly cannot be said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ratingpriv.base.errors import ParameterError
from ratingpriv.utility.structure import spearman

__all__ = [
    "Curve",
    "Finding",
    "above",
    "around",
    "below",
    "falls",
    "falls_then_rises",
    "near",
    "quotient",
    "rises",
    "times_within",
]

_RANK = 0.6
"""Spearman's rank correlation with x from which on a curve is said to go one way."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Values over x, at least one.

    Attributes
    ----------
    x : ascending
    y : what was measured
    low, high : the range of each
    unit : of y, for readers
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    unit: str = ""

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.y) == len(self.low) == len(self.high) > 0:
            raise ParameterError("y", len(self.y), f"{len(self.x)} values with their ranges, at least one")

    @classmethod
    def of(cls, x: tuple[float, ...], y: tuple[float, ...], unit: str = "") -> Curve:
        """Return a curve without noise."""
        return cls(x, y, y, y, unit)

    def clearly_above(self, one: int, other: int) -> bool:
        """Whether the value at position ``one`` is above that at ``other``, whatever the noise."""
        return self.low[one] > self.high[other]

    def said(self, at: int) -> str:
        """Return the value at a position with its x."""
        return f"{self.y[at]:.3g}{self.unit} at {self.x[at]:g}"

    @property
    def ends(self) -> str:
        """The first and the last value."""
        return f"{self.said(0)}, {self.said(-1)}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a rule; the attributes are those of a Judgement."""

    ours: str
    holds: bool | None
    why: str


def rises(curve: Curve) -> Finding:
    """Judge "grows": the last value is clearly above the first, and the ranks of x and y agree."""
    return _goes(curve, up=True)


def falls(curve: Curve) -> Finding:
    """Judge "falls": the first value is clearly above the last, and the ranks of x and y are opposite."""
    return _goes(curve, up=False)


def _goes(curve: Curve, *, up: bool) -> Finding:
    if len(curve.x) < 2:
        return Finding(curve.said(0), None, "one point has no direction")
    rank = spearman(curve.x, curve.y) or 0.0  # 0 where one of them is constant
    ours = f"{curve.ends}; rank correlation {rank:+.2f}"
    as_said, against = curve.clearly_above(-1, 0), curve.clearly_above(0, -1)
    if not up:
        as_said, against, rank = against, as_said, -rank
    word = "above" if up else "below"
    if against:
        return Finding(ours, False, "the ends go clearly the other way")
    if not as_said:
        return Finding(ours, None, "the ranges of the ends overlap: any change is within the noise")
    if rank < _RANK:
        return Finding(ours, False, f"the last is clearly {word} the first, but it does not go so all along")
    return Finding(ours, True, f"the last is clearly {word} the first, and it goes so all along")


def falls_then_rises(curve: Curve, *, steadily: bool = False) -> Finding:
    """Judge "falls, then rises": both ends are clearly above the least value, which is between them.

    ``steadily`` : and then no step falls clearly.
    """
    if len(curve.x) < 3:
        return Finding(curve.ends, None, "fewer than three points cannot fall and rise")
    least = min(range(len(curve.y)), key=lambda at: curve.y[at])
    ours = f"{curve.ends}; least {curve.said(least)}"
    first, last = curve.clearly_above(0, least), curve.clearly_above(-1, least)
    steps = range(least, len(curve.x) - 1)
    if first and last and steadily and any(curve.clearly_above(at, at + 1) for at in steps):
        return Finding(ours, False, "it rises again, but clearly falls on the way")
    if first and last:
        return Finding(ours, True, "both ends are clearly above the least value, which is between them")
    if curve.clearly_above(0, -1) and not last:
        return Finding(ours, False, "it falls, and does not clearly rise again")
    if curve.clearly_above(-1, 0) and not first:
        return Finding(ours, False, "it rises, and does not clearly fall before")
    return Finding(ours, None, "neither end is clearly above the least value: any change is within the noise")


def below(curve: Curve, bound: float, *, at: int | None = None) -> Finding:
    """Judge "below ``bound``", everywhere or at a position: decided where no range reaches the bound."""
    places = range(len(curve.y)) if at is None else (at % len(curve.y),)
    worst = max(places, key=lambda place: curve.y[place])
    ours = f"at most {curve.said(worst)}" if at is None else curve.said(worst)
    limit = f"{bound:g}{curve.unit}"
    if all(curve.high[place] < bound for place in places):
        return Finding(ours, True, f"it is below {limit} with its whole range")
    if any(curve.low[place] >= bound for place in places):
        return Finding(ours, False, f"it reaches {limit} with its whole range")
    return Finding(ours, None, f"its range reaches from below {limit} to above")


def above(curve: Curve, other: Curve, *, also_equal: bool = False) -> Finding:
    """Judge "above the other" at every x, of curves without noise; ``also_equal``: not below it."""
    short = [a < b or (a == b and not also_equal) for a, b in zip(curve.y, other.y, strict=True)]
    gaps = [a - b for a, b in zip(curve.y, other.y, strict=True)]
    worst = min(range(len(gaps)), key=lambda at: gaps[at])
    ours = f"{curve.said(worst)}, against {other.y[worst]:.3g}{other.unit}, where they are closest"
    if any(short):
        return Finding(ours, False, f"not so at {sum(short)} of {len(short)} points")
    return Finding(ours, True, "so at every point")


def around(curve: Curve, value: float, tolerance: float) -> Finding:
    """Judge "about ``value``": everywhere within ``tolerance`` of it."""
    worst = max(range(len(curve.y)), key=lambda at: abs(curve.y[at] - value))
    limit = f"{value - tolerance:g} to {value + tolerance:g}{curve.unit}"
    holds = abs(curve.y[worst] - value) <= tolerance
    where = "everywhere" if holds else "not everywhere"
    return Finding(f"furthest from it: {curve.said(worst)}", holds, f"{where} from {limit}")


def near(curve: Curve, other: Curve, tolerance: float) -> Finding:
    """Judge "near each other": nowhere apart by more than ``tolerance`` of the other's value."""
    gaps = [abs(a - b) / abs(b) if b else abs(a) for a, b in zip(curve.y, other.y, strict=True)]
    worst = max(range(len(gaps)), key=lambda at: gaps[at])
    ours = f"apart by at most {100 * gaps[worst]:.3g} %, at {curve.x[worst]:g}"
    limit = f"{100 * tolerance:g} %"
    if gaps[worst] <= tolerance:
        return Finding(ours, True, f"nowhere apart by more than {limit}, which we take for near")
    return Finding(ours, False, f"apart by more than {limit}, which we take for near")


def quotient(one: Curve, other: Curve) -> Curve:
    """Return how many times ``other`` one is, with the least and the largest quotient of their ranges.

    Where the other's range reaches to 0 or below, so that there is none, the range is everything.
    """
    low, high = [], []
    for at in range(len(one.x)):
        known = other.low[at] > 0
        low.append(one.low[at] / other.high[at] if known else -math.inf)
        high.append(one.high[at] / other.low[at] if known else math.inf)
    y = tuple(a / b if b > 0 else math.nan for a, b in zip(one.y, other.y, strict=True))
    return replace(one, y=y, low=tuple(low), high=tuple(high), unit=" times")


def times_within(curve: Curve, other: Curve, low: float, high: float) -> Finding:
    """Judge "``curve`` is so many times ``other``" of every point: each ratio is from ``low`` to ``high``.

    It holds where the whole range of each ratio is there, and does not where that of one is nowhere there.
    """
    ratio = quotient(curve, other)
    places = range(len(ratio.x))
    known = [at for at in places if other.low[at] > 0]
    if not known:
        return Finding("no ratio", None, "too little was used for the measurement to tell")
    least, most = min(known, key=ratio.y.__getitem__), max(known, key=ratio.y.__getitem__)
    ours = f"{ratio.said(least)} to {ratio.said(most)}"
    wanted = f"at least {low:g} times" if high == math.inf else f"{low:g} to {high:g} times"
    outside = [at for at in places if ratio.high[at] < low or ratio.low[at] > high]
    if outside:
        return Finding(ours, False, f"not {wanted} at {len(outside)} of {len(places)} points")
    if all(low <= ratio.low[at] and ratio.high[at] <= high for at in places):
        return Finding(ours, True, f"{wanted} at every point")
    return Finding(ours, None, f"the range of some point reaches over {wanted}")
