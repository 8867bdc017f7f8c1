"""Names of columns that are no ratings: direct identifiers, paradata, and attributes of persons.

Dictionaries in eight languages (``names.toml``), in the spirit of PostgreSQL Anonymizer's ``anon.detect``
(names by language, by the categories of HIPAA) and of the lists of identifying survey variables of the World
Bank and J-PAL, with the names that survey tools give their own columns. A name is compared by whole words,
without case, accents and numbers; words that only introduce a question ("what is your ...") are left out; of
an attribute also words on how it was asked or prepared (``age at survey``, ``Age Fixed``, ``gender code``).
So ``RecipientEmail`` is an e-mail address, and ``date_night_quality``, ``age_discrimination`` and ``weighty``
are nothing.
"""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sense:
    """What a name says: in words, as "an e-mail address", and the role identifier, drop or quasi.

    ``always`` : whether small whole numbers may be one too: an id may be 1, 2, 3, a telephone number may not
    """

    category: str
    role: str
    always: bool = False


_MOST_WORDS = 10
_MOST_LEFT = 4  # words that introduce nothing

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")
_UNSPLIT = str.maketrans({"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "æ": "ae", "ı": "i"})


_NAMES = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
_KNOWN = {
    name: Sense(category, role, category == "an id")
    for role in ("quasi", "drop", "identifier")  # a name of two roles has the last
    for category, names in _NAMES[role].items()
    for name in names.split()
}
COLUMNS = {role: tuple(names.split()) for role, names in _NAMES["columns"].items()}
"""Names of a long layout's columns by what they are, the likeliest first."""
_TAILS, _INTRODUCE, _ASKED, _UNITS, _OF_MANY = (
    frozenset(_NAMES["words"][name].split()) for name in ("tails", "introduce", "asked", "units", "of_many")
)


@functools.lru_cache(maxsize=1 << 12)
def sense_of(name: str) -> Sense | None:
    """Return what a column's name says that it is, if that is something else than a rating; else None."""
    if len(name) > 200:
        return None
    words = _words(name)
    if not words or len(words) > _MOST_WORDS + 6:
        return None
    sense = _KNOWN.get("".join(words))
    if sense is not None:
        return sense
    if len(words) > 1 and words[-1] in _TAILS and len(words) <= 4:
        return _KNOWN["id"]
    left = [word for word in words if word not in _INTRODUCE and not word.isdigit()]
    if not left or len(left) > _MOST_LEFT:
        return None
    for some in (left, [word for word in left if word not in _UNITS]):
        if some and (sense := _KNOWN.get("".join(some))) is not None:
            return sense
    # The attribute that is left without how it was asked or coded: D1_age
    codes = {word for word, after in itertools.pairwise(words) if len(word) == 1 and after.isdigit()}
    for left_out in (_ASKED, _ASKED | _UNITS):
        sense = _KNOWN.get("".join(word for word in left if word not in codes and word not in left_out))
        if sense is not None and sense.role == "quasi":
            return sense
    if len(words) <= 4 and not words[0].isdigit() and len(left) > 1 and left[-1] in _TAILS:
        return _KNOWN["id"]
    return None


_ONE_PERSON = ("an id", "an e-mail address", "a telephone number")


def is_of_one_person(name: str, values: Iterable[str]) -> bool:
    """Return whether what stands in a column of direct identifiers is one person's alone.

    An id of a person, an e-mail address, a telephone number, a full name; not a network address, a place, a
    first name or a comment, which people share. ``values`` are those of the column.
    """
    sense = sense_of(name)
    if sense is not None and sense.category in _ONE_PERSON:
        return _OF_MANY.isdisjoint(_words(name)) and "".join(_words(name)) not in _OF_MANY
    there = list(values)
    mark = " " if sense is not None and sense.category == "a name" else "@"
    return bool(there) and all(mark in value for value in there)


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case without accents, digits at their ends cut off."""
    plain = unicodedata.normalize("NFKD", name.translate(_UNSPLIT))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return [word.lower() for word in _WORD.findall(plain)]
