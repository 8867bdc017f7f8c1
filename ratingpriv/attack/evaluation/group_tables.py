"""Who knows the groups of a release by swap: what the table of each group tells of its people.

The adversary computes the groups, which takes no key, and knows all ratings of a person. The person
is put into the nearest group whose ranges hold these ratings, and a sensitive value is guessed as
that group's commonest. What a group agrees on is told of everybody in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import Groups

type Ints = NDArray[np.int64]

TARGETS = 2000
"""So many people are attacked where there are more: evenly spaced, so that nothing is drawn."""
_STEP = 32
"""After so many people somebody may be told how far it is, and may stop it."""
_DRAWS = 8
"""So often half of the others of a group are drawn for each."""


@dataclass(frozen=True, slots=True)
class Guessed:
    """How often a sensitive column is guessed right, shares of the people in groups, 0 to 1.

    Attributes
    ----------
    name : the column
    by_group : by the commonest value of the person's group, the person's own included
    without_own : likewise by the values of the others of the group alone
    half_known : likewise by the rest of the group, where half of the others are known
    assigned : by the commonest value of the group that the adversary puts the person into
    commonest : by the commonest value of all
    """

    name: str
    by_group: float
    without_own: float
    half_known: float
    assigned: float
    commonest: float


@dataclass(frozen=True, slots=True)
class GroupTables:
    """What an adversary with the groups finds.

    Attributes
    ----------
    people, groups : how many people are in how many groups
    attacked : how many of them were put into a group
    right_group : the share of those that were put into their own
    found : the bound of who is found in a group: a slot of each group is one person's, groups /
        people
    guessed : of each sensitive column
    agreeing : by column, the share of people in whose group everybody has the same value
    all_agree : the share of people whose group agrees on every item
    own_row : the share of people whose own row of items stands among the rows of their group
    """

    people: int
    groups: int
    attacked: int
    right_group: float
    found: float
    guessed: tuple[Guessed, ...]
    agreeing: Mapping[str, float]
    all_agree: float
    own_row: float


def group_tables(
    original: RatingTable,
    released: RatingTable,
    groups: Groups,
    released_labels: Ints,
    resources: Resources,
) -> GroupTables:
    """Attack everybody of ``original`` who is in one of the ``groups``.

    ``released_labels``, int64 (m,): the group of each record of ``released``.
    """
    grouped = np.flatnonzero(groups.labels >= 0)
    people, labels = original.take(grouped), groups.labels[grouped]
    targets = np.unique(
        np.linspace(0, len(grouped) - 1, min(TARGETS, len(grouped))).astype(np.int64)
    )
    issues = tuple(name for name in original.issues if name in set(released.issues))
    before, after = _numbers(people, issues), _numbers(released, issues)
    assigned = _assigned(before[targets], after, released_labels, groups.count, resources)
    target_groups = labels[targets]
    agrees = {
        name: _agrees(after[:, place], released_labels, groups.count)[labels]
        for place, name in enumerate(issues)
    }
    agreed = np.all(list(agrees.values()), axis=0) if agrees else np.zeros(len(grouped), dtype=bool)
    shares = {name: float(each.mean()) for name, each in agrees.items()}
    guessed, columns = [], {column.name: column for column in released.sensitive}
    for secret in people.sensitive:
        if secret.name in columns:
            theirs, of_group = _values(secret), _values(columns[secret.name])
            numbered = (theirs, labels, of_group, released_labels, targets, assigned)
            guessed.append(_guess(secret.name, *numbered, resources))
            agreeing = _agrees(
                np.unique(of_group, return_inverse=True)[1].astype(float),
                released_labels,
                groups.count,
            )
            shares[secret.name] = float(agreeing[labels].mean())
    rows = [
        {row.tobytes() for row in after[members]}
        for members in _members(released_labels, groups.count)
    ]
    stands = [
        row.tobytes() in rows[label] for row, label in zip(before, labels.tolist(), strict=True)
    ]
    return GroupTables(
        people=len(grouped),
        groups=groups.count,
        attacked=len(targets),
        right_group=float(np.mean(target_groups == assigned)),
        found=groups.count / len(grouped),
        guessed=tuple(guessed),
        agreeing=shares,
        all_agree=float(agreed.mean()),
        own_row=float(np.mean(stands)),
    )


def tables_by_key(
    original: RatingTable, released: RatingTable, truth: Key | str | None, resources: Resources
) -> GroupTables | None:
    """Return what the groups of a release by swap tell; None without the key of one.

    ParameterError where the key's groups are of other records.
    """
    groups = truth.facts.get("groups") if isinstance(truth, Key) else None
    if not groups:
        return None
    labels = []
    for table, side in ((original, "original"), (released, "released")):
        position = {str(name): row for row, name in enumerate(table.record_ids.to_list())}
        group_of = np.full(table.n_records, -1, dtype=np.int64)
        for number, group in enumerate(groups):
            members = [position.get(str(name), -1) for name in group[side]]
            if min(members, default=-1) < 0:
                expected = "a key whose groups are of these records"
                raise ParameterError(
                    "truth", "a key of other records", expected, "name the release's key"
                )
            group_of[members] = number
        labels.append(group_of)
    numbered = Groups.of_labels(labels[0])
    new = np.full(len(groups), -1, dtype=np.int64)
    new[labels[0][labels[0] >= 0]] = numbered.labels[labels[0] >= 0]
    theirs = np.where(labels[1] >= 0, new[labels[1]], -1)
    return group_tables(original, released, numbered, theirs, resources)


def _numbers(table: RatingTable, issues: Sequence[str]) -> NDArray[np.float64]:
    """Return the ratings of these issues, float64 (n, p), NaN where there is none."""
    column = {name: number for number, name in enumerate(table.issues)}
    numbers = np.full((table.n_records, table.n_issues), np.nan)
    rows = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
    numbers[rows, table.indices] = table.values
    return np.ascontiguousarray(numbers[:, [column[name] for name in issues]])


def _values(column: object) -> NDArray[np.int64]:
    """Return a number for each value of a sensitive column,
    the same ones in the original and the release.
    """
    values, present = column.values, column.present  # type: ignore[attr-defined]
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.int64)
    return np.where(present, bits, np.iinfo(np.int64).min)


def _members(labels: Ints, count: int) -> list[Ints]:
    order = np.argsort(labels, kind="stable")
    order = order[np.count_nonzero(labels < 0) :]
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    return np.split(order, np.cumsum(sizes)[:-1])


def _agrees(values: NDArray[np.float64], labels: Ints, count: int) -> NDArray[np.bool_]:
    """Whether all of each group have the same value, a missing one being one of its own,
    bool (count,).
    """
    member = labels >= 0
    numbers = np.where(np.isnan(values), np.inf, values)[member]
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, labels[member], numbers)
    np.maximum.at(most, labels[member], numbers)
    same: NDArray[np.bool_] = least == most
    return same


def _assigned(
    known: NDArray[np.float64],
    rows: NDArray[np.float64],
    labels: Ints,
    count: int,
    resources: Resources,
) -> Ints:
    """Return into which group each of ``known`` (t, p) is put, int64 (t,); -1:
    none holds these ratings.

    A group holds a person whose ratings are within its ranges; of those the nearest is taken: by
    its means, in standard deviations, and by how many of it lack what the person has, or have what
    the person lacks.
    """
    p = known.shape[1]
    low, high = np.full((count, p), np.inf), np.full((count, p), -np.inf)
    sums, answered = np.zeros((count, p)), np.zeros((count, p))
    inside = labels >= 0
    rated = ~np.isnan(rows)
    for column in range(p):
        cells = inside & rated[:, column]
        np.minimum.at(low[:, column], labels[cells], rows[cells, column])
        np.maximum.at(high[:, column], labels[cells], rows[cells, column])
        np.add.at(sums[:, column], labels[cells], rows[cells, column])
        np.add.at(answered[:, column], labels[cells], 1)
    sizes = np.bincount(labels[inside], minlength=count)
    means = np.where(answered > 0, sums / np.maximum(answered, 1), 0.0)
    width = np.ones(p)
    for column in np.flatnonzero(rated.any(axis=0)).tolist():
        width[column] = float(rows[rated[:, column], column].std()) or 1.0
    share = answered / np.maximum(sizes, 1)[:, None]
    assigned = np.full(len(known), -1, dtype=np.int64)
    for target, row in enumerate(known):
        if target % _STEP == 0:
            resources.report("putting people into groups", target, len(known))
        has = ~np.isnan(row)
        empty = answered[:, has] == 0
        fits = np.all(((low[:, has] <= row[has]) & (row[has] <= high[:, has])) | empty, axis=1)
        apart = np.where(empty, 0.0, (means[:, has] - row[has]) / width[has])
        far = (apart**2 + 1 - share[:, has]).sum(axis=1) + share[:, ~has].sum(axis=1)
        if fits.any():
            assigned[target] = int(np.argmin(np.where(fits, far, np.inf)))
    return assigned


def _guess(
    name: str,
    theirs: Ints,
    labels: Ints,
    of_group: Ints,
    released_labels: Ints,
    targets: Ints,
    assigned: Ints,
    resources: Resources,
) -> Guessed:
    """Guess one column of everybody, by the definitions of :class:`Guessed`."""
    members = _members(released_labels, len(np.unique(released_labels[released_labels >= 0])))
    tables = [Counter(of_group[own].tolist()) for own in members]
    everybody = Counter(of_group.tolist())
    rng, share = np.random.default_rng(0), dict.fromkeys(("own", "others", "half", "put"), 0.0)
    for number, target in enumerate(targets.tolist()):
        if number % _STEP == 0:
            resources.report(f"guessing {name}", number, len(targets))
        value, table = int(theirs[target]), tables[labels[target]]
        others = table - Counter([value])
        share["own"] += _right(value, table)
        share["others"] += _right(value, others) if others else 0.0
        pool = np.array(list(others.elements()), dtype=np.int64)
        for _ in range(_DRAWS):
            rest = rng.permutation(pool)[len(pool) // 2 :].tolist()
            share["half"] += _right(value, Counter([*rest, value])) / _DRAWS
        share["put"] += _right(value, tables[assigned[number]]) if assigned[number] >= 0 else 0.0
    own, rest_share, half, put = (share[what] / max(len(targets), 1) for what in share)
    common = max(everybody.values(), default=0) / max(len(of_group), 1)
    return Guessed(name, own, rest_share, half, put, common)


def _right(value: int, table: Mapping[int, int]) -> float:
    """Return how likely the commonest value of a table, of equals one at random, is this one."""
    most = max(table.values())
    modes = [one for one, times in table.items() if times == most]
    return 1 / len(modes) if value in modes else 0.0
