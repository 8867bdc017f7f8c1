"""What queries find among members: sizes, moments and counts, slab by slab.

The members of a cell come in slabs; each belongs to one, so that what a query finds is the sum of what it
finds in each. A value's count is a whole number and sums of numbers are made of the counts at the end, in
the ascending order of the values: no result depends on slabs, blocks or the order of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.proximity.counts import CountsBuilder
from ratingpriv.proximity.weighted import WeightedJoin
from ratingpriv.spark.plan import Comparison, results_schema
from ratingpriv.spark.rows import byte_runs

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FEW", "Answers", "Rows"]

FEW = 64  # values of so many and fewer are counted in the join, of more behind lists of neighbours
_ENTRY, _COUNT = 96, 64  # bytes of an entry of a slab while its list is counted, and of a value counted


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of some cells, all of them queries or all members.

    Attributes
    ----------
    cell : int64 (n,); which cell each is of, any numbers
    key, codes : Arrow binary (n,)
    sensitive : int64 (n,), for each sensitive issue; -1 where null
    weight : int64 (n,)
    """

    cell: NDArray[np.int64]
    key: pa.BinaryArray
    codes: pa.BinaryArray
    sensitive: tuple[NDArray[np.int64], ...]
    weight: NDArray[np.int64]

    @classmethod
    def of(cls, table: pa.Table, cell: NDArray[np.int64], comparison: Comparison) -> Self:
        """Return rows from columns as :func:`ratingpriv.spark.plan.routed_schema` has them."""
        import pyarrow as pa

        def column(name: str) -> Any:
            chunks = table.column(name).chunks
            return pa.concat_arrays(chunks) if chunks else pa.array([], type=table.schema.field(name).type)

        sensitive = tuple(
            column(f"s{j}").cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
            for j in range(len(comparison.sensitive))
        )
        weight = column("weight").to_numpy(zero_copy_only=False)
        return cls(cell, column("key"), column("codes"), sensitive, weight)

    def taken(self, rows: NDArray[np.int64]) -> Rows:
        """Return these rows, which are queries."""
        import pyarrow as pa

        at = pa.array(rows)
        return Rows(self.cell[rows], self.key.take(at), self.codes.take(at), (), self.weight[rows])


