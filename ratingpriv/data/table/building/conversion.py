"""Tables from data frames and back, without loss: polars, pandas and arrow.

Frames of another kind are first turned into polars, column by column; the same kind comes back out.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.extras import arrow
from ratingpriv.base.numbers import LARGEST
from ratingpriv.data.table.building.coding import factorised, normal_ids, rows_from_coordinates
from ratingpriv.data.table.building.columns import numbers_of, parts_from_columns
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.finishing import Handling, fresh_name, issue_roles
from ratingpriv.data.table.building.problems import (
    Locate,
    Place,
    Problems,
    listed_names,
    missing_column,
    nested_cells,
    no_rows,
    unaccounted,
)
from ratingpriv.data.table.building.spelling import shared
from ratingpriv.data.table.parts import Origin, Parts

_KINDS = ("polars", "pandas", "arrow")
_BLOCK = 1 << 21  # ratings whose rows are in memory together


class Frame:
    """A data frame of any supported kind (``kind``: polars, pandas or arrow),
    read column by column.

    ``name`` is how messages call it, ``names`` are those of its columns, as texts.
    """

    def __init__(self, df: Any, name: str) -> None:
        self.name = name
        self.kind, self._df = _recognised(df)
        labels = self._df.column_names if self.kind == "arrow" else self._df.columns
        self.names = [str(label) for label in labels]
        for column in (column for column, times in Counter(self.names).items() if times > 1):
            actual, remedy = (
                f"two columns called {shown_name(column)}",
                "rename or drop one of the two",
            )
            raise DataError(Problem(name, actual, "every column once", remedy, column=column))
        if not self.names:
            raise DataError(Problem(name, "no columns", "columns with ratings"))

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._df)

    @property
    def said(self) -> Mapping[str, Any]:
        """What pandas keeps beside the columns (``df.attrs``); mappings by column only."""
        attrs = getattr(self._df, "attrs", None) if self.kind == "pandas" else None
        return {name: value for name, value in (attrs or {}).items() if isinstance(value, Mapping)}

    def index(self) -> pl.Series | None:
        """Return pandas' index where it says more than the number of the row:
        called by its name, or "".
        """
        if self.kind != "pandas":
            return None
        import pandas as pd

        index = self._df.index
        numbered = isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
        if numbered and index.name is None:
            return None
        if isinstance(index, pd.MultiIndex):
            levels, remedy = (
                "an index of several levels",
                "turn it into columns with `df.reset_index()`",
            )
            raise DataError(Problem(self.name, levels, "an index of one level, or none", remedy))
        values = _converted(pd.Series(index))
        if values is None:
            actual, remedy = (
                "an index of several types",
                "turn it into a column with `df.reset_index()`",
            )
            raise DataError(Problem(self.name, actual, "record ids", remedy))
        return values.alias("" if index.name is None else str(index.name))

    def column(self, name: str, problems: Problems) -> pl.Series:
        """Return a column as polars; notes a problem where its cells are of several types."""
        index = self.names.index(name)
        series: pl.Series | None
        if self.kind == "polars":
            series = self._df.to_series(index)
        else:
            series = _converted(
                self._df.iloc[:, index] if self.kind == "pandas" else self._df.column(index)
            )
        if series is None:
            actual = "cells of several types, or of one that is no number"
            remedy = "turn the column into numbers, or drop it with `drop`"
            problems.add(Problem(self.name, actual, "numbers or null", remedy, column=name))
        elif series.dtype.is_nested() or series.dtype == pl.Object:
            problems.add(nested_cells(self.name, name))
        else:
            return series.alias(name)
        return pl.Series(name, [], dtype=pl.Null)

    def categories(self, name: str, *, ordered: bool = False) -> list[Any] | None:
        """Return the categories of a column, in order,
        if it is a categorical that has one of its own.

        ``ordered`` : only of one that is ordered by its own word
        """
        position = self.names.index(name)
        if self.kind == "polars":
            kind = self._df.dtypes[position]
            return kind.categories.to_list() if isinstance(kind, pl.Enum) else None
        if self.kind == "pandas":
            series = self._df.iloc[:, position]
            if series.dtype.name != "category" or (ordered and not series.cat.ordered):
                return None
            return list(series.cat.categories)
        pa = arrow("arrow tables", parameter="df")
        column = self._df.column(position)
        if not pa.types.is_dictionary(column.type) or (ordered and not column.type.ordered):
            return None
        unified = column.unify_dictionaries()
        labels = unified.chunk(0).dictionary.to_pylist() if unified.num_chunks else []
        return [label for label in labels if label is not None]


def _converted(column: Any) -> pl.Series | None:
    """Return a column of pandas or arrow as polars; None where its cells are of several types."""
    pa = arrow("frames of pandas", extra="pandas", parameter="df")
    try:
        if isinstance(column, pa.ChunkedArray):
            return pl.Series(column)
        return pl.Series(pl.from_pandas(column, nan_to_null=True))
    # Decimal("sNaN"), int too large
    except (pa.ArrowException, TypeError, ValueError, ArithmeticError):
        return None


def _recognised(df: Any) -> tuple[str, Any]:
    if isinstance(df, pl.DataFrame | pl.LazyFrame):
        return "polars", df.lazy().collect()
    # Whoever passes an object of pandas has imported the module; others should not pay for
    # importing it.
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(df, pandas.DataFrame):
        return "pandas", df
    if hasattr(df, "__arrow_c_stream__") or hasattr(df, "__arrow_c_array__"):
        pa = arrow("arrow tables", parameter="df")
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError):  # an array, or a Series
            return "arrow", pa.table(df)
    raise ParameterError("df", type(df).__name__, "a polars, pandas or arrow table")


def from_wide(df: Any, handling: Handling, *, record: str | None, name: str) -> Parts:
    """Build a table from one row a record; see :meth:`RatingTable.from_wide`."""
    frame = Frame(df, name)
    if record is not None:
        if checks.text("id", record) not in frame.names:
            raise DataError(missing_column(record, "the record ids", frame.names, name))
        if record in handling.sensitive or record in handling.drop:
            raise ParameterError("id", record, "a column that is neither sensitive nor dropped")
    names = [column for column in frame.names if column != record]
    if not names:
        raise DataError(Problem(name, "no columns with ratings", "at least one item"))
    issue_roles(names, handling.sensitive, handling.drop, name)  # refuses names that are not there
    problems = Problems()
    columns = [frame.column(column, problems) for column in names if column not in handling.drop]
    dropped = [frame.column(column, Problems()) for column in names if column in handling.drop]
    ids = None if record is None else frame.column(record, problems)
    problems.raise_if_any()
    record_name = record if record is not None else fresh_name("record", names)
    origin = Origin(
        name=name, layout="wide", record_name=record_name, details={"frame": frame.kind}
    )
    parts = parts_from_columns(columns, handling, record_ids=ids, origin=origin)
    return parts.replace(origin=parts.origin.repeating(*(shared(one.name, one) for one in dropped)))


def _others(frame: Frame, columns: Mapping[str, str], handling: Handling, name: str) -> list[str]:
    """Return the columns that have no role, which are all dropped.

    Refuse any other, and missing ones.
    """
    if missing := [role for role, column in columns.items() if column not in frame.names]:
        raise DataError(
            [missing_column(columns[role], f"the {role}s", frame.names, name) for role in missing]
        )
    if len(set(columns.values())) < len(columns):
        raise ParameterError(
            "from_long", list(columns.values()), "a different column for each role"
        )
    others = [column for column in frame.names if column not in columns.values()]
    if unsaid := [column for column in others if column not in handling.drop]:
        raise DataError(unaccounted(unsaid, name, record="record"))
    return others


def from_long(
    df: Any,
    columns: Mapping[str, str],
    handling: Handling,
    *,
    name: str,
    locate: Locate | None = None,
) -> Parts:
    """Build a table from one row a rating; see :meth:`RatingTable.from_long`.

    ``columns`` are the names of those of its columns "record", "issue", "rating" and, if there is
    one, "timestamp". ``locate`` says where a row stands; None: it is counted from 1.
    """
    frame = Frame(df, name)
    others = _others(frame, columns, handling, name)
    problems = Problems()
    read = {role: frame.column(column, problems) for role, column in columns.items()}
    problems.raise_if_any()
    if len(read["record"]) == 0:
        raise DataError(no_rows(name))

    def cell(row: int, column: str) -> Place:
        return Place(name, row + 1, column)

    ids = normal_ids(
        read["record"], problems, lambda row: cell(row, columns["record"]), unique=False
    )
    numbers = numbers_of(read["rating"], problems, cell)
    values, rated = (np.zeros(len(ids)), None) if numbers is None else numbers
    rated = None if rated is None or rated.all() else rated
    categories = frame.categories(columns["issue"])
    issues, issue_names = _issue_positions(read["issue"], categories, rated, problems, name)
    if problems:  # without ids, ratings or issues nothing more can be checked
        raise problems.error()
    records, record_ids = factorised(ids)
    if not issue_names:
        raise DataError(Problem(name, "no item", "at least one column of non-sensitive ratings"))
    rows = np.flatnonzero(issues >= 0)  # others only say that a record exists
    dropped = [frame.column(column, Problems()) for column in others]
    names = list(columns.values())
    parts = parts_from_coordinates(
        Coordinates(
            records[rows],
            issues[rows],
            values[rows],
            locate or (lambda row: cell(row, columns["rating"])),
            None if rated is None else rated[rows],
            rows,
        ),
        handling,
        record_ids=record_ids,
        issue_names=issue_names,
        origin=Origin(
            name=name,
            layout="long",
            record_name=columns["record"],
            issue_name=columns["issue"],
            rating_name=columns["rating"],
            timestamp_name=columns.get("timestamp") or fresh_name("timestamp", names),
            details={"frame": frame.kind},
        ),
        dropped_columns=others,
        timestamps=read.get("timestamp"),
    )
    owners = pl.Series(records)
    shared_ids = (shared(one.name, one, owners) for one in dropped if len(one) == len(owners))
    return parts.replace(origin=parts.origin.repeating(*shared_ids))


def _issue_positions(
    issues: pl.Series,
    categories: list[Any] | None,
    rated: NDArray[np.bool_] | None,
    problems: Problems,
    name: str,
) -> tuple[NDArray[np.int32], list[str]]:
    """Return (positions, -1 where null; names).

    A row may lack an issue only if it lacks a rating as well.
    """
    null = issues.is_null().to_numpy()
    problems.at(
        np.flatnonzero(null if rated is None else null & rated),
        lambda row: Problem(
            name, "a rating without an item", "an item in every row", "", row + 1, issues.name
        ),
    )
    text = issues.cast(pl.String, strict=False)
    names = list(
        dict.fromkeys([*map(str, categories or ()), *text.drop_nulls().unique(maintain_order=True)])
    )
    positions = text.cast(pl.Enum(names)).to_physical().cast(pl.Int32).fill_null(-1)
    return positions.to_numpy(), names


def wide_frame(table: Parts, kind: str | None = None) -> Any:
    """Return one row a record, one column an issue; see :meth:`RatingTable.to_wide`."""
    n, p = table.n_records, table.n_issues
    # By issue: the ratings in the order of (issue, record), a stable counting of the transposed
    # coordinates.
    owners = np.repeat(np.arange(n, dtype=np.int32), np.diff(table.indptr))
    columns = rows_from_coordinates(table.indices, owners, table.codes, p)
    sensitive = {column.name: column for column in table.sensitive}
    position = {name: place for place, name in enumerate(table.issues)}
    attributes = attribute_columns(table)
    record_name = fresh_name(table.origin.record_name, full_order(table))
    frame = [table.record_ids.alias(record_name)]
    for name in full_order(table):
        if name in attributes:
            frame.append(attributes[name])
            continue
        values, present = np.zeros(n), np.zeros(n, dtype=bool)
        if name in sensitive:
            values, present = sensitive[name].values, sensitive[name].present
        else:
            entries = slice(
                int(columns.indptr[position[name]]), int(columns.indptr[position[name] + 1])
            )
            owner = columns.indices[entries]
            values[owner] = table.levels[columns.codes[entries]]
            present[owner] = True
        series = pl.Series(name, values.astype(np.int64) if _whole(values) else values)
        frame.append(series if present.all() else series.set(~pl.Series(present), None))
    return _as_kind(table, pl.DataFrame(frame), kind)


def long_frame(table: Parts, kind: str | None = None) -> Any:
    """Return one row a rating; see :meth:`RatingTable.to_long`.

    The issue column is an Enum (pandas, arrow: an ordered categorical or dictionary) whose
    categories are all issues in order. Ratings of sensitive issues have a null timestamp: the table
    keeps none for them.
    """
    if attributes := attribute_columns(table):
        actual = f"a table with columns that are no ratings ({listed_names(list(attributes))})"
        raise ParameterError(
            "to_long", actual, "only ratings, as a row has no place for more", "use to_wide"
        )
    rows = LongRows(table, full_order(table), listed=True)
    names: list[str] = []
    origin = table.origin
    for wanted in (
        origin.record_name,
        origin.issue_name,
        origin.rating_name,
        origin.timestamp_name,
    ):
        names.append(fresh_name(wanted, names))
    order = rows.names
    issues = pl.Series(order, dtype=pl.Enum(order)) if order else pl.Series([None], dtype=pl.String)
    integers = _whole(rows.levels)
    levels = rows.levels.astype(np.int64) if integers else rows.levels
    ratings = pl.concat(
        [pl.Series(levels), pl.Series([None], dtype=pl.Int64 if integers else pl.Float64)]
    )
    frame = pl.concat(
        [
            pl.DataFrame([series.alias(name) for series, name in zip(block, names, strict=False)])
            for _, block in rows.columns(table.record_ids, issues, ratings)
        ]
    )
    # of the levels, those that are used
    if not integers and _whole(frame[names[2]].drop_nulls().to_numpy()):
        frame = frame.cast({names[2]: pl.Int64})
    return _as_kind(table, frame, kind)


class LongRows:
    """A table as rows, one a rating: what every long layout is written from.

    Nothing is lost in them.

    A record that rates nothing, and an issue that nobody rates, each have a row without a rating,
    for else nobody would know of them; the issue has none where issues are ``listed``. Sensitive
    ratings are rows like the others, without timestamps.

    Attributes
    ----------
    names : the issues, sensitive ones included, in the order in which a record has them
    levels : float64; every rating there is
    gaps : whether some row has no rating
    """

    def __init__(self, table: Parts, names: list[str], *, listed: bool = False) -> None:
        self._table, self.names = table, names
        positions = {name: number for number, name in enumerate(self.names)}
        self._place = np.array([positions[name] for name in table.issues], dtype=np.int32)
        levels, seen = [table.levels], len(table.levels)
        rates = np.diff(table.indptr) > 0
        rated = np.full(len(self.names), listed)
        if not listed:
            answered = np.zeros(table.n_issues, dtype=bool)
            answered[table.indices] = True
            rated[self._place[answered]] = True
        # rows of no rating of the table: record, name, level
        more: list[tuple[NDArray[np.int64], ...]] = []
        for column in table.sensitive:
            rows, position = np.flatnonzero(column.present), positions[column.name]
            distinct, codes = np.unique(column.values[rows], return_inverse=True)
            more.append((rows, np.full(len(rows), position), codes.astype(np.int64) + seen))
            levels.append(distinct)
            seen += len(distinct)
            rates |= column.present
            rated[position] |= len(rows) > 0
        self.levels = np.concatenate(levels)
        unrated, silent = np.flatnonzero(~rated), np.flatnonzero(~rates)
        if len(unrated) and len(silent) and silent[0] == 0:
            silent = silent[1:]  # the first record has rows already: those of the unrated issues
        self.gaps = bool(len(unrated) or len(silent))
        more.append((silent, np.zeros_like(silent), np.full(len(silent), -1)))
        more.append((np.zeros_like(unrated), unrated, np.full(len(unrated), -1)))
        joined = [np.concatenate(part) for part in zip(*more, strict=True)]
        self._more = [part[np.argsort(joined[0], kind="stable")] for part in joined]

    def columns(
        self, ids: pl.Series, issues: pl.Series, ratings: pl.Series
    ) -> Iterator[tuple[int, list[pl.Series]]]:
        """Give the rows, block by block: how many records they reach to, and their columns.

        In the order of records and, within a record, of issues. ``ids`` are those of the records,
        ``issues`` of ``names``, ``ratings`` of ``levels`` and, as the last, of what is not rated;
        the timestamps stand behind them, if there are any.
        """
        table, first = self._table, 0
        times = table.timestamps
        if times is not None:
            times = pl.concat([times, pl.Series([None], dtype=times.dtype)])
        while first < table.n_records:
            last = (
                int(np.searchsorted(table.indptr, table.indptr[first] + _BLOCK, side="right")) - 1
            )
            last = min(max(last, first + 1), first + _BLOCK, table.n_records)
            records, names, codes, entries = self._rows(first, last)
            if codes.dtype.kind == "i":
                codes = codes % len(ratings)  # -1 is the last
            block = [ids.gather(records), issues.gather(names), ratings.gather(codes)]
            if times is not None:
                block.append(times.gather(entries % len(times)))
            yield last, block
            first = last

    def _rows(self, first: int, last: int) -> list[NDArray[Any]]:
        """Return positions of records, of ``names``, of ``levels`` and of timestamps;
        -1 is none.
        """
        table = self._table
        here = slice(int(table.indptr[first]), int(table.indptr[last]))
        owners = np.repeat(np.arange(first, last), np.diff(table.indptr[first : last + 1]))
        columns: list[NDArray[Any]] = [owners, self._place[table.indices[here]], table.codes[here]]
        columns.append(np.arange(here.start, here.stop))
        some = slice(*np.searchsorted(self._more[0], (first, last)).tolist())
        if some.start == some.stop and bool(np.all(np.diff(self._place) > 0)):
            return columns
        more = [*(part[some] for part in self._more), np.full(some.stop - some.start, -1)]
        columns = [np.concatenate(parts) for parts in zip(columns, more, strict=True)]
        order = np.argsort(columns[0] * len(self.names) + columns[1], kind="stable")
        return [column[order] for column in columns]


def attribute_columns(table: Parts) -> dict[str, pl.Series]:
    """Return the columns whose values are no numbers on a scale, a Series (n_records,) by name,
    as they are.

    Quasi-identifiers (String or Float64, recoded where they were), nominal sensitive ones (String)
    and carried ones; null where there is none.
    """
    columns: dict[str, pl.Series] = {}
    for column in table.sensitive:
        if column.labels is not None:
            labels = pl.Series([*column.labels, None], dtype=pl.String)
            codes = np.where(column.present, column.values, len(column.labels)).astype(np.int64)
            columns[column.name] = labels.gather(codes).alias(column.name)
    for quasi in table.quasi:
        values = pl.concat([quasi.values, pl.Series([None], dtype=quasi.values.dtype)])
        codes = np.where(quasi.codes < 0, len(quasi.values), quasi.codes)
        columns[quasi.name] = values.gather(codes).alias(quasi.name)
    return columns | {column.name: column for column in table.carried}


def full_order(table: Parts) -> list[str]:
    """Names of all columns but the ids, issues or not,
    in the order of the input as far as it is known.
    """
    names = dict.fromkeys([*table.issues, *table.other_names])
    return list(dict.fromkeys([*(name for name in table.origin.order if name in names), *names]))


def _whole(values: NDArray[np.float64]) -> bool:
    """Whether ratings are whole numbers, which become Int64 in a frame."""
    return bool(np.all((values == np.floor(values)) & (np.abs(values) <= LARGEST)))


def _as_kind(table: Parts, frame: pl.DataFrame, kind: str | None) -> Any:
    """Return a frame as one of ``kind``, which is that of the table's origin where it is None."""
    kind = str(table.origin.details.get("frame", "polars")) if kind is None else kind
    checks.choice("kind", kind, _KINDS)
    if kind == "polars":
        return frame
    arrow(f"frames of {kind}", extra="pandas", parameter="kind")
    if kind == "arrow":
        return frame.to_arrow()
    import pandas as pd

    made = frame.to_pandas()
    for column in frame.get_columns():
        if column.dtype == pl.Int64 and column.null_count():  # which would be floats
            values, null = column.fill_null(0).to_numpy(), column.is_null().to_numpy()
            made[column.name] = pd.arrays.IntegerArray(values.copy(), null.copy())
    return made
