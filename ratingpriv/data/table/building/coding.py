"""Ratings as levels and codes, ids as records.

Coordinates (record, issue, code), or batches, as sparse rows.

Coordinates that are in order already are taken as they are, few are sorted by NumPy, many by SciPy,
which is loaded for them only.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import Problem
from ratingpriv.base.numbers import LARGEST
from ratingpriv.data.table.building.problems import Locate, Problems, number_text

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

_BLOCK = 1 << 22  # ratings or coordinates processed together: bounds the temporary arrays
_SMALL = 1 << 18  # below this many coordinates NumPy's sort is as quick as loading SciPy


def smallest_code_type(levels: int) -> np.dtype[Any]:
    """Return the smallest unsigned type that can number ``levels`` things from 0."""
    return np.dtype(np.uint8 if levels <= 1 << 8 else np.uint16 if levels <= 1 << 16 else np.uint32)


class LevelEncoder:
    """Codes ratings chunk by chunk.

    Codes are provisional until :meth:`finish` has been applied to them.

    float32 and float16 ratings count as the shortest decimal that prints the same (0.1, not
    0.100000001490116): that is what was meant, and it lets differences be compared exactly. -0.0
    counts as 0.0.
    """

    def __init__(self) -> None:
        self._known = np.empty(0, dtype=np.float64)  # ascending
        self._code_of = np.empty(0, dtype=np.int64)  # the provisional code of each of them

    @property
    def n_levels(self) -> int:
        """How many distinct ratings have been seen."""
        return len(self._known)

    def code(self, values: NDArray[Any]) -> Codes:
        """Return provisional codes of ``values`` (n,): any integer,
        floating or boolean type, finite.

        The type of the result is the smallest that holds every code so far, so it may grow from
        call to call.
        """
        parts = [
            self._code_block(values[start : start + _BLOCK])
            for start in range(0, len(values), _BLOCK)
        ]
        if len(parts) == 1:
            return parts[0]
        nothing = np.empty(0, dtype=smallest_code_type(self.n_levels))
        codes: Codes = np.concatenate([nothing, *parts])
        return codes

    def finish(self, codes: Codes) -> tuple[NDArray[np.float64], Codes]:
        """Return (levels, ascending; ``codes`` renumbered to match,
        in place where that is possible).
        """
        final = np.empty(self.n_levels, dtype=smallest_code_type(self.n_levels))
        final[self._code_of] = np.arange(self.n_levels)
        if codes.dtype == final.dtype and bool(np.all(final[1:] > final[:-1])):
            return self._known.copy(), codes
        renumbered: Codes = codes
        if codes.dtype != final.dtype or not codes.flags.writeable:
            renumbered = np.empty(len(codes), dtype=smallest_code_type(self.n_levels))
        for start in range(0, len(codes), _BLOCK):
            renumbered[start : start + _BLOCK] = final[codes[start : start + _BLOCK]]
        return self._known.copy(), renumbered

    def _code_block(self, values: NDArray[Any]) -> Codes:
        kind, size = values.dtype.kind, values.dtype.itemsize
        small = kind == "f" and size < 8
        distinct, places = _distinct(values.view(f"u{size}") if small or kind == "b" else values)
        distinct = distinct.view(values.dtype)
        if small:
            distinct = np.array([float(str(level)) for level in distinct], dtype=np.float64)
        meant = distinct.astype(np.float64) + 0.0
        levels = np.unique(meant)
        new = levels[~np.isin(levels, self._known)]
        if len(new):
            values_known = np.concatenate((self._known, new))
            code_of = np.concatenate(
                (self._code_of, np.arange(len(self._known), len(values_known)))
            )
            order = np.argsort(values_known, kind="stable")
            self._known, self._code_of = values_known[order], code_of[order]
        codes = self._code_of[np.searchsorted(self._known, meant)]
        return np.asarray(codes.astype(smallest_code_type(self.n_levels))[places])


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.integer[Any]]]:
    """Return (the distinct values, in any order; the position of each value among them)."""
    if values.dtype.itemsize == 1:  # nothing is hashed: a byte is its own place in a table
        numbers = values.view(np.uint8)
        used = np.flatnonzero(np.bincount(numbers, minlength=256))
        place = np.zeros(256, dtype=np.uint8)
        place[used] = np.arange(len(used), dtype=np.uint8)
        return used.astype(np.uint8).view(values.dtype), place[numbers]
    distinct = np.sort(pl.Series(values).unique().to_numpy())
    return distinct, np.searchsorted(distinct, values)


def encode_levels(values: NDArray[Any]) -> tuple[NDArray[np.float64], Codes]:
    """Return (the distinct values, ascending; each value's position among them); -0.0 becomes 0.0.

    ``values`` are finite numbers of any integer or floating type; see :class:`LevelEncoder`.
    """
    encoder = LevelEncoder()
    return encoder.finish(encoder.code(values))


def encode_with_nulls(
    values: NDArray[Any], known: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], Codes]:
    """Return levels and codes of the ``known`` values.

    The code of the others is one past the levels.
    """
    levels, some = encode_levels(values[known])
    codes: Codes = np.full(len(values), len(levels), dtype=smallest_code_type(len(levels) + 1))
    codes[known] = some
    return levels, codes


def as_float(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return ``values`` as float64, float32 and float16 as the decimals they were meant to be."""
    if values.dtype.kind == "f" and values.dtype.itemsize < 8:
        levels, codes = encode_levels(values)
        return levels[codes]
    return values.astype(np.float64) + 0.0


def normal_ids(
    ids: pl.Series, problems: Problems, locate: Locate, *, unique: bool = True
) -> pl.Series:
    """Return record ids as Int64 or String.

    Note nulls, repeats (if ``unique``) and other types as problems.

    Whole numbers of any width, also as floats, become Int64; text, categorical and Enum become
    String. ``locate(row)`` says where an id stands. The result is meaningless once a problem was
    noted.
    """
    before = problems.total
    kind = ids.dtype
    text = kind in (pl.String, pl.Categorical) or isinstance(kind, pl.Enum)
    valid = pl.repeat(True, len(ids), dtype=pl.Boolean, eager=True)
    if kind.is_float():
        valid = ids.is_finite() & (ids.floor() == ids) & (ids.abs() <= LARGEST)
    elif kind == pl.UInt64:
        valid = ids <= (1 << 63) - 1
    elif not (
        text or kind == pl.Null or (kind.is_integer() and kind not in (pl.Int128, pl.UInt128))
    ):
        file, _, column = locate(0)
        content, expected = f"record ids of type {kind}", "whole numbers or text"
        problems.add(Problem(file, content, expected, "cast them to text", column=column))
        return ids

    def note(
        wrong: pl.Series, found: str, expected: str, remedy: str = "", *, shown: bool = False
    ) -> None:
        def problem(row: int) -> Problem:
            file, line, column = locate(row)
            cell = number_text(ids[row]) if shown else None
            return Problem(file, found, expected, remedy, line, column, cell)

        problems.at(np.flatnonzero(wrong.fill_null(False).to_numpy()), problem)

    expected = "whole numbers below 2**63, or text"
    note(~valid, "another record id", expected, "cast the ids to text", shown=True)
    note(ids.is_null(), "no record id", "a record id in every row")
    if problems.total > before:
        return ids
    normal = ids.cast(pl.String if text else pl.Int64)
    if unique and not all_distinct(normal):

        def repeated(row: int) -> Problem:
            file, line, column = locate(row)
            first = locate(normal.index_of(normal[row]) or 0)[1]
            repeat = "a record id a second time" + (f" (first in line {first})" if first else "")
            remedy = "remove one of the two, or name another column of ids with `id`"
            return Problem(
                file, repeat, "every record id once", remedy, line, column, str(normal[row])
            )

        problems.at(np.flatnonzero(~normal.is_first_distinct().to_numpy()), repeated)
    return normal


def all_distinct(ids: pl.Series) -> bool:
    """Whether no two ids are equal: hashes, sorted, nearly always say so,
    and cheaper than a count of ids.
    """
    hashes = np.sort(ids.hash().to_numpy())
    return not bool(np.any(hashes[1:] == hashes[:-1])) or ids.n_unique() == len(ids)


def factorised(ids: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """Return (positions int32 (n,), the distinct ids in the order of their first row).

    Ids without nulls, whole numbers or text.
    """
    distinct = ids.unique(maintain_order=True)
    if ids.dtype == pl.String:
        places = ids.cast(pl.Enum(distinct)).to_physical().to_numpy()
    else:
        numbers = distinct.to_numpy()
        order = np.argsort(numbers)
        places = order[np.searchsorted(numbers, ids.to_numpy(), sorter=order)]
    return places.astype(np.int32), distinct


@dataclass(frozen=True, slots=True)
class Rows:
    """Compressed sparse rows; a duplicated (record, issue) pair is duplicated here, in data order.

    Attributes
    ----------
    indptr : int64 (n_records + 1,)
    indices : int32 (n_ratings,); ascending within a record. ``EVERY_ISSUE`` only on the way to a
        table
    codes : uint8, uint16 or uint32 (n_ratings,), aligned with ``indices``
    order : int64 (n_ratings,); entry e was coordinate ``order[e]``. None: they were in order, or
        nobody asked
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: Codes
    order: NDArray[np.int64] | None


def rows_from_coordinates(
    records: NDArray[Any],
    issues: NDArray[Any],
    codes: Codes,
    n_records: int,
    *,
    ordered: bool = False,
) -> Rows:
    """Sort coordinates, positions of which int32 is the leanest, into rows; stable.

    ``ordered`` : whether ``Rows.order`` is needed
    """
    count = len(records)
    if in_order(records, issues):
        indptr = np.searchsorted(records, np.arange(n_records + 1, dtype=records.dtype)).astype(
            np.int64
        )
        return Rows(indptr, np.ascontiguousarray(issues, dtype=np.int32), codes, None)
    if count >= _SMALL:
        from scipy import sparse

        numbers = np.arange(count, dtype=np.int32 if count < 1 << 31 else np.int64)
        shape = (n_records, int(issues.max()) + 1)
        rows = sparse.coo_array((numbers, (records, issues)), shape=shape).tocsr()
        if rows.nnz == count:  # else SciPy has added up the numbers of a duplicated pair
            indptr, indices = (
                rows.indptr.astype(np.int64),
                rows.indices.astype(np.int32, copy=False),
            )
            return Rows(
                indptr, indices, codes[rows.data], rows.data.astype(np.int64) if ordered else None
            )
    order = np.lexsort((issues, records))
    indptr = np.zeros(n_records + 1, dtype=np.int64)
    np.cumsum(np.bincount(records, minlength=n_records), out=indptr[1:])
    return Rows(indptr, issues[order].astype(np.int32), codes[order], order if ordered else None)


def in_order(records: NDArray[Any], issues: NDArray[Any]) -> bool:
    """Whether the coordinates ascend by record, then issue (equal pairs allowed)."""
    for start in range(0, len(records) - 1, _BLOCK):
        record, issue = records[start : start + _BLOCK + 1], issues[start : start + _BLOCK + 1]
        later = record[1:] > record[:-1]
        if not bool(np.all(later | ((record[1:] == record[:-1]) & (issue[1:] >= issue[:-1])))):
            return False
    return True


def repeats(rows: Rows) -> NDArray[np.int64]:
    """Entries of ``rows`` that have the record and issue of the entry before; ascending int64."""
    found = []
    for start in range(0, len(rows.indices) - 1, _BLOCK):
        block = rows.indices[start : start + _BLOCK + 1]
        found.append(np.flatnonzero(block[1:] == block[:-1]) + (start + 1))
    entries = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
    first_of_row = rows.indptr[np.searchsorted(rows.indptr, entries, side="right") - 1] == entries
    again: NDArray[np.int64] = entries[~first_of_row]
    return again


def without(rows: Rows, gone: NDArray[np.bool_], *, ordered: bool = False) -> Rows:
    """Leave out entries where ``gone`` (bool, n_ratings) is true;
    ``order`` is filled in if ``ordered``.
    """
    total = len(gone) - int(np.count_nonzero(gone))
    indptr = np.zeros_like(rows.indptr)
    indices = np.empty(total, dtype=np.int32)
    codes: Codes = np.empty(total, dtype=rows.codes.dtype)
    order = np.empty(total if ordered else 0, dtype=np.int64)
    done = 0
    for first in range(0, len(gone), _BLOCK):
        last = min(first + _BLOCK, len(gone))
        entries = np.flatnonzero(~gone[first:last])
        # records that end in this block
        ends = slice(*np.searchsorted(rows.indptr, [first, last + 1]))
        indptr[ends] = done + np.searchsorted(entries, rows.indptr[ends] - first)
        here = slice(done, done + len(entries))
        indices[here] = rows.indices[first:last][entries]
        codes[here] = rows.codes[first:last][entries]
        if ordered:
            order[here] = entries + first if rows.order is None else rows.order[first:last][entries]
        done += len(entries)
    return Rows(indptr, indices, codes, order if ordered else None)


def relevelled(rows: Rows, levels: NDArray[np.float64]) -> tuple[Rows, NDArray[np.float64]]:
    """Leave out levels that no rating has any more.

    A code one past the levels stays one past them.
    """
    rated = np.zeros(len(levels) + 1, dtype=bool)
    for first in range(0, len(rows.codes), _BLOCK):
        rated[rows.codes[first : first + _BLOCK]] = True
    used = rated[:-1]
    if used.all():
        return rows, levels
    renumbered = np.append(np.cumsum(used) - 1, np.count_nonzero(used))
    codes: Codes = renumbered.astype(smallest_code_type(len(levels) + 1))[rows.codes]
    return dataclasses.replace(rows, codes=codes), levels[used]


def narrowed(codes: Codes, n_levels: int) -> Codes:
    """Return ``codes`` in the smallest type for ``n_levels`` levels.

    As they are if they have it.
    """
    narrow: Codes = codes.astype(smallest_code_type(n_levels), copy=False)
    return narrow


_NULL = 0  # the provisional code of "not rated"; those of levels begin at 1


class StreamedRows:
    """Rows of at most known ``lengths`` (n_records,), filled batch by batch,
    each rating at its place.

    The coordinates never stand in memory together: memory is that of the rows. Rows may stay
    shorter than announced, ratings may be null, one more array moves along, and codes are settled
    as rows are sorted. Compiled, and not SciPy batch by batch, because that takes 1.5 s of
    processor time instead of 1.1 for 20 million ratings in random order, more than twice as much of
    it in the one thread that places them.

    ``extra`` is the type of one more number a rating (a timestamp), or None.
    """

    def __init__(self, lengths: NDArray[Any], extra: np.dtype[Any] | None = None) -> None:
        self._indptr = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=self._indptr[1:])
        self._ends = self._indptr[:-1].copy()
        total = int(self._indptr[-1])
        self._indices = np.empty(total, dtype=np.int32)
        self._codes: Codes = np.empty(total, dtype=np.uint8)
        self._extra = np.empty(0 if extra is None else total, dtype=extra or np.int32)
        self._encoder = LevelEncoder()
        self._nulls = False
        self._more = extra is not None

    def add(
        self,
        records: NDArray[np.int32],
        issues: NDArray[np.int32],
        values: NDArray[Any],
        rated: NDArray[np.bool_] | None = None,
        extra: NDArray[Any] | None = None,
    ) -> None:
        """Add the next ratings; ``values`` are finite numbers of any
        type where ``rated`` (None: all).
        """
        from ratingpriv.data.table.building import _streaming_rows as kernels

        codes = self._coded(values, rated)
        widest: np.dtype[Any] = max(codes.dtype, self._codes.dtype, key=lambda kind: kind.itemsize)
        self._codes = self._codes.astype(widest, copy=False)
        kernels.put(
            records,
            issues,
            codes.astype(widest, copy=False),
            self._extra[:0] if extra is None else extra,
            self._ends,
            self._indices,
            self._codes,
            self._extra,
        )

    def finish(
        self, n_issues: int, *, threads: int | None = None
    ) -> tuple[Rows, NDArray[np.float64], NDArray[Any] | None, int]:
        """Sort the rows by issue; return them, their levels, each extra number,
        and how many repeat.

        Null ratings are left out, unless there are repeats (a null may be one of them): then they
        are there, with the code one past the levels, as :func:`coordinates.resolve_repeated` wants
        them. The builder is spent.
        """
        from ratingpriv.base.compute.parallel import share_out
        from ratingpriv.data.table.building import _streaming_rows as kernels

        count = self._encoder.n_levels
        provisional = np.arange(count, dtype=smallest_code_type(max(count, 1)))
        levels, rank = self._encoder.finish(provisional)
        final = np.empty(count + 1, dtype=self._codes.dtype)
        final[_NULL], final[1:] = count, rank
        rows = (self._indptr, self._ends, self._indices, self._codes, self._extra)
        counts: list[int] = []
        share_out(
            lambda first, last: counts.append(
                int(kernels.sort_rows(*rows, final, n_issues, first, last))
            ),
            np.diff(self._indptr),
            threads,
            None,
            "sorting rows",
        )
        repeats = sum(counts)
        without_nulls = self._nulls and not repeats
        if without_nulls or not np.array_equal(self._ends, self._indptr[1:]):
            stay = int(kernels.compact(*rows, count if without_nulls else -1))
            self._indices, self._codes = _cut(self._indices, stay), _cut(self._codes, stay)
            self._extra = _cut(self._extra, stay) if self._more else self._extra
        sorted_rows = Rows(self._indptr, self._indices, self._codes, None)
        return sorted_rows, levels, self._extra if self._more else None, repeats

    def _coded(self, values: NDArray[Any], rated: NDArray[np.bool_] | None) -> Codes:
        codes: Codes
        if rated is not None:
            self._nulls = True
            some = self._coded(values[rated], None)
            codes = np.zeros(len(values), dtype=some.dtype)
            codes[rated] = some
            return codes
        plain = self._encoder.code(values) if len(values) else np.empty(0, dtype=np.uint8)
        kind = smallest_code_type(self._encoder.n_levels + 1)
        codes = plain.astype(kind, copy=False) + kind.type(1)
        return codes


def _cut(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return the first entries; memory that would mostly lie idle is given back."""
    return array[:length] if length * 8 > len(array) * 7 else array[:length].copy()
