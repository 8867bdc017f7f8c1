"""The ε-proximate pairs themselves: counted exactly,
or listed in blocks of bounded size [SWLP10, §4.3].

The pairs are the edges of the proximity graph. Their number can be quadratic in the number of
records: count first, then list.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run, portions
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import null_rule
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity import _pairs as _kernels_pairs
from ratingpriv.proximity._hamming import hash_rows
from ratingpriv.proximity._pairs import Later
from ratingpriv.proximity.arrays import CHUNK, Ints, Lists, Queries, Rows
from ratingpriv.proximity.classes import Classes
from ratingpriv.proximity.join import Join, Limits, in_order, prepare, select
from ratingpriv.proximity.levels import (
    Grid,
    decimal_grid,
    null_distance,
    null_separates,
    written_grid,
)
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.proximity.run import add_up, list_later, no_amounts

_SORTED = 1 << 22  # numbers that are sorted at once
_SERIAL = 50_000  # pairs below which a second thread is not worth its start


@dataclass(frozen=True, slots=True, eq=False)
class PairBlock:
    """Some ε-proximate pairs of records, each unordered pair once.

    Attributes
    ----------
    left, right : int64 (n_pairs,); positions, left < right, sorted by (left, right)
    distance : float64 (n_pairs,); the largest Dis over all issues [SWLZ11, Eq. 1]: of the decimal
        that it is the smallest float64 that prints as no less, so that ``distance <= epsilon``
        holds exactly where the pair is ε-proximate. Quasi-identifiers have no part in it
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    distance: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.left)


def count_pairs(table: RatingTable, epsilon: float, *, nulls: str = "strict") -> int:
    """Count the unordered ε-proximate pairs exactly, without listing them."""
    return neighbourhoods(table, epsilon, nulls=nulls, sensitive=False).pairs


