"""What looks like ratings alone and may be none beside the others.

One ε is for all ratings of a table, so that they share a scale, or somebody has said that they do
not. What has two values beside questions of four steps or more is a choice: at ε = 1 it would tell
nobody apart. What goes beyond the scale that most questions have, or stands apart from every other,
is a code, an age, or a question that ε means something else for: nobody can say without being told.
Nobody ticks every step of a scale in a small file. So of fewer than thirty answers ten have to be
where, by what the others show, none should be; until then a column is a rating, and a verdict at an
ε that covers its two values has a reservation (``epsilon-covers-questions``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.numbers import in_full
from ratingpriv.data.codebook.raw import RawColumn
from ratingpriv.data.codebook.recognition.blocks import stem
from ratingpriv.data.codebook.recognition.identifiers import Sense, is_topic
from ratingpriv.data.codebook.recognition.looks import FEW_UNITS, Look

OFF_SCALE, APART = "scale", "apart"
"""The kinds of doubt about a column that is not on the scale that most questions have, or on
nobody's.
"""

CHOICE = "two values beside items of four steps or more: a choice"
"""Why a column of two values is no rating."""

ITEM = "a topic among others on the same scale: an item"
"""Why a column is a rating though it is called like an attribute of persons."""

_MANY_STEPS = 4  # of a question beside which two values are a choice
# of fewer answers, so many have to be where chance does not put them
_FEW_ANSWERS, _EXPECTED = 30, 10
_WIDE = 10  # steps of a scale from which on one step more or less is nothing
# of a single step beyond the others' scale, share and number of its answers
_OFTEN, _SOME = 0.05, 3
_MANY_VALUES = 15  # more different values than this are no scale, unless others have the like
_ALIKE, _OTHERS = 0.5, 2  # of two ranges what both have, at least; so many others have the like
# answers on each step beside one that nobody ticked; steps ticked
_ANSWERS_BESIDE_GAP, _GAP_LEVELS = 5, 4
_BATTERY = 6  # columns of a battery that are called in words, one of which stands between others
_A_COPY = 20  # records in which two columns say the same


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of a column that looks like ratings.

    Attributes
    ----------
    levels : distinct values, ascending, float64
    times : how many cells have each, int64
    scale : the one that a codebook says for it alone
    worded : of how many steps the known scale is that its words, or true and false, are of; 0:
        there
    are none free : whether nobody has said that the column is a rating
    sense : what its name or question says that it is
    """

    name: str
    levels: NDArray[np.float64]
    times: NDArray[np.int64]
    scale: tuple[float, float] | None
    worded: int
    free: bool
    sense: Sense | None = None

    @property
    def answers(self) -> int:
        """How many there are."""
        return int(self.times.sum())

    @property
    def steps(self) -> int:
        """How many places its own scale has, where words or a codebook say so; 0: nobody does."""
        return self.worded if self.scale is None else int(self.scale[1] - self.scale[0]) + 1

    @property
    def attribute(self) -> bool:
        """Whether it is called like an attribute of persons,
        which a scale of words would contradict.
        """
        return (
            self.free
            and self.sense is not None
            and self.sense.role == "quasi"
            and self.steps in (0, 2)
        )


def looks_beside(
    columns: Sequence[Answers], scale: tuple[float, float] | None
) -> Mapping[str, Look]:
    """Return the look of each column that is no rating beside the others,
    and of what is one all the same.

    ``columns`` are all that look like ratings one by one, or are some by somebody's word, in the
    data's order; ``scale`` is the one declared for all ratings, inside which every column is.
    """
    columns = [column for column in columns if len(column.levels)]
    if not any(column.free for column in columns):
        return {}
    items = _battery_items(columns)
    attributes = [column for column in columns if column.attribute and column.name not in items]
    questions = [column for column in columns if not column.attribute or column.name in items]
    two = _two_valued(questions)
    looks = {name: Look("rating", "", ITEM) for name in items}
    if scale is None:
        looks |= _unclear(questions, two)
    left = [column for column in questions if column.name not in looks or column.name in items]
    looks |= _choices(left, two)
    left = [column for column in left if column.name not in looks or column.name in items]
    return looks | _attributes(attributes, left, scale)


def _other_steps(questions: Sequence[Answers]) -> list[Answers]:
    """Return the questions of more than two values."""
    return [column for column in questions if len(column.levels) > 2]


def _two_valued(questions: Sequence[Answers]) -> set[str]:
    """Return the names of the questions that have two values and not by accident."""
    others = _other_steps(questions)
    return {column.name for column in questions if _two(column, others)}


def _unclear(questions: Sequence[Answers], two: Container[str]) -> dict[str, Look]:
    """Return the looks of what nobody has said a scale of,
    and that stands apart from the others.
    """
    unclear = [
        question
        for question in questions
        if question.free and question.name not in two and not question.steps
    ]
    apart, off_scale = _apart(unclear, questions, two), _off_scale(unclear, _other_steps(questions))
    return apart | off_scale | _choice_ids(unclear, questions)


