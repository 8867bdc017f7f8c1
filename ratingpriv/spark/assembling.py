"""From ratings, or rows of a table, to records: their keys, codes and sensitive codes.

Arrow batches in, Arrow batches out. Memory: a batch, a few times over, and one record's ratings.

Whatever was profiled is held to here, as the data are read a second time: a value that the profile does not
have (the data changed, or their source gives other rows each time it is read) is refused, never dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ratingpriv.spark.plan import Comparison, SensitiveValues, assembled_schema
from ratingpriv.spark.rows import encode
from ratingpriv.spark.session.refusals import refusal

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["assemble_long", "assemble_wide"]

_CELLS = 1 << 22  # cells of a wide batch that are looked at together


def assemble_long(batches: Iterable[pa.RecordBatch], comparison: Comparison) -> Iterator[pa.RecordBatch]:
    """Yield the records of ratings, one row each.

    Parameters
    ----------
    batches : as :func:`ratingpriv.spark.plan.long_schema` says: all ratings of a record are in one stream,
        sorted by (record, issue), nulls first. A record may go on over any number of batches
    comparison : what :func:`ratingpriv.spark.plan.compare` decided

    Yields
    ------
    batches as :func:`ratingpriv.spark.plan.assembled_schema` says

    Raises
    ------
    ParameterError
        A record rates an issue twice; an id is null; a value is not one of the profile's; a record leaves an
        issue unrated where the profile says that none does.
    ValueError
        The rows are not sorted, or name an issue that does not exist.
    """
    import pyarrow as pa

    held: pa.RecordBatch | None = None
    for batch in batches:
        batch = batch.select(["record", "issue", "rating"])
        if batch.num_rows == 0:
            continue
        if held is not None:
            batch = _together(held, batch)
        new, kept = _starts(batch)
        last = int(np.flatnonzero(new)[-1])
        if last:
            yield _records(batch.slice(0, last), new[:last], comparison)
        # rows that only say that the record exists, once said, are no more needed: what is held is bounded
        held = batch.slice(last).filter(pa.array(kept[last:]))
    if held is not None:
        yield _records(held, _starts(held)[0], comparison)


def assemble_wide(batches: Iterable[pa.RecordBatch], comparison: Comparison) -> Iterator[pa.RecordBatch]:
    """Yield the records of the rows of a table.

    Parameters
    ----------
    batches : as :func:`ratingpriv.spark.plan.wide_schema` says, a row a record in any order
    comparison, yields : as in :func:`assemble_long`

    Raises
    ------
    ParameterError
        An id is null; a value is not one of the profile's; a record leaves an issue unrated where the profile
        says that none does. That an id is there once is for the caller to check: no batch can tell.
    """
    columns = len(comparison.columns)
    rows = max(1, _CELLS // (columns + 1))
    for whole in batches:
        for first in range(0, whole.num_rows, rows):
            batch = whole.slice(first, rows)
            codes = np.full((batch.num_rows, columns), -1, dtype=np.int64)
            for number in range(columns):
                codes[:, number] = _column(batch.column(f"c{number}"), comparison, number)
            yield _assembled(batch.column("record"), codes, comparison)


def _together(held: pa.RecordBatch, batch: pa.RecordBatch) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.concat_batches([held, batch.cast(held.schema)])


def _starts(batch: pa.RecordBatch) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows begin a record, and which of them say anything; check the order."""
    import pyarrow.compute as pc

    record, n = batch.column("record"), batch.num_rows
    if record.null_count:
        raise _no_id()
    new = np.ones(n, dtype=bool)
    if n > 1:
        before, after = record.slice(0, n - 1), record.slice(1)
        new[1:] = pc.not_equal(after, before).to_numpy(zero_copy_only=False)
        if not pc.all(pc.less_equal(before, after)).as_py():
            raise ValueError("ratings are not sorted by record")
    issue = batch.column("issue").fill_null(-1).to_numpy(zero_copy_only=False)
    again = ~new
    again[1:] &= issue[1:] == issue[:-1]
    if np.any(again & (issue >= 0)):
        raise refusal(
            "the data", "a second rating of an issue by the same record",
            "one rating for each record and issue", "remove one, or reduce them before the audit",
        )  # fmt: skip
    if np.any(~new[1:] & (issue[1:] < issue[:-1])):
        raise ValueError("a record's ratings are not sorted by issue")
    return new, ~(again & (issue < 0))


def _records(batch: pa.RecordBatch, new: NDArray[np.bool_], comparison: Comparison) -> pa.RecordBatch:
    """Assemble whole records, the rows of each one behind the other."""
    import pyarrow as pa

    p, columns = len(comparison.issues), len(comparison.columns)
    record = np.cumsum(new) - 1
    rating = batch.column("rating")
    issue = batch.column("issue").fill_null(-1).to_numpy(zero_copy_only=False)
    said = (issue >= 0) & rating.is_valid().to_numpy(zero_copy_only=False)
    if np.any(issue >= columns):
        raise ValueError(f"an issue is {int(issue.max())}, and there are {columns}")
    ids = batch.column("record").filter(pa.array(new))
    value = rating.fill_null(0.0).to_numpy(zero_copy_only=False)
    rated = said & (issue < p)
    code = np.full(len(issue), -1, dtype=np.int64)
    code[rated] = _position(value[rated], comparison.levels)
    n = len(ids)
    other = np.full((n, columns - p), -1, dtype=np.int64)
    for number in np.unique(issue[said & ~rated]).tolist():
        here = np.flatnonzero(said & (issue == number))
        other[record[here], number - p] = _position(value[here], _values(comparison, number))
    counts = np.bincount(record[rated], minlength=n)
    return _encoded(ids, counts, issue[rated].astype(np.int64), code[rated], other, comparison)


