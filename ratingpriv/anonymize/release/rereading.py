"""Is what was read back what was to be written? Tables compared by ids and names, not by positions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import attribute_columns

__all__ = ["difference"]

_ENTRIES = 1 << 22  # ratings compared together


def difference(meant: RatingTable, found: RatingTable, *, by_position: bool = False) -> str | None:
    """Return the first way in which ``found`` is not ``meant``, in words; None if they hold the same.

    Records are matched by id (as text: a text file knows no other), or ``by_position`` where the file has no
    ids; issues by name. Their order, the types of ids and levels that no rating has do not count.
    """
    if meant.n_records != found.n_records:
        return f"{found.n_records:,} records instead of {meant.n_records:,}"
    names = [sorted([*table.issues, *_sensitive(table)]) for table in (meant, found)]
    if names[0] != names[1] or set(_sensitive(meant)) != set(_sensitive(found)):
        return "other issues"
    if _rules(meant) != _rules(found):
        return "other quasi-identifiers, nominal or carried columns"
    if meant.n_ratings and _ends(meant) != _ends(found):  # without a rating there is nothing to be far from
        return "another scale"
    if (meant.timestamps is None) != (found.timestamps is None):
        return "no timestamps" if found.timestamps is None else "timestamps"
    records = np.arange(meant.n_records) if by_position else _matched(meant.record_ids, found.record_ids)
    if records is None:
        return "other record ids"
    different = _other_ratings(meant, found, records)
    if different is not None:
        return different
    beside, read = attribute_columns(meant), attribute_columns(found)
    for name, column in beside.items():
        if not _same_values(column.gather(records), read[name]):
            return f"other values of {name!r}"
    for name in [name for name in _sensitive(meant) if name not in beside]:
        one, other = meant.sensitive_column(name), found.sensitive_column(name)
        if not np.array_equal(one.present[records], other.present) or not np.array_equal(
            one.values[records][other.present], other.values[other.present]
        ):
            return f"other ratings of {name!r}"
    return None


def _other_ratings(meant: RatingTable, found: RatingTable, records: NDArray[np.int64]) -> str | None:
    """Compare the ratings, and their timestamps, a block of the records of ``meant`` after the other."""
    place = {name: number for number, name in enumerate(meant.issues)}
    issues = np.array([place[name] for name in found.issues], dtype=np.int64)
    at = np.empty(meant.n_records, dtype=np.int64)
    at[records] = np.arange(meant.n_records)  # the position in ``found`` of each record of ``meant``
    widths = np.diff(found.indptr)[at]
    if not np.array_equal(widths, np.diff(meant.indptr)):
        return "ratings of other records or issues"
    width = max(1, meant.n_issues)
    times = None if meant.timestamps is None else _physical(meant.timestamps)
    read = None if found.timestamps is None else _physical(found.timestamps)
    for first, last in _blocks(meant.indptr):
        mine = slice(int(meant.indptr[first]), int(meant.indptr[last]))
        own = np.repeat(np.arange(last - first), widths[first:last]) * width
        starts = np.repeat(
            found.indptr[at[first:last]] - (meant.indptr[first:last] - mine.start), widths[first:last]
        )
        entries = starts + np.arange(mine.stop - mine.start)
        keys = own + issues[found.indices[entries]]
        order = np.argsort(keys, kind="stable")
        if not np.array_equal(keys[order], own + meant.indices[mine]):
            return "ratings of other records or issues"
        entries = entries[order]
        if not np.array_equal(found.levels[found.codes[entries]], meant.levels[meant.codes[mine]]):
            return "other ratings"
        if times is not None and read is not None and not read.gather(entries).eq_missing(times[mine]).all():
            return "other timestamps"
    return None


def _blocks(indptr: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of records that have some millions of ratings together."""
    first, records = 0, len(indptr) - 1
    while first < records:
        last = int(np.searchsorted(indptr, indptr[first] + _ENTRIES, side="right")) - 1
        yield first, min(max(last, first + 1), records)
        first = max(last, first + 1)


def _rules(table: RatingTable) -> tuple[object, ...]:
    """Return what decides how columns beside the ratings are counted."""
    return (
        {column.name: column.within for column in table.quasi},
        {column.name for column in table.sensitive if column.nominal},
        {column.name for column in table.carried},
    )


def _same_values(meant: pl.Series, found: pl.Series) -> bool:
    """Whether two columns hold the same, and tell records apart in the same way.

    Texts that all spell numbers come back as numbers: they may, if 1 and 01 were not two texts.
    """
    if not (meant.is_null() == found.is_null()).all():
        return False
    if meant.dtype != found.dtype:
        if meant.n_unique() != found.n_unique():
            return False
        kind = pl.Float64 if pl.Float64 in (meant.dtype, found.dtype) else pl.String
        meant, found = meant.cast(kind, strict=False), found.cast(kind, strict=False)
    return bool(meant.eq_missing(found).all())  # a text that is no number is null by now, and no number is


def _ends(table: RatingTable) -> tuple[float, float] | None:
    return None if table.scale is None else (table.scale.minimum, table.scale.maximum)


def _sensitive(table: RatingTable) -> list[str]:
    return [column.name for column in table.sensitive]


def _matched(meant: pl.Series, found: pl.Series) -> NDArray[np.int64] | None:
    """Return the position in ``meant`` of each of ``found``; None unless each is there once."""
    wanted = pl.DataFrame({"id": found.cast(pl.String)})
    known = pl.DataFrame({"id": meant.cast(pl.String), "position": np.arange(len(meant))})
    positions = wanted.join(known, on="id", how="left", maintain_order="left")["position"]
    matched: NDArray[np.int64] = positions.fill_null(-1).to_numpy().astype(np.int64)
    return matched if np.array_equal(np.sort(matched), np.arange(len(meant))) else None


def _physical(times: pl.Series) -> pl.Series:
    """Return timestamps as microseconds, days or seconds, whatever the width of their type."""
    if isinstance(times.dtype, pl.Datetime):
        return times.dt.cast_time_unit("us").to_physical()
    return times.to_physical().cast(pl.Float64 if times.dtype.is_float() else pl.Int64)
