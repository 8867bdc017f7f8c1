"""Scanning large delimited text by the compiled kernel, piece by piece; memory is what is kept, plus a piece.

Must find exactly what :mod:`ratingpriv_loaders.text.plain_scan` finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv_loaders.text import _fast_scan as kernel
from ratingpriv_loaders.text.scanned import (
    ISSUE,
    RAGGED,
    RATING,
    RECORD,
    ROLES,
    TIME,
    UNCLOSED,
    Fault,
    Growing,
    Lines,
    Plan,
    Scan,
)  # fmt: skip

__all__ = ["LONGEST_ROW", "fast_scan"]

LONGEST_ROW = 64 << 20
"""Bytes; a row longer than this is taken for a quote that is never closed."""

_scan: Any = kernel.scan  # its types are numba's
_CELLS = 1 << 22  # cells of the kernel's output, at most
_ROWS = 1 << 18  # rows of it, at most


class _Texts:
    """The distinct texts: an arena of bytes, a table for small whole numbers, a hash table for others."""

    def __init__(self) -> None:
        self.direct = np.zeros(
            (ROLES, kernel.DIRECT), dtype=np.int32
        )  # label + 1; untouched pages cost nothing
        self.offsets = np.zeros(1 << 16, dtype=np.int64)
        self.arena = np.empty(1 << 20, dtype=np.uint8)
        self.entry_roles = np.zeros(1 << 16, dtype=np.uint8)
        self.slots, self.hashes, self.labels = self._table(1 << 17)
        self.state = np.zeros(16, dtype=np.int64)

    @staticmethod
    def _table(size: int) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]:
        return (
            np.full(size, -1, dtype=np.int64),
            np.zeros(size, dtype=np.uint64),
            np.zeros(size, dtype=np.int64),
        )

    def grow(self, room: int) -> None:
        """Double whatever is nearly full; ``room`` bytes more are surely needed in the arena."""
        entries, used = int(self.state[0]), int(self.state[1])
        if used + room > len(self.arena):
            self.arena = np.concatenate((self.arena, np.empty(max(len(self.arena), room), dtype=np.uint8)))
        if entries + 2 > len(self.offsets):
            self.offsets = np.concatenate((self.offsets, np.zeros_like(self.offsets)))
            self.entry_roles = np.concatenate((self.entry_roles, np.zeros_like(self.entry_roles)))
        if entries * 2 >= len(self.slots):
            larger = self._table(len(self.slots) * 2)
            kernel.rehash(self.slots, self.hashes, self.labels, *larger)
            self.slots, self.hashes, self.labels = larger

    def tables(self) -> tuple[NDArray[np.generic], ...]:
        """Return the arrays in the kernel's order."""
        return (
            self.direct, self.slots, self.hashes, self.labels,
            self.offsets, self.arena, self.entry_roles, self.state,
        )  # fmt: skip

    def series(self) -> tuple[pl.Series, ...]:
        """Return the texts of each role in the order of their first appearance."""
        entries, used = int(self.state[0]), int(self.state[1])
        offsets, arena = (
            pa.py_buffer(self.offsets[: entries + 1].copy()),
            pa.py_buffer(self.arena[:used].copy()),
        )
        every = pa.Array.from_buffers(pa.large_string(), entries, [None, offsets, arena])
        found = []
        for role in range(ROLES):
            mine = every.take(pa.array(np.flatnonzero(self.entry_roles[:entries] == role)))
            found.append(pl.Series("text", pl.from_arrow(mine), dtype=pl.String))
        return tuple(found)


def fast_scan(
    pieces: Iterable[bytes],
    delimiter: str,
    plan: Plan,
    *,
    skip: int = 0,
    most_faults: int = 1000,
    longest_row: int = LONGEST_ROW,
) -> Scan:
    """Read all rows of the text in ``pieces`` (UTF-8) but the first ``skip`` (the header)."""
    scanner = _Scanner(delimiter, plan, skip, most_faults)
    rest = b""
    for piece in pieces:
        rest = rest + piece if rest else piece
        rest = scanner.feed(rest, final=False)
        if len(rest) > longest_row:
            scanner.give_up()
            rest = b""
            break
    if rest:
        scanner.feed(rest, final=True)
    return scanner.finish()


