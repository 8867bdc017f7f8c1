"""Answers in words: which sets of words are known scales, in eight languages,
and numbers beside words.

A set of words is a scale only if all of them are of one known scale, and all known scales that have
them agree on what they count: "Agree" and "Disagree" alone are 2 and 4 of five or 2 and 6 of seven,
so nobody can say. Where every word of a scale occurs it is that one, though a longer one has its
words too; but a scale without a middle needs MANY answers for that, among which a middle would have
been ticked.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MANY = 50
"""From so many answers on, a word that is not among them is not on the scale."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What words of a column count.

    Attributes
    ----------
    values : the number of each text, by the text as it stands in the data
    words : the words of 1, 2, ... in order, as they stand in the data or, where one does not occur,
        as the scale is known; empty where only some numbers have words
    name : which scale it is: "agreement, 5 points"; or "numbers beside words"
    full : whether ``words`` are the whole scale, and not only what occurs
    beside : the words beside numbers, (number, words), ascending
    """

    values: Mapping[str, float]
    words: tuple[str, ...]
    name: str
    full: bool = True
    beside: tuple[tuple[float, str], ...] = ()


class _Scale(NamedTuple):
    family: str
    # each a place's words as written here, the first the usual one
    places: tuple[tuple[str, ...], ...]
    of_word: Mapping[str, int]  # the place of each word


def plain_words(text: str) -> str:
    """Return a text as scales are compared: without case, accents,
    punctuation and repeated blanks.
    """
    plain = text.casefold()
    if not text.isascii():
        plain = unicodedata.normalize(
            "NFKD", text.replace("ß", "ss").replace("ł", "l").replace("Ł", "L")
        )
        plain = "".join(
            character for character in plain.casefold() if not unicodedata.combining(character)
        )
    plain = re.sub(r"['’‘`´]", "'", plain)
    return " ".join(re.sub(r"[^\w']+", " ", plain).split())


@functools.cache
def all_scales() -> tuple[_Scale, ...]:
    """Return all scales."""
    scales, family = [], ""
    for line in _lines("scales.txt"):
        if "|" not in line:
            family = line.rpartition(" ")[0]
            continue
        places = tuple(
            tuple(word.strip() for word in place.split(",")) for place in line.split("|")
        )
        of_word: dict[str, int] = {}
        for place, words in enumerate(places):
            for word in words:
                of_word.setdefault(plain_words(word), place)
        scales.append(_Scale(family, places, of_word))
    return tuple(scales)


@functools.cache
def _no_answers() -> frozenset[str]:
    # "": a dash, a question mark
    return frozenset(("", *map(plain_words, _lines("no_answers.txt"))))


def _lines(file: str) -> list[str]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def is_no_answer(text: str) -> bool:
    """Whether a text says in words that there is no answer: "Don't know", "keine Angabe"."""
    return plain_words(text) in _no_answers()


def _fitting(texts: Sequence[str]) -> list[tuple[_Scale, dict[str, int]]]:
    """Return the scales that have all of ``texts``, with the place of each; one text a place."""
    plain = {text: plain_words(text) for text in texts}
    fitting = []
    for scale in all_scales():
        if scale.of_word.keys() >= set(plain.values()):
            places = {text: scale.of_word[words] for text, words in plain.items()}
            if len(set(places.values())) == len(set(plain.values())):
                fitting.append((scale, places))
    return fitting


def scale_of(texts: Sequence[str], answers: int) -> Understood | None:
    """Return what the distinct texts of so many ``answers`` count.

    None: they are no one known scale.
    """
    fitting = _fitting(texts)
    complete = [
        (scale, places)
        for scale, places in fitting
        if len(set(places.values())) == len(scale.places)
    ]
    longer = [
        scale
        for scale, _ in fitting
        if all(len(scale.places) > len(one.places) for one, _ in complete)
    ]
    if complete and (answers >= MANY or len(complete[0][0].places) % 2 or not longer):
        fitting = complete
    counts = {(len(scale.places), tuple(sorted(places.items()))) for scale, places in fitting}
    if len(counts) != 1 or not texts:
        return None
    return _understood(*fitting[0])


def suggested(texts: Sequence[str]) -> Understood | None:
    """Return what ``texts`` count at a guess, for a person to check:
    the shortest scale that has them all.
    """
    fitting = sorted(_fitting(texts), key=lambda fit: len(fit[0].places))
    return _understood(*fitting[0]) if fitting else None


def _understood(scale: _Scale, places: Mapping[str, int]) -> Understood:
    words = [step[0][:1].upper() + step[0][1:] for step in scale.places]
    for text, step in places.items():
        words[step] = text
    values = {text: float(step + 1) for text, step in places.items()}
    return Understood(values, tuple(words), f"{scale.family}, {len(words)} points")


_ALONE = re.compile(r"\(?(?P<number>-?\d{1,2})\)?(?P<word>)")
_NUMBERED = (
    _ALONE,
    re.compile(
        r"\(?(?P<number>-?\d{1,2})(?:\)\s*[:=.]?|\s*[:=.]|\s*[-–—]\s)\s*(?P<word>\D.*)", re.DOTALL
    ),
    re.compile(r"(?P<word>\D.*?)\s*[(\[](?P<number>-?\d{1,2})[)\]]", re.DOTALL),
)  # (7), 5 - Strongly agree, very good (1)


def numbers_beside_words(texts: Sequence[str]) -> Understood | None:
    """Return what texts as ``5 - Strongly agree``, ``(7)``,
    ``7 = very much`` and ``very good (1)`` count.

    All of them have a number of -10..10, no number has two words, and one of them has words or
    parentheses.
    """
    values: dict[str, float] = {}
    words: dict[float, str] = {}
    beside: dict[float, str] = {}
    for text in texts:
        match = next(filter(None, (way.fullmatch(text) for way in _NUMBERED)), None)
        if match is None:
            return None
        number, word, value = match["number"], match["word"], float(match["number"])
        if abs(value) > 10 or (word and not any(character.isalpha() for character in word)):
            return None
        values[text] = value
        if word:
            beside[value] = word.strip()
        if text != number:
            if plain_words(words.get(value, text)) != plain_words(text):
                return None
            words[value] = text
    if not words or len(set(values.values())) < len({plain_words(text) for text in values}):
        return None
    steps = [float(number) for number in range(1, int(max(values.values())) + 1)]
    named = tuple(words[step] for step in steps) if set(words) == set(steps) else ()
    return Understood(values, named, "numbers beside words", False, tuple(sorted(beside.items())))


def labelled(texts: Sequence[str], labels: Sequence[str]) -> Understood | None:
    """Return what ``texts`` count where ``labels`` are the words of 1, 2, ....

    None: one is none of them.

    A text is a label as it stands, or without regard to case and punctuation where that leaves no
    doubt, or the number of one.
    """
    exact = {label: number for number, label in enumerate(labels, start=1)}
    alike: dict[str, set[int]] = {}
    for label, number in exact.items():
        alike.setdefault(plain_words(label), set()).add(number)
    values = {}
    for text in texts:
        places = {exact[text]} if text in exact else alike.get(plain_words(text), set())
        if not places and _ALONE.fullmatch(text) and 1 <= int(text.strip("()")) <= len(labels):
            places = {int(text.strip("()"))}
        if len(places) != 1:
            return None
        values[text] = float(places.pop())
    return Understood(values, tuple(labels), f"{len(labels)} labels")
