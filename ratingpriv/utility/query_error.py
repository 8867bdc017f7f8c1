"""Query error: how far counts of the release are from those of the
original [SWLP10, §5.3, Fig. 15a-c].

A query counts the records that rate each of w issues, and a sensitive one, with one of some
ratings. The paper gives the relative error |act - est| / act; how many issues, how selective, what
to do where act is 0, and that quasi-identifiers are asked for like issues is ours: see
:func:`query_error`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured, not_measured
from ratingpriv.utility.tables import columns_beside_ratings, levels_of, nearest_level

_DRAWS = 1_000  # times as many draws as queries are wanted: then there are no more to be found
_RESAMPLES = 1_000
_FLOOR = 0.001  # of the records


class Column(NamedTuple):
    """An issue, quasi-identifier or sensitive issue: who has a value of the original's domain,
    and which.
    """

    name: str
    size: int  # of the domain
    records: NDArray[np.int64]  # (q,), ascending
    places: NDArray[np.int64]  # (q,); in the domain


type Query = Sequence[tuple[int, NDArray[np.bool_]]]
"""A count of the records that have in each of these columns, by number, one of the values that are
wanted, bool (size,); a null never is.
"""


def query_error(
    pair: Pair,
    *,
    rng: np.random.Generator,
    resources: Resources,
    queries: int = 100,
    issues: int = 2,
    selectivity: float = 0.1,
) -> Measured:
    """Return the mean relative error of random counting queries.

    Lower is better; the original's is 0.

    Implements [SWLP10, §5.3]. Not in the paper, and so ours:

    * The issues of a query are drawn without replacement from the original's non-sensitive ones and
      its quasi-identifiers, all of them where it has fewer than ``issues``; with several sensitive
      issues one of them is drawn.
    * The domain of an issue is its levels (:func:`ratingpriv.utility.tables.levels_of`), that of a
      sensitive one those levels, if all its ratings are among them, else the values that occur, as
      are those of a quasi-identifier. Of a domain A, b = ⌈|A| · s^(1/(w + 1))⌉ distinct values are
      wanted (1/w without a sensitive issue). A null is not in the domain and matches nothing. A
      released rating that is no level is read as the nearest.
    * A query that no record of the original matches is drawn again, 1,000 · ``queries`` draws at
      most.
    * The released records are counted. The paper spreads each group evenly over its box, "using the
      approach of LeFevre et al."; so even an unchanged table has an error.

    Queries are drawn by name and level and judged on the original alone: the order of records and
    issues changes nothing, and all releases of one original get the same queries. ``issues`` is w;
    ``selectivity`` s, the share of records that a query is expected to match, over 0 and up to 1,
    is coarse: with 5 levels and w = 2, 0.1 and 0.2 give the same queries; ``effective_selectivity``
    is (b/L)^(w + 1). Details: ``documents.utility.MeasuredQueryError``.
    """
    queries = checks.whole_number("queries", queries, 1)
    original = pair.original
    kinds = {column.name: column.values.dtype for column in pair.release.quasi}
    differ = [c.name for c in original.quasi if kinds.get(c.name, c.values.dtype) != c.values.dtype]
    if differ:
        return not_measured(f"numbers in one of the two, words in the other: {', '.join(differ)}")
    levels = levels_of(original)
    before = columns_of(original, original, levels)
    resources.report("counting queries", 0, queries)
    after = columns_of(pair.release, original, levels)
    columns = _asked(pair, before)
    width = min(issues, len(columns.others))
    can_ask = original.n_ratings or any(number >= original.n_issues for number in columns.others)
    if original.n_records == 0 or (width and not can_ask) or not (width or columns.sensitive):
        return not_measured("the original has no ratings to ask for")
    predicates = width + bool(columns.sensitive)
    random = _Queries(before, columns, width, selectivity, rng)
    records = (original.n_records, pair.release.n_records)
    compared = _compared(random, after, queries, records, resources)
    errors = compared.errors
    details = {
        "median": float(np.median(errors)) if errors else None,
        "queries": len(errors),
        "redrawn": compared.draws - len(errors),
        "issues": width,
        "selectivity": selectivity,
        "effective_selectivity": float(np.mean(compared.selective)) if errors else None,
        "values": values_of(len(levels), selectivity, predicates)
        if width and len(levels)
        else None,
        "levels": len(levels),
        "estimator": "count",
        "floor": float(np.mean(compared.floored)),
    }
    if not errors:
        reason = f"none of {compared.draws:,} queries matches a record of the original"
        return Measured(None, details=details, reason=reason)
    drawn = np.array(errors)  # the interval: means of as many errors drawn from these
    resampled = drawn[rng.integers(0, len(drawn), (_RESAMPLES, len(drawn)))].mean(axis=1)
    low, high = np.percentile(resampled, (2.5, 97.5))
    words = f"mean relative error of {len(drawn)} queries, 95 % bootstrap interval"
    return Measured(float(drawn.mean()), float(low), float(high), words, details)


class _Asked(NamedTuple):
    """The columns that queries ask for, by number, in the order of their names."""

    others: Sequence[int]  # issues of the original and its quasi-identifiers
    sensitive: Sequence[int]


def _asked(pair: Pair, before: Sequence[Column]) -> _Asked:
    """Return the columns that have values to ask for."""
    original = pair.original
    issues_asked, first = (
        original.n_issues - pair.issues_added,
        original.n_issues + len(original.quasi),
    )
    quasi = [number for number in range(original.n_issues, first) if before[number].size]
    sensitive = [number for number in range(first, len(before)) if before[number].size]

    def name(number: int) -> str:
        return before[number].name

    return _Asked(sorted([*range(issues_asked), *quasi], key=name), sorted(sensitive, key=name))


@dataclass(frozen=True, slots=True, eq=False)
class _Queries:
    """Random queries on the columns of the original, ``width`` of them and a sensitive one each."""

    columns: Sequence[Column]
    asked: _Asked
    width: int
    selectivity: float
    rng: np.random.Generator

    def draw(self) -> Query:
        """Draw one."""
        parameters, rng = self.asked, self.rng
        chosen = (
            rng.choice(len(parameters.others), self.width, replace=False).tolist()
            if self.width
            else ()
        )
        query = [self._some(parameters.others[index]) for index in chosen]
        if parameters.sensitive:
            query.append(
                self._some(parameters.sensitive[int(rng.integers(len(parameters.sensitive)))])
            )
        return query

    def _some(self, number: int) -> tuple[int, NDArray[np.bool_]]:
        """Draw the values of a column that are wanted."""
        size, predicates = self.columns[number].size, self.width + bool(self.asked.sensitive)
        wanted = np.zeros(size, dtype=bool)
        wanted[
            self.rng.choice(size, values_of(size, self.selectivity, predicates), replace=False)
        ] = True
        return number, wanted


class _Compared(NamedTuple):
    """What queries came to on an original and its release."""

    errors: list[float]  # relative, of those that match a record of the original
    floored: list[float]  # of the first ones, whatever they match
    selective: list[float]  # the share of records that each of ``errors`` is expected to match
    draws: int


def _compared(
    random: _Queries,
    after: Sequence[Column],
    queries: int,
    records: tuple[int, int],
    resources: Resources,
) -> _Compared:
    """Judge every query on the original first:
    one that matches nobody there has no relative error.
    """
    errors: list[float] = []
    floored: list[float] = []
    selective: list[float] = []
    draws = 0
    while len(errors) < queries and draws < _DRAWS * queries:
        resources.report("counting queries", len(errors), queries)
        query, draws = random.draw(), draws + 1
        actual = matching(random.columns, query, records[0])
        if actual == 0 and draws > queries:
            continue
        off = abs(actual - matching(after, query, records[1]))
        if draws <= queries:
            floored.append(off / max(actual, _FLOOR * records[0]))
        if actual:
            errors.append(off / actual)
            # the share that would match if all ratings were as likely and nothing were null
            selective.append(math.prod(float(wanted.mean()) for _, wanted in query))
    return _Compared(errors, floored, selective, draws)


def values_of(levels: int, selectivity: float, predicates: int) -> int:
    """Return b = ⌈L · s^(1/predicates)⌉, at least 1 and at most L; 6 · √¼ is 3 and not 4."""
    share: float = selectivity ** (1 / predicates)
    return min(max(math.ceil(levels * share - 1e-12), 1), levels)


def matching(columns: Sequence[Column], query: Query, records: int) -> int:
    """Return how many of a table's ``records`` match ``query``."""
    left: NDArray[np.int64] | None = None
    for number, wanted in query:
        column = columns[number]
        if left is not None and len(column.records) == records:  # everybody has a value
            left = left[wanted[column.places[left]]]
            continue
        records_matching = column.records[wanted[column.places]]
        if left is not None:
            mark = np.zeros(records, dtype=bool)
            mark[left] = True
            records_matching = records_matching[mark[records_matching]]
        left = records_matching
    return records if left is None else len(left)


