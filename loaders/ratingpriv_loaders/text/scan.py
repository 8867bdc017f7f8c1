"""From delimited text to a code a cell, piece by piece: distinct texts, line numbers, faults.

No cell becomes a number here. Every cell that matters is replaced by the position of its *text*
among the distinct texts of its role, so that each text is judged once, by the same function,
whoever cut it.

Rows of equal width whose quotes, if any, all open and close a cell are cut at once, by where
delimiters and line ends stand (:mod:`ratingpriv_loaders.text.cells`). The rest is cut by
:mod:`ratingpriv.data.table.building.delimited`, which defines the dialect and names every fault.
Memory is what is kept, plus a piece.
"""

from __future__ import annotations

import codecs
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table.building.coding import all_distinct, factorised
from ratingpriv.data.table.building.delimited import (
    RAGGED,
    TOO_LONG,
    UNCLOSED,
    Fault,
    rows,
    stray_quote,
)
from ratingpriv.data.table.parts import Multiline
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.cells import QUOTE, Cells, Places, factorised_keys, text_of

SKIP, RECORD, RATING, ISSUE, TIME = -1, 0, 1, 2, 3
"""Roles of a column; the cells of each role (SKIP aside) have their own distinct texts."""
ROLES = 4

SMALL = 1 << 14
"""Bytes; shorter texts are cut plainly: there is little to gain."""

_BLOCK = 1 << 20  # bytes that are cut plainly before the rest is tried at once again
_LF, _CR = 10, 13
_DIGITS = 18  # of a timestamp that is a whole number, with its sign
_SEPARATOR = b"\x1f"  # stands for a delimiter of several bytes


class Lines:
    """The physical line at which each row starts,
    kept as the few places where lines and rows part.
    """

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._offsets: list[int] = []

    def append(self, first_row: int, lines: NDArray[np.int64]) -> None:
        """Note the lines of the rows from this one on."""
        offsets = lines - np.arange(first_row, first_row + len(lines))
        last = self._offsets[-1] if self._offsets else -1
        changes = np.flatnonzero(np.diff(offsets, prepend=last))
        self._rows.extend((changes + first_row).tolist())
        self._offsets.extend(offsets[changes].tolist())

    def of(self, row: int) -> int:
        """Return the 1-based line at which the row at position ``row`` starts."""
        index = int(np.searchsorted(np.array(self._rows), row, side="right")) - 1
        return row + self._offsets[index]


