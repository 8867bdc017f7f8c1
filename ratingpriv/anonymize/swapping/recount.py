"""A release by swap beside its original, counted anew by plain loops: groups,
distances and group tables.

It shares nothing with what made the release but the reading of files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.hashing import answers_sha256
from ratingpriv.documents.making import document_of
from ratingpriv.documents.release import Recounted as _Document

_BLOCK = 4096  # records that are read between two reports


@dataclass(frozen=True, slots=True)
class Recounted:
    """What was counted.

    Attributes
    ----------
    groups, tables : how many groups, and how many group tables, a column and a group each
    unchanged : how many of the tables are the same in the release
    left_out : how many people of the original are in no group
    problems : what is wrong, a sentence each
    """

    groups: int
    tables: int
    unchanged: int
    left_out: int
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object ``recounted`` of ``ratingpriv.verify/1``."""
        return document_of(_Document, self)


def recount(
    release: RatingTable, original: RatingTable, key: Key, target: Target, resources: Resources
) -> Recounted:
    """Count every group table of a release by swap again, and every two of a group.

    Raises
    ------
    ParameterError
        The key is of no release by swap, or not of this original as it is read.
    """
    groups = key.facts.get("groups")
    if not isinstance(groups, list):
        raise ParameterError("key", "a key without groups", "the key of a release by swap")
    original, names = _anonymised(original, key)
    counted = _GroupTables(original, release, key, target, resources)
    at = {name: place for place, name in enumerate(names)}
    to = {str(name): place for place, name in enumerate(release.record_ids.to_list())}
    problems, tables, unchanged = list(_of_groups(groups, at, to, key, target)), 0, 0
    if problems:
        return Recounted(len(groups), 0, 0, len(names), tuple(problems))
    for number, group in enumerate(groups, start=1):
        resources.report("counting group tables", number - 1, len(groups))
        own = [at[str(name)] for name in group["original"]]
        rows = [to[str(name)] for name in group["released"]]
        for name in counted.columns:
            tables += 1
            same = counted.same(name, own, rows)
            unchanged += same
            if not same:
                problems.append(f"group {number}: other values of {name} than its people gave")
            if counted.apart(name, own):
                problems.append(
                    f"group {number}: ratings of {name} that are further apart than epsilon"
                )
    gone = sum(len(group["original"]) for group in groups)
    return Recounted(len(groups), tables, unchanged, len(names) - gone, tuple(problems))


def _anonymised(original: RatingTable, key: Key) -> tuple[RatingTable, list[str]]:
    """Return the records that the key is of, of the file or of a sample of it, and their names."""
    names, known = (
        [str(one) for one in original.record_ids.to_list()],
        [str(one) for one in key.original],
    )
    at = {name: place for place, name in enumerate(names)}
    if names != known and at.keys() >= set(known):  # a sample of the file was anonymised
        original, names = original.take(np.array([at[name] for name in known])), known
    if names != known:
        expected = "the records that the key names, in their order"
        raise ParameterError(
            "original", "other records", expected, "name the file that was anonymised"
        )
    return original, names


class _GroupTables:
    """The columns of an original and its release, compared group by group."""

    def __init__(
        self,
        original: RatingTable,
        release: RatingTable,
        key: Key,
        target: Target,
        resources: Resources,
    ) -> None:
        self._before, self._after = _columns(original, resources), _columns(release, resources)
        if key.facts.get("answers_sha256") != answers_sha256(original):
            expected = "what was anonymised, read as it was then: the key knows its hash"
            remedy = (
                "say how the file is read with a `codebook`, or name the file that was anonymised"
            )
            raise ParameterError("original", "other ratings", expected, remedy)
        self._ratings = set(original.issues) & set(release.issues)
        sensitive = {column.name for column in original.sensitive}
        self._filled = set() if key.facts.get("nulls") != "fill" else {*self._after} - sensitive
        self._epsilon = Fraction(str(target.epsilon))

    @property
    def columns(self) -> Iterable[str]:
        """The columns of the release."""
        return self._after

    def same(self, name: str, own: Sequence[int], rows: Sequence[int]) -> bool:
        """Whether a group's values are those that its people gave,
        but for nulls that were to be filled.
        """
        old, new = (
            [self._before[name][one] for one in own],
            [self._after[name][one] for one in rows],
        )
        if name in self._filled:
            return _as_filled(old, new, fill=name in self._ratings)
        return Counter(old) == Counter(new)

    def apart(self, name: str, own: Sequence[int]) -> bool:
        """Whether a column is of ratings, and some two of a group are further apart than ε."""
        values = (self._before[name][one] for one in own) if name in self._ratings else ()
        rated = [Fraction(str(value)) for value in values if value is not None]
        return bool(rated) and max(rated) - min(rated) > self._epsilon


def _of_groups(
    groups: Sequence[Any], at: Mapping[str, int], to: Mapping[str, int], key: Key, target: Target
) -> Iterator[str]:
    """Yield in what way the groups are not of these people and records, or too small."""
    people = [str(name) for group in groups for name in group["original"]]
    rows = [str(name) for group in groups for name in group["released"]]
    if len(set(people)) < len(people) or not set(people) <= set(at):
        yield "the key's groups name people twice, or who are not in the original"
    if sorted(rows) != sorted(to):
        yield "the key's groups are not of the released records"
    released = [name for name in key.released if name is not None]
    if len(released) != len(people) or any(
        len(one["original"]) != len(one["released"]) for one in groups
    ):
        yield "the key's groups are not of those whom it says to be released"
    if any(len(group["original"]) < target.k for group in groups):
        yield f"a group of fewer than {target.k} people"
    left_out = len(at) - len(people)
    if 0 < left_out < target.k:
        yield f"{left_out} people suppressed, fewer than {target.k}: counts disclose them"


def _as_filled(old: Sequence[Any], new: Sequence[Any], *, fill: bool) -> bool:
    """Whether a group's values are all there and filled by its own, or all blanked."""
    known = [value for value in old if value is not None]
    if (2 * len(known) > len(old)) if fill else (len(known) == len(old)):
        return None not in new and set(new) <= set(known) and not Counter(known) - Counter(new)
    return all(value is None for value in new)


def _columns(table: RatingTable, resources: Resources) -> dict[str, list[Any]]:
    """Return every column of a table in plain Python, None where nothing is there."""
    columns: dict[str, list[Any]] = {name: [None] * table.n_records for name in table.issues}
    levels, codes, issues = table.levels.tolist(), table.codes.tolist(), table.indices.tolist()
    bounds = table.indptr.tolist()
    for record in range(table.n_records):
        if record % _BLOCK == 0:
            resources.report("reading ratings", record, table.n_records)
        for entry in range(bounds[record], bounds[record + 1]):
            columns[table.issues[issues[entry]]][record] = levels[codes[entry]]
    for secret in table.sensitive:
        labels = secret.labels
        said = [value if labels is None else labels[int(value)] for value in secret.values.tolist()]
        there = secret.present.tolist()
        pairs = zip(said, there, strict=True)
        columns[secret.name] = [value if present else None for value, present in pairs]
    for own in table.quasi:
        values = [*own.values.cast(pl.String).to_list(), None]
        columns[own.name] = [values[code] for code in own.codes.tolist()]
    return columns
