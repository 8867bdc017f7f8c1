"""What columns that look like ratings one by one are beside each other.

One ε is for all ratings of a table, so that they share a scale, or somebody has said that they do not. What
has two values beside questions of four steps or more is a choice: at ε = 1 it would tell nobody apart. What
goes beyond the scale that most questions have is a code, an age, or a question that ε means something else
for: nobody can say without being told.

Nobody ticks every step of a scale in a small file. So of fewer than thirty answers ten have to be where, by
what the others show, none should be; until then a column is a rating, and a verdict at an ε that covers its
two values has a *but* (``epsilon-covers-questions``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.numbers import in_full
from ratingpriv.data.codebook.recognition.identifiers import sense_of
from ratingpriv.data.codebook.recognition.looks import OFF_SCALE, Look

CHOICE = "two values beside questions of four steps or more: a choice"
"""Why a column of two values is no rating."""

_MANY_STEPS = 4  # of a question beside which two values are a choice
_FEW, _EXPECTED = 30, 10  # of fewer answers, so many have to be where chance does not put them
_WIDE = 10  # steps of a scale from which on one step more or less is nothing
_OFTEN, _SOME = 0.05, 3  # of a single step beyond the others' scale, share and number of its answers


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of a column that looks like ratings.

    Attributes
    ----------
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

    @classmethod
    def of(
        cls,
        name: str,
        levels: NDArray[np.float64],
        times: NDArray[np.int64],
        scale: tuple[float, float] | None,
        steps: int,
        *,
        free: bool,
    ) -> Self:
        """Return those of a column, of which a codebook says the ``scale``, or words so many ``steps``."""
        places = steps if scale is None else int(scale[1] - scale[0]) + 1
        return cls(name, levels, times, places, words=scale is None and steps > 0, free=free)

    @property
    def answers(self) -> int:
        """How many there are."""
        return int(self.times.sum())

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

    ``columns`` are all that look like ratings one by one, or are some by somebody's word; ``scale`` is the
    one declared for all ratings, inside which every column is.
    """
    columns = [column for column in columns if len(column.levels)]
    questions = [column for column in columns if not column.attribute]
    if not any(column.free for column in columns):
        return {}
    others = [column for column in questions if len(column.levels) > 2]
    two = {column.name for column in questions if _two(column, others)}
    shared = [_end(others, place) for place in (0, -1)]
    looks = {}
    for column in questions if scale is None else ():
        if column.free and column.name not in two and not column.steps and _beyond(column, shared):
            first, last = (in_full(end) if np.isfinite(end) else "" for end, _ in shared)
            span = (
                f"from {first} to {last}" if first and last else f"from {first}" if first else f"up to {last}"
            )
            why = f"values off the scale {span} that most questions have"
            looks[column.name] = Look("quasi", OFF_SCALE, why)
    questions = [column for column in questions if column.name not in looks]
    if any(max(len(column.levels), column.steps) >= _MANY_STEPS for column in questions):
        looks |= {one.name: Look("quasi", "", CHOICE) for one in questions if one.name in two and one.free}
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


def _end(columns: Sequence[Answers], place: Literal[0, -1]) -> tuple[float, int]:
    """Return the end that most columns, questions of three steps or more, have, and how many answers say so.

    It is infinite where they share none.
    """
    ends = Counter(float(column.levels[place]) for column in columns)
    end, often = ends.most_common(1)[0] if ends else (0.0, 0)
    if often < 2 or 2 * often <= len(columns):
        return (-np.inf if place == 0 else np.inf), 0
    return end, sum(column.answers for column in columns if column.levels[place] == end)


def _evident(column: Answers, share: float, there: int) -> bool:
    """Whether it is no accident that none of ``there`` answers is where ``share`` of others are."""
    few = min(column.answers, there)
    return few >= _FEW or few * share >= _EXPECTED


def _two(column: Answers, others: Sequence[Answers]) -> bool:
    """Whether a column has two values, and not by accident: other questions have many answers elsewhere."""
    if column.words:
        return column.steps == 2
    if not column.free or column.steps or len(column.levels) != 2:
        return False
    elsewhere = sum(int(one.times[~np.isin(one.levels, column.levels)].sum()) for one in others)
    share = elsewhere / sum(one.answers for one in others) if others else 1.0
    return _evident(column, share, column.answers)


def _beyond(column: Answers, shared: Sequence[tuple[float, int]]) -> bool:
    """Whether a column has more than an accident beyond a scale."""
    (low, below), (high, above) = shared
    levels, width = column.levels, high - low
    step = max(1.0, width / _WIDE) if np.isfinite(width) else 1.0
    under, over = levels < low, levels > high
    if not any(
        _evident(column, int(column.times[off].sum()) / column.answers, there)
        for off, there in ((under, below), (over, above))
    ):
        return False
    off = under | over
    if np.any((levels < low - step) | (levels > high + step)):
        return True
    if width > _WIDE:
        return False
    answers = int(column.times[off].sum())
    often = answers >= _SOME and answers >= _OFTEN * column.answers
    return bool(np.count_nonzero(off) > 1 or often)
