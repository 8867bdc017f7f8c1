"""Distortion: how far a release is from its original, in the papers' metric and in cells."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.distortion import _measure as kernels
from ratingpriv.errors import ParameterError
from ratingpriv.proximity.levels import decimal_grid
from ratingpriv.table import RatingTable

__all__ = ["Distortion", "distortion_of"]

_BLOCK = 1 << 16  # records compared between two looks at Ctrl-C


@dataclass(frozen=True, slots=True)
class Distortion:
    """How far a release is from its original; the attributes are named like the keys of the manifest.

    Attributes
    ----------
    total : Σ |x - x'| over the released records and all issues, a null counted as 0 [SWLP10, Def. 5-6]
    changed : cells whose rating is another one now
    filled : imputed cells: they were null and have a rating now
    erased : suppressed cells: they had a rating and are null now
    records_touched : released records with at least one such cell
    records_withheld : suppressed records: the release leaves them out, ``total`` does not count them
    ratings : ratings of the original, suppressed records included
    cells : records of the original times issues
    """

    total: float
    changed: int
    filled: int
    erased: int
    records_touched: int
    records_withheld: int
    ratings: int
    cells: int

    @property
    def cells_touched(self) -> int:
        """Cells changed, imputed or suppressed."""
        return self.changed + self.filled + self.erased

    def to_dict(self) -> dict[str, int | float]:
        """Return the attributes by name."""
        return asdict(self)


def distortion_of(original: RatingTable, released: RatingTable, kept: NDArray[np.int64]) -> Distortion:
    """Compare a release with the table it was made from.

    Implements [SWLP10, Def. 5-6]. Exact where the ratings of both lie on a decimal grid.

    Parameters
    ----------
    original : n records
    released : m records on the same issues
    kept : int64 (m,); the position in ``original`` of each released record

    Raises
    ------
    ParameterError
        The issues differ, or ``kept`` does not name m distinct records.
    """
    kept = np.asarray(kept, dtype=np.int64)
    if released.issues != original.issues:
        raise ParameterError("released", len(released.issues), "a table with the original's issues")
    n, m = original.n_records, released.n_records
    if kept.shape != (m,) or len(np.unique(kept)) != m or (m and not 0 <= kept.min() <= kept.max() < n):
        raise ParameterError("kept", kept.tolist()[:5], f"{m} distinct positions from 0 to {n - 1}")
    both = np.concatenate((original.levels, released.levels))
    grid = decimal_grid(both)
    numbers = both if grid is None else grid.numbers.astype(np.float64)
    old, new = numbers[: len(original.levels)].copy(), numbers[len(original.levels) :].copy()
    moved, cells = np.zeros(m), np.zeros((m, 3), dtype=np.int64)
    for first in range(0, m, _BLOCK):
        kernels.compare(
            first, min(first + _BLOCK, m), kept,
            original.indptr, original.indices, original.codes, old,
            released.indptr, released.indices, released.codes, new, moved, cells,
        )  # fmt: skip
    unit = 1.0 if grid is None else 10.0**grid.decimals
    changed, imputed, suppressed = (int(number) for number in cells.sum(axis=0))
    return Distortion(
        total=float(moved.sum() / unit),
        changed=changed,
        filled=imputed,
        erased=suppressed,
        records_touched=int(np.count_nonzero(cells.any(axis=1))),
        records_withheld=n - m,
        ratings=original.n_ratings,
        cells=n * original.n_issues,
    )
