"""The dialect of delimited text, written plainly: what a line, a cell and a quote are.

Lines end in LF or CRLF. A cell that begins with a double quote is quoted: delimiters and line ends in it are
part of it, a doubled quote stands for one, and after the closing quote comes a delimiter or the line's end
[RFC 4180]. A quote inside an unquoted cell is a character like any other. A line without any character is no
record, except in a table of one column, where it is an empty cell.

Small inputs are read by this module; large ones by :mod:`fast_scan`, which must find the same (a property
test holds the two together).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from ratingpriv_loaders.text.scanned import (
    AFTER_QUOTE,
    DATE,
    NO_TIME,
    OTHER,
    RAGGED,
    RATING,
    RECORD,
    ROLES,
    SECONDS,
    TIME,
    UNCLOSED,
    Fault,
    Lines,
    Plan,
    Scan,
)

__all__ = ["plain_scan", "rows", "time_of"]

_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_EPOCH = datetime.date(1970, 1, 1).toordinal()


def rows(text: str, delimiter: str, columns: int) -> Iterator[tuple[int, list[str] | Fault]]:
    """Yield each row's line and its cells, or the fault that keeps the line from being cut.

    ``columns`` only says what an empty line is (see above); rows of any number of cells are yielded.
    """
    at, line = 0, 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text.find('"', at, end) < 0:
            raw = text[at:end].removesuffix("\r")
            if raw or columns == 1:
                yield line, raw.split(delimiter)
            at, line = end + 1, line + 1
            continue
        found, end = _quoted_row(text, at, line, delimiter)
        yield line, found
        line += text.count("\n", at, end + 1)
        at = end + 1


def _quoted_row(text: str, at: int, line: int, delimiter: str) -> tuple[list[str] | Fault, int]:
    """Cut one row that holds a quote; return its cells or fault, and where its line ends."""
    cells: list[str] = []
    start = at
    while True:
        if text.startswith('"', at):
            opened, at, cell = at, at + 1, ""
            while (quote := text.find('"', at)) >= 0:
                cell += text[at:quote]
                at = quote + 1
                if not text.startswith('"', at):
                    break
                cell += '"'
                at += 1
            else:
                return Fault(UNCLOSED, line + text.count("\n", start, opened), len(cells) + 1), len(text)
            cells.append(cell)
            if text.startswith(delimiter, at):
                at += len(delimiter)
                continue
            rest = text[at : at + 2]
            if rest in ("", "\r") or rest[:1] == "\n" or rest == "\r\n":
                return cells, at + rest.find("\n") if "\n" in rest else len(text)
            end = text.find("\n", at)
            return Fault(AFTER_QUOTE, line + text.count("\n", start, at), len(cells)), len(
                text
            ) if end < 0 else end
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        stop = text.find(delimiter, at, end)
        if stop < 0:
            cells.append(text[at:end].removesuffix("\r"))
            return cells, end
        cells.append(text[at:stop])
        at = stop + len(delimiter)


def time_of(text: str) -> tuple[int, int]:
    """Return a timestamp's kind and value; kind OTHER (value 0) where the text is still to be judged."""
    if not text:
        return NO_TIME, 0
    if _WHOLE.fullmatch(text):
        return SECONDS, int(text)
    if _DAY.fullmatch(text):
        try:
            return DATE, datetime.date.fromisoformat(text).toordinal() - _EPOCH
        except ValueError:
            return OTHER, 0
    return OTHER, 0


def plain_scan(text: str, delimiter: str, plan: Plan, *, skip: int = 0, most_faults: int = 1000) -> Scan:
    """Read all rows of ``text`` but the first ``skip`` (the header)."""
    labels: tuple[dict[str, int], ...] = tuple({} for _ in range(ROLES))
    records: list[int] = []
    issues: list[int] = []
    ratings: list[int] = []
    times: list[int] = []
    kinds: list[int] = []
    starts: list[int] = []
    faults: list[Fault] = []
    widths: dict[int, int] = {}
    total = 0
    wanted = [(column, role) for column, role in enumerate(plan.roles) if role >= 0]
    for number, (line, cells) in enumerate(rows(text, delimiter, len(plan.roles))):
        if number < skip:
            continue
        if isinstance(cells, Fault) or len(cells) != len(plan.roles):
            fault = cells if isinstance(cells, Fault) else Fault(RAGGED, line, len(cells))
            if not isinstance(cells, Fault):
                widths[len(cells)] = widths.get(len(cells), 0) + 1
            total += 1
            if len(faults) < most_faults:
                faults.append(fault)
            continue
        starts.append(line)
        for column, role in wanted:
            cell = cells[column]
            if role == TIME:
                kind, value = time_of(cell)
                kinds.append(kind)
                times.append(_label(labels[TIME], cell) if kind == OTHER else value)
            else:
                (records if role == RECORD else ratings if role == RATING else issues).append(
                    _label(labels[role], cell)
                )
    lines = Lines()
    lines.append(0, np.array(starts, dtype=np.int64))
    return Scan(
        rows=len(starts),
        records=np.array(records, dtype=np.int32),
        issues=np.array(issues, dtype=np.int32),
        ratings=np.array(ratings, dtype=np.min_scalar_type(max(len(labels[RATING]) - 1, 0))),
        times=np.array(times, dtype=np.int64),
        kinds=np.array(kinds, dtype=np.uint8),
        texts=tuple(_series(known) for known in labels),
        lines=lines,
        faults=faults,
        total_faults=total,
        widths=widths,
    )


def _label(known: dict[str, int], cell: str) -> int:
    return known.setdefault(cell, len(known))


def _series(known: Iterable[str]) -> pl.Series:
    return pl.Series("text", list(known), dtype=pl.String)
