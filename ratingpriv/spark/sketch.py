"""The different cells of data, read as a table of their own: what the product makes of each,
and refuses.

The sketch is small, whatever the data are: a row for each different cell of the column that has the
most. Reading it is reading the data, as far as no row matters: roles, words that are numbers, what
means unanswered, recodes, scales, refusals, which name no line. What is judged by how often cells
repeat finds them repeated here, as often as it takes to be judged alike.
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

from ratingpriv.base.errors import DataError, ProblemKind
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.cells import (
    BAD,
    INEXACT,
    NULL,
    NullTokens,
    bad_rating,
    inexact_rating,
    parse_cells,
)
from ratingpriv.data.codebook.deciding import Decided
from ratingpriv.data.codebook.frames import raw_of_frame
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.formats.column_names import LongColumns
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.problems import Problems, number_text
from ratingpriv.data.table.building.spelling import Repeats
from ratingpriv.spark.comparison import Profile, ValueCounts

_MANY = 51  # more repeats than this say nothing that fewer do not


@dataclass(frozen=True, slots=True)
class Cells:
    """The different cells of a column, and how often each is there."""

    cells: pa.Array  # (n,), without nulls
    counts: NDArray[np.int64]  # (n,)
    empty: int  # how many cells are null


@dataclass(frozen=True, slots=True)
class Sketch:
    """What the product made of different cells.

    ``codes`` has for each column that is compared or sensitive the code of each of its cells, -1
    where not rated; of long data, of each pair of an issue and a rating, under no name.
    """

    profile: Profile
    codes: Mapping[str, NDArray[np.int64]]
    # how many records have a value, by the issue or the quasi-identifier
    answers: Mapping[str, int]

    def repeating(self, found: Sequence[Repeats]) -> Sketch:
        """Return it with what several records of the data share,
        of which the sketch's own say nothing.
        """
        table = self.profile.table
        table = table.replace(origin=table.origin.repeating(*found))
        return dataclasses.replace(self, profile=dataclasses.replace(self.profile, table=table))


def wide_sketch(
    decided: Decided,
    cells: Mapping[str, Cells],
    options: ReadOptions,
    *,
    names: Sequence[str],
    records: int,
    name: str,
    narrow: Callable[[RatingTable], RatingTable],
) -> Sketch:
    """Read the different ``cells`` of a row a record, those of carried columns left out.

    ``names`` are all columns, in the data's order; ``narrow`` keeps some issues of a table.
    """
    # only so few columns may be a long layout's, which is told by what repeats
    few = len(cells) <= 4
    rows = min(records, max([100, *(2 * len(column.cells) + _MANY for column in cells.values())]))
    columns = {}
    for column in names:
        if column == decided.id:
            columns[column] = pa.array(np.arange(rows))
        elif column in cells:
            columns[column] = _repeated(cells[column], rows, records, few=few)
        else:
            columns[column] = pa.nulls(rows)
    left_out = {
        column: role for column in names if (role := decided.role(column)) in ("identifier", "drop")
    }
    raw = raw_of_frame(pa.table(columns), name=name, id=decided.id, left_out=lambda _: left_out)
    with _without_lines():
        table = table_of(
            dataclasses.replace(raw, locate=lambda _, column: (name, None, column)), options
        )
    table = narrow(table)
    codes = {
        column: found[: len(cells[column].cells)] for column, found in _codes_of(table).items()
    }
    answers = {
        column: int(cells[column].counts[codes[column] >= 0].sum())
        for column in (*table.issues, *(one.name for one in table.quasi))
    }
    ratings = sum(answers[issue] for issue in table.issues)
    secret = {column.name: cells[column.name].counts for column in table.sensitive}
    profile = _profile(table, codes, secret, records=records, ratings=ratings)
    if table.spellings is not None:
        # how many cells say in which way that they are not rated; the sketch has each as it likes
        ways: Counter[str] = Counter()
        for column in profile.columns:
            ways += Counter({"": cells[column].empty})
            for row in np.flatnonzero(codes[column] < 0).tolist():
                cell = cells[column].cells[row].as_py()
                way = cell.strip() if isinstance(cell, str) else number_text(cell)
                ways[way] += int(cells[column].counts[row])
        spelled = tuple(sorted(ways.items()))
        spellings = table.spellings._replace(counts=spelled)
        shown = spellings if len(spelled) > 1 or spellings.countries else None
        details = {**table.origin.details, "spellings": shown}
        table = table.replace(origin=dataclasses.replace(table.origin, details=details))
    return Sketch(dataclasses.replace(profile, table=table), codes, answers)


def long_sketch(
    pairs: pa.Table,
    columns: LongColumns,
    options: ReadOptions,
    *,
    records: int,
    name: str,
    narrow: Callable[[RatingTable], RatingTable],
) -> Sketch:
    """Read the different pairs of an issue and a rating: ``issue`` and ``rating``,
    maybe null, ``count``.
    """
    n, counts = pairs.num_rows, pairs.column("count").to_numpy()
    frame = pl.DataFrame(
        {
            columns.record: pl.int_range(n, eager=True),
            columns.issue: pl.Series(pairs.column("issue")),
            columns.rating: _numbers(pairs.column("rating"), columns.rating, options, name),
            **{other: pl.Series([None] * n, dtype=pl.Int8) for other in columns.dropped},
        }
    )
    with _without_lines():
        table = RatingTable.from_long(
            frame,
            record=columns.record,
            issue=columns.issue,
            rating=columns.rating,
            sensitive=options.sensitive,
            drop=options.drop,
            scale=options.scale,
            sensitive_scale=options.sensitive_scale or None,
            name=name,
        )
    table = narrow(table)
    by_column = _codes_of(table)
    code = np.max([np.full(n, -1), *by_column.values()], axis=0)  # a pair is of one issue
    owner = np.repeat(np.arange(n), np.diff(table.indptr))
    secret = {column.name: counts for column in table.sensitive}
    profile = _profile(table, by_column, secret, records=records, ratings=int(counts[owner].sum()))
    answers = np.bincount(table.indices, weights=counts[owner], minlength=table.n_issues).astype(
        np.int64
    )
    return Sketch(profile, {"": code}, dict(zip(table.issues, answers.tolist(), strict=True)))


def _repeated(cells: Cells, rows: int, records: int, *, few: bool) -> pa.Array:
    """Return a column of the sketch: the different cells, some of them again, then nulls."""
    different = len(cells.cells)
    answers = int(cells.counts.sum())
    wanted = rows if few and not cells.empty else min(answers, 2 * different + _MANY - 1, rows)
    if not different:
        return pa.nulls(rows, cells.cells.type)
    shares = np.cumsum(cells.counts) / answers  # some again, about as often as they are in the data
    more = np.searchsorted(
        shares, (np.arange(max(0, wanted - different)) + 0.5) / max(1, wanted - different)
    )
    again = pa.array(np.append(np.arange(min(different, wanted)), more))
    return pa.concat_arrays([cells.cells.take(again), pa.nulls(rows - wanted, cells.cells.type)])


def _codes_of(table: RatingTable) -> dict[str, NDArray[np.int64]]:
    """Return the code of each record of a table on every column, int64 (n_records,),
    -1 where nothing.
    """
    n = table.n_records
    matrix = np.full((table.n_issues, n), -1, dtype=np.int64)
    matrix[table.indices, np.repeat(np.arange(n), np.diff(table.indptr))] = table.codes
    codes = dict(zip(table.issues, matrix, strict=True))
    for column in table.sensitive:
        values = np.unique(column.values[column.present])
        codes[column.name] = np.where(column.present, np.searchsorted(values, column.values), -1)
    return codes | {quasi.name: quasi.codes.astype(np.int64) for quasi in table.quasi}


def _profile(
    table: RatingTable,
    codes: Mapping[str, NDArray[np.int64]],
    counts: Mapping[str, NDArray[np.int64]],
    *,
    records: int,
    ratings: int,
) -> Profile:
    """Return the profile; ``codes`` of the cells,
    and of sensitive columns how often each cell is there.
    """
    sensitive = []
    for column in table.sensitive:
        values, codes_of_column = np.unique(column.values[column.present]), codes[column.name]
        times = np.zeros(len(values), dtype=np.int64)
        np.add.at(
            times, codes_of_column[codes_of_column >= 0], counts[column.name][codes_of_column >= 0]
        )
        sensitive.append(ValueCounts(column.name, values, times, column.labels))
    return Profile(table, records, ratings, tuple(sensitive))


def _numbers(cells: pa.ChunkedArray, column: str, options: ReadOptions, name: str) -> pl.Series:
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
        problems = [dataclasses.replace(problem, line=None) for problem in error.problems]
        kinds = ProblemKind.of(problems)
        for kind, located in zip(kinds, error.kinds, strict=False):
            kind.count = located.count
        raise type(error)(problems, error.total, kinds) from None