def _choices(questions: Sequence[Answers], two: Container[str]) -> dict[str, Look]:
    """Return the looks of choices: what has two values beside questions of more steps."""
    if not any(max(len(column.levels), column.steps) >= _MANY_STEPS for column in questions):
        return {}
    return {
        question.name: Look("quasi", "", CHOICE)
        for question in questions
        if question.name in two and question.free
    }


# ---- what is an attribute by its name


def _battery_items(columns: Sequence[Answers]) -> set[str]:
    """Return what is called like an attribute, and is one of a battery:
    *Country* among genres of music.
    """
    items = set()
    for index, column in enumerate(columns):
        if not column.attribute or not is_topic(column.name) or len(column.levels) < _MANY_STEPS:
            continue
        sides = [[], []]  # type: list[list[Answers]]
        for side, way in zip(sides, (reversed(columns[:index]), columns[index + 1 :]), strict=True):
            for attribute in way:
                topic = attribute.attribute and not is_topic(attribute.name)
                if topic or stem(attribute.name) is not None or not _same_ends(attribute, column):
                    break
                side.append(attribute)
        if all(sides) and sum(map(len, sides)) + 1 >= _BATTERY:
            items.add(column.name)
    return items


def _same_ends(one: Answers, other: Answers) -> bool:
    return bool(one.levels[0] == other.levels[0] and one.levels[-1] == other.levels[-1])


def _attributes(
    attributes: Sequence[Answers], questions: Sequence[Answers], scale: tuple[float, float] | None
) -> dict[str, Look]:
    """Return the looks of what is called like attributes.

    Those off the questions' scale are doubtful.
    """
    low = min((column.levels[0] for column in questions), default=np.inf)
    high = max((column.levels[-1] for column in questions), default=-np.inf)
    if scale is not None:
        low, high = scale
    looks = {}
    for column in attributes:
        inside = len(column.levels) <= 2 or (low <= column.levels[0] and column.levels[-1] <= high)
        why = "an attribute of persons, by its name"
        more = "" if inside else ", and values off the scale of the items"
        looks[column.name] = Look("quasi", "" if inside else OFF_SCALE, why + more)
    return looks


# ---- what is off the scale that most questions have


def _off_scale(unclear: Sequence[Answers], others: Sequence[Answers]) -> dict[str, Look]:
    shared = _shared(others)
    looks = {}
    for column in unclear:
        if _beyond(column, shared):
            first, last = (in_full(end) if np.isfinite(end) else "" for end, _ in shared)
            span = (
                f"from {first} to {last}"
                if first and last
                else f"from {first}"
                if first
                else f"up to {last}"
            )
            why = f"values off the scale {span} that most items have"
            looks[column.name] = Look("quasi", OFF_SCALE, why)
    return looks


def _shared(columns: Sequence[Answers]) -> tuple[tuple[float, int], tuple[float, int]]:
    """Return both ends that most columns have; a scale that is seen from 2 on begins at 1."""
    (low, below), high = _end(columns, 0), _end(columns, -1)
    return (1.0 if low == 2.0 else low, below), high


