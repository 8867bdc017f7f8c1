"""Joining the cells of a task: every query's neighbours are counted, whatever a cell's size.

Rows arrive sorted by (hash, cell, role). Small cells are taken together and joined in one call of the engine,
which tells cells and keys apart. Of a cell that is too large for that, a block of queries is held and the
members stream by in slabs; further blocks of queries, and members that have to be read again, wait in
temporary files.

**Memory.** At any time a task holds

* rows that take ``budget`` bytes, about, with everything that the engine makes of them (:func:`row_bytes`
  says what is reckoned for a row), and one input batch;
* counts of sensitive values: of issues with few values they are part of that reckoning; of others ``budget``
  bytes, or one query's counts, which are no more than the issue has values;
* what does not depend on rows: the comparison itself, which has every distinct sensitive value once, and the
  engine's own tables (some MiB).

That holds for any plan, also for one that put everything in a single cell; a plan decides how the work is
shared, and how much of it there is. On disk: the large cell's rows, once.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.spark.answering import FEW, Answers, Rows
from ratingpriv.spark.plan import Comparison, routed_schema
from ratingpriv.spark.rows import byte_runs

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["cell_at", "join", "pieces", "reckoned", "row_bytes"]

_LARGEST = 1 << 34  # of a budget: an Arrow array of byte strings ends at 2 GiB
_ROW, _CODE, _KEY, _VALUE, _HELD = 400, 20, 12, 45, 24  # bytes: no less than was measured


def row_bytes(comparison: Comparison, keys: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many bytes are reckoned for rows whose ``key`` and ``codes`` have these lengths."""
    values = [len(column.values) for column in comparison.sensitive]
    counted = _VALUE * min(FEW, max([n for n in values if n <= FEW], default=0))
    held = _HELD * sum(n for n in values if n <= FEW)
    width = np.dtype(comparison.code_type).itemsize
    return np.asarray(_ROW + counted + held + _CODE * (codes // width + 1) + _KEY * keys)


def join(batches: Iterable[pa.RecordBatch], comparison: Comparison, budget: int) -> Iterator[pa.RecordBatch]:
    """Yield what each query finds among the members of its cell.

    Parameters
    ----------
    batches : as :func:`ratingpriv.spark.plan.routed_schema` says, whole cells, sorted by (hash, cell, role).
        Queries of a cell are distinct. Of each two rows whose keys and codes meet, no matter in what cells
        else they are, the member is in the query's cell once
    comparison : what :func:`ratingpriv.spark.plan.compare` decided
    budget : bytes that may be taken at a time, as said above

    Yields
    ------
    batches as :func:`ratingpriv.spark.plan.results_schema` says, a row for each query

    Raises
    ------
    ValueError
        Rows are not sorted, or a query is there twice.
    """
    budget = max(1, min(budget, _LARGEST))
    waiting: list[pa.RecordBatch] = []  # whole small cells, the last of which may go on
    used, large = 0, None
    for piece, taken in pieces(batches, comparison, budget // 4):
        if waiting and used + taken > budget:
            whole, last = _cut(waiting, piece)
            yield from _joined(whole, comparison, budget)
            waiting = last
            used = sum(int(reckoned(batch, comparison).sum()) for batch in last)
            if waiting and used + taken > budget:
                large = _LargeCell(cell_at(waiting[0], 0), comparison, budget)
                for batch in waiting:
                    large.feed(batch)
                waiting, used = [], 0
        if large is not None:  # nothing waits beside it
            own = _going_on(large.cell, piece)
            large.feed(piece.slice(0, own))
            piece = piece.slice(own)
            if piece.num_rows == 0:
                continue
            yield from large.results()
            large = None
        waiting.append(piece)
        used += int(reckoned(piece, comparison).sum())
    if large is not None:
        yield from large.results()
    yield from _joined(waiting, comparison, budget)


def reckoned(batch: pa.RecordBatch, comparison: Comparison) -> NDArray[np.int64]:
    """Return :func:`row_bytes` of the rows of a batch."""
    lengths = []
    for name in ("key", "codes"):
        start, end, _ = byte_runs(batch.column(name))
        lengths.append(end - start)
    return row_bytes(comparison, *lengths)


def pieces(
    batches: Iterable[pa.RecordBatch], comparison: Comparison, most: int
) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Yield pieces of batches, of at most so many bytes (or one row), and their bytes.

    Raises
    ------
    ValueError
        Rows are not sorted by (hash, cell, role).
    """
    schema = routed_schema(comparison)
    before: tuple[int, int, int] | None = None
    for batch in batches:
        batch = batch.select(schema.names)
        if batch.num_rows == 0:
            continue
        before = _check_order(batch, before)
        total = np.cumsum(reckoned(batch, comparison))
        first, done = 0, 0
        while first < batch.num_rows:
            stop = int(np.searchsorted(total, done + most, side="right"))
            stop = max(first + 1, stop)
            yield batch.slice(first, stop - first), int(total[stop - 1]) - done
            first, done = stop, int(total[stop - 1])


def _check_order(batch: pa.RecordBatch, before: tuple[int, int, int] | None) -> tuple[int, int, int]:
    """Return the last (hash, cell, role) of a batch; raise ValueError where one is below the one before."""
    columns = [_numbers(batch, name) for name in ("hash", "cell", "role")]
    falls = np.zeros(max(batch.num_rows - 1, 0), dtype=bool)
    equal = ~falls
    for column in columns:
        falls |= equal & (column[1:] < column[:-1])
        equal &= column[1:] == column[:-1]
    first, last = (tuple(int(column[at]) for column in columns) for at in (0, -1))
    if falls.any() or (before is not None and first < before):
        raise ValueError("rows are not sorted by hash, cell and role")
    return last[0], last[1], last[2]


def _numbers(batch: Any, name: str) -> NDArray[np.int64]:
    found: NDArray[np.int64] = batch.column(name).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def cell_at(batch: pa.RecordBatch, row: int) -> tuple[int, int]:
    """Return the (hash, cell) of a row."""
    return batch.column("hash")[row].as_py(), batch.column("cell")[row].as_py()


def _going_on(cell: tuple[int, int], piece: pa.RecordBatch) -> int:
    """Return how many of a piece's first rows are of this cell."""
    other = (_numbers(piece, "hash") != cell[0]) | (_numbers(piece, "cell") != cell[1])
    return int(other.argmax()) if other.any() else piece.num_rows


def _cut(
    waiting: list[pa.RecordBatch], piece: pa.RecordBatch
) -> tuple[list[pa.RecordBatch], list[pa.RecordBatch]]:
    """Return (batches of whole cells, batches of the one that goes on in ``piece``)."""
    cell = cell_at(piece, 0)
    if cell_at(waiting[-1], waiting[-1].num_rows - 1) != cell:
        return waiting, []
    for number, batch in enumerate(waiting):
        own = (_numbers(batch, "hash") == cell[0]) & (_numbers(batch, "cell") == cell[1])
        if own.any():
            first = int(own.argmax())
            before = [*waiting[:number], *([batch.slice(0, first)] if first else [])]
            return before, [batch.slice(first), *waiting[number + 1 :]]
    raise AssertionError("the last row is of the cell")


def _joined(batches: list[pa.RecordBatch], comparison: Comparison, budget: int) -> Iterator[pa.RecordBatch]:
    """Join whole cells in one go."""
    import pyarrow as pa

    if not batches:
        return
    table = pa.Table.from_batches(batches)
    names, role = (_numbers(table, "hash"), _numbers(table, "cell")), _numbers(table, "role")
    new = np.ones(table.num_rows, dtype=bool)
    new[1:] = (names[0][1:] != names[0][:-1]) | (names[1][1:] != names[1][:-1])
    cell = np.cumsum(new) - 1
    asked = role == 0
    if not asked.any():
        return
    # a cell may have members and no query: nobody asks for them, and they are of no other cell
    answered = np.bincount(cell[asked], minlength=int(cell[-1]) + 1) > 0
    there = ~asked & answered[cell]
    queries = Rows.of(table.filter(pa.array(asked)), cell[asked], comparison)
    members = Rows.of(table.filter(pa.array(there)), cell[there], comparison)
    answers = Answers(comparison, queries, budget)
    answers.add(members)
    yield answers.results(lambda: iter((members,)))


class _LargeCell:
    """A cell that does not fit: blocks of queries, against which its members are held slab by slab.

    Parameters
    ----------
    cell : its hash and number
    comparison, budget : as in :func:`join`
    """

    def __init__(self, cell: tuple[int, int], comparison: Comparison, budget: int) -> None:
        self.cell = cell
        self._comparison, self._budget, self._half = comparison, budget, max(1, budget // 2)
        self._queries, self._members = _Spill(comparison), _Spill(comparison)
        self._block: list[pa.RecordBatch] = []  # the queries that wait for members
        self._slab: list[pa.RecordBatch] = []
        self._used = [0, 0]
        self._answers: Answers | None = None
        self._many = any(len(column.values) > FEW for column in comparison.sensitive)

    def feed(self, batch: pa.RecordBatch) -> None:
        """Take more rows of the cell, queries first."""
        if batch.num_rows == 0:
            return
        queries = int(np.searchsorted(_numbers(batch, "role"), 1))
        taken = reckoned(batch, self._comparison)
        if queries:
            self._take_queries(batch.slice(0, queries), int(taken[:queries].sum()))
        if queries < batch.num_rows:
            self._take_members(batch.slice(queries), int(taken[queries:].sum()))

    def results(self) -> Iterator[pa.RecordBatch]:
        """Yield a row for each query, now that every member has come."""
        if not self._block:
            return
        self._flush()
        answers, self._answers = self._answers, None
        if answers is not None:
            yield answers.results(self._reread)
        for block in self._queries.blocks(self._half):
            answers = Answers(self._comparison, self._rows(block), self._half)
            for members in self._reread():
                answers.add(members)
            yield answers.results(self._reread)
        self._queries.close()
        self._members.close()

    @property
    def _twice_needed(self) -> bool:
        """Whether members have to be read again: for further queries, or to count many values."""
        return self._many or self._queries.used

    def _take_queries(self, batch: pa.RecordBatch, taken: int) -> None:
        if self._block and (self._queries.used or self._used[0] + taken > self._half):
            self._queries.write(batch)
            return
        self._block.append(batch)
        self._used[0] += taken

    def _take_members(self, batch: pa.RecordBatch, taken: int) -> None:
        if not self._block:
            return  # nobody asks
        if self._slab and self._used[1] + taken > self._half:
            self._flush()
        self._slab.append(batch)
        self._used[1] += taken

    def _flush(self) -> None:
        """Hold a slab against the first block of queries; keep it if it has to be read again."""
        if self._answers is None:
            self._answers = Answers(self._comparison, self._rows(self._block), self._half)
        if self._slab:
            self._answers.add(self._rows(self._slab))
            if self._twice_needed:
                for batch in self._slab:
                    self._members.write(batch)
        self._slab, self._used[1] = [], 0

    def _reread(self) -> Iterator[Rows]:
        for batches in self._members.blocks(self._half):
            yield self._rows(batches)

    def _rows(self, batches: list[pa.RecordBatch]) -> Rows:
        import pyarrow as pa

        table = pa.Table.from_batches(batches, routed_schema(self._comparison))
        return Rows.of(table, np.zeros(table.num_rows, dtype=np.int64), self._comparison)


class _Spill:
    """Rows that wait in a temporary file, which has no name and goes when the task does."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._file: IO[bytes] | None = None
        self._writer: Any = None

    @property
    def used(self) -> bool:
        """Whether anything was written."""
        return self._file is not None

    def write(self, batch: pa.RecordBatch) -> None:
        """Put a batch at the end."""
        import pyarrow as pa

        schema = routed_schema(self._comparison)
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=_folder())  # noqa: SIM115 -- open until :meth:`close`
            self._writer = pa.ipc.new_stream(self._file, schema)
        self._writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))

    def blocks(self, budget: int) -> Iterator[list[pa.RecordBatch]]:
        """Yield what was written, in order, in lists that take ``budget`` bytes or less (or one batch)."""
        import pyarrow as pa

        if self._file is None:
            return
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._file.seek(0)
        held: list[pa.RecordBatch] = []
        used = 0
        for batch in pa.ipc.open_stream(self._file):
            taken = int(reckoned(batch, self._comparison).sum())
            if held and used + taken > budget:
                yield held
                held, used = [], 0
            held.append(batch)
            used += taken
        if held:
            yield held

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _folder() -> str | None:
    """Return the folder that Spark gave to this executor; None: the system's."""
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
    return folder if folder and Path(folder).is_dir() else None