def joined(pieces: list[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    """Return pieces of an array as one, of ``dtype`` or a wider type of theirs; they are let go."""
    array = np.concatenate([np.empty(0, dtype), *pieces])
    pieces.clear()
    return array


class _Texts:
    """The distinct texts of a role, numbered as they come."""

    def __init__(self) -> None:
        self._known: defaultdict[str, int] = defaultdict()
        self._known.default_factory = self._known.__len__  # a new text gets the next number
        # the numbers of texts of two bytes at most
        self._short = np.full(1 << 16, -1, dtype=np.int32)

    def codes(self, cells: Sequence[str]) -> NDArray[np.unsignedinteger]:
        """Return the position of each cell's text, in the smallest type.

        New texts get the next positions.
        """
        codes = np.fromiter(map(self._known.__getitem__, cells), np.int32, len(cells))
        return codes.astype(np.min_scalar_type(codes.max(initial=0)))

    def text_codes(self, cells: pl.Series) -> NDArray[np.unsignedinteger]:
        """Do the same for a column of texts."""
        places, distinct = factorised(cells)
        return self._of(places, distinct.to_list())

    def key_codes(self, keys: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
        """Do the same for texts that are numbers; of two bytes at most, nothing is hashed."""
        if keys.dtype == np.uint64:
            return self._of(*factorised_keys(keys))
        used = np.zeros(len(self._short), dtype=bool)
        used[keys] = True
        new = np.flatnonzero(used & (self._short < 0))
        if len(new):
            first = np.zeros(len(self._short), dtype=np.int64)
            first[keys[::-1]] = np.arange(len(keys))[::-1]  # of several the last one stays
            for key in new[np.argsort(first[new])].tolist():
                self._short[key] = self._known[text_of(key)]
        known = np.where(used, self._short, 0)
        codes: NDArray[np.unsignedinteger] = known.astype(np.min_scalar_type(known.max()))[keys]
        return codes

    def _of(self, places: NDArray[np.integer], distinct: list[str]) -> NDArray[np.unsignedinteger]:
        codes: NDArray[np.unsignedinteger] = self.codes(distinct)[places]
        return codes

    def series(self) -> pl.Series:
        """Return the texts by position; there may be no new ones afterwards."""
        self._known.default_factory = None
        return pl.Series("text", list(self._known), dtype=pl.String)


class Scan:
    """What a text holds; :func:`scan_text` fills it piece by piece, and then finishes it.

    Attributes
    ----------
    rows : number of rows without a fault
    records, issues : int32 (rows,), positions in ``texts[RECORD]`` and ``texts[ISSUE]``; empty
        without such a column
    ratings : uint8, uint16 or uint32 (rows * rating columns,), row by row, positions in
        ``texts[RATING]``
    times, whole : int64 and bool (rows,); whole numbers, and where they are that: positions in
        ``texts[TIME]`` elsewhere
    texts : a String series of distinct texts a role; those of records, issues and timestamps in the
        order of their first appearance
    line : the line that is read next
    faults, fault_counts : the first faults, at least one of each kind, and how many there are by
        kind
    widths : how many faulty lines have how many cells
    multiline : how many cells span lines, and over how many the longest goes
    """

    records: NDArray[np.int32]
    issues: NDArray[np.int32]
    ratings: NDArray[np.unsignedinteger]
    times: NDArray[np.int64]
    whole: NDArray[np.bool_]
    texts: list[pl.Series]

    def __init__(
        self,
        delimiter: str,
        roles: Sequence[int],
        skip: int,
        most_faults: int,
        *,
        wide: bool,
        multiline: bool = False,
    ) -> None:
        self.rows, self.line, self.lines = 0, 1, Lines()
        self.faults: list[Fault] = []
        self.fault_counts, self.widths = Counter[int](), dict[int, int]()
        self._delimiter, self._bytes, self._width = delimiter, delimiter.encode(), len(roles)
        self._columns: dict[int, list[int]] = {}
        for column, role in enumerate(roles):
            if role != SKIP:
                self._columns.setdefault(role, []).append(column)
        self._skip, self._most_faults = skip, most_faults
        self.multiline, self._meant = Multiline(0, 0), multiline
        self._known = tuple(_Texts() for _ in range(ROLES))
        # record ids of a row a record are kept as they come, as hardly one is like another
        self._ids: list[pl.Series] | None = [] if wide else None
        self._codes = dict[int, list[NDArray[Any]]]({RECORD: [], ISSUE: [], RATING: []})
        self._times, self._whole = list[NDArray[np.int64]](), list[NDArray[np.bool_]]()

    @property
    def total_faults(self) -> int:
        """How many faults there are."""
        return self.fault_counts.total()

    def feed(self, data: bytes, *, final: bool) -> bytes:
        """Scan the whole rows of ``data``; return the incomplete row at its end."""
        while data:
            used = 0 if self._skip else self._cut_at_once(data, final=final)
            used = used or self._cut_plainly(data, final=final)
            if not used:
                break
            data = data[used:]
        return data

    def finish(self) -> Scan:
        """Put together what was read, and return this."""
        self.records, self.issues = (
            joined(self._codes.pop(role), np.int32) for role in (RECORD, ISSUE)
        )
        self.ratings = joined(self._codes.pop(RATING), np.uint8)
        self.times, self.whole = joined(self._times, np.int64), joined(self._whole, np.bool_)
        self.texts = [vocabulary.series() for vocabulary in self._known]
        if self._ids:
            ids = pl.concat(self._ids, rechunk=True)
            distinct = all_distinct(ids)
            positions = np.arange(len(ids), dtype=np.int32)
            self.records, self.texts[RECORD] = (positions, ids) if distinct else factorised(ids)
        return self

    def add_fault(self, fault: Fault) -> None:
        """Note a fault."""
        if fault.kind == RAGGED:
            self.widths[fault.detail] = self.widths.get(fault.detail, 0) + 1
        if len(self.faults) < self._most_faults or fault.kind not in self.fault_counts:
            self.faults.append(fault)
        self.fault_counts[fault.kind] += 1

    def _cut_plainly(self, data: bytes, *, final: bool) -> int:
        """Cut whole rows (the header, or about _BLOCK bytes); return how many bytes they are."""
        text, header, quoted = data.decode("utf-8"), self._skip > 0, b'"' in data
        offset = 0
        lines: list[int] = []
        records: list[list[str]] = []
        for line, cells, end in rows(text, self._delimiter, self._width, self.line):
            if end > len(text) and not final:
                break
            offset = min(end, len(text))
            fault = self._stray(cells, line) if quoted and not isinstance(cells, Fault) else None
            if self._skip:
                self._skip -= 1
                if fault is not None:
                    self.add_fault(fault)
            elif isinstance(cells, Fault):
                self.add_fault(cells)
            elif fault is not None:
                self.add_fault(fault)
            elif len(cells) != self._width:
                self.add_fault(Fault(RAGGED, line, len(cells)))
            else:
                lines.append(line)
                records.append(cells)
                if quoted:
                    spans = [1 + cell.count("\n") for cell in cells if "\n" in cell]
                    self.multiline = self.multiline.and_also(len(spans), max(spans, default=0))
            if offset > _BLOCK or (header and not self._skip):
                break
        else:  # what follows the last row, if anything, are lines without a character
            offset = len(text) if final else text.rfind("\n") + 1
        self.line += text.count("\n", 0, offset)
        if lines:
            for role, columns in self._columns.items():
                self._keep(role, [row[column] for row in records for column in columns])
            self.lines.append(self.rows, np.array(lines, dtype=np.int64))
            self.rows += len(lines)
        return len(data) if offset == len(text) else len(text[:offset].encode("utf-8"))

    def _stray(self, cells: list[str], line: int) -> Fault | None:
        """Return the fault of a cell that holds lines which look like rows,
        unless such are meant.
        """
        if self._meant or not any("\n" in cell for cell in cells):
            return None
        if self._skip and len(cells) == 1 < self._width:  # a title
            return None
        return stray_quote(cells, self._delimiter, len(cells) if self._skip else self._width, line)

    def _keep(self, role: int, cells: list[str] | pl.Series | NDArray[np.unsignedinteger]) -> None:
        """Keep the cells of a role, row by row."""
        vocabulary = self._known[role]
        if role == RECORD and self._ids is not None:
            self._ids.append(pl.Series("text", cells, dtype=pl.String))
        elif role == TIME:
            texts = pl.Series(cells, dtype=pl.String)
            times = texts.cast(pl.Int64, strict=False)
            digits_only = (times.is_not_null() & (texts.str.len_bytes() <= _DIGITS)).to_numpy()
            numbers = times.fill_null(0).to_numpy().copy()
            if not digits_only.all():
                numbers[~digits_only] = vocabulary.text_codes(texts.filter(~digits_only))
            self._whole.append(digits_only)
            self._times.append(numbers)
        elif isinstance(cells, list):
            self._codes[role].append(vocabulary.codes(cells))
        elif isinstance(cells, pl.Series):
            self._codes[role].append(vocabulary.text_codes(cells))
        else:
            self._codes[role].append(vocabulary.key_codes(cells))

    def _cut_at_once(self, data: bytes, *, final: bool) -> int:
        """Cut rows of ``data`` of equal width, whose quotes all open and close a cell.

        Return how many bytes they are.
        """
        if len(data) < SMALL or data.startswith(codecs.BOM_UTF8):  # polars would leave the mark out
            return 0
        buffer = np.frombuffer(data, dtype=np.uint8)
        ends = np.flatnonzero(buffer == _LF)
        quotes = np.flatnonzero(buffer == QUOTE) if b'"' in data else ends[:0]
        row_ends = ends[np.searchsorted(quotes, ends) % 2 == 0] if len(quotes) else ends
        size = len(data) if final else int(row_ends[-1]) + 1 if len(row_ends) else 0
        text = data if size == len(data) else data[:size]
        quotes = quotes[: np.searchsorted(quotes, size)]
        if not size or (b"\r" in text and text.count(b"\r") != text.count(b"\r\n")):
            return 0  # a CR alone ends a line
        if len(quotes) and not self._well_quoted(buffer[:size], quotes):
            return 0
        starts = np.concatenate(([0], row_ends + 1))
        starts = starts[starts < size]
        inside = ends[: np.searchsorted(ends, size)] if len(quotes) else quotes
        inside = inside[np.searchsorted(quotes, inside) % 2 == 1]
        spans = _spanning(quotes, inside)
        if len(inside) and not self._meant and self._any_stray(data, starts, inside, ends):
            return 0
        lines = np.searchsorted(ends, starts) if len(quotes) else np.arange(len(starts))
        cut, is_row = self._cells(text, starts, row_ends, quotes)
        kept = None if cut is None else self._by_role(cut)
        if cut is None or kept is None:
            return 0
        self.multiline = self.multiline.and_also(len(spans), int(spans.max(initial=0)))
        for role, cells in kept.items():
            self._keep(role, cells)
        lines = lines[is_row]
        self.lines.append(self.rows, self.line + lines)
        self.rows += len(lines)
        self.line += int(np.searchsorted(ends, size))
        return size

    def _cells(
        self, text: bytes, starts: Places, row_ends: Places, quotes: Places
    ) -> tuple[Cells | None, NDArray[np.bool_]]:
        """Return (the cells, None where rows are not of equal width; which lines are rows).

        A line without a character is no row where rows have several cells.
        """
        delimiter = self._bytes
        if len(delimiter) > 1:
            if len(quotes) or _SEPARATOR in text:
                return None, np.empty(0, dtype=bool)
            text, delimiter = text.replace(delimiter, _SEPARATOR), _SEPARATOR
            row_ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == _LF)
            starts = np.concatenate(([0], row_ends + 1))[: len(starts)]
        buffer = np.frombuffer(text, dtype=np.uint8)
        ends = np.append(row_ends, len(text))[: len(starts)]
        ends -= (ends > starts) & (buffer[ends - 1] == _CR)
        is_row = (ends > starts) | (self._width == 1)
        if not is_row.all():
            lengths = np.diff(starts, append=len(text))
            left_out = np.flatnonzero(np.repeat(~is_row, lengths))
            text = np.delete(buffer, left_out).tobytes()
            starts, ends, quotes = (
                places - np.searchsorted(left_out, places)
                for places in (starts[is_row], ends[is_row], quotes)
            )
        return Cells.of(text, delimiter[0], self._width, starts, ends, quotes), is_row

    def _by_role(self, cut: Cells) -> dict[int, pl.Series | NDArray[np.unsignedinteger]] | None:
        """Return the cells of each role that is kept, as texts or as keys row by row."""
        kept = dict[int, pl.Series | NDArray[np.unsignedinteger]]()
        for role, columns in self._columns.items():
            as_text = role == TIME or (role == RECORD and self._ids is not None)
            keys = None if as_text else cut.keys(columns)
            if keys is not None:
                kept[role] = keys.ravel()
                continue
            texts = [cut.texts(column) for column in columns]
            whole = [one for one in texts if one is not None]
            if len(whole) < len(texts):
                return None
            kept[role] = whole[0] if len(whole) == 1 else _row_by_row(whole)
        return kept

    def _any_stray(
        self,
        data: bytes,
        starts: NDArray[np.int64],
        inside: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> bool:
        """Whether a row over several lines has a cell that looks as behind a stray quote.

        ``starts`` of rows, ``inside`` the line ends that are within quotes, among all ``ends``.
        Only rows are cut in which a line below the first has enough delimiters.
        """
        buffer = np.frombuffer(data, dtype=np.uint8)
        below = np.searchsorted(ends, inside) + 1  # the line behind each of these line ends
        edges = np.concatenate((ends, [len(data)]))
        commas = np.flatnonzero(buffer == self._bytes[0])
        count = np.searchsorted(commas, edges[below]) - np.searchsorted(commas, inside)
        enough = inside[count >= self._width - 1]
        behind = np.append(starts, len(data))
        for row in np.unique(np.searchsorted(starts, enough, side="right") - 1).tolist():
            text = data[int(behind[row]) : int(behind[row + 1])].decode("utf-8")
            cells = next(rows(text, self._delimiter, self._width))[1]
            if not isinstance(cells, Fault) and stray_quote(cells, self._delimiter, self._width, 1):
                return True
        return False

    def _well_quoted(self, buffer: NDArray[np.uint8], quotes: NDArray[np.int64]) -> bool:
        """Whether each quote opens or closes a cell,
        or is one of two that stand for one in such a cell.

        By turns a quote opens and closes: one that opens has a delimiter or line end before it, one
        that closes has such behind it, and in a doubled quote the one that closes is followed by
        one that opens.
        """
        if len(self._bytes) > 1 or len(quotes) % 2:
            return False
        around = np.zeros(256, dtype=bool)
        around[[self._bytes[0], _LF, QUOTE]] = True
        before = around[buffer[quotes[::2] - 1]]
        before[0] |= quotes[0] == 0
        around[_CR] = True  # every one is followed by LF
        behind = around[buffer[(quotes[1::2] + 1) % len(buffer)]]
        behind[-1] |= quotes[-1] == len(buffer) - 1
        return bool(before.all() and behind.all())


def scan_text(
    pieces: Iterable[bytes],
    delimiter: str,
    roles: Sequence[int],
    *,
    skip: int = 0,
    wide: bool = False,
    most_faults: int = 1000,
    longest_row: int | None = None,
    multiline: bool = False,
) -> Scan:
    """Scan all rows of the text in ``pieces`` (UTF-8, no NUL) but the first ``skip`` (the header).

    A piece holds whole characters, but not necessarily whole rows. ``roles`` has one a column; at
    most one column each is of RECORD, ISSUE and TIME. Where rows are ``wide``, record ids hardly
    repeat. ``longest_row`` is how many bytes a row may have (None: as
    :data:`bytestream.LONGEST_LINE`). ``multiline`` : cells over lines that look like rows are
    meant, and no fault.
    """
    most = bytestream.LONGEST_LINE if longest_row is None else longest_row
    scan = Scan(delimiter, roles, skip, most_faults, wide=wide, multiline=multiline)
    rest, ended = b"", True
    for piece in pieces:
        rest = scan.feed(rest + piece, final=False)
        if len(rest) > most:
            kind, detail = (UNCLOSED, 1) if b'"' in rest else (TOO_LONG, most)
            scan.add_fault(Fault(kind, scan.line, detail))
            ended = False
            break
    if rest and ended:
        scan.feed(rest, final=True)
    return scan.finish()


def _spanning(quotes: NDArray[np.int64], inside: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return over how many lines each cell goes that has a line end in it.

    ``quotes`` open and close by turns; two that stand together within a cell stand for one.
    ``inside`` are the line ends within quotes.
    """
    if not len(inside):
        return inside
    opens, closes = quotes[::2], quotes[1::2]
    cell_of = np.cumsum(np.concatenate(([True], opens[1:] != closes[:-1] + 1)))
    cells = cell_of[np.searchsorted(opens, inside) - 1]
    return np.unique(cells, return_counts=True)[1] + 1


def _row_by_row(columns: list[pl.Series]) -> pl.Series:
    """Return the cells of columns as one, row by row."""
    rows, width = len(columns[0]), len(columns)
    order = np.arange(rows * width).reshape(width, rows).T.ravel()
    return pl.concat(columns).gather(order)
