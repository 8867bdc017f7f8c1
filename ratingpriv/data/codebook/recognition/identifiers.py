"""Names of columns that are no ratings: direct identifiers, paradata, and attributes of persons.

Dictionaries in eight languages (``names.toml``), and of names, persons and attributes in 32
(``languages/``, a file a language: those of Unicode's CLDR that survey tools offer first), in the
spirit of PostgreSQL Anonymizer's ``anon.detect`` (names by language, by the categories of HIPAA)
and of the lists of identifying survey variables of the World Bank and J-PAL, with the names that
survey tools give their own columns. A name is compared by whole words, without case, accents and
numbers; words that only introduce a question ("what is your ...") are left out; of an attribute
also words on how it was asked or prepared (``age at survey``, ``Age Fixed``, ``gender code``). So
``RecipientEmail`` is an e-mail address, and ``date_night_quality``, ``age_discrimination`` and
``weighty`` are nothing. A question asks for an attribute if all of its words either name one or
only ask for it; in scripts without blanks words are found within the text.
"""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sense:
    """What a name says: in words, as "an e-mail address", and the role identifier, drop or quasi.

    ``always`` : whether small whole numbers may be one too: an id may be 1, 2, 3, a telephone
    number may not
    """

    category: str
    role: str
    always: bool = False


_MOST_WORDS = 30
_MOST_LEFT = 4  # words that introduce nothing
_MOST_JOINED = 6  # words of one attribute: "how long have you been working"
_LONGEST = 300  # characters

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")
_UNSPLIT = dict(zip("ßłŁøØæıđĐ", "ss l L o O ae i d D".split(), strict=True))
_HINT = re.compile(r"\([^()]*\)|（[^（）]*）|\*")  # how a question is to be answered
# Japanese, Chinese, Korean (as decomposed by NFKD) and Thai put no blanks between words, or join
# particles to them.
_UNSPACED = re.compile("[\u0e00-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]")
# characters that may be left of a question when its words are cut out
_STRAY = {"hangul": 6, "other": 2}


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case without accents, digits at their ends cut off."""
    return [word.lower() for word in _WORD.findall(_without_accents(name))]


def _without_accents(text: str) -> str:
    """Return a text in which each character is its base: é is e, ł is l, a syllable its letters."""
    for letter in _UNSPLIT.keys() & set(text):
        text = text.replace(letter, _UNSPLIT[letter])
    plain = unicodedata.normalize("NFKD", text)
    for mark in [mark for mark in set(plain) if unicodedata.category(mark).startswith("M")]:
        plain = plain.replace(mark, "")
    return plain


def _plain_words(text: str) -> frozenset[str]:
    """Return the words of a list as :func:`words_of` has them, those of each joined."""
    words = _without_accents(text).split()
    joined = (word if word.isalpha() else "".join(_WORD.findall(word)) for word in words)
    return frozenset(word.lower() for word in joined) - {""}


_NAMES = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))
_LANGUAGES = [
    tomllib.loads(file.read_text(encoding="utf-8"))
    for file in sorted(Path(__file__).with_name("languages").iterdir())
    if file.suffix == ".toml"
]


def _of_languages(key: str) -> frozenset[str]:
    """Return the words that the languages have under a key."""
    return _plain_words(" ".join(language[key] for language in _LANGUAGES))


ATTRIBUTE, NAME = Sense("an attribute of persons", "quasi"), Sense("a name", "identifier")
_PERSON, _CONTACT = (
    Sense("a person", "identifier"),
    Sense("an address or a number of persons", "identifier"),
)
_KNOWN: dict[str, Sense] = dict.fromkeys(_of_languages("attribute"), ATTRIBUTE) | {
    name: Sense(category, role, category == "an id")
    for role in ("quasi", "drop", "identifier")  # a name of two roles has the last
    for category, names in _NAMES[role].items()
    for name in names.split()
}
COLUMNS = {role: tuple(names.split()) for role, names in _NAMES["columns"].items()}
"""Names of a long layout's columns by what they are, the likeliest first."""
_TAILS, _INTRODUCE, _ASKED, _UNITS, _JOINED, _TOPICS = (
    frozenset(_NAMES["words"][name].split())
    for name in ("tails", "introduce", "asked", "units", "joined", "topics")
)
_QUESTION = _of_languages("ask") | _INTRODUCE
_ASK = _QUESTION | _ASKED | _UNITS
_SENSES: dict[str, Sense] = (
    dict.fromkeys(_of_languages("contact"), _CONTACT)
    | dict.fromkeys(_of_languages("name"), NAME)
    | {name: ATTRIBUTE for name, sense in _KNOWN.items() if sense.role == "quasi"}
)
"""What a question may ask for, whose other words only ask for it."""
_SHORT_NAMES = _of_languages("name")
_NAME_WORDS = frozenset(word for word in _SHORT_NAMES if len(word) > 3 or not word.isascii()) | {
    "nom"
}
_PEOPLE = _of_languages("people")


@functools.lru_cache(maxsize=1 << 12)
def sense_of(name: str) -> Sense | None:
    """Return what a column's name says that it is, if that is something else than a rating;
    else None.
    """
    if len(name) > _LONGEST:
        return None
    words = words_of(name)
    if not words or len(words) > _MOST_WORDS:
        return None
    return (
        _KNOWN.get("".join(words))
        or _id(words)
        or _introduced(words)
        or _asked(name)
        or _tailed(words)
    )


def _id(words: Sequence[str]) -> Sense | None:
    """Return the sense of an id where the last word of few makes one."""
    return _KNOWN["id"] if 1 < len(words) <= 4 and words[-1] in _TAILS else None


