"""The numbers of an audit, counted by the queries of the library on a graph store.

This is the ``cypher`` engine: sizes of all neighbourhoods [SWLZ11, Def. 4.2], and for every
sensitive issue what its SD [SWLZ11, Eq. 3] is made of, in the same whole numbers that the compiled
engine uses, so that verdicts made from them are equal, near-ties included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError, QueryFailedError
from ratingpriv.base.progress import Progress
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.slices import run_in_slices
from ratingpriv.graph.store import DatasetInfo, Result, Store
from ratingpriv.proximity.amounts import measure
from ratingpriv.proximity.levels import written_grid
from ratingpriv.proximity.moments import SensitiveMoments

_PLACES = 9
_DIGITS = 10**15  # float64 tells decimals of up to 15 digits apart
_EXACT = Context(prec=400, rounding=ROUND_FLOOR)
_WORK = 2_000_000  # ratings compared in one statement under the rule known, about


@dataclass(frozen=True, slots=True, eq=False)
class IssueNumbers:
    """One sensitive issue in every neighbourhood.

    Attributes
    ----------
    column : all its ratings, ascending rather than in the order of the records, and behind them its
        nulls
    moments : of the neighbourhoods, in the numbers that the compiled engine adds up
    position, code, records : int64 (n_counts,) each; in the neighbourhood of the record at this
        position so many records give the rating of this code, its place among all; positions and
        codes ascending
    """

    column: SensitiveColumn
    moments: SensitiveMoments
    position: NDArray[np.int64]
    code: NDArray[np.int64]
    records: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class GraphNumbers:
    """What an audit needs to know about a dataset in a store.

    Attributes
    ----------
    dataset : the dataset as the store describes it
    epsilon : the rating distance that was asked
    record_ids : polars Series (n,), Int64 or String, by position
    sizes : int64 (n,); |N(t)|, t included
    issues : how many non-sensitive issues there are
    ratings : how many non-sensitive ratings there are, loaded or not: the Hamming groups tell
    sensitive : one entry a sensitive issue, in the order of the data
    equal_sizes : the same at epsilon 0; None where not all pairs are in the store, nor the sizes
        there
    unseen : the sensitive issues of which nothing can be said, as only the pairs of records at risk
        are in the store: then all of them, and ``sensitive`` is empty
    hamming_group_sizes : int64 (n_groups,), by the group's number
    """

    dataset: DatasetInfo
    epsilon: float
    record_ids: pl.Series
    sizes: NDArray[np.int64]
    issues: int
    ratings: int
    sensitive: tuple[IssueNumbers, ...]
    hamming_group_sizes: NDArray[np.int64]
    equal_sizes: NDArray[np.int64] | None = None
    unseen: tuple[str, ...] = ()


def audit_numbers(
    store: Store,
    dataset: str,
    epsilon: float,
    *,
    known: bool = False,
    progress: Progress | None = None,
) -> GraphNumbers:
    """Ask ``store`` what an audit of ``dataset`` at ``epsilon`` needs,
    by the queries of ``cypher/audit``.

    With ``known`` neighbourhoods are those of the null rule known, from the ratings in the store;
    else those of its pairs. Of a dataset that holds the pairs of records at risk only, the sizes
    that its records have at ``epsilon`` are all that there is.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    info = store.dataset(dataset)

    def rule_at(distance: float) -> _Pairs | _KnownRule:
        if known:
            return _KnownRule(store, dataset, distance, progress)
        return _Pairs(store, dataset, distance)

    rule = rule_at(epsilon)
    sized = rule.sizes()
    n = info.spec.records
    _expect(store, dataset, None not in sized.column("size"))  # a record without its sizes
    sizes = _int64(sized, "size")
    if not known and info.spec.edges == "all" and epsilon == info.spec.epsilon_max:
        _expect(store, dataset, int(sizes.sum()) - len(sizes) == 2 * info.spec.pairs)
    _expect(store, dataset, len(sizes) == n and sized.column("position") == list(range(n)))
    equal_sizes = sizes if epsilon == 0 else None
    if equal_sizes is None and (
        known or info.spec.edges == "all" or info.spec.level_at(0.0) is not None
    ):
        equal_sizes = _int64(rule_at(0.0).sizes(), "size")
        _expect(store, dataset, len(equal_sizes) == n)
    groups = store.run("audit/hamming-groups", dataset=dataset)
    group_sizes = np.zeros(len(groups), dtype=np.int64)
    group_sizes[_int64(groups, "hamming_group")] = _int64(groups, "size")
    _expect(store, dataset, int(group_sizes.sum()) == n)
    sensitive: list[IssueNumbers] = []
    labels = dict(store.run("load/sensitive-issues", dataset=dataset).rows)
    unseen = tuple(labels) if info.spec.edges != "all" and not known else ()
    rated = [] if unseen else _columns(store.run("audit/sensitive-levels", dataset=dataset), labels)
    for done, column in enumerate(rated):
        if progress is not None and not known:  # which reports its own
            progress("adding up sensitive ratings", done, None)
        sensitive.append(_numbers(store, dataset, rule.counts(column.name), sizes, column))
    _expect(store, dataset, store.dataset(dataset) == info)
    return GraphNumbers(
        dataset=info,
        epsilon=epsilon,
        record_ids=pl.Series("record", sized.column("record")),
        sizes=sizes,
        issues=info.spec.issues - len(sensitive) - len(unseen),
        ratings=int(_int64(groups, "size") @ _int64(groups, "support_size")),
        sensitive=tuple(sensitive),
        hamming_group_sizes=group_sizes,
        equal_sizes=equal_sizes,
        unseen=unseen,
    )


