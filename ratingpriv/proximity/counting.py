"""Counting the values of sensitive columns in neighbourhoods:
from columns to what engines count, and back.

Two ways, by how many values a column has. Few: each gets a bit plane of its own in the join, which
then adds up counts packed into 64-bit words, and the moments follow from the counts. Many:
neighbours are listed, a span of records at a time, and the values behind them counted; memory stays
within its limit however many values there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import Run, portions
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.proximity import _pairs as _kernels
from ratingpriv.proximity.arrays import Lists
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.counts import Counting, CountsBuilder, SensitiveCounts, Whole
from ratingpriv.proximity.join import Join, select
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.run import add_up, list_later, no_amounts

if TYPE_CHECKING:
    from ratingpriv.proximity.arrays import Measured

# up to so many values are counted by planes: with more, listing the neighbours costs less
_FEW = 64
_BLOCK = 1 << 22  # counts that are unpacked, or cells that are looked at, at once

type Family = tuple[NDArray[np.int64], list[tuple[NDArray[np.bool_], tuple[int, int, int]]]]
"""Three amounts by slot, int64 (n_slots, 3), and their bit planes, as in `arrays.Amounts`."""


@dataclass(frozen=True, slots=True)
class Valued:
    """A sensitive column as codes of its values, by size, int64 (n_records,); -1 where null."""

    name: str
    code: NDArray[np.int64]
    values: int
    ordered: bool  # numbers; False: words

    @property
    def whole(self) -> Whole:
        """How often each value occurs in all records."""
        counts = np.bincount(self.code[self.code >= 0], minlength=self.values).astype(np.int64)
        return Whole(counts, self.ordered)

    def builder(self, places: int, asked: Counting) -> CountsBuilder:
        """Return what takes the counts of this column's values in so many neighbourhoods,
        or groups.
        """
        everything = self.whole if asked.distances else None
        return CountsBuilder(self.name, places, len(self.code), asked, everything)


def valued(column: SensitiveColumn) -> Valued:
    """Return a column with its distinct values numbered."""
    levels = np.unique(column.values[column.present])
    code = np.where(column.present, np.searchsorted(levels, column.values), -1)
    return Valued(column.name, code, len(levels), not column.nominal)


def few(column: Valued, room: int) -> bool:
    """Return whether the values are few enough to be counted by planes,
    in at most ``room`` families.
    """
    return column.values <= _FEW and families(column) <= room


def families(column: Valued) -> int:
    """Return how many families :func:`packed` makes."""
    held = _layout(column.values, len(column.code))[1]
    return -(-column.values // (3 * held))


def _layout(values: int, records: int) -> tuple[int, int]:
    """Return how many bits a count takes, and how many counts a 64-bit word holds."""
    bits = max(records.bit_length(), 1)
    return bits, max(1, min(63 // bits, -(-values // 3)))


def packed(column: Valued, join: Join) -> list[Family]:
    """Lay out what a join adds up to count the values of a column with few: some families."""
    bits, held = _layout(column.values, len(column.code))
    slots = len(join.records.record)
    by_slot = column.code[join.records.record] if join.multiplicity is None else None
    parts: list[Family] = []
    for first in range(0, column.values, 3 * held):
        amounts = np.zeros((slots, 3), dtype=np.int64)
        planes: list[tuple[NDArray[np.bool_], tuple[int, int, int]]] = []
        for value in range(first, min(first + 3 * held, column.values)):
            word, shift = (value - first) // held, bits * ((value - first) % held)
            if by_slot is not None:
                number = (by_slot == value).astype(np.int64)
            else:
                number = np.bincount(join.slot_of[column.code == value], minlength=slots)
            amounts[:, word] += number << shift
            for bit in range(int(number.max(initial=0)).bit_length()):
                unit = 1 << (shift + bit)
                weight = (unit * (word == 0), unit * (word == 1), unit * (word == 2))
                planes.append(((number >> bit & 1).astype(bool), weight))
        parts.append((amounts, planes))
    return parts


def unpacked(
    column: Valued,
    measured: Measured | None,
    totals: NDArray[np.int64],
    join: Join,
    asked: Counting,
    sizes: NDArray[np.int64],
) -> tuple[SensitiveCounts, SensitiveMoments | None]:
    """Sum up the counts of a column from what a join added up:
    ``totals`` of the families of :func:`packed`.

    ``measured``: the column as whole numbers, if its moments shall be made from the counts.
    ``asked``: what is decided of them. The known values are ``sizes`` themselves where no value is
    null.
    """
    n, n_slots = len(column.code), len(totals)
    bits, held = _layout(column.values, n)
    builder = column.builder(n_slots, asked)
    numbers = np.zeros(column.values, dtype=np.int64)
    if measured is not None:
        numbers[column.code[measured.present]] = measured.numbers[measured.present]
    sums, squares = (np.zeros(0 if measured is None else n_slots, dtype=np.int64) for _ in range(2))
    rows = max(1, _BLOCK // max(column.values, 1))
    for first in range(0, n_slots, rows):
        block = totals[first : first + rows]
        counts = np.empty((column.values, len(block)), dtype=np.int64)
        for value in range(column.values):
            counts[value] = block[:, value // held] >> bits * (value % held) & (1 << bits) - 1
        builder.add(first, counts)
        if measured is not None:
            rows_of_block = slice(first, first + len(block))
            for number, count in zip(numbers.tolist(), counts, strict=True):
                sums[rows_of_block] += count * number
                squares[rows_of_block] += count * number**2
    counted = builder.result(join.slot_of)
    if np.array_equal(counted.known, sizes):
        counted = replace(counted, known=sizes)
    if measured is None:
        return counted, None
    amounts = sums[join.slot_of], squares[join.slot_of]
    return counted, SensitiveMoments(
        column.name, counted.known, *amounts, measured.shift, measured.decimals
    )


def class_counts(column: Valued, classes: Classes, asked: Counting) -> SensitiveCounts:
    """Count the values where every record's neighbourhood is its class."""
    builder = column.builder(classes.count, asked)
    builder.add_sparse(
        np.arange(classes.count), *grouped(classes.of, column.code, classes.count, column.values)
    )
    return builder.result(classes.of)


