"""What a column of words looks like, and one of numbers whose values have words in the data."""

from __future__ import annotations

import dataclasses
import re
import statistics
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.escaping import looks_like_data
from ratingpriv.base.numbers import decimal_number
from ratingpriv.data.codebook.raw import RawColumn
from ratingpriv.data.codebook.recognition.identifiers import Sense, named_person, sense_of
from ratingpriv.data.codebook.recognition.looks import Look, is_code, look_of
from ratingpriv.data.codebook.recognition.text_scales import (
    is_no_answer,
    numbers_beside_words,
    scale_of,
    suggested,
)

FEW_WORDS = "text of few words"
"""Why a column of text is a quasi-identifier."""

_MOST_WORDS = 30  # more different words than this are no attribute that many share
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b|\d{1,2}:\d\d")
# of texts that are like names; of answers that are different; of texts
_MOST, _HALF, _FEWEST = 0.8, 0.5, 3
_LONG, _REPEATS = 40, 3  # characters of free text; answers that a choice has on average
_PARTICLES = frozenset(
    "van von der den de da di dos del della la le el al bin ibn ben y e af av zu ter ten".split()
)
_IN_NAMES = str.maketrans("", "", ".'’`-")


def sense(column: RawColumn) -> Sense | None:
    """Return what a column's name says that it is or, where that says nothing, its question."""
    sense_of_name = sense_of(column.name)
    return (
        sense_of(column.question)
        if sense_of_name is None and column.question is not None
        else sense_of_name
    )


def numbers_look(
    column: RawColumn,
    levels: NDArray[np.float64],
    answers: int,
    scale: tuple[float, float] | None,
    *,
    located: bool = False,
) -> Look:
    """Return what a column of numbers looks like, by its name, by what they are,
    and by the words they have.

    ``located`` : whether it stands beside coordinates, and is called as what says more of them
    """
    if located:
        return Look("identifier", "name", "altitude or accuracy beside coordinates")
    meant = sense(column)
    look = look_of(meant, levels, answers, scale=scale)
    attribute = look.role == "quasi" and meant is not None
    if look.kind or attribute or not column.labels:
        return look
    return labelled_look(meant, column.labels, levels) or look


def text_look(column: RawColumn, texts: Sequence[str], answers: int) -> Look:
    """Return what a column looks like that has words: distinct ``texts``,
    without those for "not rated".
    """
    meant = sense(column)
    understood = scale_of(texts, answers) or numbers_beside_words(texts)
    if understood is not None and len(understood.beside) == len(set(understood.values.values())):
        levels = np.array([value for value, _ in understood.beside])
        doubt = labelled_look(meant, understood.beside, levels)
        if doubt is not None and doubt.kind == "labelled":
            return dataclasses.replace(doubt, understood=understood)
    if understood is not None:
        return Look("rating", "", f"ratings in words ({understood.name})", understood=understood)
    silent = tuple(text for text in texts if is_silent(text))
    words = [text for text in texts if text not in silent]
    if words and (scale := scale_of(words, answers) or suggested(words)) is not None:
        if silent:
            why = "ratings in words, and words that seem to mean missing"
            return Look("rating", "no-answer", why, texts=silent, understood=scale)
        why = "ratings in words that several scales have"
        return Look("rating", "which-scale", why, understood=scale)
    look = _person_look(column, meant, words or texts, answers) or _few_look(
        meant, words or texts, answers
    )
    return dataclasses.replace(look, texts=tuple(filter(_is_coded, silent))) if words else look


def is_silent(text: str) -> bool:
    """Return whether a text beside words says that there is no answer, in words or by a code,
    as -99.
    """
    return is_no_answer(text) or _is_coded(text)


def _is_coded(text: str) -> bool:
    try:
        return is_code(decimal_number(text))
    except ValueError:
        return False


