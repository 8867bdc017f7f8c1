"""Distortion: how far a release is from its original, in the papers' metric and in cells."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion._windows import Ratings
from ratingpriv.proximity.levels import decimal_grid

_BLOCK = 1 << 16  # records compared between two looks at Ctrl-C
_PIECE = 1 << 22  # ratings counted at once


@dataclass(frozen=True, slots=True)
class QuasiDistortion:
    """What became of the quasi-identifiers of a release [ours]; no part of the papers' metric.

    Attributes
    ----------
    cells : cells of the original with a value, suppressed records included
    changed : cells whose number is another one now; a category is never changed
    erased : suppressed cells: they had a value and are null now
    records_touched : released records with at least one such cell
    withheld : cells of the suppressed records
    moved : Σ |x - x'| of the changed cells, each as a share of the range of its column in the
        original
    """

    cells: int
    changed: int
    erased: int
    records_touched: int
    withheld: int
    moved: float

    def to_dict(self) -> dict[str, int | float]:
        """Return the attributes by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Distortion:
    """How far a release is from its original.

    The attributes are named like the keys of the manifest.

    Attributes
    ----------
    total : Σ |x - x'| over the released records and all issues, a null counted as 0
        [SWLP10, Def. 5-6]: it may be 0 although cells were suppressed or imputed, on a scale that
        has a 0
    changed : cells whose rating is another one now
    filled : imputed cells: they were null and have a rating now
    erased : suppressed cells: they had a rating and are null now
    records_touched : released records with at least one such cell
    records_withheld : suppressed records: the release leaves them out, ``total`` does not count
        them
    ratings : ratings of the original, suppressed records included
    cells : records of the original times issues
    ratings_withheld : ratings of the suppressed records
    mean_before, mean_after : mean of all ratings of the original, and of the release; None without
        ratings
    mean_filled, sd_filled : mean and population SD of the imputed ratings; None where there is none
        [ours]
    quasi : of the quasi-identifiers, which nothing above counts; None where there are none
    """

    total: float
    changed: int
    filled: int
    erased: int
    records_touched: int
    records_withheld: int
    ratings: int
    cells: int
    ratings_withheld: int = 0
    mean_before: float | None = None
    mean_after: float | None = None
    mean_filled: float | None = None
    sd_filled: float | None = None
    quasi: QuasiDistortion | None = None

    @property
    def cells_touched(self) -> int:
        """Cells changed, imputed or suppressed."""
        return self.changed + self.filled + self.erased

    @property
    def ratings_lost(self) -> int:
        """Ratings of the original that the release has not, or as another one: changed,
        erased, withheld.
        """
        return self.changed + self.erased + self.ratings_withheld

    @property
    def shares(self) -> dict[str, float | None]:
        """Cells changed, filled and erased, and ratings withheld,
        each as a share of the original's ratings.

        Not of its cells, most of which are null in sparse data. None where the original has no
        rating.
        """
        counts = {"changed": self.changed, "filled": self.filled, "erased": self.erased}
        counts["withheld"] = self.ratings_withheld
        return {
            name: amount / self.ratings if self.ratings else None for name, amount in counts.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name, and the ``shares``;
        ``quasi`` where there are quasi-identifiers.
        """
        content = {**asdict(self), "shares": self.shares}
        if self.quasi is None:
            del content["quasi"]
        return content


def distortion_of(
    original: RatingTable, released: RatingTable, positions: NDArray[np.int64]
) -> Distortion:
    """Compare a release with the table it was made from [SWLP10, Def. 5-6].

    Exact on a decimal grid.

    ``positions``, int64 (m,), is where each released record is in ``original``. ParameterError
    where the issues or the quasi-identifiers differ, or the positions are not m distinct ones.
    """
    positions = np.asarray(positions, dtype=np.int64)
    if released.issues != original.issues:
        raise ParameterError("released", len(released.issues), "a table with the original's items")
    if [column.name for column in released.quasi] != [column.name for column in original.quasi]:
        raise ParameterError(
            "released", len(released.quasi), "a table with the original's quasi-identifiers"
        )
    n, m = original.n_records, released.n_records
    distinct = np.unique(positions)
    if (
        positions.shape != (m,)
        or len(distinct) != m
        or (m and not 0 <= distinct[0] <= distinct[-1] < n)
    ):
        raise ParameterError(
            "positions", positions.tolist()[:5], f"{m} distinct positions from 0 to {n - 1}"
        )
    both = np.concatenate((original.levels, released.levels))
    grid = decimal_grid(both)
    numbers = both if grid is None else grid.numbers.astype(np.float64)
    old, new = numbers[: len(original.levels)].copy(), numbers[len(original.levels) :].copy()
    before = Ratings(original.indptr, original.indices, original.codes, old)
    after = Ratings(released.indptr, released.indices, released.codes, new)
    moved, cells, imputations = np.zeros(m), np.zeros((m, 3), dtype=np.int64), np.zeros((m, 2))
    for first in range(0, m, _BLOCK):
        last = min(first + _BLOCK, m)
        _compare(first, last, positions, before, after, moved, cells, imputations)
    unit = 1.0 if grid is None else 10.0**grid.decimals
    changed, imputed, suppressed = (int(number) for number in cells.sum(axis=0))
    total, squares = (float(number) for number in imputations.sum(axis=0))
    mean = total / max(imputed, 1)
    return Distortion(
        total=float(moved.sum() / unit),
        changed=changed,
        filled=imputed,
        erased=suppressed,
        records_touched=int(np.count_nonzero(cells.any(axis=1))),
        records_withheld=n - m,
        ratings=original.n_ratings,
        cells=n * original.n_issues,
        ratings_withheld=original.n_ratings - int(np.diff(original.indptr)[positions].sum()),
        mean_before=_mean(original, old, unit),
        mean_after=_mean(released, new, unit),
        mean_filled=mean / unit if imputed else None,
        sd_filled=float(np.sqrt(max(squares / imputed - mean**2, 0.0))) / unit if imputed else None,
        quasi=_of_quasi(original, released, positions) if original.quasi else None,
    )


@kernel
def _compare(
    first: int,
    last: int,
    positions: NDArray[np.int64],
    old: Ratings,
    new: Ratings,
    moved: NDArray[np.float64],
    cells: NDArray[np.int64],
    imputed: NDArray[np.float64],
) -> None:
    """Compare new records ``first`` <= j < ``last`` with old ones at ``positions[j]``,
    issue by issue.

    Fills ``moved[j]``, the sum of |x - x'| with a null as 0, ``cells[j]``: changed, imputed,
    suppressed, and ``imputed[j]``: the sums of the imputed numbers and of their squares.
    """
    indptr, indices, codes, numbers = old
    new_indptr, new_indices, new_codes, new_numbers = new
    for j in range(first, last):
        a, a_end = indptr[positions[j]], indptr[positions[j] + 1]
        b, b_end = new_indptr[j], new_indptr[j + 1]
        total = 0.0
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and indices[a] < new_indices[b]):
                total += abs(numbers[codes[a]])
                cells[j, 2] += 1
                a += 1
            elif a == a_end or new_indices[b] < indices[a]:
                total += abs(new_numbers[new_codes[b]])
                imputed[j, 0] += new_numbers[new_codes[b]]
                imputed[j, 1] += new_numbers[new_codes[b]] ** 2
                cells[j, 1] += 1
                b += 1
            else:
                difference = abs(numbers[codes[a]] - new_numbers[new_codes[b]])
                if difference != 0.0:
                    total += difference
                    cells[j, 0] += 1
                a += 1
                b += 1
        moved[j] = total


def _of_quasi(
    original: RatingTable, released: RatingTable, positions: NDArray[np.int64]
) -> QuasiDistortion:
    """Compare the quasi-identifiers of a release with those it was made from."""
    cells = withheld = changed = erased = 0
    touched, moved = np.zeros(len(positions), dtype=bool), 0.0
    for before, after in zip(original.quasi, released.quasi, strict=True):
        index: dict[object, int] = {}
        old, new = (
            np.array(
                [*(index.setdefault(value, len(index)) for value in column.values.to_list()), -1]
            )[codes]
            for column, codes in ((before, before.codes[positions]), (after, after.codes))
        )
        gone, other, filled = (
            (old >= 0) & (new < 0),
            (new >= 0) & (new != old),
            (new >= 0) & (old < 0),
        )
        lost = int(np.count_nonzero(gone)) - int(np.count_nonzero(filled))  # an exchange loses none
        if lost < 0:
            raise ParameterError(
                "released", before.name, "nulls of a quasi-identifier that stay null"
            )
        n_known = int(np.count_nonzero(before.codes >= 0))
        cells, withheld = cells + n_known, withheld + n_known - int(np.count_nonzero(old >= 0))
        erased, changed = erased + lost, changed + int(np.count_nonzero(other))
        touched |= gone | other
        moves = other & ~filled
        if moves.any() and before.values.dtype == pl.Float64:
            values = before.values.to_numpy()
            far = np.abs(
                values[before.codes[positions][moves]] - after.values.to_numpy()[after.codes[moves]]
            )
            moved += float(far.sum()) / float(values.max() - values.min() or 1.0)
    return QuasiDistortion(cells, changed, erased, int(np.count_nonzero(touched)), withheld, moved)


def mean_rating(table: RatingTable) -> float | None:
    """Return the mean of all non-sensitive ratings as :func:`distortion_of` has it;
    None without any.
    """
    grid = decimal_grid(table.levels)
    numbers = table.levels if grid is None else grid.numbers.astype(np.float64)
    return _mean(table, numbers, 1.0 if grid is None else 10.0**grid.decimals)


def _mean(table: RatingTable, numbers: NDArray[np.float64], unit: float) -> float | None:
    """Return the mean of all ratings, ``numbers`` float64 (n_levels,) / ``unit``."""
    count = np.zeros(len(numbers), dtype=np.int64)
    for first in range(0, table.n_ratings, _PIECE):
        count += np.bincount(table.codes[first : first + _PIECE], minlength=len(numbers))
    return float(count @ numbers) / table.n_ratings / unit if table.n_ratings else None
