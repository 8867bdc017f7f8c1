"""What records are compared on: their ratings within ε,
and quasi-identifiers by rules of their own.

The engines compare codes only, and codes of different columns never meet. So a quasi-identifier
becomes one more issue, whose codes lie in a band of their own behind those of the ratings, with a
fixed range of proximate codes that no ε moves; and columns that have to be equal become classes,
where whoever differs is not compared at all.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.data.table.building.coding import factorised, smallest_code_type
from ratingpriv.data.table.parts import EVERY_ISSUE
from ratingpriv.proximity.levels import null_separates, proximate_codes


@dataclass(frozen=True, eq=False)
class ComparisonTable(RatingTable):
    """A table whose quasi-identifiers have become issues or classes.

    What engines compare records on.

    ``levels`` goes on behind the ratings, a number for each value of each such issue: of these only
    the order means anything. ``quasi`` has the columns that are classes (:func:`equal_classes`);
    records of different classes are never proximate. ``sensitive``, ``record_ids`` and ``scale``
    are those of the table.

    Attributes
    ----------
    form : what it is for: "classes" (strict, where a null separates), "codes" (strict, where the
        nulls of ratings do not), "wildcard" or "known"
    n_rated : the issues below are ratings; from there on, quasi-identifiers
    first_fixed : codes from here on are of quasi-identifiers
    low, high : int64 (n_levels - first_fixed,); the range of codes proximate to each of those
    """

    form: str = ""
    n_rated: int = 0
    first_fixed: int = 0
    low: NDArray[np.int64] | None = None
    high: NDArray[np.int64] | None = None


_MADE: weakref.WeakKeyDictionary[RatingTable, dict[str, ComparisonTable]] = (
    weakref.WeakKeyDictionary()
)


def comparison_table(table: RatingTable, epsilon: float, nulls: str) -> RatingTable:
    """Return what the records of ``table`` are compared on.

    The table itself if it has no quasi-identifiers.

    Where a null separates (ε < r), columns that have to be equal are classes, and the nulls of the
    others part records as those of ratings do. Under strict with ε >= r, nulls of ratings separate
    no more and those of quasi-identifiers still do: there each is a code of its own. Under wildcard
    and known, a null of a quasi-identifier is like that of a rating. ValueError where ``table`` was
    made for another of these.
    """
    form = nulls
    if nulls == "strict":
        form = "classes" if null_separates(table.scale, epsilon, nulls) else "codes"
    if isinstance(table, ComparisonTable):
        if table.form != form:
            raise ValueError(f"the table is made to be compared by {table.form}, not by {form}")
        return table
    if not table.quasi:
        return table
    made = _MADE.setdefault(table, {})
    if form not in made:
        made[form] = _made(table, form)
    return made[form]


def with_own_issues(table: RatingTable) -> RatingTable:
    """Return ``table`` with the quasi-identifiers that may differ as issues, behind its own,
    to be moved.
    """
    if all(column.within is None for column in table.quasi) or isinstance(table, ComparisonTable):
        return table
    made = _MADE.setdefault(table, {})
    if "classes" not in made:
        made["classes"] = _made(table, "classes")
    return made["classes"]


def near_codes(table: RatingTable, epsilon: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each code c the range lo[c]..hi[c] of codes that are proximate to it,
    as int64 (n_levels,).

    ``table`` is what :func:`comparison_table` returns; ValueError where its quasi-identifiers would
    be ignored.
    """
    if not isinstance(table, ComparisonTable) or table.low is None or table.high is None:
        if table.quasi:
            raise ValueError("the table has quasi-identifiers: compare its comparison_table()")
        return proximate_codes(table.levels, epsilon)
    lo, hi = proximate_codes(table.levels[: table.first_fixed], epsilon)
    return np.concatenate((lo, table.low)), np.concatenate((hi, table.high))