class _Scanner:
    def __init__(self, delimiter: str, plan: Plan, skip: int, most_faults: int) -> None:
        self._plan = plan
        self._skip = skip
        self._delimiter = np.frombuffer(delimiter.encode(), dtype=np.uint8)
        self._roles = np.array(plan.roles, dtype=np.int64)
        extra = (RECORD in plan.roles) + (ISSUE in plan.roles)
        self._record_place, self._issue_place = 0, int(RECORD in plan.roles)
        self._places = np.array(
            [
                self._record_place if role == RECORD else self._issue_place if role == ISSUE else extra + slot
                for role, slot in zip(plan.roles, plan.slots, strict=True)
            ],
            dtype=np.int64,
        )
        self._extra = extra
        places = extra + plan.ratings
        self._at_most = max(1, min(_ROWS, _CELLS // max(places, 1)))
        self._out = np.empty((self._at_most, places), dtype=np.int32)
        timed = TIME in plan.roles
        self._timed = timed
        self._times = np.empty(self._at_most, dtype=np.int64)
        self._kinds = np.empty(self._at_most, dtype=np.uint8)
        self._line_of = np.empty(self._at_most, dtype=np.int64)
        self._fault_room = np.empty((4096, 3), dtype=np.int64)
        self._texts = _Texts()
        self._texts.state[3] = 1
        self._most_faults = most_faults
        self._records, self._issues = Growing(np.int32), Growing(np.int32)
        self._ratings = Growing(np.uint8)
        self._all_times, self._all_kinds = Growing(np.int64), Growing(np.uint8)
        self._lines = Lines()
        self._rows = 0
        self._faults: list[Fault] = []
        self._total_faults = 0
        self._widths: dict[int, int] = {}

    def _skip_header(self, data: bytes, *, final: bool) -> int:
        """Pass over the rows still to skip; return where the next one starts."""
        buffer, at = np.frombuffer(data, dtype=np.uint8), 0
        nothing = np.full(len(self._roles), -1, dtype=np.int64)
        while self._skip:
            status = _scan(
                buffer, at, len(buffer), final, self._delimiter, nothing, self._places, self._out[:1],
                self._times, self._kinds, self._line_of, self._fault_room[:1],
                *self._texts.tables(), self._kinds[:0],
            )  # fmt: skip
            state = self._texts.state
            at = int(state[5])
            self._skip -= int(state[4]) + int(state[2])
            if status != kernel.FULL:
                break
        return at

    def feed(self, data: bytes, *, final: bool) -> bytes:
        """Scan what is whole in ``data``; return the incomplete row at its end."""
        buffer = np.frombuffer(data, dtype=np.uint8)
        scratch = np.empty(len(data) if b'""' in data else 1, dtype=np.uint8)
        at = self._skip_header(data, final=final)
        while not self._skip:
            status = _scan(
                buffer, at, len(buffer), final, self._delimiter, self._roles, self._places, self._out,
                self._times, self._kinds, self._line_of, self._fault_room, *self._texts.tables(), scratch,
            )  # fmt: skip
            state = self._texts.state
            at = int(state[5])
            self._keep(int(state[4]), int(state[2]))
            if status == kernel.GROW:
                self._texts.grow(len(buffer) - at)
            elif status != kernel.FULL:
                break
        return data[at:]

    def _keep(self, rows: int, faults: int) -> None:
        out = self._out[:rows]
        if RECORD in self._plan.roles:
            self._records.append(out[:, self._record_place])
        if ISSUE in self._plan.roles:
            self._issues.append(out[:, self._issue_place])
        most = max(int(self._texts.state[6 + RATING]) - 1, 0)
        self._ratings.append(out[:, self._extra :].astype(np.min_scalar_type(most)).ravel())
        if self._timed:
            self._all_times.append(self._times[:rows])
            self._all_kinds.append(self._kinds[:rows])
        self._lines.append(self._rows, self._line_of[:rows])
        self._rows += rows
        for kind, line, detail in self._fault_room[:faults].tolist():
            self._fault(Fault(kind, line, detail))

    def _fault(self, fault: Fault) -> None:
        self._total_faults += 1
        if fault.kind == RAGGED:
            self._widths[fault.detail] = self._widths.get(fault.detail, 0) + 1
        if len(self._faults) < self._most_faults:
            self._faults.append(fault)

    def give_up(self) -> None:
        """Note that the row at hand is too long to be one."""
        self._fault(Fault(UNCLOSED, int(self._texts.state[3]), 1))

    def finish(self) -> Scan:
        texts = self._texts.series()
        return Scan(
            rows=self._rows,
            records=self._records.finish(),  # type: ignore[arg-type]
            issues=self._issues.finish(),  # type: ignore[arg-type]
            ratings=self._ratings.finish(),  # type: ignore[arg-type]
            times=self._all_times.finish(),  # type: ignore[arg-type]
            kinds=self._all_kinds.finish(),  # type: ignore[arg-type]
            texts=texts,
            lines=self._lines,
            faults=self._faults,
            total_faults=self._total_faults,
            widths=self._widths,
        )
