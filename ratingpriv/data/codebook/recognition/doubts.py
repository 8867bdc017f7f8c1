"""Columns that nobody has said anything of and that do not look like ratings, in as few lines as possible."""

from __future__ import annotations

from ratingpriv.base.errors import Problem
from ratingpriv.base.escaping import looks_like_data, shown_name
from ratingpriv.data.codebook.raw import RawColumn, RawData
from ratingpriv.data.codebook.recognition.looks import Look
from ratingpriv.data.codebook.recognition.side_by_side import OFF_SCALE
from ratingpriv.data.table.building.problems import Problems

_DESCRIBE = "`ratingpriv describe` proposes a role for every column"
_FOUND = {
    "name": "a name that is none of ratings",
    "missing-codes": "what may be a missing code",
    "digits": "long digit strings",
    "years": "whole numbers that years may be",
    "sequence": "a sequence of numbers",
    "unique": "nearly as many different values as records",
    "levels": "more different values than a rating scale has",
    "labelled": "values with words that are no known scale",
    "no-answer": "answers in words, and words that seem to mean no answer",
    "which-scale": "answers in words that several scales have",
    "text": "text",
    OFF_SCALE: "values off the scale that most questions have",
}
_LISTED = 6


class Doubts:
    """Collects doubtful columns; those of one kind become one problem."""

    def __init__(self, raw: RawData, id_name: str | None) -> None:
        self._raw, self._id = raw, id_name
        self._place = {name: place for place, name in enumerate(raw.all_names, start=1)}
        self._found: dict[str, list[tuple[str, Look, Problem | None]]] = {}

    def add(self, column: RawColumn, look: Look, alone: Problem | None = None) -> None:
        """Note a column; ``alone`` is its problem where it is the only one of its kind."""
        self._found.setdefault(look.kind, []).append((column.name, look, alone))

    def note(self, problems: Problems) -> None:
        """Note a problem for every kind."""
        for kind, found in self._found.items():
            names = [name for name, _, _ in found]
            if len(found) == 1:
                name, look, alone = found[0]
                problems.add(self._single(name, look) if alone is None or kind != "text" else alone)
                continue
            listed = grouped_names(names, [self._place[name] for name in names])
            what = f"{len(names)} columns of {_FOUND[kind]}: {listed}"
            if kind in ("name", "missing-codes", "labelled", "no-answer", "which-scale", OFF_SCALE):
                what = f"{len(names)} columns with {_FOUND[kind]}: {listed}"
            elif kind == "sequence":
                what = f"{len(names)} columns that are {_FOUND[kind]}: {listed}"
            problems.add(Problem(self._raw.origin.name, what, _expected(kind), self._remedy(kind, names)))

    def _single(self, name: str, look: Look) -> Problem:
        file, _, called = self._raw.locate(0, name)
        what = f"a column {look.why}" if look.kind == "name" else look.why
        return Problem(file, what, _expected(look.kind), self._remedy(look.kind, [name]), None, called)

    def _remedy(self, kind: str, names: list[str]) -> str:
        plain = not any(map(looks_like_data, names)) and len(names) <= _LISTED
        drop = f"`drop={names!r}`" if plain else "`drop`"
        insist = f"`ratings={names!r}`" if plain else "`ratings`"
        it, they = ("it", "it holds") if len(names) == 1 else ("them", "they hold")
        if kind == "missing-codes":
            return (
                "name the code with `null`, or for the column alone as missing in a codebook; if it is an "
                "answer, declare the `scale` (of a sensitive column the `sensitive_scale`), or insist with "
                f"{insist} that it is a rating; {_DESCRIBE}"
            )
        if kind == "no-answer":
            return (
                f"name those words with `null` if they mean unanswered, list them among labels in a codebook "
                f"if they are steps of the scale, else leave {it} out with {drop}; {_DESCRIBE}"
            )
        if kind == OFF_SCALE:
            quasi = f"`quasi={names!r}`" if plain else "`quasi`"
            return (
                f"say {quasi} if others may know {it}, {insist} if {they} answers on a scale of "
                f"{'its' if len(names) == 1 else 'their'} own, or leave {it} out with {drop}; where all "
                f"questions share one scale, declare it with `scale`; {_DESCRIBE}"
            )
        if kind == "which-scale":
            return f"write the words in their order as labels in a codebook; {_DESCRIBE}"
        remedy = f"leave {it} out with {drop}, say `quasi`, `identifier` or `sensitive`"
        if self._id is None and len(names) == 1:
            remedy = f"name it with `id` if it names the records, {remedy}"
        if kind != "text":
            remedy += f", or insist with {insist} if {they} ratings"
        return f"{remedy}; {_DESCRIBE}"


def _expected(kind: str) -> str:
    if kind in ("missing-codes", "no-answer"):
        return "ratings only"
    if kind == OFF_SCALE:
        return "ratings on one scale, or a word on what it is"
    if kind == "which-scale":
        return "words of one known scale"
    return "ratings, or a word on what it is"


def grouped_names(names: list[str], places: list[int]) -> str:
    """Return names of columns as a message lists them: a few, or the first and the last of many."""
    if len(names) <= _LISTED:
        return ", ".join(shown_name(name, place) for name, place in zip(names, places, strict=True))
    first, second, last = (shown_name(names[at], places[at]) for at in (0, 1, -1))
    return f"{first}, {second} … {last}"
