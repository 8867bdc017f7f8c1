"""Whose an identifier is: what stands for one person alone, and when two spellings of it are the same."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from ratingpriv.data.codebook.recognition.identifiers import Sense, named_person, sense_of, words_of

_WORDS = tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))["words"]
_OF_MANY = frozenset(_WORDS["of_many"].split())
_CATEGORIES = ("an id", "an e-mail address", "a telephone number")
_TELEPHONE = re.compile(r"\s*\+?[\d ()./\u2010-\u2015-]{7,24}\s*")
_SPELT = r"[^!-@\[-~]"  # what may be spelt in another way: upper case, blanks, other scripts
_FEWEST_DIGITS, _NATIONAL = 7, 8  # of a telephone number; of one that is the same behind a country's code
_COUNTRY_CODE = 3  # digits, at most


def may_be_of_one_person(name: str) -> bool:
    """Return whether a column's name is that of an identifier of persons, whatever stands in it."""
    sense = sense_of(name)
    return (sense is not None and sense.role == "identifier") or named_person(name) is not None


def is_of_one_person(name: str, values: Iterable[str]) -> bool:
    """Return whether what stands in a column of direct identifiers is one person's alone.

    An id of a person, an e-mail address, a telephone number, a full name; not a network address, a place, a
    first name or a comment, which people share. ``values`` are those of the column.
    """
    sense = sense_of(name)
    if sense is not None and sense.category in _CATEGORIES:
        words = words_of(name)
        return _OF_MANY.isdisjoint(words) and "".join(words) not in _OF_MANY
    there = list(values)
    if not there:
        return False
    mark = " " if _is_name(name, sense) else "@"
    return all(mark in value for value in there) or _are_telephones(there)


def repeats(name: str, values: pl.Series) -> tuple[str, int, int] | None:
    """Return how many values an identifier of persons has in how many records, if it repeats.

    ``values`` are its cells as text, null where empty; ``name`` is the column's.
    """
    sense = sense_of(name)
    there = folded(values.drop_nulls(), telephones=sense is None or sense.category != "an id")
    there = there.filter(there != "")
    different = there.unique()
    if len(different) == len(there) or not is_of_one_person(name, different.to_list()):
        return None
    return name, len(different), len(there)


def _is_name(name: str, sense: Sense | None) -> bool:
    sense = sense or named_person(name)
    return sense is not None and sense.category == "a name"


def _are_telephones(values: Iterable[str]) -> bool:
    return all(
        _TELEPHONE.fullmatch(value) and sum(map(str.isdigit, value)) >= _FEWEST_DIGITS for value in values
    )


def same_ids(ids: pl.Series) -> tuple[int, int] | None:
    """Return how many ids are different, and how many there are, where some are only spelt otherwise."""
    if ids.dtype != pl.String or not ids.str.contains(_SPELT).any():
        return None
    there = folded(ids.drop_nulls(), telephones=False)
    different = there.n_unique()
    return (different, len(there)) if different < len(there) else None


def folded(values: pl.Series, *, telephones: bool) -> pl.Series:
    """Return identifiers as they are compared: a String series without what only spelling makes different.

    That is case, blanks around and repeated within, characters of no width, and the forms that NFKC makes
    one. If they are ``telephones``, what counts are digits; with a country's code, behind 00, + or nothing,
    and without it, they are the same.
    """
    plain = values.str.normalize("NFKC").str.replace_all(r"\p{Cf}", "").str.replace_all(r"\s+", " ")
    plain = plain.str.strip_chars().str.to_lowercase().str.strip_prefix("mailto:")
    different = plain.drop_nulls().unique()
    if telephones and len(different) and _are_telephones(different.to_list()):
        return plain.replace_strict(different, _telephones(different), default=None, return_dtype=pl.String)
    return plain


def _telephones(values: pl.Series) -> pl.Series:
    """Return the digits of telephone numbers, those without a country's code as one that ends like them."""
    digits = values.str.replace_all(r"\(0\)", "").str.replace_all(r"\D", "")
    national = ~values.str.contains(r"^(\+|00)")
    digits = digits.str.strip_chars_start("0")
    international: dict[str, str] = {}
    for number in digits.filter(~national).to_list():
        for cut in range(1, _COUNTRY_CODE + 1):
            if len(number) - cut >= _NATIONAL:
                international.setdefault(number[cut:].lstrip("0"), number)
    return pl.Series(
        [
            international.get(number, number) if own else number
            for number, own in zip(digits.to_list(), national.to_list(), strict=True)
        ],
        dtype=pl.String,
    )
