"""Tables from data frames and back, without loss: polars, pandas and arrow.

Frames of another kind are first turned into polars, column by column; the same kind comes back out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.numbers import LARGEST
from ratingpriv.data.table.building.columns import numbers_of, parts_from_columns
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.csr import rows_from_coordinates
from ratingpriv.data.table.building.finishing import Handling, fresh_name, issue_roles
from ratingpriv.data.table.building.frames import Frame
from ratingpriv.data.table.building.long_rows import LongRows
from ratingpriv.data.table.building.problems import (
    Locate,
    Place,
    Problems,
    listed_names,
    no_rows,
    unaccounted,
)
from ratingpriv.data.table.building.record_ids import factorised, normal_ids
from ratingpriv.data.table.parts import Origin, Parts

_KINDS = ("polars", "pandas", "arrow")


def from_wide(
    df: Any,
    *,
    id: str | None = None,  # noqa: A002 -- the word of the field, and of --id
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    scale: tuple[float, float] | None = None,
    sensitive_scale: Mapping[str, tuple[float, float] | None] | None = None,
    name: str = "table",
) -> Parts:
    """Build a table from one row a record; see :meth:`RatingTable.from_wide`."""
    sensitive, drop = _names("sensitive", sensitive), _names("drop", drop)
    scale = None if scale is None else checks.number_pair("scale", scale)
    scales = checks.sensitive_scales({} if sensitive_scale is None else sensitive_scale, sensitive)
    frame = Frame(df, name)
    if id is not None:
        frame.require({"the record ids": checks.text("id", id)})
        if id in sensitive or id in drop:
            raise ParameterError("id", id, "a column that is neither sensitive nor dropped")
    names = [column for column in frame.names if column != id]
    if not names:
        raise DataError(Problem(name, "no columns with ratings", "at least one issue"))
    issue_roles(names, sensitive, drop, name)  # refuses names that are not there
    problems = Problems()
    columns = [frame.column(column, problems) for column in names if column not in drop]
    ids = None if id is None else frame.column(id, problems)
    problems.raise_if_any()
    return parts_from_columns(
        columns,
        Handling(sensitive=sensitive, drop=drop, scale=scale, sensitive_scale=scales),
        record_ids=ids,
        origin=Origin(
            name=name,
            layout="wide",
            record_name=id if id is not None else fresh_name("record", names),
            details={"frame": frame.kind},
        ),
    )


def from_long(
    df: Any,
    *,
    record: str = "record",
    issue: str = "issue",
    rating: str = "rating",
    timestamp: str | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    scale: tuple[float, float] | None = None,
    sensitive_scale: Mapping[str, tuple[float, float] | None] | None = None,
    name: str = "table",
    duplicates: str = "refuse",
    locate: Locate | None = None,
) -> Parts:
    """Build a table from one row a rating; see :meth:`RatingTable.from_long`.

    ``locate`` says where a row stands; None: it is counted from 1.
    """
    sensitive, drop = _names("sensitive", sensitive), _names("drop", drop)
    scale = None if scale is None else checks.number_pair("scale", scale)
    scales = checks.sensitive_scales({} if sensitive_scale is None else sensitive_scale, sensitive)
    frame = Frame(df, name)
    wanted = {
        "the records": checks.text("record", record),
        "the issues": checks.text("issue", issue),
        "the ratings": checks.text("rating", rating),
    }
    if timestamp is not None:
        wanted["the timestamps"] = checks.text("timestamp", timestamp)
    frame.require(wanted)
    if len(set(wanted.values())) < len(wanted):
        raise ParameterError("from_long", list(wanted.values()), "a different column for each role")
    others = [column for column in frame.names if column not in wanted.values()]
    unsaid = [column for column in others if column not in drop]
    if unsaid:
        raise DataError(unaccounted(unsaid, name, record="record"))
    problems = Problems()
    read = {role: frame.column(column, problems) for role, column in wanted.items()}
    problems.raise_if_any()
    if len(read["the records"]) == 0:
        raise DataError(no_rows(name))
    ids = normal_ids(read["the records"], problems, lambda row: Place(name, row + 1, record), unique=False)
    values, rated = _rating_values(read["the ratings"], problems, name)
    categories = frame.categories(issue)
    issues, issue_names = _issue_positions(read["the issues"], categories, rated, problems, name)
    if problems:  # without ids, ratings or issues nothing more can be checked
        raise problems.error()
    records, record_ids = factorised(ids)
    if issues is None:  # nothing rated, no issue known
        raise DataError(Problem(name, "no issue", "at least one column of non-sensitive ratings"))
    real = issues >= 0
    rows = np.flatnonzero(real)  # others only say that a record exists
    return parts_from_coordinates(
        Coordinates(
            records[rows],
            issues[rows],
            values[rows],
            locate or (lambda row: Place(name, row + 1, rating)),
            None if rated is None else rated[rows],
            rows,
        ),
        Handling(sensitive=sensitive, drop=drop, scale=scale, sensitive_scale=scales, duplicates=duplicates),
        record_ids=record_ids,
        issue_names=issue_names,
        origin=Origin(
            name=name,
            layout="long",
            record_name=record,
            issue_name=issue,
            rating_name=rating,
            timestamp_name=timestamp or fresh_name("timestamp", [record, issue, rating]),
            details={"frame": frame.kind},
        ),
        dropped_columns=others,
        timestamps=read.get("the timestamps"),
    )


def wide_frame(table: Parts, kind: str | None = None) -> Any:
    """Return one row a record, one column an issue; see :meth:`RatingTable.to_wide`."""
    kind = _kind(table, kind)
    n, p = table.n_records, table.n_issues
    # By issue: the ratings in the order of (issue, record), a stable counting of the transposed coordinates.
    owners = np.repeat(np.arange(n, dtype=np.int32), np.diff(table.indptr))
    columns = rows_from_coordinates(table.indices, owners, table.codes, p)
    sensitive = {column.name: column for column in table.sensitive}
    position = {name: place for place, name in enumerate(table.issues)}
    attributes = attribute_columns(table)
    record_name = fresh_name(table.origin.record_name, full_order(table))
    frame = {record_name: table.record_ids.alias(record_name)}
    for name in full_order(table):
        if name in attributes:
            frame[name] = attributes[name]
            continue
        values, present = np.zeros(n), np.zeros(n, dtype=bool)
        if name in sensitive:
            values, present = sensitive[name].values, sensitive[name].present
        else:
            entries = slice(int(columns.indptr[position[name]]), int(columns.indptr[position[name] + 1]))
            owner = columns.indices[entries]
            values[owner] = table.levels[columns.codes[entries]]
            present[owner] = True
        frame[name] = _rating_series(name, values, present)
    return _as_kind(pl.DataFrame(list(frame.values())), kind)


def long_frame(table: Parts, kind: str | None = None) -> Any:
    """Return one row a rating; see :meth:`RatingTable.to_long`.

    The issue column is an Enum (pandas, arrow: an ordered categorical or dictionary) whose categories are all
    issues in order. Ratings of sensitive issues have a null timestamp: the table keeps none for them.
    """
    kind = _kind(table, kind)
    if attributes := attribute_columns(table):
        found = f"a table with columns that are no ratings ({listed_names(list(attributes))})"
        raise ParameterError("to_long", found, "ratings alone, as a row has no place for more", "use to_wide")
    rows = LongRows(table, full_order(table), listed=True)
    names: list[str] = []
    origin = table.origin
    for wanted in (origin.record_name, origin.issue_name, origin.rating_name, origin.timestamp_name):
        names.append(fresh_name(wanted, names))
    order = rows.names
    issues = pl.Series(order, dtype=pl.Enum(order)) if order else pl.Series([None], dtype=pl.String)
    ratings = pl.Series([*rows.levels.tolist(), None], dtype=pl.Float64)
    blocks = rows.columns(table.record_ids, issues, ratings)
    frame = pl.concat(
        [
            pl.DataFrame([one.alias(name) for one, name in zip(block, names, strict=False)])
            for _, block in blocks
        ]
    )
    rated = frame[names[2]]
    values, known = rated.fill_null(0).to_numpy(), rated.is_not_null().to_numpy()
    return _as_kind(frame.with_columns(_rating_series(names[2], values, known)), kind)


def attribute_columns(table: Parts) -> dict[str, pl.Series]:
    """Return the columns whose values are no numbers on a scale, a Series (n_records,) by name, as they are.

    Quasi-identifiers (String or Float64, recoded where they were), nominal sensitive ones (String) and
    carried ones; null where there is none.
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
    """Names of all columns but the ids, issues or not, in the order of the input as far as it is known."""
    names = dict.fromkeys([*table.issues, *table.other_names])
    ordered = [name for name in table.origin.order if name in names]
    placed = set(ordered)
    return [*ordered, *(name for name in names if name not in placed)]