def _left(words: Sequence[str]) -> list[str]:
    """Return the words that do not only introduce a question."""
    return [word for word in words if word not in _INTRODUCE and not word.isdigit()]


def _introduced(words: Sequence[str]) -> Sense | None:
    """Return the sense of what is left without words that introduce a question,
    and without units.
    """
    left = _left(words)
    if not 0 < len(left) <= _MOST_LEFT:
        return None
    for some in (left, [word for word in left if word not in _UNITS]):
        if some and (sense := _KNOWN.get("".join(some))) is not None:
            return sense
    return None


def _idle(words: Sequence[str]) -> list[bool]:
    """Return of each word whether it only asks, or is a number, or the letter before one."""
    codes = {
        word for word, after in itertools.pairwise(words) if len(word) == 1 and after.isdigit()
    }
    return [word in codes or word.isdigit() or word in _ASK for word in words]


def _asked(name: str) -> Sense | None:
    """Return the sense of a question of which all words name it, or only ask for it: ``D1_age``."""
    words = words_of(_HINT.sub(" ", name)) or words_of(name)
    text = "".join(words)
    if _UNSPACED.search(text):
        return _cut_out(text)
    idle = _idle(words)
    for start in range(len(words)):
        if start and not idle[start - 1] and not _is_attribute(words[start - 1]):
            return None  # a word before it means something else
        for end in range(min(len(words), start + _MOST_JOINED), start, -1):
            sense = _sense_of_run(words[start:end])
            behind = [
                word for word, is_idle in zip(words[end:], idle[end:], strict=True) if not is_idle
            ]
            if sense is not None and all(map(_is_attribute, behind)):
                # the name of a department
                of_no_person = any(word not in _PEOPLE for word in behind)
                return ATTRIBUTE if sense is NAME and of_no_person else sense
    return None


def _is_attribute(word: str) -> bool:
    return _SENSES.get(word) is ATTRIBUTE or _unjoined(word) is not None


def _sense_of_run(words: Sequence[str]) -> Sense | None:
    """Return the sense of words behind each other,
    or of one to which a word such as ``grp`` is joined.
    """
    sense = _SENSES.get("".join(words))
    return _unjoined(words[0]) if sense is None and len(words) == 1 else sense


def _unjoined(word: str) -> Sense | None:
    """Return the sense of an attribute to which it is joined how it was coded:
    ``agegr``, ``sexcode``.
    """
    for cut in range(3, len(word) - 1):
        if word[cut:] in _JOINED and _SENSES.get(word[:cut]) is ATTRIBUTE:
            return ATTRIBUTE
    return None


@functools.cache
def _unspaced(words: Iterable[str]) -> Sequence[str]:
    return sorted((word for word in words if _UNSPACED.search(word)), key=len, reverse=True)


_UNSPACED_SENSES, _UNSPACED_ASK = frozenset(_SENSES), frozenset(_ASK)


def _cut_out(text: str) -> Sense | None:
    """Return the sense of a question in a script without blanks,
    of which hardly anything else is left.
    """
    sense: Sense | None = None
    for word in _unspaced(_UNSPACED_SENSES):
        if word in text:
            sense, text = sense or _SENSES[word], text.replace(word, " ")
    if sense is None:
        return None
    for word in _unspaced(_UNSPACED_ASK):
        text = text.replace(word, " ")
    left = "".join(
        character for character in text if not (character.isspace() or character.isascii())
    )
    hangul = "\u1100" <= left[:1] <= "\u11ff"
    return sense if len(left) <= _STRAY["hangul" if hangul else "other"] else None


def _tailed(words: Sequence[str]) -> Sense | None:
    left = _left(words)
    few = len(words) <= 4 and not words[0].isdigit() and 1 < len(left) <= _MOST_LEFT
    return _KNOWN["id"] if few and left[-1] in _TAILS else None


@functools.lru_cache(maxsize=1 << 12)
def named_person(name: str) -> Sense | None:
    """Return whether a column of text is called as what names a person; None: nothing says so.

    That is a word for a name in whatever question, or for the role of a person of whom nothing else
    is asked: ``Name of your supervisor``, ``Parent/guardian``.
    """
    words = words_of(_HINT.sub(" ", name)) or words_of(name)
    text = "".join(words)
    if _UNSPACED.search(text):
        named = any(word in text for word in _unspaced(_NAME_WORDS))
        inner_sense = _PERSON if any(word == text for word in _unspaced(_PEOPLE)) else None
        return NAME if named else inner_sense
    if not _NAME_WORDS.isdisjoint(words):
        return NAME
    left = [
        word for word in words if (word not in _QUESTION or word in _PEOPLE) and not word.isdigit()
    ]
    personal = bool(left) and (set(left) <= _PEOPLE | _SHORT_NAMES or "".join(left) in _PEOPLE)
    return _PERSON if personal else None


_COORDINATE = frozenset(_NAMES["words"]["coordinate"].split())
_BESIDE_COORDINATES = frozenset(_NAMES["words"]["beside_coordinates"].split())


def beside_coordinates(names: Iterable[str]) -> frozenset[str]:
    """Return the columns that say more of a location:
    altitude and accuracy called as its coordinates are.
    """
    words = {name: words_of(name) for name in names}
    places = {tuple(of[:-1]) for of in words.values() if of and of[-1] in _COORDINATE}
    return frozenset(
        name
        for name, of in words.items()
        if of and of[-1] in _BESIDE_COORDINATES and tuple(of[:-1]) in places
    )


def is_topic(name: str) -> bool:
    """Return whether an attribute's name is also what a question may be about,
    as a country of its music.
    """
    return set(words_of(name)) <= _TOPICS
