"""What columns that look like ratings one by one are beside each other.

One ε is for all ratings of a table, so that they share a scale, or somebody has said that they do not. What
has two values beside questions of four steps or more is a choice: at ε = 1 it would tell nobody apart. What
goes beyond the scale that most questions have is a code, an age, or a question that ε means something else
for: nobody can say without being told.

Only levels are looked at, and how often a level is there where it is one step away: nobody ticks the end of
a scale in every question of a small file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.codebook.recognition.identifiers import sense_of
from ratingpriv.codebook.recognition.looks import MANY_RECORDS, Look
from ratingpriv.numbers import in_full

__all__ = ["CHOICE", "OFF_SCALE", "Answers", "is_attribute", "looks_beside"]

OFF_SCALE = "scale"
"""The kind of doubt about a column that is not on the scale that most questions have."""

CHOICE = "two values beside questions of four steps or more: a choice"
"""Why a column of two values is no rating."""

_MANY_STEPS = 4  # of a question beside which two values are a choice
_ENOUGH = 20  # answers from which on two values are no accident
_WIDE = 10  # steps of a scale from which on one step more or less is nothing
_OFTEN, _SOME = 0.05, 3  # of a single step beyond the others' scale, share and number of its answers


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of a column that looks like ratings.

    Attributes
    ----------
    name : the column's
    levels : distinct values, ascending, float64
    times : how many cells have each, int64
    steps : how many places its own scale has, where words or a codebook say so; 0: nobody does
    words : whether the values are words of a known scale, or true and false
    free : whether nobody has said that the column is a rating
    """

    name: str
    levels: NDArray[np.float64]
    times: NDArray[np.int64]
    steps: int = 0
    words: bool = False
    free: bool = True

    @property
    def two(self) -> bool:
        """Whether it has two values, and not by accident."""
        if self.words:
            return self.steps == 2
        return self.free and self.steps == 0 and len(self.levels) == 2 and int(self.times.sum()) >= _ENOUGH

    @property
    def attribute(self) -> bool:
        """Whether it is called like an attribute of persons, which a scale of words would contradict."""
        return self.free and is_attribute(self.name) and (not self.steps or self.steps == 2)


def is_attribute(name: str) -> bool:
    """Whether a column is called like an attribute of a person."""
    sense = sense_of(name)
    return sense is not None and sense.role == "quasi"


def looks_beside(columns: Sequence[Answers], scale: tuple[float, float] | None) -> Mapping[str, Look]:
    """Return the look of each column that is no rating beside the others: choices, attributes, off the scale.

    Parameters
    ----------
    columns : all that look like ratings one by one, or are some by somebody's word
    scale : the scale declared for all ratings, inside which every column is; None: none
    """
    columns = [column for column in columns if len(column.levels)]
    questions = [column for column in columns if not column.attribute]
    if not any(column.free for column in columns):
        return {}
    shared = _shared([one for one in questions if not one.two and len(one.levels) > 2])
    looks = {}
    for column in questions if scale is None else ():
        if column.free and not column.two and not column.steps and _beyond(column, shared):
            why = f"values off the scale {_shown(shared)} that most questions have"
            looks[column.name] = Look("quasi", OFF_SCALE, why)
    questions = [column for column in questions if column.name not in looks]
    if any(max(len(column.levels), column.steps) >= _MANY_STEPS for column in questions):
        looks |= {one.name: Look("quasi", "", CHOICE) for one in questions if one.two and one.free}
    left = [column for column in questions if column.name not in looks]
    low = min((column.levels[0] for column in left), default=np.inf)
    high = max((column.levels[-1] for column in left), default=-np.inf)
    if scale is not None:
        low, high = scale
    for column in columns:
        if column.attribute:
            inside = len(column.levels) <= 2 or (low <= column.levels[0] and column.levels[-1] <= high)
            why = "an attribute of persons, by its name"
            more = "" if inside else ", and values off the scale of the questions"
            looks[column.name] = Look("quasi", "" if inside else OFF_SCALE, why + more)
    return looks


def _shared(columns: Sequence[Answers]) -> tuple[float, float]:
    """Return the ends of the scale that most columns have exactly; infinite: an end that most do not share.

    Parameters
    ----------
    columns : questions of three steps or more
    """
    low, high = -np.inf, np.inf
    for place in (0, -1):
        ends = Counter(float(column.levels[place]) for column in columns)
        end, often = ends.most_common(1)[0] if ends else (0.0, 0)
        answers = sum(int(one.times.sum()) for one in columns if one.levels[place] == end)
        if often >= 2 and 2 * often > len(columns) and answers >= MANY_RECORDS:
            low, high = (end, high) if place == 0 else (low, end)
    return low, high


def _beyond(column: Answers, shared: tuple[float, float]) -> bool:
    """Whether a column has more than an accident beyond a scale."""
    low, high = shared
    levels, width = column.levels, high - low
    step = max(1.0, width / _WIDE) if np.isfinite(width) else 1.0
    off = (levels < low) | (levels > high)
    if np.any((levels < low - step) | (levels > high + step)):
        return True
    if width > _WIDE or not off.any():
        return False
    answers = int(column.times[off].sum())
    often = answers >= _SOME and answers >= _OFTEN * int(column.times.sum())
    return bool(np.count_nonzero(off) > 1 or often)


def _shown(scale: Iterable[float]) -> str:
    """Return the ends of a scale that are known, in words."""
    low, high = scale
    if not np.isfinite(low):
        return f"up to {in_full(high)}"
    return f"from {in_full(low)}" + ("" if not np.isfinite(high) else f" to {in_full(high)}")