class _Slab:
    """Queries and members laid out for the engine: rows that are compared alike are one."""

    def __init__(self, comparison: Comparison, queries: Rows, members: Rows) -> None:
        import pyarrow as pa

        self._comparison, self._members = comparison, members
        key = pa.concat_arrays([queries.key, members.key]).dictionary_encode()
        codes = pa.concat_arrays([queries.codes, members.codes]).dictionary_encode()
        cell = np.unique(np.concatenate((queries.cell, members.cell)), return_inverse=True)[1]
        # rows of different cells never meet, whatever their keys are
        group = np.unique(cell * len(key.dictionary) + _indices(key), return_inverse=True)[1]
        distinct, row = np.unique(group * len(codes.dictionary) + _indices(codes), return_inverse=True)
        self.group, code = np.divmod(distinct, len(codes.dictionary))
        start, end, data = byte_runs(codes.dictionary.take(pa.array(code)))
        kind = np.dtype(comparison.code_type).newbyteorder("<")
        indptr = np.concatenate((start[:1], end)) // kind.itemsize
        lo, hi = comparison.lo, comparison.hi
        if indptr[-1] == 0:  # nothing to compare: all of a group are neighbours
            lo = hi = np.empty(0, dtype=np.int64)
        n, q = len(distinct), len(queries.weight)
        self._row = row[q:]
        asked, there = np.zeros((2, n), dtype=bool)
        asked[row[:q]], there[self._row] = True, True
        if np.count_nonzero(asked) != q:
            raise ValueError("a query is there twice")
        self._join = WeightedJoin(
            data[: end[-1]].view(kind), indptr, self.group, lo, hi, queries=asked, members=there
        )
        self._place = np.searchsorted(self._join.queries, row[:q])
        self._n = n
        self._rows: NDArray[np.int64] | None = None
        self._entries: dict[int, tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = {}

    def rows(self) -> NDArray[np.int64]:
        """Return how many rows of this slab are near each query."""
        if self._rows is None:
            self._rows = self._totals(np.ones((self._n, 1), dtype=np.int64))[:, 0]
        return self._rows

    def counts(self, issues: list[int]) -> list[NDArray[np.int64]]:
        """Return how many records are near each query, int64 (n_queries, 1), and how many have each value.

        The latter is int64 (n_queries, n_values) for each of the issues.
        """
        weight = np.bincount(self._row, weights=self._members.weight, minlength=self._n)
        amounts = [weight.astype(np.int64)[:, None]]
        for j in issues:
            code, values = self._members.sensitive[j], len(self._comparison.sensitive[j].values)
            known = code >= 0
            amounts.append(
                np.bincount(
                    self._row[known] * values + code[known],
                    weights=self._members.weight[known],  # float64, and exact: no sum reaches 2**53
                    minlength=self._n * values,
                ).astype(np.int64).reshape(self._n, values)
            )  # fmt: skip
        found = self._totals(np.concatenate(amounts, axis=1))
        return np.split(found, np.cumsum([one.shape[1] for one in amounts])[:-1], axis=1)

    def entries(self, issue: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return what each row's records know of an issue: bounds by row, codes, how many have each."""
        if issue not in self._entries:
            code, values = self._members.sensitive[issue], len(self._comparison.sensitive[issue].values)
            known = code >= 0
            keys, weight = _grouped(self._row[known] * values + code[known], self._members.weight[known])
            row, code = np.divmod(keys, values)
            self._entries[issue] = np.searchsorted(row, np.arange(self._n + 1)), code, weight
        return self._entries[issue]

    def entry_totals(self, issue: int) -> NDArray[np.int64]:
        """Return how many entries of an issue are behind the rows near each query."""
        return self._totals(np.diff(self.entries(issue)[0])[:, None])[:, 0]

    def listed(
        self, issue: int, queries: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return (place in ``queries``, code, how many) for each entry behind the rows near them."""
        start, code, weight = self.entries(issue)
        bounds, near = self._join.listed(self._place[queries], self.rows()[queries])
        lengths = np.diff(start)[near]
        query = np.repeat(np.repeat(np.arange(len(queries)), np.diff(bounds)), lengths)
        at = np.repeat(start[near] - (np.cumsum(lengths) - lengths), lengths) + np.arange(len(query))
        return query, code[at], weight[at]

    def _totals(self, amounts: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._join.totals(amounts)[self._place]


class Answers:
    """The neighbourhoods of some queries: what has been found in the slabs that were added.

    Parameters
    ----------
    comparison : by what rows are compared
    queries : the queries; of each cell every one once
    budget : bytes that lists of neighbours may take, about
    """

    def __init__(self, comparison: Comparison, queries: Rows, budget: int) -> None:
        self._comparison, self._queries = comparison, queries
        self._room = budget
        n = len(queries.weight)
        self._size = np.zeros(n, dtype=np.int64)
        few: list[int] = []
        many: list[int] = []
        for j, column in enumerate(comparison.sensitive):
            (few if len(column.values) <= FEW else many).append(j)
        self._together = _together(few, [len(column.values) for column in comparison.sensitive])
        self._counts = {j: np.zeros((n, len(comparison.sensitive[j].values)), np.int64) for j in few}
        self._entries = {j: np.zeros((2, n), dtype=np.int64) for j in many}  # in all, and most of a slab
        self._only: _Slab | None = None
        self._slabs = 0

    def add(self, members: Rows) -> None:
        """Look for the queries' neighbours among these members, of which none was added before."""
        if len(members.weight) == 0 or len(self._size) == 0:
            return
        slab = _Slab(self._comparison, self._queries, members)
        self._slabs += 1
        self._only = slab if self._slabs == 1 and self._entries else None
        for number, issues in enumerate(self._together):
            size, *counts = slab.counts(issues)
            if number == 0:
                self._size += size[:, 0]
            for j, found in zip(issues, counts, strict=True):
                self._counts[j] += found
        for j, entries in self._entries.items():
            found = slab.entry_totals(j)
            entries[0] += found
            np.maximum(entries[1], found, out=entries[1])

    def results(self, again: Callable[[], Iterator[Rows]]) -> pa.RecordBatch:
        """Return a row for each query; ``again`` gives the members that were added once more, in slabs."""
        import pyarrow as pa

        columns: list[Any] = [
            self._queries.key, self._queries.codes, pa.array(self._queries.weight), pa.array(self._size)
        ]  # fmt: skip
        for j in range(len(self._comparison.sensitive)):
            columns += self._dense(j) if j in self._counts else self._sparse(j, again)
        return pa.RecordBatch.from_arrays(columns, schema=results_schema(self._comparison))

    def _builder(self, j: int) -> CountsBuilder:
        most = int(self._size.max(initial=0))
        return CountsBuilder(
            self._comparison.sensitive[j].name, len(self._size), most, self._comparison.entropy
        )

    def _dense(self, j: int) -> list[Any]:
        """Return the columns of an issue whose values were counted in the join."""
        counts, builder = np.ascontiguousarray(self._counts[j].T), self._builder(j)
        builder.add(0, counts)
        numbers = self._comparison.sensitive[j].numbers
        sums, squares = np.zeros((2, len(self._size)), dtype=numbers.dtype)
        for number, count in zip(numbers, counts, strict=True):
            sums += count * number
            squares += count * (number * number)
        return self._columns(builder, sums, squares)

    def _sparse(self, j: int, again: Callable[[], Iterator[Rows]]) -> list[Any]:
        """Return the columns of an issue whose values are counted behind lists, a block of queries a time."""
        builder, column = self._builder(j), self._comparison.sensitive[j]
        sums, squares = np.zeros((2, len(self._size)), dtype=column.numbers.dtype)
        every, most = self._entries[j]
        taken = _COUNT * np.minimum(every, len(column.values)) + _ENTRY * most
        for block in _blocks(taken, self._room):
            query, code, counts = self._counted(j, block, again)
            builder.add_sparse(block, query, counts)
            number = column.numbers[code]
            for total, each in ((sums, counts * number), (squares, counts * (number * number))):
                total[block] = _sums(query, each, len(block))
        return self._columns(builder, sums, squares)

    def _counted(
        self, j: int, block: NDArray[np.int64], again: Callable[[], Iterator[Rows]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return (place in ``block``, code, count), ascending, of the values near the block's queries."""
        values = len(self._comparison.sensitive[j].values)
        keys, counts = np.empty((2, 0), dtype=np.int64)
        for slab, queries in self._again(block, again):
            query, code, weight = slab.listed(j, queries)
            more, own = _grouped(query * values + code, weight)
            keys, counts = _grouped(np.concatenate((keys, more)), np.concatenate((counts, own)))
        query, code = np.divmod(keys, max(values, 1))
        return query, code, counts

    def _again(
        self, block: NDArray[np.int64], again: Callable[[], Iterator[Rows]]
    ) -> Iterator[tuple[_Slab, NDArray[np.int64]]]:
        """Yield each slab and the places of the block's queries in it."""
        if self._only is not None:
            yield self._only, block
            return
        queries = self._queries.taken(block)
        for members in again() if self._slabs else ():
            yield _Slab(self._comparison, queries, members), np.arange(len(block))

    def _columns(self, builder: CountsBuilder, sums: NDArray[Any], squares: NDArray[Any]) -> list[Any]:
        import pyarrow as pa

        found, least = builder.result(np.arange(len(sums))), builder.least()
        return [
            pa.array(found.known), pa.array(sums), pa.array(squares), pa.array(found.largest),
            pa.array(found.distinct), pa.array(found.entropy),
            pa.nulls(len(sums), pa.bool_()) if found.reaches is None else pa.array(found.reaches),
            pa.array([least.get(i) for i in range(len(sums))], type=pa.list_(pa.int64()))
            if least else pa.nulls(len(sums), pa.list_(pa.int64())),
        ]  # fmt: skip


def _together(issues: list[int], values: list[int]) -> list[list[int]]:
    """Return lists of issues that are counted in one join, of so many values together; one at least."""
    lists: list[list[int]] = [[]]
    room = FEW
    for j in issues:
        if values[j] == 0:
            continue  # nobody answered: its counts are an array without columns
        if values[j] > room:
            lists.append([])
            room = FEW
        lists[-1].append(j)
        room -= values[j]
    return lists


def _indices(encoded: pa.DictionaryArray) -> NDArray[np.int64]:
    found: NDArray[np.int64] = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _grouped(
    keys: NDArray[np.int64], weight: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, ascending, and the sum of each one's weights."""
    if len(keys) == 0:
        return keys, weight
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[first], np.add.reduceat(weight[order], first)


def _sums(row: NDArray[np.int64], numbers: NDArray[Any], rows: int) -> NDArray[Any]:
    """Add up the numbers of each row, ascending; floats one after another, in their order."""
    if numbers.dtype.kind == "f":
        return np.bincount(row, weights=numbers, minlength=rows)
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(numbers)))
    bounds = np.searchsorted(row, np.arange(rows + 1))
    return np.diff(before[bounds])


def _blocks(taken: NDArray[np.int64], room: int) -> Iterator[NDArray[np.int64]]:
    """Cut queries that take so many bytes into blocks of at most ``room`` (or a single query)."""
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(taken)))
    first = 0
    while first < len(taken):
        stop = max(first + 1, int(np.searchsorted(before, before[first] + room, side="right")) - 1)
        yield np.arange(first, stop)
        first = stop