def allowed_codes(column: QuasiColumn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each code of a column the range lo..hi of codes that its rule allows beside it,
    as int64.
    """
    if column.within is None:
        alone = np.arange(len(column.values), dtype=np.int64)
        return alone, alone
    return proximate_codes(column.values.to_numpy(), column.within)


def equal_classes(columns: Sequence[QuasiColumn]) -> NDArray[np.int64] | None:
    """Return the class of each record: its values on the columns that have to be equal,
    a null being one.

    Classes are 0..count-1 by first record; None where no column has to be equal.
    """
    classes: NDArray[np.int64] | None = None
    for column in columns:
        if column.within is not None:
            continue
        codes = column.codes.astype(np.int64) + 1
        if classes is not None:
            codes += classes * (len(column.values) + 1)
        classes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return None if classes is None else numbered_by_first(classes)[0]


def numbered_by_first(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return numbers 0..count-1 by the first record of each key, int64 (n_records,),
    and the count.
    """
    places, distinct = factorised(pl.Series(keys))
    return places.astype(np.int64), len(distinct)


def _made(table: RatingTable, form: str) -> ComparisonTable:
    """Make issues of the quasi-identifiers of ``table``.

    Of those that have to be equal, unless classes.
    """
    classes = (
        tuple(column for column in table.quasi if column.within is None)
        if form == "classes"
        else ()
    )
    columns = [column for column in table.quasi if column not in classes]
    levels, lows, highs, codes = table.levels, [], [], []
    first = len(levels)
    for column in columns:
        lo, hi = allowed_codes(column)
        own = column.codes.astype(np.int64)
        if form == "codes":  # a null is a value that only a null equals
            own = np.where(own < 0, len(lo), own)
            lo, hi = np.append(lo, len(lo)), np.append(hi, len(hi))
        lows.append(lo + first)
        highs.append(hi + first)
        codes.append(np.where(own < 0, -1, own + first))
        first += len(lo)
    if columns:
        last = float(levels[-1]) if len(levels) else 0.0
        step = max(1.0, 2.0 * float(np.spacing(abs(last))))
        levels = np.concatenate((levels, last + step * np.arange(1, first - len(levels) + 1)))
    parts = {"indices": EVERY_ISSUE, **vars(table)}
    parts.update(
        issues=(*table.issues, *(column.name for column in columns)),
        levels=levels,
        timestamps=None,
        quasi=classes,
        carried=(),
    )
    if columns:
        parts.update(_with_issues(table, codes, first))
    none = np.empty(0, dtype=np.int64)
    return ComparisonTable(
        **parts,
        form=form,
        n_rated=table.n_issues,
        first_fixed=len(table.levels),
        low=np.concatenate([none, *lows]),
        high=np.concatenate([none, *highs]),
    )


def _with_issues(
    table: RatingTable, codes: Sequence[NDArray[np.int64]], n_levels: int
) -> dict[str, NDArray[Any]]:
    """Return indptr, indices and codes of ``table`` with more issues behind its own;
    -1 where null.
    """
    n, p, width = table.n_records, table.n_issues, np.diff(table.indptr)
    present = np.array([column_codes >= 0 for column_codes in codes], dtype=bool).reshape(
        len(codes), n
    )
    indptr = np.concatenate(([0], np.cumsum(width + present.sum(axis=0)))).astype(np.int64)
    indices = np.empty(int(indptr[-1]), dtype=np.int32)
    merged = np.empty(len(indices), dtype=smallest_code_type(n_levels))
    slots = np.arange(table.n_ratings) + np.repeat(indptr[:-1] - table.indptr[:-1], width)
    indices[slots], merged[slots] = table.indices, table.codes
    slots_from = indptr[:-1] + width
    for number, column_codes in enumerate(codes):
        here = np.flatnonzero(present[number])
        indices[slots_from[here]], merged[slots_from[here]] = p + number, column_codes[here]
        slots_from = slots_from + present[number]
    return {"indptr": indptr, "indices": indices, "codes": merged}