def columns_of(
    table: RatingTable, original: RatingTable, levels: NDArray[np.float64]
) -> list[Column]:
    """Return the issues of ``original``, its quasi-identifiers and sensitive issues,
    as ``table`` has them.

    What counts are the original's ``levels`` and the values that its other columns have.
    """
    order = np.argsort(table.indices, kind="stable") if len(levels) else np.empty(0, dtype=np.int64)
    cuts = np.cumsum(np.bincount(table.indices[order], minlength=table.n_issues))[:-1]
    rated = np.repeat(np.arange(table.n_records), np.diff(table.indptr))[order]
    level = nearest_level(levels, table.levels)[table.codes[order]] if len(levels) else order
    parts = zip(original.issues, np.split(rated, cuts), np.split(level, cuts), strict=False)
    columns = [Column(name, len(levels), records, places) for name, records, places in parts]
    domains: dict[str, pl.Series] = {}
    values = columns_beside_ratings(original)
    for quasi in original.quasi:
        domains[quasi.name] = values[quasi.name].drop_nulls().unique().sort()
    for column in original.sensitive:
        occurring = np.unique(column.values[column.present])
        if column.labels is not None:  # all categories, in their order
            domains[column.name] = pl.Series(column.labels, dtype=pl.String)
        elif len(occurring) and np.isin(occurring, levels).all():
            domains[column.name] = pl.Series(levels)
        else:
            domains[column.name] = pl.Series(occurring)
    released = columns_beside_ratings(table)
    of_role = {column.name for column in table.quasi} | {column.name for column in table.sensitive}
    for name, domain in domains.items():
        places = _places(released[name] if name in of_role else None, domain, table.n_records)
        present = np.flatnonzero(places >= 0)
        columns.append(Column(name, len(domain), present, places[present]))
    return columns


def _places(released: pl.Series | None, domain: pl.Series, records: int) -> NDArray[np.int64]:
    """Return where in ``domain`` each record's value is, int64 (records,);
    -1 where it is null or nowhere.

    A number is read as the nearest in the domain, as a rating is read as the nearest level.
    """
    texts = domain.dtype == pl.String
    if released is None or not len(domain) or (released.dtype == pl.String) != texts:
        return np.full(records, -1, dtype=np.int64)
    if texts:
        places = released.replace_strict(
            domain, np.arange(len(domain)), default=-1, return_dtype=pl.Int64
        )
        return places.to_numpy()
    nearest = nearest_level(domain.to_numpy(), released.fill_null(0.0).to_numpy())
    return np.where(released.is_null().to_numpy(), -1, nearest)
