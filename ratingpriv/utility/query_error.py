"""Query error: how far counts of the release are from those of the original [SWLP10, §5.3, Fig. 15a-c].

A query counts the records that rate each of w issues, and a sensitive one, with one of some ratings. The
paper gives the relative error |act - est| / act; how many issues, how selective, what to do where act is
0, and that quasi-identifiers are asked for like issues is ours: see :func:`query_error`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import QuasiColumn, RatingTable, SensitiveColumn
from ratingpriv.utility.measured import Measured, not_measured
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.tables import levels_of, nearest_level

_DRAWS = 1_000  # times as many draws as queries are wanted: then there are no more to be found
_RESAMPLES = 1_000
_FLOOR = 0.001  # of the records


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """A count of the records whose ratings are among those wanted; a null never is.

    Of each of the w the position of an issue, or n_issues + that of a quasi-identifier, and bool which levels
    or values of its domain; the same of a sensitive issue, or None.
    """

    wanted: tuple[tuple[int, NDArray[np.bool_]], ...]
    sensitive: tuple[int, NDArray[np.bool_]] | None = None


def query_error(
    pair: Pair,
    *,
    rng: np.random.Generator,
    resources: Resources,
    queries: int = 100,
    issues: int = 2,
    selectivity: float = 0.1,
) -> Measured:
    """Return the mean relative error of random counting queries. Lower is better; the original's is 0.

    Implements [SWLP10, §5.3]. Not in the paper, and so ours:

    * The issues of a query are drawn without replacement from the original's non-sensitive ones and its
      quasi-identifiers, all of them where it has fewer than ``issues``; with several sensitive issues one of
      them is drawn.
    * The domain of an issue is its levels (:func:`ratingpriv.utility.tables.levels_of`), that of a sensitive
      one those levels, if all its ratings are among them, else the values that occur, as are those of a
      quasi-identifier. Of a domain A, b = ⌈|A| · s^(1/(w + 1))⌉ distinct values are wanted (1/w without a
      sensitive issue). A null is not in the domain and matches nothing. A released rating that is no level is
      read as the nearest.
    * A query that no record of the original matches is drawn again, 1,000 · ``queries`` draws at most.
    * The released records are counted. The paper spreads each group evenly over its box, "using the approach
      of LeFevre et al."; so even an unchanged table has an error.

    Queries are drawn by name and level and judged on the original alone: the order of records and issues
    changes nothing, and all releases of one original get the same queries. ``issues`` is w; ``selectivity``
    s, the share of records that a query is expected to match, over 0 and up to 1, is coarse: with 5 levels
    and w = 2, 0.1 and 0.2 give the same queries; ``effective_selectivity`` is (b/L)^(w + 1). Details:
    ``documents.measures.MeasuredQueryError``.
    """
    queries = checks.whole_number("queries", queries, 1)
    width = checks.whole_number("issues", issues, 1)
    if not 0 < checks.non_negative_number("selectivity", selectivity) <= 1:
        raise ParameterError("selectivity", selectivity, "a number over 0 and up to 1")
    original = pair.original
    kinds = {column.name: column.values.dtype for column in pair.release.quasi}
    differ = [c.name for c in original.quasi if kinds.get(c.name, c.values.dtype) != c.values.dtype]
    if differ:
        return not_measured(f"numbers in one of the two, words in the other: {', '.join(differ)}")
    before = _Answers(original, original)
    columns = before.asked(original.n_issues - pair.issues_added)
    width = min(width, len(columns))
    sensitive = [number for number, domain in enumerate(before.domains) if len(domain)]
    known = original.n_ratings or any(map(len, before.quasi_domains))
    if original.n_records == 0 or (width and not known) or not (width or sensitive):
        return not_measured("the original has no ratings to ask for")
    after = _Answers(pair.release, original)
    # every query is judged on the original first; one that matches nobody there has no relative error
    draw = _Draw(original, before, columns, width, sensitive, float(selectivity), rng)
    errors: list[float] = []
    floored: list[float] = []
    selective: list[float] = []
    draws = 0
    while len(errors) < queries and draws < _DRAWS * queries:
        query, draws = draw(), draws + 1
        actual = before.count(query)
        if actual == 0 and draws > queries:
            continue
        off = abs(actual - after.count(query))
        if draws <= queries:
            floored.append(off / max(actual, _FLOOR * original.n_records))
        if actual:
            errors.append(off / actual)
            # the share that would match if all ratings were as likely and nothing were null
            sets = [wanted for _, wanted in query.wanted] + ([query.sensitive[1]] if query.sensitive else [])
            selective.append(math.prod(float(wanted.mean()) for wanted in sets))
    details = {
        "median": float(np.median(errors)) if errors else None,
        "queries": len(errors), "redrawn": draws - len(errors), "issues": width,
        "selectivity": float(selectivity),
        "effective_selectivity": float(np.mean(selective)) if errors else None,
        "values": draw.values if width and len(before.levels) else None,
        "levels": len(before.levels), "estimator": "count", "floor": float(np.mean(floored)),
    }  # fmt: skip
    if not errors:
        reason = f"none of {draws:,} queries matches a record of the original"
        return Measured(None, details=details, reason=reason)
    drawn = np.array(errors)  # the interval: means of as many errors drawn from these
    resampled = drawn[rng.integers(0, len(drawn), (_RESAMPLES, len(drawn)))].mean(axis=1)
    low, high = np.percentile(resampled, (2.5, 97.5))
    words = f"mean relative error of {len(drawn)} queries, 95 % bootstrap interval"
    return Measured(float(drawn.mean()), float(low), float(high), words, details)


def values_of(levels: int, selectivity: float, predicates: int) -> int:
    """Return b = ⌈L · s^(1/predicates)⌉, at least 1 and at most L; 6 · √¼ is 3 and not 4."""
    share: float = selectivity ** (1 / predicates)
    return min(max(math.ceil(levels * share - 1e-12), 1), levels)


def matching(table: RatingTable, original: RatingTable, query: Query) -> float:
    """Return how many records of ``table``, over the issues of ``original``, match ``query``."""
    return _Answers(table, original).count(query)


class _Draw:
    """Draws queries; by name and level, so that no order of records or issues matters."""

    def __init__(
        self, original: RatingTable, answers: _Answers, columns: Sequence[int], width: int,
        sensitive: Sequence[int], selectivity: float, rng: np.random.Generator,
    ) -> None:  # fmt: skip
        self._columns, self._width, self._rng = columns, width, rng
        self._sensitive = sorted(sensitive, key=lambda number: original.sensitive[number].name)
        predicates = width + bool(sensitive)
        self._sizes = [len(domain) for domain in answers.domains]
        self._of = [values_of(size, selectivity, predicates) for size in self._sizes]
        self.values = values_of(len(answers.levels), selectivity, predicates)
        sizes = {column: answers.domain_size(column) for column in columns}
        self._wanted = {
            column: (size, values_of(size, selectivity, predicates)) for column, size in sizes.items()
        }

    def __call__(self) -> Query:
        chosen: list[int] = []
        if self._width:
            chosen = self._rng.choice(len(self._columns), self._width, replace=False).tolist()
        columns = [self._columns[number] for number in chosen]
        wanted = tuple((column, self._some(*self._wanted[column])) for column in columns)
        if not self._sensitive:
            return Query(wanted)
        number = self._sensitive[int(self._rng.integers(len(self._sensitive)))]
        return Query(wanted, (number, self._some(self._sizes[number], self._of[number])))

    def _some(self, size: int, count: int) -> NDArray[np.bool_]:
        wanted = np.zeros(size, dtype=bool)
        wanted[self._rng.choice(size, count, replace=False)] = True
        return wanted


class _Answers:
    """A table over the issues of ``original``, whose levels and domains count, laid out to answer queries.

    ``levels`` float64 (L,) are of the issues, ``domains`` and ``quasi_domains`` the values of each sensitive
    issue, and of each quasi-identifier, ascending.
    """

    def __init__(self, table: RatingTable, original: RatingTable) -> None:
        self.n_records, self._original = table.n_records, original
        self.levels = levels_of(original)
        order = np.argsort(table.indices, kind="stable")
        counts = np.bincount(table.indices, minlength=table.n_issues)
        self._ptr = np.concatenate(([0], np.cumsum(counts)))
        self._records = np.repeat(np.arange(table.n_records), np.diff(table.indptr))[order]
        self._levels = np.empty(0, dtype=np.int64)
        if len(self.levels):
            self._levels = nearest_level(self.levels, table.levels)[table.codes[order]]
        self.domains = [_domain(column, self.levels) for column in original.sensitive]
        own = {column.name: column for column in table.sensitive}
        self._sensitive = [
            _positions(own.get(column.name), column, domain, table.n_records)
            for column, domain in zip(original.sensitive, self.domains, strict=True)
        ]
        self.quasi_domains = [
            column.values.gather(np.unique(column.codes[column.codes >= 0])).sort()
            for column in original.quasi
        ]
        quasi = {column.name: column for column in table.quasi}
        self._quasi = [
            _quasi_positions(quasi.get(column.name), domain, table.n_records)
            for column, domain in zip(original.quasi, self.quasi_domains, strict=True)
        ]
        self._mark = np.zeros(table.n_records, dtype=bool)

    def asked(self, issues: int) -> list[int]:
        """Return what can be asked for, by name: the first ``issues`` and the quasi-identifiers."""
        names = dict(enumerate(self._original.issues[:issues]))
        names |= {
            self._original.n_issues + number: column.name
            for number, column in enumerate(self._original.quasi)
            if len(self.quasi_domains[number])
        }
        return sorted(names, key=names.__getitem__)

    def domain_size(self, position: int) -> int:
        """Return of how many levels, or values, an issue or quasi-identifier has one."""
        number = position - self._original.n_issues
        return len(self.levels if number < 0 else self.quasi_domains[number])

    def column(self, position: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return who has an answer to an issue or quasi-identifier, and its position in the domain."""
        number = position - self._original.n_issues
        if number >= 0:
            known = np.flatnonzero(self._quasi[number] >= 0)
            return known, self._quasi[number][known]
        part = slice(self._ptr[position], self._ptr[position + 1])
        return self._records[part], self._levels[part]

    def sensitive(self, query: Query) -> NDArray[np.bool_]:
        """Return who has a wanted sensitive rating, bool (n_records,); everybody where none is asked for."""
        if query.sensitive is None:
            return np.ones(self.n_records, dtype=bool)
        number, wanted = query.sensitive
        values = self._sensitive[number]
        return np.asarray((values >= 0) & wanted[values])

    def count(self, query: Query) -> float:
        """Return how many records match."""
        left: NDArray[np.int64] | None = None
        for issue, wanted in query.wanted:
            records, levels = self.column(issue)
            records = records[wanted[levels]]
            if left is None:
                left = records
            else:
                self._mark[left] = True
                left = records[self._mark[records]]
                self._mark[:] = False
        matched = self.sensitive(query)
        return float(np.count_nonzero(matched if left is None else matched[left]))