def _names(parameter: str, names: Sequence[str]) -> list[str]:
    if isinstance(names, str):
        raise ParameterError(parameter, names, "a list of names", f"write [{names!r}]")
    return list(dict.fromkeys(checks.texts(parameter, names, "a list of names")))


def _rating_values(
    ratings: pl.Series, problems: Problems, name: str
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return (values, rated) of the long rating column; notes a problem if it does not hold numbers."""
    found = numbers_of(ratings, problems, lambda row, column: Place(name, row + 1, column))
    if found is None:
        return np.zeros(len(ratings)), None
    values, present = found
    return values, None if present.all() else present


def _issue_positions(
    issues: pl.Series,
    categories: list[str] | None,
    rated: NDArray[np.bool_] | None,
    problems: Problems,
    name: str,
) -> tuple[NDArray[np.int32] | None, list[str]]:
    """Return (positions, -1 where null; names). A row may lack an issue only if it lacks a rating as well."""
    null = issues.is_null().to_numpy()
    if null.any():
        wrong = np.flatnonzero(null if rated is None else null & rated)
        for row in wrong[: problems.limit].tolist():
            problems.add(
                Problem(name, "a rating without an issue", "an issue in every row", "", row + 1, issues.name)
            )
        problems.count(max(0, len(wrong) - problems.limit))
    text = issues.cast(pl.String, strict=False)
    positions, distinct = factorised(text.filter(~pl.Series(null)) if null.any() else text)
    names = distinct.to_list()
    if categories is not None:
        order = list(dict.fromkeys([*categories, *names]))
        place = {label: number for number, label in enumerate(order)}
        positions = (
            np.array([place[label] for label in names], dtype=np.int32)[positions] if names else positions
        )
        names = order
    if not null.any():
        return positions, names
    every = np.full(len(issues), -1, dtype=np.int32)
    every[~null] = positions
    return (every if names else None), names


def _rating_series(name: str, values: NDArray[np.float64], present: NDArray[np.bool_]) -> pl.Series:
    """Return a column of ratings: Int64 if all are whole numbers, else Float64; null where not present."""
    whole = bool(np.all((values == np.floor(values)) & (np.abs(values) <= LARGEST)))
    column = pl.Series(name, values.astype(np.int64) if whole else values)
    return column if present.all() else column.set(~pl.Series(present), None)


def _kind(table: Parts, kind: str | None) -> str:
    if kind is None:
        kind = str(table.origin.details.get("frame", "polars"))
    return checks.choice("kind", kind, _KINDS)


def _as_kind(frame: pl.DataFrame, kind: str) -> Any:
    if kind == "polars":
        return frame
    if kind == "arrow":
        return frame.to_arrow()
    import pandas as pd

    columns = {}
    for column in frame.get_columns():
        if isinstance(column.dtype, pl.Enum):
            codes = column.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
            columns[column.name] = pd.Categorical.from_codes(
                codes, column.dtype.categories.to_list(), ordered=True
            )
        elif column.dtype == pl.Int64 and column.null_count():
            values, null = column.fill_null(0).to_numpy(), column.is_null().to_numpy()
            columns[column.name] = pd.arrays.IntegerArray(values.copy(), null.copy())
        else:
            columns[column.name] = column.to_pandas()
    return pd.DataFrame(columns)
