"""Whether what was measured does what a paper says of it:
the words that the judges of figures are made of.

A judge is a Python expression in a figure's file, over what its kind has measured, by name, and the
names of :data:`WORDS`: ``rises(S)``, ``within(P / S, 2, 4)``. It gives one :class:`Finding` or a
list of them.

A curve has at each x a value and the range that it was seen in: that of repeated runs, or an
interval. Two values differ *clearly* where their ranges do not overlap. A statement that is neither
borne out nor contradicted clearly cannot be said.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.utility.ratings import spearman

_RANK = 0.6
"""Spearman's rank correlation with x from which on a curve is said to go one way."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Values ``y`` over ``x``, ascending, at least one, each in its range; ``unit`` of y,
    for readers.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    unit: str = ""

    def clearly_above(self, first: int, second: int) -> bool:
        """Whether the value at position ``first`` is above that at ``second``,
        whatever the noise.
        """
        return self.low[first] > self.high[second]

    def point(self, position: int) -> str:
        """Return the value at a position with its x, for readers."""
        return f"{self.y[position]:.3g}{self.unit} at {self.x[position]:g}"

    @property
    def ends(self) -> str:
        """The first and the last value, for readers."""
        return f"{self.point(0)}, {self.point(-1)}"

    def __truediv__(self, other: Curve) -> Curve:
        """Return how many times ``other`` it is,
        with the least and the largest quotient of their ranges.

        Where the other's range reaches to 0 or below, so that there is none, the range is
        everything.
        """
        low, high = [], []
        for position, least in enumerate(other.low):
            low.append(self.low[position] / other.high[position] if least > 0 else -math.inf)
            high.append(self.high[position] / least if least > 0 else math.inf)
        y = tuple(a / b if b > 0 else math.nan for a, b in zip(self.y, other.y, strict=True))
        return Curve(self.x, y, tuple(low), tuple(high), " times")


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a judge: whether a statement ``holds`` (None: cannot be said),
    what came out, and why.
    """

    holds: bool | None
    ours: str
    why: str


def rises(curve: Curve, *, up: bool = True) -> Finding:
    """Judge "grows": the last value is clearly above the first, and the ranks of x and y agree."""
    if len(curve.x) < 2:
        return Finding(None, curve.point(0), "one point has no direction")
    rank = spearman(curve.x, curve.y) or 0.0  # 0 where one of them is constant
    ours = f"{curve.ends}; rank correlation {rank:+.2f}"
    borne_out, against = curve.clearly_above(-1, 0), curve.clearly_above(0, -1)
    if not up:
        borne_out, against, rank = against, borne_out, -rank
    word = "above" if up else "below"
    if against:
        return Finding(False, ours, "the ends go clearly the other way")
    if not borne_out:
        return Finding(None, ours, "the ranges of the ends overlap: any change is within the noise")
    if rank < _RANK:
        return Finding(
            False, ours, f"the last is clearly {word} the first, but it does not go so all along"
        )
    return Finding(True, ours, f"the last is clearly {word} the first, and it goes so all along")


def falls(curve: Curve) -> Finding:
    """Judge "falls": the first value is clearly above the last,
    and the ranks of x and y are opposite.
    """
    return rises(curve, up=False)


def falls_then_rises(curve: Curve, *, steadily: bool = False) -> Finding:
    """Judge "falls, then rises": both ends are clearly above the least value,
    which is between them.

    ``steadily`` : and then no step falls clearly.
    """
    if len(curve.x) < 3:
        return Finding(None, curve.ends, "fewer than three points cannot fall and rise")
    least = min(range(len(curve.y)), key=curve.y.__getitem__)
    ours = f"{curve.ends}; least {curve.point(least)}"
    first, last = curve.clearly_above(0, least), curve.clearly_above(-1, least)
    steps = range(least, len(curve.x) - 1)
    if first and last and steadily and any(curve.clearly_above(step, step + 1) for step in steps):
        return Finding(False, ours, "it rises again, but clearly falls on the way")
    if first and last:
        return Finding(
            True, ours, "both ends are clearly above the least value, which is between them"
        )
    if curve.clearly_above(0, -1) and not last:
        return Finding(False, ours, "it falls, and does not clearly rise again")
    if curve.clearly_above(-1, 0) and not first:
        return Finding(False, ours, "it rises, and does not clearly fall before")
    return Finding(
        None, ours, "neither end is clearly above the least value: any change is within the noise"
    )


def below(curve: Curve, bound: float, *, at: int | None = None) -> Finding:
    """Judge "below ``bound``", everywhere or at a position:
    decided where no range reaches the bound.
    """
    places = range(len(curve.y)) if at is None else (at % len(curve.y),)
    worst = max(places, key=curve.y.__getitem__)
    ours = f"at most {curve.point(worst)}" if at is None else curve.point(worst)
    limit = f"{bound:g}{curve.unit}"
    if all(curve.high[place] < bound for place in places):
        return Finding(True, ours, f"it is below {limit} with its whole range")
    if any(curve.low[place] >= bound for place in places):
        return Finding(False, ours, f"it reaches {limit} with its whole range")
    return Finding(None, ours, f"its range reaches from below {limit} to above")


def above(curve: Curve, other: Curve, *, also_equal: bool = False) -> Finding:
    """Judge "above the other" at every x, of curves without noise; ``also_equal``: not below it."""
    gaps = [a - b for a, b in zip(curve.y, other.y, strict=True)]
    short = sum(a < b or (a == b and not also_equal) for a, b in zip(curve.y, other.y, strict=True))
    worst = min(range(len(gaps)), key=gaps.__getitem__)
    ours = f"{curve.point(worst)}, against {other.y[worst]:.3g}{other.unit}, where they are closest"
    if short:
        return Finding(False, ours, f"not so at {short} of {len(gaps)} points")
    return Finding(True, ours, "so at every point")


def around(curve: Curve, value: float, tolerance: float) -> Finding:
    """Judge "about ``value``": everywhere within ``tolerance`` of it."""
    worst = max(range(len(curve.y)), key=lambda place: abs(curve.y[place] - value))
    limit = f"{value - tolerance:g} to {value + tolerance:g}{curve.unit}"
    holds = abs(curve.y[worst] - value) <= tolerance
    where = "everywhere" if holds else "not everywhere"
    return Finding(holds, f"furthest from it: {curve.point(worst)}", f"{where} from {limit}")


def near(curve: Curve, other: Curve, tolerance: float) -> Finding:
    """Judge "near each other": nowhere apart by more than ``tolerance`` of the other's value."""
    gaps = [abs(a - b) / abs(b) if b else abs(a) for a, b in zip(curve.y, other.y, strict=True)]
    worst = max(range(len(gaps)), key=gaps.__getitem__)
    ours = f"apart by at most {100 * gaps[worst]:.3g} %, at {curve.x[worst]:g}"
    holds = gaps[worst] <= tolerance
    apart = "nowhere apart" if holds else "apart"
    return Finding(
        holds, ours, f"{apart} by more than {100 * tolerance:g} %, which we take for near"
    )