def _quasi_positions(released: QuasiColumn | None, domain: pl.Series, records: int) -> NDArray[np.int64]:
    """Return where in ``domain`` each record's value is, int64 (records,); -1 where it is null or nowhere.

    A number is read as the nearest in the domain, as a rating is read as the nearest level.
    """
    if released is None or not len(domain):
        return np.full(records, -1, dtype=np.int64)
    if domain.dtype == pl.String:
        places = {value: place for place, value in enumerate(domain.to_list())}
        of_value = [places.get(value, -1) for value in released.values.to_list()]
    else:
        of_value = nearest_level(domain.to_numpy(), released.values.to_numpy()).tolist()
    return np.array([*of_value, -1], dtype=np.int64)[released.codes]  # the last one for code -1, a null


def _domain(column: SensitiveColumn, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of a sensitive issue, ascending; of a nominal one, the codes of its categories."""
    if column.labels is not None:
        return np.arange(len(column.labels), dtype=np.float64)
    values: NDArray[np.float64] = np.unique(column.values[column.present])
    return levels if np.isin(values, levels).all() and len(values) else values


def _positions(
    released: SensitiveColumn | None, original: SensitiveColumn, domain: NDArray[np.float64], records: int
) -> NDArray[np.int64]:
    """Return where in ``domain`` each released value is, int64 (records,); -1 where it is null or nowhere."""
    places = np.full(records, -1, dtype=np.int64)
    if released is None or not len(domain) or released.nominal != original.nominal:
        return places
    if original.labels is not None and released.labels is not None:
        place: dict[Any, int] = {label: number for number, label in enumerate(original.labels)}
        codes = np.array([place.get(label, -1) for label in released.labels], dtype=np.int64)
        places[released.present] = codes[released.values[released.present].astype(np.int64)]
    else:
        places[released.present] = nearest_level(domain, released.values[released.present])
    return places
