"""What a column looks like, where nobody has said what it is: ratings, or something to ask about.

When in doubt it is no rating: a telephone number that is taken for one is released with the others.
But numbers on few steps are ratings, however few the records, and so is what is inside a scale that
somebody declared.

What looks like ratings alone may be none beside the others (:mod:`.beside`), and words have looks
of their own (:mod:`.worded`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.codebook.recognition.identifiers import Sense
from ratingpriv.data.codebook.recognition.text_scales import Understood

FEW_UNITS = 20
"""Numbers that span so many units are ratings, however many of them are different."""

MANY_RECORDS = 50
"""From so many records on, that no value repeats says something."""

# from so many on, a scale that goes below 0 would have been used there more than once
_SOME_RECORDS = 20
_FEW_LEVELS = 11  # whole numbers of -10..10 on so few steps, a 0..10 scale, are no telephone number
_STEPS_END = 10
NO_SCALE = 1_000
"""No rating scale begins here or higher: a postal code, a year, a day as 20240131."""

_YEARS = (1900, 2100)
_DIGITS = 10_000  # numbers from here on have the digits of postal codes, telephones, incomes
_FINE = 3  # decimals; coordinates, weights and factor scores have more
_MOST_LEVELS = 101  # a slider from 0 to 100
_UNIQUE = 0.9

_HIGH_CODES, _LOW_CODES = (
    frozenset(map(float, codes.split()))
    for codes in (
        "66 77 88 96 97 98 99 666 777 888 997 998 999 7777 8888 9997 9998 9999 77777 88888 99999 "
        "999998 "
        "999999 9999999 99999999 999999999 9999999999",
        "-1 -2 -3 -4 -5 -6 -7 -8 -9 -66 -77 -88 -97 -98 -99 -666 -777 -888 -997 -998 -999 -7777 "
        "-8888 -9999 "
        "-99999 -999999 -999999999",
    )
)
_NINES = frozenset((7, 8, 9))
# a scale of -5..5 or -3..3 may have been used from 0 on but for one; none goes from here
_LOWEST_STEP = -7


@dataclass(frozen=True, slots=True)
class Look:
    """What a column looks like.

    Attributes
    ----------
    role : the role to propose
    kind : what is doubtful, a word that stays: "name", "missing-codes", "digits", "years",
        "unique", "sequence", "levels", "text", "labelled", "no-answer", "which-scale",
        "shared-words", "scale", "apart", "choice-ids", "copy"; empty: nothing
    why : in words, without any value of the data
    codes : values that may be missing codes
    texts : words that may mean that there is no answer
    understood : what the words of the column count, or may count
    """

    role: str
    kind: str = ""
    why: str = ""
    codes: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    understood: Understood | None = None


_RATING = Look("rating", "", "numbers on few steps")
# units between a scale and a code, at least, however short the scale: -5 in front of 0..1
_SMALL_GAP = 5.0
# spans of the rest between it and a code or a lone value: 88 behind 0..20, not 66 behind 0..50
_SPANS = 2
# a scale of -4..4 may have been used from 0 on but for one; a code below is no step of it
_STEPS_DOWN = -4
# times as far as a small code is below 0 a scale from 0 on goes: -2 in front of 0..7, not 0..6
_REACHES = 3
_NINES_GAP = 3  # units from the last step to 7, 8 or 9 behind it: 1..4 and 7, not 1..5 and 7
_FEW_TO_BE_LONE = 3  # of so few different values none is alone: 1, 2 and 50


def look_of(
    sense: Sense | None,
    levels: NDArray[np.float64],
    answers: int,
    *,
    scale: tuple[float, float] | None = None,
) -> Look:
    """Return what a column of so many ``answers`` looks like;
    ``levels`` are its distinct values, ascending.

    ``sense`` is that of its name or question, ``scale`` the one that somebody declared for it.
    """
    if len(levels) == 0:
        return _RATING
    low, high = float(levels[0]), float(levels[-1])
    inside = scale is not None and scale[0] <= low and high <= scale[1]
    steps = (
        _is_whole(levels)
        and len(levels) <= _FEW_LEVELS
        and low >= -_STEPS_END
        and high <= _STEPS_END
    )
    if sense is not None and sense.role != "quasi" and not (steps and (inside or not sense.always)):
        return Look(sense.role, "name", f"named like {sense.category}")
    if inside:
        return Look("rating", "", "numbers inside the declared scale")
    if sense is not None and sense.role == "quasi":
        return Look("quasi", "", sense.category)
    return (
        _codes(levels, answers)
        or _shape(levels, answers)
        or Look("rating", "", "numbers that repeat")
    )


def _is_whole(levels: NDArray[np.float64]) -> bool:
    return bool(np.all(levels == np.floor(levels)))


def _codes(levels: NDArray[np.float64], answers: int) -> Look | None:
    """Return the look of numbers with missing codes."""
    codes = _far(levels, answers)
    if not codes:
        return None
    actual = (
        "a lone value far outside the rest"
        if len(codes) == 1
        else "lone values far outside the rest"
    )
    if _LOWEST_STEP < min(codes) < 0:
        actual = (
            "a negative value below a scale" if len(codes) == 1 else "negative values below a scale"
        )
    return Look("rating", "missing-codes", f"{actual}: a missing code?", codes)


def _shape(levels: NDArray[np.float64], answers: int) -> Look | None:
    """Return the look of numbers by their size and how many are different.

    None: they may be ratings.
    """
    low, high, integers = float(levels[0]), float(levels[-1]), _is_whole(levels)
    unique = answers >= MANY_RECORDS and len(levels) >= _UNIQUE * answers
    if high - low <= FEW_UNITS and low < NO_SCALE:
        if unique and _fine(levels):
            why = (
                "nearly as many different values as records, with many decimals, as "
                "coordinates have"
            )
            return Look("identifier", "unique", why)
        return _RATING
    if integers and _YEARS[0] <= low and high <= _YEARS[1]:
        return Look("quasi", "years", "whole numbers that may be years, as of birth")
    if max(abs(low), abs(high)) >= _DIGITS or low >= NO_SCALE:
        why = "long digit strings, as ids, telephone numbers and postal codes have"
        return Look("identifier", "digits", why)
    if integers and len(levels) == answers == high - low + 1:
        return Look("drop", "sequence", "a sequence without gaps or repeats, as row numbers are")
    if unique:
        return Look("identifier", "unique", "nearly as many different values as records")
    if len(levels) > _MOST_LEVELS:
        return Look("quasi", "levels", "more different values than a rating scale has")
    return None


def codes_look(levels: NDArray[np.float64], answers: int) -> Look | None:
    """Return what is doubtful about the far values of a sensitive column; None: nothing.

    A code among its numbers makes them look more diverse than they are.
    """
    codes = _far(levels, answers) if len(levels) else ()
    why = "lone values far outside the rest: missing codes, which raise the SD?"
    return Look("sensitive", "missing-codes", why, codes) if codes else None


def is_code(number: float) -> bool:
    """Return whether a number is one by which surveys say that something is missing, as -99."""
    return number in _LOW_CODES or number in _HIGH_CODES


def _fine(levels: NDArray[np.float64]) -> bool:
    return bool(np.any(np.round(levels, _FINE) != levels))


def _far(levels: NDArray[np.float64], answers: int) -> tuple[float, ...]:
    """Return values at the ends that are far outside the rest, or too low for it:
    likely missing codes.
    """
    many = answers >= MANY_RECORDS
    if far := _known_codes(levels, answers, many=many):
        return far
    return (_nines(levels) or _lone(levels)) if many else ()


def _known_codes(levels: NDArray[np.float64], answers: int, *, many: bool) -> tuple[float, ...]:
    """Return the codes of surveys, as 99 and -9, at the ends, where the rest is far from them."""
    low, high, integral, codes = _without_codes(levels)
    far = {
        code
        for code in codes
        if _is_above(code, low, high, many=many) or _is_below(code, low, high)
    }
    if low >= 0:
        far |= {code for code in codes if code <= _LOWEST_STEP}
        small = {code for code in codes if _LOWEST_STEP < code < 0}
        if small and integral and answers >= _SOME_RECORDS:
            reach = -min(small) * (1 if low > 0 else _REACHES)
            far |= small if far or high > reach else set()
    return tuple(sorted(far))


def _without_codes(levels: NDArray[np.float64]) -> tuple[float, float, bool, list[float]]:
    """Return (smallest, largest, whether whole) of the levels between the codes at both ends,
    and these.
    """
    rest, codes = levels, []
    while len(rest) > 1 and float(rest[-1]) in _HIGH_CODES:
        codes.append(float(rest[-1]))
        rest = rest[:-1]
    while len(rest) > 1 and float(rest[0]) in _LOW_CODES and rest[-1] >= 0:
        codes.append(float(rest[0]))
        rest = rest[1:]
    return float(rest[0]), float(rest[-1]), _is_whole(rest), codes


def _is_above(code: float, low: float, high: float, *, many: bool) -> bool:
    """Whether a code is far above the rest, as 99 behind 1..5 is.

    Of many records a nearer one is, too.
    """
    span = high - low
    return code - high >= max(_SMALL_GAP, span if many else _SPANS * span)


def _is_below(code: float, low: float, high: float) -> bool:
    """Whether a code is far below a scale from 0 on, as -9 in front of 1..4 is."""
    return code < _STEPS_DOWN and low >= 0 and low - code >= max(_SMALL_GAP, _SPANS * (high - low))


def _nines(levels: NDArray[np.float64]) -> tuple[float, ...]:
    """Return 7, 8 and 9 behind 1, 2, ... m, where two steps between them are never used."""
    steps = levels.tolist()
    last = next((index for index, value in enumerate(steps) if value != index + 1), len(steps))
    tail = steps[last:]
    is_nines = last >= 2 and tail and set(tail) <= _NINES and tail[0] - last >= _NINES_GAP
    return tuple(tail) if is_nines and len(levels) > 2 else ()


def _lone(levels: NDArray[np.float64]) -> tuple[float, ...]:
    """Return a single value very far from all others, whatever it is."""
    if len(levels) <= _FEW_TO_BE_LONE:
        return ()
    for end, value in ((levels[:-1], float(levels[-1])), (levels[1:], float(levels[0]))):
        span = float(end[-1] - end[0])
        distance = value - float(end[-1]) if value > end[-1] else float(end[0]) - value
        if span <= FEW_UNITS and distance > max(FEW_UNITS, _SPANS * span):
            return (value,)
    return ()
