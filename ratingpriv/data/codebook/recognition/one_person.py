"""Whose an identifier is: what stands for one person alone,
by the name of its column and by its values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from ratingpriv.data.codebook.recognition.identifiers import Sense, named_person, sense_of, words_of
from ratingpriv.data.table.building.spelling import Repeats, are_telephones, compared, shared

_WORDS = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))["words"]
_OF_MANY = frozenset(_WORDS["of_many"].split())
_CATEGORIES = ("an id", "an e-mail address", "a telephone number")


def may_be_of_one_person(name: str) -> bool:
    """Return whether a column's name is that of an identifier of persons, whatever stands in it."""
    sense = sense_of(name)
    return (sense is not None and sense.role == "identifier") or named_person(name) is not None


def is_of_one_person(name: str, values: Iterable[str]) -> bool:
    """Return whether what stands in a column of direct identifiers is one person's alone.

    An id of a person, an e-mail address, a telephone number, a full name; not a network address, a
    place, a first name or a comment, which people share. ``values`` are those of the column.
    """
    sense = sense_of(name)
    if sense is not None and sense.category in _CATEGORIES:
        words = words_of(name)
        return _OF_MANY.isdisjoint(words) and "".join(words) not in _OF_MANY
    texts = list(values)
    if not texts:
        return False
    mark = " " if _is_name(name, sense) else "@"
    return all(mark in value for value in texts) or are_telephones(texts)


def repeats(name: str, values: pl.Series, records: pl.Series | None = None) -> Repeats | None:
    """Return how many values an identifier of persons has in how many records, if it repeats.

    ``values`` are its cells as text, null where empty; ``name`` is the column's; ``records`` says
    whose each is, where a record has several rows.
    """
    sense = sense_of(name)
    values_compared = compared(
        values, records, telephones=sense is None or sense.category != "an id"
    )
    different = values_compared.unique()
    if len(different) == len(values_compared) or not is_of_one_person(name, different.to_list()):
        return None
    return name, len(different), len(values_compared)


def repeats_left_out(
    name: str, values: pl.Series, records: pl.Series | None = None
) -> Repeats | None:
    """Return the same of a column that was dropped: its name has to say that it identifies,
    or its values.
    """
    return (repeats if may_be_of_one_person(name) else shared)(name, values, records)


def _is_name(name: str, sense: Sense | None) -> bool:
    sense = sense or named_person(name)
    return sense is not None and sense.category == "a name"