def listed_counts(
    columns: Sequence[Valued],
    join: Join,
    run: Run,
    memory: int,
    asked: Counting,
) -> tuple[SensitiveCounts, ...]:
    """Count the values of columns with many, by listing the neighbours
    of a span of records at a time.

    The lists take ``memory`` bytes, about; a neighbourhood's own list at least.
    """
    if not columns:
        return ()
    records = join.records
    slots = len(records.record)
    builders = [column.builder(slots, asked) for column in columns]
    n_known = [_by_slot(column, join, slots) for column in columns]
    used, joined = np.zeros((2, slots), dtype=bool)
    used[join.slot_of] = True
    for g in join.groups.tolist():
        joined[int(records.first[g]) : int(records.stop[g])] = True
    sizes = np.where(joined, add_up(join, no_amounts(), run).sizes, 1)
    most = max(int(np.diff(start).max(initial=1)) for start, _, _ in n_known)
    room = max(1, memory // (8 + 56 * most))  # a place in a list, and what may come of it
    for alone in (True, False):
        listed = np.flatnonzero(used & (joined != alone))
        for first, last in portions(np.cumsum(sizes[listed]), room):
            span = listed[first:last]
            begin = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes[span])))
            # a record's own, and all if it is alone
            neighbours = records.record[span].astype(np.int32)
            if not alone:
                neighbours = np.empty(int(begin[-1]), dtype=np.int32)
                wanted = np.zeros(slots, dtype=bool)
                wanted[span] = True
                queries = select(records, wanted)[0]
                list_later(
                    join, run, queries, records, Lists(begin[:-1].copy(), neighbours, True, False)
                )
            for column, builder, entries in zip(columns, builders, n_known, strict=True):
                stop = np.empty(len(span), dtype=np.int64)
                most_pairs = min(len(span) * column.values, int(begin[-1]) * most)
                codes, counts = np.empty((2, most_pairs), dtype=np.int64)
                scratch = np.zeros(column.values, dtype=np.int64)
                touched = np.zeros(column.values // 64 + 1, dtype=np.uint64)
                _kernels.count_values(
                    begin, neighbours, join.slot_of, entries, scratch, touched, stop, codes, counts
                )
                row = np.repeat(np.arange(len(span)), np.diff(stop, prepend=0))
                builder.add_sparse(span, row, codes[: len(row)], counts[: len(row)])
    return tuple(builder.result(join.slot_of) for builder in builders)


def _by_slot(column: Valued, join: Join, slots: int) -> _kernels.Known:
    """Return what the records of each slot know."""
    present = np.flatnonzero(column.code >= 0)
    keys, weight = np.unique(
        join.slot_of[present] * column.values + column.code[present], return_counts=True
    )
    row, code = np.divmod(keys, max(column.values, 1))
    start = np.concatenate(
        (np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(row, minlength=slots)))
    )
    return _kernels.Known(start, code, weight)


def grouped(
    row: NDArray[np.int64], code: NDArray[np.int64], rows: int, values: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count equal (row, code), a code of -1 being none: rows and codes, ascending, and counts."""
    key = (row * values + code)[code >= 0]
    if rows * values <= max(4 * len(key), _BLOCK // 64):
        dense = np.bincount(key, minlength=rows * values)
        cell = np.flatnonzero(dense)
        return *np.divmod(cell, max(values, 1)), dense[cell]
    keys, counts = np.unique(key, return_counts=True)
    return *np.divmod(keys, values), counts
