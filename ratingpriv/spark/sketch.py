"""The different cells of data, read as a table of their own: what the product makes of each, and refuses.

The sketch is small, whatever the data are: a row for each different cell of the column that has the most.
Reading it is reading the data, as far as no row matters: roles, texts and words that are numbers, what means
unanswered, recodes, scales, refusals. What is judged by how often cells repeat finds them repeated here, as
often as it takes to be judged alike.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.codebook.applying import table_of
from ratingpriv.codebook.cells import BAD, INEXACT, NULL, NullTokens, parse_cells
from ratingpriv.codebook.deciding import Decided
from ratingpriv.codebook.options import ReadOptions
from ratingpriv.codebook.python.frames import raw_of_frame
from ratingpriv.codebook.refusals import bad_rating, inexact_rating
from ratingpriv.errors import DataError
from ratingpriv.formats.column_names import LongColumns
from ratingpriv.spark.cells import Lookup
from ratingpriv.spark.plan import Profile, QuasiValues, ValueCounts
from ratingpriv.table import RatingTable
from ratingpriv.table.building.problems import Problems, number_text

__all__ = ["Cells", "Sketch", "long_sketch", "wide_sketch"]

_MANY = 51  # more repeats than this say nothing that fewer do not


@dataclass(frozen=True, slots=True)
class Cells:
    """The different cells of a column, and how often each is there.

    Attributes
    ----------
    cells : arrow array (n,), different, without nulls
    counts : int64 (n,)
    empty : how many cells are null
    """

    cells: pa.Array
    counts: NDArray[np.int64]
    empty: int


@dataclass(frozen=True, slots=True)
class Sketch:
    """What the product made of different cells.

    Attributes
    ----------
    table : the sketch: its levels, scale, roles, columns are those of the data; its records are nobody
    profile : what the data are, as far as comparing records goes
    lookups : of wide data, a Lookup a column in the order of :attr:`Comparison.columns`
    pairs : of long data, for each pair of an issue and a rating the place of the issue (int32; -1: the row
        only says that the record exists) and the rating (float64, NaN: not rated)
    answers : of long data, how many answers each issue has, int64 (n_issues,)
    """

    table: RatingTable
    profile: Profile
    lookups: tuple[Lookup, ...] = ()
    pairs: tuple[NDArray[np.int32], NDArray[np.float64]] | None = None
    answers: NDArray[np.int64] | None = None


def wide_sketch(
    said: Decided,
    cells: Mapping[str, Cells],
    options: ReadOptions,
    *,
    names: Sequence[str],
    records: int,
    name: str,
    narrow: Callable[[RatingTable], RatingTable],
) -> Sketch:
    """Read the different cells of a row a record.

    Parameters
    ----------
    said : the roles of the columns, as far as names say them
    cells : of every column that has to be read, carried ones left out
    names : all columns, in the data's order
    records : how many there are
    narrow : keeps some issues of a table

    Raises
    ------
    DataError, ParameterError
        As :func:`ratingpriv.read` of the data; no line is named.
    """
    few = len(cells) <= 4  # only so few columns may be a long layout's, which is told by what repeats
    rows = min(records, max([100, *(2 * len(one.cells) + _MANY for one in cells.values())]))
    columns = {}
    for column in names:
        if column == said.id:
            columns[column] = pa.array(np.arange(rows))
        elif column in cells:
            columns[column] = _repeated(cells[column], rows, records, few=few)
        else:
            columns[column] = pa.nulls(rows)
    left_out = {one: role for one in names if (role := said.role(one)) in ("identifier", "drop")}
    raw = raw_of_frame(pa.table(columns), name=name, id=said.id, left_out=lambda _: left_out)
    with _without_lines():
        whole = table_of(dataclasses.replace(raw, locate=lambda _, column: (name, None, column)), options)
    table = narrow(whole)
    values = _values_of(table)
    counts = {column: one.counts for column, one in cells.items()}
    lookups = {
        column: Lookup(column, cells[column].cells, _with_nulls(found[: len(cells[column].cells)]))
        for column, found in values.items()
    }
    ratings = sum(int(counts[one][~np.isnan(values[one][: len(counts[one])])].sum()) for one in table.issues)
    profile = _profile(
        table,
        {one.name: (values[one.name][: len(counts[one.name])], counts[one.name]) for one in table.sensitive},
        records=records,
        ratings=ratings,
    )
    order = _ordered(table)
    if table.spellings is not None:
        spelled = _spellings({one: cells[one] for one in order}, values)
        found = table.spellings._replace(counts=spelled)
        details = {
            **table.origin.details,
            "spellings": found if len(spelled) > 1 or found.countries else None,
        }
        table = table.replace(origin=dataclasses.replace(table.origin, details=details))
    return Sketch(table, profile, tuple(lookups[column] for column in order))


def long_sketch(
    issues: pa.Array,
    ratings: pa.Array,
    counts: NDArray[np.int64],
    columns: LongColumns,
    options: ReadOptions,
    *,
    records: int,
    name: str,
    narrow: Callable[[RatingTable], RatingTable],
) -> Sketch:
    """Read the different pairs of an issue and a rating, (n,) each, either of which may be null.

    Raises
    ------
    DataError, ParameterError
        As :func:`ratingpriv.read` of the data; no line is named.
    """
    n = len(issues)
    numbers = _numbers(ratings, columns.rating, options, name)
    frame = pl.DataFrame({
        columns.record: pl.int_range(n, eager=True),
        columns.issue: pl.Series(issues).cast(pl.String),
        columns.rating: numbers,
        **{other: pl.Series([None] * n, dtype=pl.Int8) for other in columns.dropped},
    })  # fmt: skip
    with _without_lines():
        whole = RatingTable.from_long(
            frame, record=columns.record, issue=columns.issue, rating=columns.rating,
            sensitive=options.sensitive, drop=options.drop, scale=options.scale,
            sensitive_scale=options.sensitive_scale or None, name=name,
        )  # fmt: skip
    table = narrow(whole)
    place = np.full(n, -1, dtype=np.int32)
    value = np.full(n, np.nan)
    known = {issue: number for number, issue in enumerate(_ordered(table))}
    called = frame[columns.issue].replace_strict(known, default=-1, return_dtype=pl.Int32)
    place[:] = called.fill_null(-1).to_numpy()
    owner = np.repeat(np.arange(n), np.diff(table.indptr))
    value[owner] = table.values
    secret = {}
    for column in table.sensitive:
        value[column.present] = column.values[column.present]
        here = np.flatnonzero(column.present)
        secret[column.name] = (column.values[here], counts[here])
    profile = _profile(table, secret, records=records, ratings=int(counts[owner].sum()))
    answers = np.bincount(table.indices, weights=counts[owner], minlength=table.n_issues).astype(np.int64)
    return Sketch(table, profile, pairs=(place, value), answers=answers)


def _repeated(cells: Cells, rows: int, records: int, *, few: bool) -> pa.Array:
    """Return a column of the sketch: the different cells, some of them again, then nulls."""
    different = len(cells.cells)
    answers = int(cells.counts.sum())
    wanted = rows if few and not cells.empty else min(answers, 2 * different + _MANY - 1, rows)
    if not different:
        return pa.nulls(rows, cells.cells.type)
    shares = np.cumsum(cells.counts) / answers  # some again, about as often as they are in the data
    more = np.searchsorted(shares, (np.arange(max(0, wanted - different)) + 0.5) / max(1, wanted - different))
    again = pa.array(np.append(np.arange(min(different, wanted)), more))
    return pa.concat_arrays([cells.cells.take(again), pa.nulls(rows - wanted, cells.cells.type)])


def _values_of(table: RatingTable) -> dict[str, NDArray[np.float64]]:
    """Return what each record of a table has on every column, float64 (n_records,), NaN where nothing."""
    n, found = table.n_records, {}
    matrix = np.full((table.n_issues, n), np.nan)
    owner = np.repeat(np.arange(n), np.diff(table.indptr))
    matrix[table.indices, owner] = table.values
    found = dict(zip(table.issues, matrix, strict=True))
    for column in table.sensitive:
        found[column.name] = np.where(column.present, column.values, np.nan)
    for quasi in table.quasi:
        numbers = quasi.values.dtype == pl.Float64
        meant = quasi.values.to_numpy() if numbers else np.arange(len(quasi.values), dtype=np.float64)
        found[quasi.name] = np.append(meant, np.nan)[quasi.codes]
    return found


def _spellings(
    cells: Mapping[str, Cells], values: Mapping[str, NDArray[np.float64]]
) -> tuple[tuple[str, int], ...]:
    """Return how many cells say in which way that they are not rated; the sketch has each as it likes."""
    found: Counter[str] = Counter()
    for column, one in cells.items():
        found += Counter({"": one.empty})
        for place in np.flatnonzero(np.isnan(values[column][: len(one.cells)])).tolist():
            cell = one.cells[place].as_py()
            found[cell.strip() if isinstance(cell, str) else number_text(cell)] += int(one.counts[place])
    return tuple(sorted(found.items()))


def _ordered(table: RatingTable) -> tuple[str, ...]:
    """Return the columns in the order of :attr:`ratingpriv.spark.plan.Comparison.columns`."""
    equal = [one.name for one in table.quasi if one.within is None]
    moving = [one.name for one in table.quasi if one.within is not None]
    return (*table.issues, *equal, *moving, *(one.name for one in table.sensitive))


def _profile(
    table: RatingTable,
    secret: Mapping[str, tuple[NDArray[np.float64], NDArray[np.int64]]],
    *,
    records: int,
    ratings: int,
) -> Profile:
    sensitive = []
    for column in table.sensitive:
        values, counts = secret[column.name]
        known = ~np.isnan(values)
        different, place = np.unique(values[known], return_inverse=True)
        total = np.zeros(len(different), dtype=np.int64)
        np.add.at(total, place, counts[known])
        sensitive.append(ValueCounts(column.name, different, total, column.labels))
    return Profile(
        issues=table.issues,
        levels=table.levels,
        scale=table.scale,
        records=records,
        ratings=ratings,
        sensitive=tuple(sensitive),
        quasi=tuple(
            QuasiValues(
                one.name,
                one.values.to_numpy() if one.values.dtype == pl.Float64 else tuple(one.values.to_list()),
                one.within,
                one.recoded,
            )
            for one in table.quasi
        ),
    )


def _with_nulls(values: NDArray[np.float64]) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))


def _numbers(cells: pa.Array, column: str, options: ReadOptions, name: str) -> pl.Series:
    """Return ratings as numbers, null where they mean unanswered; texts by the grammar of cells."""
    nulls = NullTokens(options)
    series = pl.Series(column, cells)
    if series.dtype == pl.String:
        texts = series.fill_null("")
        parsed, problems = parse_cells(texts, nulls), Problems(options.max_problems)
        for kind, problem in ((BAD, bad_rating), (INEXACT, inexact_rating)):
            for row in np.flatnonzero(parsed.kinds == kind).tolist():
                problems.add(dataclasses.replace(problem(texts[row], name, 0, column), line=None))
        problems.raise_if_any()
        return pl.Series(column, parsed.values).set(pl.Series(parsed.kinds == NULL), None)
    if not series.dtype.is_numeric():
        return series
    gone = sorted(nulls.numbers)
    if gone:
        series = series.set(series.cast(pl.Float64).is_in(gone).fill_null(False), None)
    if series.dtype.is_float() and any(text in nulls for text in ("NaN", "nan", "NAN")):
        series = series.fill_nan(None)
    return series


@contextlib.contextmanager
def _without_lines() -> Iterator[None]:
    """Take the lines out of problems: those of the sketch are not the data's."""
    try:
        yield
    except DataError as error:
        problems = [dataclasses.replace(one, line=None) for one in error.problems]
        raise type(error)(problems, error.total) from None