def pairs(
    table: RatingTable,
    epsilon: float,
    *,
    nulls: str = "strict",
    block: int = 1_000_000,
    subset: NDArray[np.bool_] | None = None,
    resources: Resources | None = None,
    _limits: Limits | None = None,
) -> Iterator[PairBlock]:
    """List the ε-proximate pairs in blocks, sorted by (left, right) within and across blocks.

    Parameters
    ----------
    block : most pairs of a block; a record's pairs may go on in the next block
    subset : bool (n_records,); only pairs of which at least one record is in it
    resources : memory: bytes that the neighbour lists may take, about; None: 1 GiB
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    null_rule(nulls)
    checks.whole_number("block", block, 1)
    resources = resources or Resources()
    room = (resources.memory or 1 << 30) // 8
    if subset is not None and (subset.dtype != np.bool_ or subset.shape != (table.n_records,)):
        raise ParameterError(
            "subset", (subset.dtype.name, subset.shape), f"{table.n_records} bools, one per record"
        )
    run = Run(resources.threads, resources.progress, "listing pairs")
    join = prepare(table, epsilon, nulls, collapse=False, limits=_limits)
    if isinstance(join, Classes):
        lists = _class_lists(join, subset, room)
    else:
        lists = _join_lists(join, subset, room, run)
    return _blocks(lists, block, run, _Distances(table, epsilon, nulls))


def _blocks(
    lists_of: Iterator[Later], block: int, run: Run, measure: _Distances
) -> Iterator[PairBlock]:
    for lists in lists_of:
        before = np.zeros(len(lists.record) + 1, dtype=np.int64)
        np.cumsum(lists.stop - lists.start, out=before[1:])
        for first in range(0, int(before[-1]), block):
            yield measure.block(lists, before, first, min(first + block, int(before[-1])), run)


def _class_lists(classes: Classes, subset: NDArray[np.bool_] | None, room: int) -> Iterator[Later]:
    """List pairs where neighbourhoods are classes."""
    order = np.argsort(classes.of, kind="stable").astype(np.int32)  # ascending within a class
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    end = np.cumsum(np.bincount(classes.of, minlength=classes.count))[classes.of]
    if subset is None:  # a record's list is the rest of its class: nothing needs copying
        yield Later(np.arange(len(order)), rank + 1, end, order)
        return
    for first, stop in portions(np.cumsum(end - rank - 1), room):
        length = (end - rank - 1)[first:stop]
        begin = np.concatenate(([0], np.cumsum(length)))
        owner = np.repeat(np.arange(first, stop), length)
        other = order[np.arange(begin[-1]) + np.repeat(rank[first:stop] + 1 - begin[:-1], length)]
        wanted = subset[owner] | subset[other]
        length = np.bincount(owner[wanted] - first, minlength=stop - first)
        begin = np.concatenate(([0], np.cumsum(length)))
        yield Later(np.arange(first, stop), begin[:-1], begin[1:], other[wanted])


def _join_lists(
    join: Join, subset: NDArray[np.bool_] | None, room: int, run: Run
) -> Iterator[Later]:
    """List pairs by joins: count, then fill."""
    n = len(join.slot_of)
    records = join.records
    most = np.zeros(n, dtype=np.int64)  # neighbours, by record: room enough for the later ones
    for owners, others, slots in _sides(records, subset):
        sizes = add_up(join, no_amounts(), run, queries=owners, members=others).sizes
        most[records.record[slots]] = sizes
    # where so many pairs are found in as little time without the order that lets joins skip most
    sizes = (records.stop - records.first)[join.groups]
    visits = int((sizes * (sizes // CHUNK + 1)).sum()) // 2  # each record with the chunks after it
    ordered = join.limits.dense * (int(most.sum()) - n) // 2 >= visits
    if ordered:  # lists come out sorted, and every pair is found once
        records = in_order(records)
    for first, stop in portions(np.cumsum(most), room):
        begin = np.concatenate(([0], np.cumsum(most[first:stop])))
        neighbours = np.empty(begin[-1], dtype=np.int32)
        end = begin[:-1].copy()
        in_span = (records.record >= first) & (records.record < stop)
        for owners, others, slots in _sides(records, subset, in_span):
            owner = records.record[slots] - first
            cursor = end[owner]
            if ordered:
                list_later(join, run, others, owners, Lists(cursor, neighbours, False, True))
            else:
                list_later(join, run, owners, others, Lists(cursor, neighbours, False, False))
            end[owner] = cursor
        if not ordered:
            _sort(begin[:-1], end, neighbours)
        yield Later(np.arange(first, stop), begin[:-1], end, neighbours)


def _sides(
    records: Queries, subset: NDArray[np.bool_] | None, some: NDArray[np.bool_] | None = None
) -> Iterator[tuple[Queries, Queries, NDArray[np.int64]]]:
    """Yield whose pairs are listed, with whom, and the former's slots: of ``some`` slots,
    or of all.

    A record outside the subset pairs with records inside only.
    """
    every = np.ones(len(records.record), dtype=bool)
    inside = every if subset is None else subset[records.record]
    for side, others in ((inside, every), (~inside, inside)):
        if side is not inside and subset is None:
            return
        chosen = side if some is None else side & some
        owners, slots = (
            (records, np.arange(len(chosen))) if chosen.all() else select(records, chosen)
        )
        yield owners, records if others.all() else select(records, others)[0], slots


def _sort(begin: Ints, end: Ints, neighbours: NDArray[np.int32]) -> None:
    """Sort every list ``neighbours[begin[i]:end[i]]``: many at once,
    by list and number in one word.
    """
    for first, stop in portions(np.cumsum(end - begin), _SORTED):
        length = (end - begin)[first:stop]
        slots = np.arange(length.sum()) + np.repeat(
            begin[first:stop] - np.cumsum(length) + length, length
        )
        keys = np.repeat(np.arange(len(length)) << 32, length)
        keys |= neighbours[slots]
        keys.sort()
        neighbours[slots] = keys & 0xFFFFFFFF


class _Distances:
    """Writes pairs out, with their distances, which are at most ``epsilon``."""

    def __init__(self, table: RatingTable, epsilon: float, nulls: str) -> None:
        across_supports = not null_separates(table.scale, epsilon, nulls)
        self._table = table
        grid = decimal_grid(table.levels)
        self._scale = 1.0 if grid is None else 10.0**grid.decimals
        self._numbers = table.levels if grid is None else grid.numbers.astype(np.float64)
        self._null = (null_distance(table.scale) or 0.0) if nulls == "strict" else 0.0
        self._steps: NDArray[np.uint8] | None = None
        self._hashes: NDArray[np.uint64] | None = None
        self._written = written_grid(table.levels) if grid is None else None
        cells = table.n_records * table.n_issues
        if grid is None or not table.n_ratings or (table.n_ratings < cells and across_supports):
            return
        above = grid.numbers - grid.numbers[0]
        step = max(int(np.gcd.reduce(above)), 1)
        if grid.at_most(epsilon) < 2 * step:
            self._step = grid.at_most(epsilon) // step * step / self._scale
            self._hashes = np.arange(table.n_records, dtype=np.uint64)  # no two are equal
            if self._step > 0:  # else whoever is listed is at no distance
                hash_rows(table.indptr, table.codes, self._hashes, 0, table.n_records)
        elif int(above[-1]) // step <= 255 and cells <= 8 * table.n_ratings:
            wide = _kernels_pairs.LANES * -(-table.n_issues // _kernels_pairs.LANES)
            steps = np.zeros((table.n_records, wide), dtype=np.uint8)
            rated = (above // step).astype(np.uint8)[table.codes]
            if table.n_ratings == cells:
                steps[:, : table.n_issues] = rated.reshape(table.n_records, table.n_issues)
            else:
                steps[
                    np.repeat(np.arange(table.n_records), np.diff(table.indptr)), table.indices
                ] = rated
            self._steps = steps
            self._unit = np.arange(256, dtype=np.float64) * step / self._scale

    def block(
        self, lists: Later, before: NDArray[np.int64], first: int, stop: int, run: Run
    ) -> PairBlock:
        """Write out pairs ``first..stop`` of ``lists``."""
        n = stop - first
        out = PairBlock(
            np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.float64)
        )

        table = self._table
        rows = Rows(table.indptr, table.indices, table.codes, False)

        def task(a: int, b: int, _: int) -> None:
            start, part = (
                int(np.searchsorted(before, a, side="right")) - 1,
                slice(a - first, b - first),
            )
            _kernels_pairs.emit(lists, before, a, b, start, first, out.left, out.right)
            left, right, distance = out.left[part], out.right[part], out.distance[part]
            if self._written is not None:
                self._exact(self._written, left, right, distance)
            elif self._hashes is not None:
                _kernels_pairs.one_step_distances(
                    left, right, self._hashes, rows, self._step, distance
                )
            elif self._steps is not None:
                _kernels_pairs.aligned_distances(left, right, self._steps, self._unit, distance)
            else:
                _kernels_pairs.distances(
                    left, right, rows, self._numbers, self._scale, self._null, distance
                )

        cuts = (
            np.linspace(first, stop, (run.threads if n >= _SERIAL else 1) + 1)
            .astype(np.int64)
            .tolist()
        )
        run([(0, partial(task, a, b)) for a, b in itertools.pairwise(cuts)])
        return out

    def _exact(
        self,
        grid: Grid,
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        distance: NDArray[np.float64],
    ) -> None:
        """Write distances of decimals whose differences have more digits
        than float64 tells apart; slow.
        """
        table, unit = self._table, 10**grid.decimals

        def row(record: int) -> dict[int, int]:
            part = slice(table.indptr[record], table.indptr[record + 1])
            numbers = [int(grid.numbers[code]) for code in table.codes[part].tolist()]
            return dict(zip(table.indices[part].tolist(), numbers, strict=True))

        for number, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            codes_a, theirs = row(a), row(b)
            both = codes_a.keys() & theirs.keys()
            most = Fraction(
                max((abs(codes_a[issue] - theirs[issue]) for issue in both), default=0), unit
            )
            if codes_a.keys() != theirs.keys():
                most = max(most, Fraction(Decimal(repr(self._null))))
            nearest = float(most)
            less = Fraction(Decimal(repr(nearest))) < most
            distance[number] = math.nextafter(nearest, math.inf) if less else nearest
