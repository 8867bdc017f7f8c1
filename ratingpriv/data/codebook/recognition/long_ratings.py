"""What is doubtful about the ratings of a long layout,
and what looks like one though nobody said so.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import polars as pl

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import looks_like_data
from ratingpriv.data.codebook.cells import numeral
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.raw import RawColumn, RawData
from ratingpriv.data.codebook.recognition.looks import NO_SCALE, Look, codes_look, look_of
from ratingpriv.data.codebook.roles import NULL_TOKENS
from ratingpriv.data.table import RatingTable

_MOST_COLUMNS = 5  # record, issue, rating, time, and one more
_ROWS = (10, 100_000)  # too few to say, and enough
_MANY = 30  # rows
_FEW = 21  # a rating scale rarely has more levels than this (Likert, stars, half stars, 0..20)
_REPEATS = 3  # rows that a record or an issue has on average, at least
_UNIQUE = 0.98  # of pairs of a record and an issue; the others are ratings given again
_COLLISIONS = 5  # pairs that repeat by chance, at least; of many rows three times as many

_ENOUGH = 20  # ratings from which on a value far away is no other issue's scale


def refuse_doubtful(table: RatingTable, options: ReadOptions) -> None:
    """Refuse ratings that may be missing codes.

    And, in a column that nobody named, what no scale has.

    Issues may have scales of their own, so that a wide span says nothing here.
    """
    origin, book = table.origin, options.codebook
    spec = None if book is None else book.columns.get(origin.rating_name)
    scale = options.scale or (None if spec is None else spec.scale)
    named = (
        options.rating is not None
        or bool(options.ratings)
        or (spec is not None and spec.role == "rating")
    )
    problems = []
    look = look_of(None, table.levels, table.n_ratings, scale=scale)
    none = look.kind in ("digits", "years") and table.levels[0] >= NO_SCALE and not named
    if none or (look.kind == "missing-codes" and table.n_ratings >= _ENOUGH):
        problems.append(_problem(table, look, None))
    for column in table.sensitive:
        if scale is None and column.name not in options.sensitive_scale and not column.labels:
            values = np.unique(column.values[column.present])
            look_secret = codes_look(values, int(np.count_nonzero(column.present)))
            if look_secret is not None:
                problems.append(_problem(table, look_secret, column.name))
    if problems:
        raise DataError(problems)


def refuse_log(raw: RawData, columns: Sequence[RawColumn], id_name: str | None) -> None:
    """Refuse to guess a row a record where the columns look like record,
    issue and rating of a row a rating.

    Of ``columns`` nobody has said anything.
    """
    repeated = [
        column for column in raw.columns if column.name == id_name and column.distinct < raw.records
    ]
    log = _log([*repeated, *columns], raw.records)
    if log is None or any(map(looks_like_data, log)):
        return
    record, issue, rating = log
    actual = (
        f"rows of a rating each, it seems: {record!r} and {issue!r} repeat, and hardly a pair "
        f"of them"
    )
    remedy = (
        f"say `id={record!r}`, `issue={issue!r}` and `rating={rating!r}` (and `timestamp`, or "
        f"`drop` of what "
        "else there is), or `layout='wide'`"
    )
    raise DataError(
        Problem(raw.origin.name, actual, "one row per record, or a stated layout", remedy)
    )


def _first_rows(column: RawColumn) -> pl.Series:
    cells = column.cells
    return (
        cells.head(_ROWS[1]) if isinstance(cells, pl.Series) else pl.Series(cells.codes[: _ROWS[1]])
    )


def _is_numeric(column: RawColumn) -> bool:
    """Whether all cells that say something are numbers."""
    if isinstance(cells := column.cells, pl.Series):
        return cells.dtype.is_numeric()
    texts = cells.texts.gather(cells.used[0]).to_list()
    return all(not text or text in NULL_TOKENS or numeral(text) for text in texts)


def _log(columns: Sequence[RawColumn], records: int) -> tuple[str, str, str] | None:
    """Return the columns that look like record, issue and rating of a row a rating.

    None: a row is a record.

    Two columns repeat, hardly a pair of them does, and a third has few values, all numbers. Where a
    row is a record, answers on a scale make pairs that repeat.
    """
    if not 3 <= len(columns) <= _MOST_COLUMNS or records < _ROWS[0]:
        return None
    codes = {column.name: _first_rows(column) for column in columns}
    numbers = [column.name for column in columns if _is_numeric(column)]
    frame = pl.DataFrame(codes)
    distinct = {name: frame[name].n_unique() for name in frame.columns}
    often = [
        name for name, different in distinct.items() if 2 <= different <= len(frame) / _REPEATS
    ]
    ratings = [name for name in numbers if distinct[name] <= _FEW]
    for record, issue in itertools.combinations(often, 2):
        rating = next((name for name in ratings if name not in (record, issue)), None)
        # pairs that repeat, expected
        by_chance = len(frame) ** 2 / (2 * distinct[record] * distinct[issue])
        if rating is None or by_chance < _COLLISIONS * (3 if len(frame) >= _MANY else 1):
            continue
        if frame.select(record, issue).n_unique() >= _UNIQUE * len(frame):
            return record, issue, rating
    return None


def _problem(table: RatingTable, look: Look, issue: str | None) -> Problem:
    name = table.origin.rating_name
    scale = "`scale`" if issue is None else "`sensitive_scale`"
    if look.kind == "missing-codes":
        remedy = f"name the code with `null`; if it is a rating, declare the {scale}"
    else:
        remedy = (
            "name the column of ratings with `rating` if this is the one, or declare the `scale`"
        )
    actual = look.why if issue is None else f"among the values of a sensitive item {look.why}"
    return Problem(
        table.origin.name,
        actual,
        "ratings only",
        remedy,
        None,
        None if looks_like_data(name) else name,
    )