def within(ratio: Curve, low: float, high: float) -> Finding:
    """Judge "so many times": each point of a quotient of curves is from ``low`` to ``high``.

    It holds where the range of each is there, and does not where that of one is nowhere there.
    """
    positions = range(len(ratio.x))
    known = [position for position in positions if ratio.high[position] < math.inf]
    if not known:
        return Finding(None, "no ratio", "too little was used for the measurement to tell")
    least, most = min(known, key=ratio.y.__getitem__), max(known, key=ratio.y.__getitem__)
    ours = f"{ratio.point(least)} to {ratio.point(most)}"
    wanted = f"at least {low:g} times" if high == math.inf else f"{low:g} to {high:g} times"
    if outside := sum(
        ratio.high[position] < low or ratio.low[position] > high for position in positions
    ):
        return Finding(False, ours, f"not {wanted} at {outside} of {len(positions)} points")
    if all(low <= ratio.low[position] and ratio.high[position] <= high for position in positions):
        return Finding(True, ours, f"{wanted} at every point")
    return Finding(None, ours, f"the range of some point reaches over {wanted}")


_JUDGES = (rises, falls, falls_then_rises, below, above, around, near, within)
_BESIDE = {"finding": Finding, "inf": math.inf, "pairwise": itertools.pairwise}
WORDS: Mapping[str, Any] = {judge.__name__: judge for judge in _JUDGES} | _BESIDE
"""What every judge may use, beside what was measured."""


def findings(judge: str, values: Mapping[str, Any]) -> list[Finding]:
    """Return what an expression of a figure's file says of ``values``.

    NameError without a curve it is of.
    """
    found = eval(f"({judge})", {**WORDS, **values})  # noqa: S307 -- the package's own
    return found if isinstance(found, list) else [found]
