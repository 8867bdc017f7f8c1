"""Touching only who is at risk: who may stay untouched, and the cheapest place next to those who do.

(k,ε)-anonymity asks for neighbours, not for groups [SWLZ11, Def. 4.2]. The records of the (k-1)-core of the
proximity graph have k neighbours each among themselves, so all of them can be published as they are, whatever
becomes of the others. And another record is safe as soon as it is ε-proximate with k-1 of them. They need not
be proximate with each other, so it has up to 2ε of room on an issue where a group of its own has ε.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _anchoring as kernels
from ratingpriv.anonymize.modification.blocks import features, near_blocks
from ratingpriv.anonymize.modification.changes import Changes
from ratingpriv.anonymize.modification.dense import Dense
from ratingpriv.anonymize.modification.plan import Task
from ratingpriv.anonymize.suppression.k_core import take_the_core
from ratingpriv.anonymize.suppression.remaining import Neighbours, Remaining
from ratingpriv.base.compute.parallel import share_out
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable

_BLOCK = 1 << 14  # records among which places are sought
_STRANGERS = 256  # untouched records from anywhere that are looked at in every block


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The cheapest place found for each of some records next to untouched ones.

    Attributes
    ----------
    records : int64 (m,), positions, ascending
    cost : float64 (m,), in numbers of the Measure; inf where none was found
    places : float64 (m, p); the record in its place, NaN where null
    """

    records: NDArray[np.int64]
    cost: NDArray[np.float64]
    places: NDArray[np.float64]


def untouched(table: RatingTable, target: Target, resources: Resources) -> NDArray[np.bool_]:
    """Return which records make up the (k-1)-core, bool (n,): the most that can be published as they are."""
    remaining = Remaining(Neighbours(table, target, resources, sensitive=False))
    take_the_core(
        remaining,
        target.k,
        lambda outside: resources.report("finding records to leave untouched", outside, None),
    )
    return remaining.alive


def places(task: Task, cells: Dense, core: NDArray[np.bool_], rng: np.random.Generator) -> Places:
    """Find a cheap place next to ``k - 1`` records of the ``core`` for every record outside it.

    Needs exact levels. Where there are many records, each looks at the core's records in a block of near
    ones, and at some from anywhere. With ``by.median`` a null becomes the issue's median, moved to within ε
    of the k - 1, or what a record has that is copied.
    """
    k, by, resources = task.target.k, task.by, task.resources
    n, p = cells.codes.shape
    outside = np.flatnonzero(~core)
    cost, where = np.full(len(outside), np.inf), np.full((len(outside), p), np.nan)
    inside = np.flatnonzero(core)
    if len(inside) == 0 or len(outside) == 0:
        return Places(outside, cost, where)
    blocks = [np.arange(n)]
    if n > 2 * _BLOCK:
        blocks = near_blocks(
            features(cells.codes, cells.levels, rng), np.ones(n, dtype=np.int64), _BLOCK, rng
        )
    number = np.cumsum(~core) - 1
    wanted = _medians(cells) if by.median else np.zeros(p)
    for block in blocks:
        near = block[core[block]]
        if len(blocks) > 1:
            strangers = rng.choice(inside, size=min(_STRANGERS, len(inside)), replace=False)
            near = np.union1d(near, strangers)
        mine = block[~core[block]]
        rows, anchors = cells.codes[mine], cells.codes[near]
        here, there = np.full(len(mine), np.inf), np.full((len(mine), p), np.nan)

        def piece(
            first: int, last: int, rows: NDArray[np.uint8] = rows, anchors: NDArray[np.uint8] = anchors,
            here: NDArray[np.float64] = here, there: NDArray[np.float64] = there,
        ) -> None:  # fmt: skip
            kernels.anchor(
                first, last, rows, anchors, k - 1, max(64, 3 * k), cells.levels, by.width, by.smallest,
                by.largest, by.separates, task.fabricate, wanted, here, there,
            )  # fmt: skip

        share_out(
            piece, np.ones(len(mine), dtype=np.int64), resources.threads, resources.progress, "finding places"
        )
        cost[number[mine]], where[number[mine]] = here, there
    return Places(outside, cost, where)


def _medians(cells: Dense) -> NDArray[np.float64]:
    """Return the lower median of every issue's ratings, float64 (p,); 0.0 where there are none."""
    found, null = np.zeros(cells.codes.shape[1]), len(cells.levels)
    for j in range(len(found)):
        codes = np.sort(cells.codes[:, j])
        rated = int(np.searchsorted(codes, null))
        if rated:
            found[j] = cells.levels[codes[(rated - 1) // 2]]
    return found


def move_to_places(
    table: RatingTable, records: NDArray[np.int64], rows: NDArray[np.float64], changes: Changes
) -> None:
    """Make the ``records`` int64 (m,), ascending, what ``rows`` float64 (m, p) says; NaN is null."""
    number = np.full(table.n_records, -1, dtype=np.int64)
    number[records] = np.arange(len(records))
    of_entry = np.repeat(number, np.diff(table.indptr))
    entries = np.flatnonzero(of_entry >= 0)
    wanted = rows[of_entry[entries], table.indices[entries]]
    gone = np.isnan(wanted)
    changes.suppressed[entries[gone]] = True
    changes.numbers[entries[~gone]] = wanted[~gone]
    new = ~np.isnan(rows)
    new[of_entry[entries], table.indices[entries]] = False
    row, issue = np.nonzero(new)
    changes.impute(records[row], issue.astype(np.int64), rows[row, issue])
