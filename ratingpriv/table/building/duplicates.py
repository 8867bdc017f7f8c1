"""Duplicated (record, issue) pairs: refused by name, or reduced to one rating as the user says."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.table.building.coding import Codes, encode_with_nulls, smallest_code_type
from ratingpriv.table.building.csr import Rows, without
from ratingpriv.table.building.problems import Locate, Problems, repeated_pair

__all__ = ["DUPLICATES", "reduce_runs", "refuse_repeated", "resolve_repeated"]

DUPLICATES = ("refuse", "first", "last", "mean")
"""What to do with a duplicated (record, issue) pair; a mean has the timestamp of the last."""

_BLOCK = 1 << 22


def resolve_repeated(
    rows: Rows,
    again: NDArray[np.int64],
    levels: NDArray[np.float64],
    duplicates: str,
    *,
    ordered: bool = False,
) -> tuple[Rows, NDArray[np.float64]]:
    """Reduce each run of repeats to its first, last or mean; return the rows and their levels.

    ``again`` are the entries that repeat the one before (:func:`csr.repeats`). A code one past the levels
    means "not rated", before and after: a null that comes first or last counts as such; a mean is over the
    ratings. ``Rows.order`` is
    filled in if ``ordered``.
    """
    gone = np.zeros(len(rows.indices), dtype=bool)
    gone[again if duplicates == "first" else again - 1] = True  # otherwise only the last of a run stays
    smaller = without(rows, gone, ordered=ordered)
    if duplicates != "mean":
        return _relevelled(smaller, levels)
    ratings = np.append(levels, 0.0)[rows.codes]
    means, known, _ = reduce_runs(ratings, rows.codes < len(levels), again, "mean")
    new_levels, codes = encode_with_nulls(means, known)
    return dataclasses.replace(smaller, codes=codes), new_levels


def reduce_runs(
    values: NDArray[np.float64], known: NDArray[np.bool_], again: NDArray[np.int64], duplicates: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
    """Reduce runs of repeats to one value each; return values, known, and the first entry of each run."""
    starts = np.setdiff1d(np.arange(len(values)), again, assume_unique=True)
    if len(again) == 0:
        return values, known, starts
    if duplicates == "mean":
        totals = np.add.reduceat(np.where(known, values, 0.0), starts)
        counts = np.add.reduceat(known.astype(np.int64), starts)
        return totals / np.maximum(counts, 1), counts > 0, starts
    chosen = np.append(starts[1:], len(values)) - 1 if duplicates == "last" else starts
    return values[chosen], known[chosen], starts


def refuse_repeated(
    rows: Rows,
    again: NDArray[np.int64],
    records: NDArray[Any],
    issues: NDArray[Any],
    record_ids: pl.Series,
    names: Sequence[str],
    problems: Problems,
    locate: Locate,
) -> None:
    """Note the repeated pairs that come first in the data, with their lines and those of the first ratings.

    ``records`` and ``issues`` are the coordinates that ``rows`` was made of.
    """
    owners = np.searchsorted(rows.indptr, again, side="right") - 1
    keys = np.unique(owners * len(names) + rows.indices[again])
    first: dict[tuple[int, int], int] = {}
    listed = 0
    for at in range(0, len(records), _BLOCK):
        block = records[at : at + _BLOCK].astype(np.int64) * len(names) + issues[at : at + _BLOCK]
        for coordinate in (np.flatnonzero(np.isin(block, keys)) + at).tolist():
            pair = (int(records[coordinate]), int(issues[coordinate]))
            if pair not in first:
                first[pair] = coordinate
            elif listed < problems.limit:
                earlier = locate(first[pair])[1]
                place = locate(coordinate)
                problems.add(repeated_pair(record_ids[pair[0]], names[pair[1]], earlier, place))
                listed += 1
        if listed == problems.limit:
            break
    problems.count(len(again) - listed)


def _relevelled(rows: Rows, levels: NDArray[np.float64]) -> tuple[Rows, NDArray[np.float64]]:
    """Leave out levels that no rating has any more."""
    used = np.bincount(rows.codes, minlength=len(levels) + 1)[: len(levels)] > 0
    if used.all():
        return rows, levels
    renumbered = np.append(np.cumsum(used) - 1, np.count_nonzero(used))
    codes: Codes = renumbered[rows.codes].astype(smallest_code_type(len(levels) + 1))
    return dataclasses.replace(rows, codes=codes), levels[used]
