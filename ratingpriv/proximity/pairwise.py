"""The papers' baseline: compare all records on all issues, O(n² p) [SWLZ11 §5.1, SWLP10 §4.3].

Plain NumPy, straight from Eq. 1 and the rules of quasi-identifiers, a block of records at a time so
that memory stays linear in n. It is the reference that the compiled engine is held against, and the
peer it is measured against; so it does not go by
:func:`ratingpriv.proximity.fixed_rules.comparison_table`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.proximity.counting import Valued, grouped
from ratingpriv.proximity.counts import Counting, SensitiveCounts
from ratingpriv.proximity.fixed_rules import ComparisonTable
from ratingpriv.proximity.levels import decimal_grid, null_separates, proximate_codes
from ratingpriv.proximity.moments import SensitiveMoments

if TYPE_CHECKING:
    from ratingpriv.base.compute.parallel import Run
    from ratingpriv.proximity.arrays import Measured


def proximity_blocks(
    table: RatingTable, epsilon: float, nulls: str, memory: int = 1 << 28
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield (first record, which records are ε-proximate), bool (block, n_records), block by block.

    Row t is N(t); only under ``known`` the matrix is not symmetric. An array takes ``memory``
    bytes, about.
    """
    for first, after, near in trimmed_blocks(table, epsilon, nulls, memory):
        if after == table.n_issues:
            yield first, near


def trimmed_blocks(
    table: RatingTable, epsilon: float, nulls: str, memory: int = 1 << 28
) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Yield (first record, j, which records are ε-proximate on the first j issues),
    for j = 0..n_issues.

    Quasi-identifiers count from j = 0 on. bool (block, n_records), block by block; an array is
    changed by the next step. ValueError where ``table`` is made to be compared by the compiled
    engine.
    """
    if isinstance(table, ComparisonTable):
        raise ValueError("pairwise compares the table itself, not its comparison_table()")
    n = table.n_records
    grid = decimal_grid(table.levels)
    numbers: NDArray[Any] = np.arange(len(table.levels)) if grid is None else grid.numbers
    low, high = proximate_codes(table.levels, epsilon)
    reach = 0 if grid is None else grid.at_most(epsilon)
    if grid is not None and np.abs(numbers).max(initial=0) < 1 << 14:
        # differences fit too, and a quarter of the memory is moved
        numbers = numbers.astype(np.int16)
    values, separates = numbers[table.codes], null_separates(table.scale, epsilon, nulls)
    record = np.repeat(np.arange(n), np.diff(table.indptr))
    by_issue = np.argsort(table.indices, kind="stable")
    bounds = np.searchsorted(table.indices[by_issue], np.arange(table.n_issues + 1))
    size = 8 if table.quasi else values.dtype.itemsize
    rows = max(1, min(n, memory // (4 * size * max(n, 1))))
    column, rated = np.zeros(n, dtype=values.dtype), np.zeros(n, dtype=bool)
    for first in range(0, n, rows):
        block = slice(first, first + rows)
        near = np.ones((min(rows, n - first), n), dtype=bool)
        for quasi in table.quasi:
            near &= _alike(quasi, block, nulls)
        yield first, 0, near
        for issue in range(table.n_issues):
            entries = by_issue[bounds[issue] : bounds[issue + 1]]
            rated[:] = False
            rated[record[entries]] = True
            column[record[entries]] = values[entries]
            if grid is None:  # by codes: differences of float64 are not those of decimals
                far = column < low[column[block], None] if len(low) else np.zeros_like(near)
                far |= column > high[column[block], None] if len(low) else far
            else:
                far = np.abs(column[block, None] - column) > reach
            if not rated.all():
                far &= rated[block, None] & rated
                if separates:
                    far |= rated[block, None] != rated
                elif nulls == "known":
                    far |= rated[block, None] & ~rated
            near &= ~far
            yield first, issue + 1, near


def _alike(column: QuasiColumn, block: slice, nulls: str) -> NDArray[np.bool_]:
    """Return which records meet a quasi-identifier's rule with each of ``block``,
    (block, n_records).
    """
    codes = column.codes
    theirs, present = codes[block, None], codes >= 0
    if column.within is None:
        alike = theirs == codes
    else:
        values = column.values.to_numpy()
        grid = decimal_grid(values)
        codes_present = np.where(present, codes, 0)
        if not len(values):
            alike = np.ones((len(theirs), len(codes)), dtype=bool)
        elif grid is None:  # by codes: differences of float64 are not those of decimals
            low, high = proximate_codes(values, column.within)
            alike = (low[codes_present[block]][:, None] <= codes) & (
                codes <= high[codes_present[block]][:, None]
            )
        else:
            numbers = grid.numbers[codes_present]
            alike = np.abs(numbers[block, None] - numbers) <= grid.at_most(column.within)
    both: NDArray[np.bool_] = present[block, None] & present
    if nulls == "wildcard":
        return np.asarray(alike | ~both)
    if nulls == "known":
        return np.asarray((alike & both) | ~present[block, None])
    return np.asarray(np.where(both, alike, present[block, None] == present))


def pairwise_neighbourhoods(
    table: RatingTable,
    epsilon: float,
    nulls: str,
    columns: Sequence[Measured],
    values: Sequence[Valued],
    asked: Counting,
    memory: int,
    run: Run,
) -> tuple[NDArray[np.int64], tuple[SensitiveMoments, ...], tuple[SensitiveCounts, ...]]:
    """Return sizes, int64 (n_records,), moments of ``columns``, counts of ``values``:
    compares all pairs.
    """
    n = table.n_records
    sizes = np.zeros(n, dtype=np.int64)
    amounts = [
        (column.present.astype(np.int64), column.numbers, column.numbers**2) for column in columns
    ]
    totals: list[list[NDArray[Any]]] = [
        [np.zeros(n, dtype=array.dtype) for array in three] for three in amounts
    ]
    builders = [column.builder(n, asked) for column in values]
    run.total = n
    for first, near in proximity_blocks(
        table, epsilon, nulls, min(memory, 1 << 26 if values else 1 << 28)
    ):
        places = np.arange(first, first + len(near))
        sizes[places] = near.sum(axis=1)
        for three, sums in zip(amounts, totals, strict=True):
            for amount, total in zip(three, sums, strict=True):
                # float64 products run on BLAS and are exact as long as every sum is below 2**53
                small = amount.dtype.kind == "f" or int(np.abs(amount).max()) * n < 1 << 53
                total[places] = near.astype(np.float64) @ amount if small else near @ amount
        row, other = np.nonzero(near) if values else (places, places)
        for column, builder in zip(values, builders, strict=True):
            builder.add_sparse(places, *grouped(row, column.code[other], len(near), column.values))
        run.report(len(near))
    moments = tuple(
        SensitiveMoments(column.name, n_known, sums, squares, column.shift, column.decimals)
        for column, (n_known, sums, squares) in zip(columns, totals, strict=True)
    )
    return sizes, moments, tuple(builder.result(np.arange(n)) for builder in builders)
