"""Blocks of questions: columns of like names, as ``q1``, ``q2``, ``q3`` or ``Food [taste]``.

On the questions' own scale nobody can tell a question from a code of an age group. A column in such
a block is taken as one of its questions; what stands outside is a guess, which a release has to
say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ratingpriv.data.codebook.recognition.identifiers import sense_of

FEWEST = 2
"""So many columns of like names are a block."""

_NUMBERED = re.compile(r"(?P<stem>[^\W\d]*[^\w]*)\d+(?:[^\W\d]{0,2}|[\W_]+.{0,12})")
_BEHIND = (
    re.compile(r"(?P<stem>.{4,}?)\s*\[[^\]]+\]\s*"),
    re.compile(r"(?P<stem>.{8,}?)\s+[-–—:|]\s+.+"),
)


def stem(name: str) -> str | None:
    """Return what the columns of a block have in common with ``name``.

    None: it is called like no other.
    """
    name = name.strip()
    match = next(filter(None, (way.fullmatch(name) for way in (_NUMBERED, *_BEHIND))), None)
    return None if match is None else match["stem"].strip(" _.-").casefold()


def in_blocks(names: Iterable[str]) -> frozenset[str]:
    """Return those of ``names``, of columns that are taken for ratings, that stand in a block.

    A stem that is an attribute of persons (``age1``, ``age2``, ``age3``) is none of questions.
    """
    stems = {name: found for name in names if (found := stem(name)) is not None}
    often = Counter(stems.values())
    return frozenset(
        name
        for name, stem_of_name in stems.items()
        if often[stem_of_name] >= FEWEST and (not stem_of_name or sense_of(stem_of_name) is None)
    )