def _assembled(record: pa.Array, codes: NDArray[np.int64], comparison: Comparison) -> pa.RecordBatch:
    """Assemble records from the codes of all columns, int64 (n, n_columns), -1 where null."""
    p = len(comparison.issues)
    rated = codes[:, :p] >= 0
    row, place = np.nonzero(rated)
    own = codes[:, :p][row, place]
    return _encoded(record, rated.sum(axis=1), place.astype(np.int64), own, codes[:, p:], comparison)


def _encoded(
    record: pa.Array, counts: NDArray[np.int64], places: NDArray[np.int64], codes: NDArray[np.int64],
    other: NDArray[np.int64], comparison: Comparison,
) -> pa.RecordBatch:  # fmt: skip
    """Assemble records from their ratings, one record behind the other, and the codes of other columns.

    Parameters
    ----------
    counts : int64 (n,); how many ratings each has
    other : int64 (n, columns that are no issues); -1 where null
    """
    import pyarrow as pa

    n, p = len(record), len(comparison.issues)
    if record.null_count:
        raise _no_id()
    if comparison.complete and np.any(counts != p):
        raise _changed("a record that leaves an issue unrated")
    unequal, moving = len(comparison.equal_quasi), len(comparison.moving_quasi)
    equal = other[:, :unequal]
    sizes = np.array([len(one.values) for one in comparison.equal_quasi], dtype=np.int64)
    equal = np.where(equal < 0, sizes, equal)
    if not (comparison.by_support or comparison.rated):  # which issues are rated says nothing
        counts, places, codes = np.zeros(n, dtype=np.int64), places[:0], codes[:0]
    if moving:
        own = other[:, unequal : unequal + moving]
        own = np.where(own < 0, comparison.null_code, own + comparison.first_code)
        row = np.concatenate((np.repeat(np.arange(n), counts), np.repeat(np.arange(n), moving)))
        places = np.concatenate((places, np.tile(np.arange(p, p + moving), n)))
        codes = np.concatenate((codes, own.ravel()))
        kept = np.flatnonzero(codes >= 0)
        kept = kept[np.argsort(row[kept], kind="stable")]  # each record's ratings, then the rest
        counts, places, codes = np.bincount(row[kept], minlength=n), places[kept], codes[kept]
    indptr = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
    key, compared = encode(comparison, indptr, places, codes, equal)
    sensitive = other[:, unequal + moving :].astype(np.int32)
    arrays = [pa.array(column, mask=column < 0) for column in np.ascontiguousarray(sensitive.T)]
    return pa.RecordBatch.from_arrays(
        [record.cast(pa.string()), key, compared, *arrays], schema=assembled_schema(comparison)
    )


def _values(comparison: Comparison, number: int) -> NDArray[np.float64]:
    """Return the ascending values of a column, of words their positions; a value's own is its code."""
    known = _known(comparison, number)
    if isinstance(known, SensitiveValues):
        return known.values
    return known if isinstance(known, np.ndarray) else np.arange(len(known), dtype=np.float64)


def _words(comparison: Comparison, number: int) -> tuple[str, ...] | None:
    """Return the words of a column; None where it is of numbers."""
    known = _known(comparison, number)
    if isinstance(known, SensitiveValues):
        return known.labels
    return None if isinstance(known, np.ndarray) else known


def _known(comparison: Comparison, number: int) -> NDArray[np.float64] | tuple[str, ...] | SensitiveValues:
    p, quasi = len(comparison.issues), (*comparison.equal_quasi, *comparison.moving_quasi)
    if number < p:
        return comparison.levels
    if number < p + len(quasi):
        return quasi[number - p].values
    return comparison.sensitive[number - p - len(quasi)]


def _position(values: NDArray[np.float64], known: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the position of each value among those ``known``, of which it must be one."""
    found = np.searchsorted(known, values)
    if np.any(found == len(known)) or np.any(known[found] != values):
        raise _changed("a value that was not there when the data were read first")
    return np.asarray(found, dtype=np.int64)


def _column(column: pa.Array, comparison: Comparison, number: int) -> NDArray[np.int64]:
    """Return the code of each cell of a column, -1 where null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = np.full(len(column), -1, dtype=np.int64)
    there = column.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        words = _words(comparison, number)
        if words is None:
            raise ValueError(f"column c{number} is words, and numbers were profiled")
        at = pc.index_in(column, value_set=pa.array(words, type=column.type))
        if at.null_count != column.null_count:
            raise _changed("a value that was not there when the data were read first")
        column = at
    values = column.cast(pa.float64()).drop_null().to_numpy(zero_copy_only=False)
    codes[there] = _position(values, _values(comparison, number))
    return codes


def _no_id() -> Exception:
    return refusal("the data", "a record without an id", "an id for every record")


def _changed(found: str) -> Exception:
    return refusal(
        "the data", found, "the same data each time they are read",
        "write the data to a file first, and audit that; an audit reads them twice",
    )  # fmt: skip