class _Pairs:
    """The questions of an audit to one dataset, about the neighbourhoods that its pairs make.

    ``sizes`` are record, position and size of each, by position; ``counts`` position, rating (None,
    too) and how many records of it give a sensitive issue that rating.
    """

    def __init__(self, store: Store, dataset: str, epsilon: float) -> None:
        self._store = store
        self._of: dict[str, Any] = {"dataset": dataset, "epsilon": epsilon}

    def sizes(self) -> Result:
        return self._store.run("audit/neighbourhood-sizes", **self._of)

    def counts(self, issue: str) -> Result:
        return self._store.run("audit/sensitive-counts", **self._of, issue=issue)


class _KnownRule:
    """The questions of an audit under the null rule ``known`` to one dataset.

    Pairs are not used, so any ε may be asked, whatever ε and null rule the dataset was ingested
    with. Records are asked for a slice at a time, each of about so much work that an engine answers
    within seconds.
    """

    def __init__(
        self, store: Store, dataset: str, epsilon: float, progress: Progress | None
    ) -> None:
        spec = store.dataset(dataset).spec
        rated = store.run("audit/rating-levels", dataset=dataset)  # refuses what is not complete
        if not spec.all_ratings:
            raise ParameterError(
                "nulls",
                "known",
                f"a dataset with its non-sensitive ratings, which {dataset!r} is not",
                "ingest it again with `ratings=True`",
            )
        if spec.quasi:
            what = (
                "a dataset without quasi-identifiers: the queries do not know their rules "
                "under 'known'"
            )
            raise ParameterError("nulls", "known", what, "audit the data file instead")
        self._store, self._dataset, self._records, self._progress = (
            store,
            dataset,
            spec.records,
            progress,
        )
        levels = np.unique(np.array(rated.column("rating"), dtype=np.float64))
        decimals = _decimals(levels)
        if decimals is None and written_grid(levels) is not None:
            what = (
                f"a dataset whose ratings an engine can subtract exactly, which {dataset!r} is not"
            )
            raise ParameterError(
                "nulls", "known", what, "audit the data file, which compares them exactly"
            )
        # decimals are compared as whole numbers, as the compiled engine does; else as float64
        self._unit = 0.0 if decimals is None else 10.0**decimals
        self._reach = epsilon if decimals is None else _whole_reach(epsilon, decimals)
        raters: dict[str, int] = {}
        for issue, _, records in rated:
            raters[issue] = raters.get(issue, 0) + records
        pieces = max(1, min(self._records, sum(count**2 for count in raters.values()) // _WORK + 1))
        self._cuts = np.linspace(0, self._records, pieces + 1).astype(np.int64).tolist()

    def sizes(self) -> Result:
        return self._asked("audit/known-sizes", "counting neighbourhoods")

    def counts(self, issue: str) -> Result:
        return self._asked("audit/known-counts", "counting sensitive ratings", issue=issue)

    def _asked(self, asked: str, what: str, **params: Any) -> Result:
        params |= {"dataset": self._dataset, "rating_unit": self._unit, "reach": self._reach}
        return run_in_slices(
            self._store, query(asked), params, cuts=self._cuts, progress=self._progress, what=what
        )


def _columns(result: Result, labels: Mapping[str, list[str] | None]) -> Iterator[SensitiveColumn]:
    """Yield the sensitive issues, each with its ratings ascending and its nulls behind them."""
    by_issue: dict[str, list[tuple[float | None, int]]] = {}
    for issue, rating, records, _ in result:
        by_issue.setdefault(issue, []).append((rating, records))
    for issue, rows in by_issue.items():
        rows.sort(key=lambda row: (row[0] is None, row[0] or 0.0))
        # NaN where none is given
        ratings = np.array([rating for rating, _ in rows], dtype=np.float64)
        values = np.repeat(ratings, [records for _, records in rows])
        present, meanings = ~np.isnan(values), labels[issue]
        words = None if meanings is None else tuple(meanings)
        yield SensitiveColumn(issue, np.where(present, values, 0.0), present, words)


def _numbers(
    store: Store, dataset: str, counted: Result, sizes: NDArray[np.int64], column: SensitiveColumn
) -> IssueNumbers:
    """Return an issue's numbers, all made from how often each rating, and none,
    is given in each place.
    """
    position, records = _int64(counted, "position"), _int64(counted, "records")
    ratings = np.array(counted.column("rating"), dtype=np.float64)
    _expect(store, dataset, len(position) == 0 or int(position.max()) < len(sizes))
    _expect(store, dataset, np.array_equal(_added(position, records, len(sizes)), sizes))
    rated = ~np.isnan(ratings)
    position, records, ratings = position[rated], records[rated], ratings[rated]
    levels, first = np.unique(column.values[column.present], return_index=True)
    level = np.searchsorted(levels, ratings)
    in_place = len(ratings) == 0 or int(level.max()) < len(levels)
    _expect(store, dataset, in_place and np.array_equal(levels[level], ratings))
    measured = measure(column)
    numbers: NDArray[Any] = measured.numbers[first]
    n_known, sums, squares = (
        _added(position, records * weights[level], len(sizes))
        for weights in (np.ones_like(first), numbers, numbers**2)
    )
    moments = SensitiveMoments(
        column.name, n_known, sums, squares, measured.shift, measured.decimals
    )
    return IssueNumbers(column, moments, position, level, records)


def _added(position: NDArray[np.int64], amounts: NDArray[Any], records: int) -> NDArray[Any]:
    """Return the sum of the amounts at each position; whole numbers stay exact."""
    sums = np.zeros(records, dtype=amounts.dtype)
    np.add.at(sums, position, amounts)
    return sums


def _decimals(ratings: NDArray[np.float64]) -> int | None:
    """Return how many decimals the ratings need.

    None where one has more than 9, or above 15 digits.
    """
    decimals = 0
    for rating in ratings.tolist():
        exponent = Decimal(repr(rating)).normalize().as_tuple().exponent
        decimals = max(decimals, -int(exponent))
    if decimals > _PLACES or bool(np.any(np.abs(ratings) * 10.0**decimals > _DIGITS)):
        return None
    return decimals


def _whole_reach(epsilon: float, decimals: int) -> float:
    """Return the largest whole number not above epsilon * 10**decimals,
    epsilon the decimal it prints as.

    At most a number beyond any two ratings of 15 digits, so that it is exact in float64.
    """
    scaled = _EXACT.scaleb(Decimal(repr(epsilon)), decimals).to_integral_value(rounding=ROUND_FLOOR)
    return float(min(int(scaled), 4 * _DIGITS))


def _int64(result: Result, name: str) -> NDArray[np.int64]:
    return np.array(result.column(name), dtype=np.int64)


def _expect(store: Store, dataset: str, holds: bool) -> None:
    if not holds:
        raise QueryFailedError(
            store.uri,
            f"the results about the dataset {dataset!r} do not fit together",
            "it was changed meanwhile, or by hand; run the audit again, or else ingest the "
            "data again",
        )
