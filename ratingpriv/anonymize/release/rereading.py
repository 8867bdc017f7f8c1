"""Is what was read back what was to be written? Tables compared by ids and names, not by positions."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import attribute_columns

_ENTRIES = 1 << 22  # ratings compared together, about
_PARTS = ("ratings of other records or issues", "other ratings", "other timestamps")


def difference(meant: RatingTable, read: RatingTable, *, by_position: bool = False) -> str | None:
    """Return the first way in which ``read`` is not ``meant``, in words; None if they hold the same.

    Records are matched by id (as text: a text file knows no other), or ``by_position`` where the file has no
    ids; issues by name. Their order, the types of ids and levels that no rating has do not count.
    """
    if meant.n_records != read.n_records:
        return f"{read.n_records:,} records instead of {meant.n_records:,}"
    if _names(meant) != _names(read):
        return "other issues"
    if _rules(meant) != _rules(read):
        return "other quasi-identifiers, nominal or carried columns"
    if meant.n_ratings and _ends(meant) != _ends(read):  # without a rating there is nothing to be far from
        return "another scale"
    if (meant.timestamps is None) != (read.timestamps is None):
        return "no timestamps" if read.timestamps is None else "timestamps"
    order = np.arange(meant.n_records) if by_position else _places(meant.record_ids, read.record_ids)
    if order is None:
        return "other record ids"
    columns = _columns(read)
    for name, values in _columns(meant).items():
        if not _same_values(values, columns[name].gather(order)):
            return f"other values of {name!r}"
    for records in np.array_split(np.arange(meant.n_records), meant.n_ratings // _ENTRIES + 1):
        parts = _ratings(meant, records, meant.issues), _ratings(read, order[records], meant.issues)
        for what, before, after in zip(_PARTS, *parts, strict=True):
            if len(before) != len(after) or not before.eq_missing(after).all():
                return what
    return None


def _ratings(
    table: RatingTable, records: NDArray[np.int64], issues: tuple[str, ...]
) -> tuple[pl.Series, pl.Series, pl.Series]:
    """Return the ratings of these records, by record and ``issues``: of which each is, what, and when."""
    part, number = table.take(records), {name: position for position, name in enumerate(issues)}
    issue = np.array([number[name] for name in table.issues], dtype=np.int64)[part.indices]
    cells = np.repeat(np.arange(part.n_records), np.diff(part.indptr)) * len(issues) + issue
    order = np.argsort(cells, kind="stable")
    times = pl.Series([]) if part.timestamps is None else _physical(part.timestamps).gather(order)
    return pl.Series(cells[order]), pl.Series(part.values[order]), times


def _columns(table: RatingTable) -> dict[str, pl.Series]:
    """Return all columns beside the ratings, null where there is no value."""
    numbers = {
        column.name: pl.Series(column.values).set(pl.Series(~column.present), None)
        for column in table.sensitive
        if not column.nominal
    }
    return attribute_columns(table) | numbers


def _names(table: RatingTable) -> tuple[object, ...]:
    return {*table.issues}, {column.name for column in table.sensitive}


def _rules(table: RatingTable) -> tuple[object, ...]:
    """Return what decides how columns beside the ratings are counted."""
    return (
        {column.name: column.within for column in table.quasi},
        {column.name for column in table.sensitive if column.nominal},
        {column.name for column in table.carried},
    )


def _same_values(meant: pl.Series, read: pl.Series) -> bool:
    """Whether two columns hold the same, and tell records apart in the same way.

    Texts that all spell numbers come back as numbers: they may, if 1 and 01 were not two texts.
    """
    if not (meant.is_null() == read.is_null()).all():
        return False
    if meant.dtype != read.dtype:
        if meant.n_unique() != read.n_unique():
            return False
        kind = pl.Float64 if pl.Float64 in (meant.dtype, read.dtype) else pl.String
        meant, read = meant.cast(kind, strict=False), read.cast(kind, strict=False)
    return bool(meant.eq_missing(read).all())  # a text that is no number is null by now, and no number is


def _ends(table: RatingTable) -> tuple[float, float] | None:
    return None if table.scale is None else (table.scale.minimum, table.scale.maximum)


def _places(meant: pl.Series, found: pl.Series) -> NDArray[np.int64] | None:
    """Return where each of ``meant`` is in ``found``, as texts; None unless each is there once."""
    known = pl.DataFrame({"id": found.cast(pl.String), "place": np.arange(len(found))})
    wanted = pl.DataFrame({"id": meant.cast(pl.String)})
    places = wanted.join(known, on="id", how="left", maintain_order="left")["place"]
    matched: NDArray[np.int64] = places.fill_null(-1).to_numpy().astype(np.int64)
    return matched if np.array_equal(np.sort(matched), np.arange(len(found))) else None


def _physical(times: pl.Series) -> pl.Series:
    """Return timestamps as microseconds, days or seconds, whatever the width of their type."""
    if isinstance(times.dtype, pl.Datetime):
        return times.dt.cast_time_unit("us").to_physical()
    return times.to_physical().cast(pl.Float64 if times.dtype.is_float() else pl.Int64)
