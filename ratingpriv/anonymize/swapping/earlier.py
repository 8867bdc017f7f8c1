"""Earlier releases by swap beside a new one: two of almost the same
people tell of those who differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.base.keys import SCHEMA, Key, read_key

_HEAD = 64


def refuse_near_the_same(
    people: Iterable[Any], answers: str, k: int, folders: Iterable[Path]
) -> None:
    """Refuse a release whose people differ from those of an earlier one by fewer than ``k``.

    Both releases say exactly how many gave each answer: the difference is the answers of those who
    are in one alone, whole rows of them where it is one person. Told by the keys of releases by
    swap in ``folders``.

    Parameters
    ----------
    people : ids of those who are released
    answers : the hash of who answered what (:func:`ratingpriv.data.table.hashing.answers_sha256`)

    Raises
    ------
    ParameterError
        The people of an earlier release differ from these by 1 to k - 1, or are these and have
        other answers.
    """
    now = {str(person) for person in people}
    for path, key in _keys(folders):
        pairs = zip(key.original, key.released, strict=True)
        before = {str(original) for original, released in pairs if released is not None}
        apart = len(now ^ before)
        remedy = (
            "withdraw the earlier release and move its key elsewhere; or have at least k "
            "people leave or join"
        )
        if 0 < apart < k:
            found = (
                f"people that differ by {apart} from those of the release whose key is {path.name}"
            )
            expected = (
                f"the same people, or at least k = {k} others: counts of both tell of the rest"
            )
            raise ParameterError("table", found, expected, remedy)
        if apart == 0 and key.facts.get("answers_sha256") != answers:
            found = f"the people of the release whose key is {path.name}, with other ratings"
            expected = "the same ratings: counts of both disclose which have changed"
            raise ParameterError("table", found, expected, remedy)


def _keys(folders: Iterable[Path]) -> Iterator[tuple[Path, Key]]:
    """Yield the keys of releases by swap in these folders."""
    start = f'{{"schema": "{SCHEMA}"'.encode()
    for folder in {folder.resolve() for folder in folders}:
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            try:
                if not path.is_file():
                    continue
                with path.open("rb") as file:
                    if not file.read(_HEAD).startswith(start):
                        continue
                key = read_key(path)
            except (OSError, DataError):
                continue
            if "groups" in key.facts:
                yield path, key
