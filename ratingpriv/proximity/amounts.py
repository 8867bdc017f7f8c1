"""From sensitive columns to what a join adds up, and back to moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import SensitiveColumn
from ratingpriv.proximity.arrays import Amounts, Measured, Tally
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.counting import Family
from ratingpriv.proximity.join import Join
from ratingpriv.proximity.levels import decimal_grid
from ratingpriv.proximity.moments import SensitiveMoments

_HISTOGRAM = 9  # up to so many distinct values get one plane each; more are added up bit by bit


def measure(column: SensitiveColumn) -> Measured:
    """Put a column on a decimal grid if the sum of squares over all records then fits 63 bits."""
    values, present = column.values, column.present
    grid = decimal_grid(np.unique(values[present]))
    if grid is not None:
        low = int(grid.numbers.min()) if len(grid.numbers) else 0
        numbers = (
            np.rint(np.where(present, values, 0.0) * 10.0**grid.decimals).astype(np.int64) - low
        )
        numbers = np.where(present, numbers, 0)
        if float(np.sum(numbers.astype(np.float64) ** 2)) < 2.0**62:  # any neighbourhood has less
            return Measured(column.name, present, numbers, low, grid.decimals)
    # a value in the middle, not the mean: outliers (ages of 999999999) must not blur the other
    # neighbourhoods
    present_values = values[present]
    shift = float(np.partition(present_values, len(present_values) // 2)[len(present_values) // 2])
    return Measured(column.name, present, np.where(present, values - shift, 0.0), shift, 0)


def label_moments(column: Measured, labels: NDArray[np.int64], count: int) -> SensitiveMoments:
    """Return the moments of the records of each label, 0..count-1; of negative ones, nobody's."""
    placed = labels >= 0
    of = labels[placed]

    def total(x: NDArray[Any]) -> NDArray[Any]:
        sums: NDArray[Any] = np.zeros(count, dtype=x.dtype)
        np.add.at(sums, of, x[placed])
        return sums

    n_known = np.bincount(of[column.present[placed]], minlength=count).astype(np.int64)
    sums, squares = total(column.numbers), total(column.numbers**2)
    return SensitiveMoments(column.name, n_known, sums, squares, column.shift, column.decimals)


def class_moments(column: Measured, classes: Classes) -> SensitiveMoments:
    """Return the moments where every record's neighbourhood is its class."""
    return label_moments(column, classes.of, classes.count).part(classes.of)


def join_amounts(columns: Sequence[Measured], join: Join, more: Sequence[Family] = ()) -> Amounts:
    """Lay out what ``join`` is to add up: the multiplicity (if any), a family a column,
    those in ``more``.

    A family's amounts are (known, number, number²), but known is left at 0 where every record
    counts.
    """
    families: list[NDArray[np.int64]] = []
    planes: list[list[tuple[NDArray[np.bool_], tuple[int, int, int]]]] = []
    real: list[NDArray[np.float64]] = []
    slots = len(join.records.record)
    once = join.multiplicity is None
    zeros = np.zeros(slots, dtype=np.int64)
    if not once:
        times = _by_slot(join, np.ones(len(join.slot_of), dtype=np.int64))
        families.append(np.stack((times, zeros, zeros), axis=1))
        planes.append(_bits(families[-1]))
    for column in columns:
        n_known = _by_slot(join, column.present.astype(np.int64))
        implied = once and bool(column.present.all())
        if not column.exact:
            numbers = column.numbers.astype(np.float64)
            families.append(np.stack((zeros if implied else n_known, zeros, zeros), axis=1))
            planes.append([])  # neighbours are listed for the real numbers anyway
            real.append(np.stack((_by_slot(join, numbers), _by_slot(join, numbers**2)), axis=1))
            continue
        numbers = column.numbers.astype(np.int64)
        sums = _by_slot(join, numbers), _by_slot(join, numbers**2)
        families.append(np.stack((zeros if implied else n_known, *sums), axis=1))
        values = np.unique(numbers[column.present]).tolist()
        if once and len(values) <= _HISTOGRAM:
            present, extra = n_known > 0, int(not implied)
            counted = [value for value in values if value or not implied]
            planes.append(
                [(present & (sums[0] == value), (extra, value, value**2)) for value in counted]
            )
        else:
            planes.append(_bits(families[-1]))
    for amounts, held_by in more:
        families.append(amounts)
        planes.append(held_by)
    flat = [plane for family in planes for plane in family]
    marks = np.zeros((slots, -(-len(flat) // 64)), dtype=np.uint64)
    for j, (held, _) in enumerate(flat):
        marks[:, j // 64] |= held.astype(np.uint64) << np.uint64(j % 64)
    return Amounts(
        marks,
        np.cumsum([0, *map(len, planes)], dtype=np.int64),
        np.array([weight for _, weight in flat], dtype=np.int64).reshape(-1, 3),
        np.concatenate(families, axis=1) if families else np.zeros((0, 0), dtype=np.int64),
        np.concatenate(real, axis=1) if real else np.zeros((0, 0), dtype=np.float64),
    )


def _by_slot(join: Join, by_record: NDArray[Any]) -> NDArray[Any]:
    """Add up what the records of each slot have."""
    if join.multiplicity is None:
        return by_record[join.records.record]
    sums = np.zeros(len(join.records.record), dtype=by_record.dtype)
    np.add.at(sums, join.slot_of, by_record)
    return sums


def _bits(family: NDArray[np.int64]) -> list[tuple[NDArray[np.bool_], tuple[int, int, int]]]:
    """Return a plane for each bit that is set anywhere in a column of ``family``,
    int64 (n_slots, 3).
    """
    planes = []
    for part in range(3):
        used = int(np.bitwise_or.reduce(family[:, part])) if len(family) else 0
        for bit in range(used.bit_length()):
            if used >> bit & 1:
                weight = (
                    (1 << bit) * (part == 0),
                    (1 << bit) * (part == 1),
                    (1 << bit) * (part == 2),
                )
                planes.append(((family[:, part] >> bit & 1).astype(bool), weight))
    return planes


def join_moments(
    columns: Sequence[Measured], join: Join, amounts: Amounts, tally: Tally
) -> tuple[NDArray[np.int64], tuple[SensitiveMoments, ...]]:
    """Return the sizes and moments of every record's neighbourhood from what a join added up."""
    if len(join.groups) < len(join.layout.width):
        joined = np.zeros(len(join.layout.width), dtype=bool)
        joined[join.groups] = True
        members = np.diff(np.append(join.records.first, len(join.records.record)))
        alone = np.flatnonzero(~np.repeat(joined, members))
        tally.sizes[alone] = 1
        for total, amount in ((tally.exact, amounts.exact), (tally.real, amounts.real)):
            if total.shape[1]:
                total[alone] = amount[alone]
    slots = join.slot_of
    once = join.multiplicity is None
    sizes = tally.sizes[slots] if once else tally.exact[slots, 0]
    moments, reals, family = [], 0, 0 if once else 3
    for column in columns:
        n_known = sizes if once and bool(column.present.all()) else tally.exact[slots, family]
        if column.exact:
            sums, squares = tally.exact[slots, family + 1], tally.exact[slots, family + 2]
            moments.append(
                SensitiveMoments(column.name, n_known, sums, squares, column.shift, column.decimals)
            )
        else:
            x, y = tally.real[slots, reals], tally.real[slots, reals + 1]
            moments.append(SensitiveMoments(column.name, n_known, x, y, column.shift))
            reals += 2
        family += 3
    return sizes, tuple(moments)
