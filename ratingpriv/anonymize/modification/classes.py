"""Whom modification may make alike: records that agree on quasi-identifiers,
of which none is ever invented.

A quasi-identifier that has to be equal is never moved: another region is another person. So records
are made alike within classes only, which agree on each of them, a null being a value of its own
(under wildcard, where it matches anything, that asks for more than is needed). For one that may
differ by ``within`` a class has values, or it has nulls: no value is made of a null.

A class of fewer than k cannot be reached by changing ratings. Its records then lose the values of
as few quasi-identifiers as make them k together, with others that lose the same or never had them;
fewest cells first, and of equally many those that settle most records. What is left are fewer than
k records of which no quasi-identifier is known any more, while nobody else is like that. They are
suppressed; or as many more as make them k lose all of theirs, out of classes that can spare them:
whichever costs fewer cells, a suppressed record counting all of its own, ratings too [ours]. A
heuristic: to suppress the fewest cells is NP-hard [Meyerson and Williams, PODS 2004].
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import Distortion

# sets of quasi-identifiers of one size that are tried; of more than eight not every one
_SUBSETS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of a table, after quasi-identifiers or records were suppressed for them."""

    table: RatingTable  # the records that are released
    kept: NDArray[np.int64]  # (m,); their positions in the original, ascending
    # of each class, positions in ``table``, k of them at least
    members: tuple[NDArray[np.int64], ...]
    keys: NDArray[np.int64]  # (n_classes, n_quasi); what each agrees on, to be shunned another time


def classes_of(
    table: RatingTable, k: int, shunned: NDArray[np.int64] | None = None, *, exact: bool = False
) -> Classes:
    """Return classes of at least ``k`` <= n_records records.

    ``shunned``, int64 (n, n_quasi), are ``keys`` of classes that there may not be, however large;
    not that of those who know nothing. ``exact``: they agree on those that may differ, too.
    """
    n, count = table.n_records, len(table.quasi)
    # what the records of a class agree on; -1 where null
    keys = np.zeros((n, count), dtype=np.int64)
    for place, column in enumerate(table.quasi):
        keys[:, place] = np.where(
            column.codes < 0, -1, 0 if column.within and not exact else column.codes
        )
    label = labels_of_classes(keys)
    settled = (np.bincount(label) >= k)[label]
    if shunned is None:
        shunned = np.zeros((0, count), dtype=np.int64)
    elif len(shunned):
        settled &= ~(keys[:, None] == shunned).all(axis=2).any(axis=1)
    for size in range(1, count + 1):
        while not settled.all() and _suppress(keys, settled, k, size, shunned):
            pass
    records = np.flatnonzero(_finish(table, keys, settled, k))
    quasi = tuple(
        dataclasses.replace(column, codes=np.where(known, column.codes, -1).astype(np.int32))
        for column, known in zip(table.quasi, (keys >= 0).T, strict=True)
    )
    label = labels_of_classes(keys[records])
    order = np.argsort(label, kind="stable")
    members = sorted(
        np.split(order, np.cumsum(np.bincount(label))[:-1]), key=lambda class_: int(class_[0])
    )
    changed = table.replace(quasi=quasi)
    released = changed if len(records) == n else changed.take(records)
    return Classes(
        released, records, tuple(members), keys[records[[int(class_[0]) for class_ in members]]]
    )


def labels_of_classes(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank of each row among the different ones, int64 (n,);
    np.unique(axis=0) takes ten times.
    """
    label, room = np.zeros(len(keys), dtype=np.int64), 1
    for column in keys.T:
        size = int(column.max(initial=-1)) + 2
        if room > (1 << 62) // size:  # the digits so far, numbered anew: there are at most n
            label = np.unique(label, return_inverse=True)[1]
            room = len(label)
        label, room = label * size + column + 1, room * size
    return np.unique(label, return_inverse=True)[1]


def _suppress(
    keys: NDArray[np.int64],
    settled: NDArray[np.bool_],
    k: int,
    size: int,
    shunned: NDArray[np.int64],
) -> bool:
    """Suppress the set of ``size`` columns that settles most records, in place.

    Whether any does.
    """
    loose = np.flatnonzero(~settled)
    present, amount = np.unique(keys[settled], axis=0, return_counts=True)
    best: tuple[int, NDArray[np.int64], tuple[int, ...]] | None = None
    for columns in itertools.islice(itertools.combinations(range(keys.shape[1]), size), _SUBSETS):
        wanted = keys[loose].copy()
        fewer = (wanted[:, columns] >= 0).any(axis=1)
        wanted[:, columns] = -1
        # how many there would be of each key: loose ones and settled ones, and nobody of a shunned
        # class
        everybody = np.concatenate((wanted, present, shunned))
        label = labels_of_classes(everybody)
        own, others, bad = np.split(label, np.cumsum((len(loose), len(present))))
        records = np.bincount(own, minlength=len(everybody))
        records[others] += amount
        records[bad] = 0
        placed = np.flatnonzero(records[own] >= k)
        if len(placed) and fewer[placed].any() and (best is None or len(placed) > best[0]):
            best = len(placed), loose[placed], columns
    if best is None:
        return False
    keys[np.ix_(best[1], best[2])] = -1
    settled[best[1]] = True
    return True


def _finish(
    table: RatingTable, keys: NDArray[np.int64], settled: NDArray[np.bool_], k: int
) -> NDArray[np.bool_]:
    """See to the last few, in place; return who is released, bool (n_records,)."""
    released = np.ones(len(keys), dtype=bool)
    loose = np.flatnonzero(~settled)
    if len(loose) == 0:
        return released
    values = (keys >= 0).sum(axis=1)
    label = labels_of_classes(keys)
    spare = np.bincount(label[settled], minlength=len(keys)) - k
    lent: list[int] = []
    for record in np.argsort(values, kind="stable").tolist():
        if len(loose) + len(lent) < k and settled[record] and spare[label[record]] > 0:
            spare[label[record]] -= 1
            lent.append(record)
    together = np.concatenate((loose, np.array(lent, dtype=np.int64)))
    cells = int(values[loose].sum() + np.diff(table.indptr)[loose].sum())
    if len(together) >= k and int(values[together].sum()) <= cells:
        keys[together] = -1
    else:
        released[loose] = False
    return released


def said_of_classes(
    table: RatingTable, classes: Classes, cost: Distortion, equal: Sequence[str]
) -> str:
    """Say who was made alike, and what was suppressed so that classes of k are left.

    ``equal`` : the quasi-identifiers that records had to agree on
    """
    parts, count = [], len(classes.members)
    if equal:
        parts.append(
            f"Only records that agree on {', '.join(equal)} were made alike: there are "
            f"{count} such "
            f"class{'' if count == 1 else 'es'} in the release"
        )
    if cost.quasi is not None and cost.quasi.erased:
        lost = np.zeros(table.n_records, dtype=bool)
        for before, after in zip(table.quasi, classes.table.quasi, strict=True):
            lost[classes.kept] |= before.codes[classes.kept] != after.codes
        records, cells = int(np.count_nonzero(lost)), cost.quasi.erased
        parts.append(
            f"{cells} value{'' if cells == 1 else 's'} of quasi-identifiers of {records} "
            f"record{' was' if records == 1 else 's were'} suppressed, as classes were too small"
        )
    if cost.records_withheld:
        parts.append(
            f"{cost.records_withheld} record{' was' if cost.records_withheld == 1 else 's were'} "
            f"suppressed: "
            "that costs fewer cells than to suppress quasi-identifiers until they are k"
        )
    return "; ".join(parts)