def _end(columns: Sequence[Answers], place: Literal[0, -1]) -> tuple[float, int]:
    """Return the end that most columns, questions of three steps or more, have,
    and how many answers say so.

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
    return few >= _FEW_ANSWERS or few * share >= _EXPECTED


def _two(column: Answers, others: Sequence[Answers]) -> bool:
    """Whether a column has two values, and not by accident:
    other questions have many answers elsewhere.
    """
    if column.worded and column.scale is None:
        return column.worded == 2
    if not column.free or column.steps or len(column.levels) != 2:
        return False
    elsewhere = sum(
        int(other.times[~np.isin(other.levels, column.levels)].sum()) for other in others
    )
    share = elsewhere / sum(other.answers for other in others) if others else 1.0
    return _evident(column, share, column.answers)


def _beyond(column: Answers, shared: Sequence[tuple[float, int]]) -> bool:
    """Whether a column has more than an accident beyond a scale."""
    (low, below), (high, above) = shared
    levels, width = column.levels, high - low
    step = max(1.0, width / _WIDE) if np.isfinite(width) else 1.0
    under, over = levels < low, levels > high
    if not any(
        _evident(column, int(column.times[off].sum()) / column.answers, levels_apart)
        for off, levels_apart in ((under, below), (over, above))
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


# ---- what stands apart by its own numbers, whatever the scales


def _apart(
    unclear: Sequence[Answers], questions: Sequence[Answers], two: Container[str]
) -> dict[str, Look]:
    """Return what has another range than every other column,
    or many values that no others share.
    """
    looks = {}
    many = [column for column in questions if len(column.levels) > _MANY_VALUES]
    few = [column for column in questions if len(column.levels) <= _MANY_VALUES]
    top = max((column.levels[-1] for column in few), default=np.inf)
    for column in unclear:
        alike = sum(other is not column and _overlap(other, column) >= _ALIKE for other in many)
        if len(column.levels) > _MANY_VALUES and alike < _OTHERS:
            why = "more different values than a scale has, and no other items with the like"
            looks[column.name] = Look("quasi", APART, why)
        elif _is_above(
            column, [other for other in few if other is not column and other.name not in two], top
        ):
            why = "a range that stands apart from every other column's"
            looks[column.name] = Look("quasi", APART, why)
    return looks


def _is_above(column: Answers, others: Sequence[Answers], top: float) -> bool:
    """Whether all answers of a column are far above those of several others."""
    if len(others) < _OTHERS or column.answers < _EXPECTED or column.levels[-1] < top:
        return False
    highest = max(other.levels[-1] for other in others)
    return bool(column.levels[0] > highest and column.levels[-1] >= 2 * highest)


def _overlap(one: Answers, other: Answers) -> float:
    """Return the share of two ranges together that both have."""
    both = min(one.levels[-1], other.levels[-1]) - max(one.levels[0], other.levels[0])
    either = max(one.levels[-1], other.levels[-1]) - min(one.levels[0], other.levels[0])
    return float(max(0.0, both) / either) if either else 1.0


def _choice_ids(unclear: Sequence[Answers], questions: Sequence[Answers]) -> dict[str, Look]:
    """Return what lacks a number between others, as the ids do that survey tools give to choices.

    Columns of like names are looked at together, and others if they reach as far: what one of them
    has is a step that nobody ticked.
    """
    blocks: dict[str, list[Answers]] = defaultdict(list)
    numbers = [column for column in questions if not column.steps]
    for column in numbers:
        called = stem(column.name)
        blocks[f"={column.name}" if called is None else called].append(column)
    ids = set()
    for block in blocks.values():
        if len(gaps := _gaps(block)):
            top = max(one.levels[-1] for one in block)
            others = [one.levels for one in numbers if one not in block and one.levels[-1] >= top]
            if not any(np.isin(gaps, levels).any() for levels in others):
                ids |= {one.name for one in block}
    why = "gaps between the numbers: ids of choices, not steps of a scale?"
    return {one.name: Look("rating", "choice-ids", why) for one in unclear if one.name in ids}


def _gaps(block: Sequence[Answers]) -> NDArray[np.float64]:
    """Return the whole numbers between the levels of columns that no answer is, amid many.

    None where the levels are evenly spaced, or without their middle: 0, 25, 50; 1, 2, 4, 5.
    """
    levels, level_of = np.unique(
        np.concatenate([column.levels for column in block]), return_inverse=True
    )
    times = np.bincount(level_of, np.concatenate([column.times for column in block]))
    steps, none = np.diff(levels), np.empty(0)
    integral = bool(np.all(levels == np.floor(levels)))
    if (
        not integral
        or levels[0] < 0
        or levels[-1] - levels[0] > FEW_UNITS
        or len(levels) < _GAP_LEVELS
    ):
        return none
    if np.array_equal(steps, steps[::-1]) or times.sum() < _FEW_ANSWERS:
        return none
    ends = np.flatnonzero(steps > 1)
    if not np.all(np.minimum(times[ends], times[ends + 1]) >= _ANSWERS_BESIDE_GAP):
        return none
    return np.setdiff1d(np.arange(levels[0], levels[-1]), levels)


# ---- what says the same as an attribute


def copies(
    columns: Mapping[str, tuple[RawColumn, int]], attributes: Iterable[RawColumn]
) -> Mapping[str, str]:
    """Return the columns that say what an attribute says, each with that attribute's name.

    A code of a programme beside its name tells as much of a person as the name. Neither has a value
    of its own in every record. ``columns`` are given with how many different answers they have.
    """
    columns_coded = [
        (column.name, codes, codes.n_unique())
        for column in attributes
        if (codes := _codes(column)) is not None
    ]
    copied: dict[str, str] = {}
    for name, (column, answers) in columns.items():
        # 1: what is missing
        likely = [
            candidate
            for candidate in columns_coded
            if candidate[0] != name and candidate[2] - answers in (0, 1)
        ]
        codes = _codes(column) if likely else None
        if codes is None or len(codes) < _A_COPY:
            continue
        different = codes.n_unique()
        for other, others, of_other in likely:
            if different == of_other and _is_bijection(codes, others, different):
                copied.setdefault(name, other)
    return copied


def _is_bijection(codes: pl.Series, others: pl.Series, different: int) -> bool:
    """Whether two columns of so many different values each have as many pairs of them,
    each often enough.
    """
    if not 2 <= different <= len(codes) / 3:
        return False
    return pl.DataFrame([codes.alias("one"), others.alias("other")]).n_unique() == different


def _codes(column: RawColumn) -> pl.Series | None:
    cells = column.cells
    if isinstance(cells, pl.Series):
        return None if cells.dtype.is_nested() else cells
    return pl.Series(cells.codes)