def _person_look(
    column: RawColumn, meant: Sense | None, texts: Sequence[str], answers: int
) -> Look | None:
    """Return the look of text that names persons, or tells when, by its header and by its shape."""
    if meant is not None and meant.role != "quasi":
        return Look(meant.role, "text", f"text, named like {meant.category}")
    if meant is None and sum(any(map(str.isdigit, text)) for text in texts) <= (1 - _MOST) * len(
        texts
    ):
        named = named_person(column.name) or named_person(column.question or "")
        if named is not None:
            return Look("identifier", "text", f"text, named like {named.category}")
    if all(_DATE.match(text) for text in texts):
        return Look("drop", "text", "text, dates or times")
    if meant is None and _are_names(texts, answers):
        return Look("identifier", "text", "text of the shape of persons' names")
    return None


def _few_look(meant: Sense | None, texts: Sequence[str], answers: int) -> Look:
    """Return the look of other text: an attribute that many share, or what few have in common."""
    shared = len(texts) <= _MOST_WORDS and (len(texts) < answers or meant is not None)
    if any(map(looks_like_data, texts)) and not (meant is not None and shared):
        return Look("identifier", "text", "text that looks like addresses or numbers of persons")
    if (
        meant is None
        and answers < _REPEATS * len(texts)
        and statistics.median(map(len, texts)) >= _LONG
    ):
        return Look("identifier", "text", "free text, by its length")
    if shared:
        more = f", named like {meant.category}" if meant else ""
        return Look("quasi", "text", f"{FEW_WORDS}{more}")
    return Look("identifier", "text", "text of many different words")


def _are_names(texts: Sequence[str], answers: int) -> bool:
    """Return whether most texts are like "Last, First", or two capitalised words that few share."""
    if len(texts) < _FEWEST:
        return False
    enough = _MOST * len(texts)
    if sum(_is_name(text, ",") for text in texts) >= enough:
        return True
    few = len(texts) >= _HALF * answers or len(texts) > _MOST_WORDS
    return few and sum(_is_name(text, None) for text in texts) >= enough


def _is_name(text: str, comma: str | None) -> bool:
    """Return whether a text is two to four capitalised words, on either side of a ``comma``."""
    parts = text.split(comma) if comma else [text]
    if comma and (len(parts) != 2 or not all(map(str.strip, parts))):
        return False
    words = text.replace(",", " ").split()
    called = [word for word in words if word.casefold() not in _PARTICLES]
    plain = [word.translate(_IN_NAMES) for word in called]
    return 2 <= len(called) <= 4 and all(word.isalpha() and word[0].isupper() for word in plain)


def unanswered_step(texts: Sequence[str], tokens: Sequence[str], answers: int) -> Look | None:
    """Return the doubt that a text which means "not rated" by default is a step of a scale.

    None: it is none.

    "None" below "Mild", "Moderate" and "Severe" is an answer.
    """
    for token in tokens:
        if (scale := scale_of([*texts, token], answers) or suggested([*texts, token])) is not None:
            why = (
                "ratings in words, one of which is a step of their scale and means missing "
                "elsewhere"
            )
            return Look("rating", "no-answer", why, texts=(), understood=scale)
    return None


def labelled_look(
    meant: Sense | None, labels: Sequence[tuple[float, str]], levels: NDArray[np.float64]
) -> Look | None:
    """Return what a column of numbers looks like whose values have words in the data.

    None: nothing to doubt.

    ``meant`` is the sense of its name; ``labels`` are (value, word), ascending; ``levels`` what
    occurs.
    """
    occur = set(levels.tolist())
    silent = tuple(value for value, word in labels if is_no_answer(word) and value in occur)
    if silent:
        why = "a value whose label seems to mean missing: a missing code?"
        return Look("rating", "missing-codes", why, silent)
    words = [word for _, word in labels if not is_no_answer(word)]
    if len(words) < 2 or not occur <= {value for value, _ in labels}:
        return None  # a box that is ticked, or labels at the ends of a scale of numbers
    scale = suggested(words) or numbers_beside_words(words)
    if scale is not None:
        counted = [scale.values[word] for word in words]
        if counted in (sorted(counted), sorted(counted, reverse=True)):
            return None
    more = f", named like {meant.category}" if meant is not None else ""
    return Look("quasi", "labelled", "words of no known scale" + more)
