"""The problems of delimited text in words: where, what was found, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ratingpriv.errors import Problem
from ratingpriv.table.building.assembling import Problems
from ratingpriv_loaders.text.plain_scan import AFTER_QUOTE, RAGGED, TOO_LONG, Fault

if TYPE_CHECKING:
    from ratingpriv_loaders.text.scanned import Scan

__all__ = ["note_faults", "too_long"]


def note_faults(scan: Scan, names: Sequence[str], *, header: bool, file: str, problems: Problems) -> None:
    """Note the lines that could not be cut into cells; one problem if it is the same one on every line."""
    columns = len(names)
    one = "name" if columns == 1 else "names"
    expected = f"{columns} (as many as the header has {one})" if header else f"{columns} (as most lines have)"
    if (
        header
        and scan.rows == 0
        and len(scan.widths) == 1
        and scan.total_faults == sum(scan.widths.values()) > 1
    ):
        width = next(iter(scan.widths))
        remedy = "make header and rows agree (row names need a name too), or name the right `delimiter`"
        problems.add(
            Problem(file, f"{_cells(width)} in every line", expected, remedy, line=scan.faults[0].line)
        )
        return
    for fault in scan.faults:
        problems.add(_fault(fault, expected, file))
    problems.count(scan.total_faults - len(scan.faults))


def _fault(fault: Fault, expected: str, file: str) -> Problem:
    if fault.kind == RAGGED:
        remedy = (
            "add or remove cells, put a cell that contains the delimiter in double quotes, "
            "or name the right `delimiter`"
        )
        return Problem(file, _cells(fault.detail), expected, remedy, fault.line)
    if fault.kind == AFTER_QUOTE:
        remedy = "write a double quote inside a quoted cell twice"
        return Problem(
            file,
            "text behind a closing quote",
            "a delimiter or the line's end",
            remedy,
            fault.line,
            fault.detail,
        )
    if fault.kind == TOO_LONG:
        return too_long(file, fault.line, fault.detail)
    remedy = "close it, or put a cell that begins with a quote in quotes and double the quote"
    return Problem(
        file, "a quoted cell that is never closed", "a closing quote", remedy, fault.line, fault.detail
    )


def too_long(file: str, line: int, most: int) -> Problem:
    """Return the Problem of a line that has more than ``most`` bytes, and may have no end."""
    remedy = "check that it is a text of ratings, and that its lines end in LF or CRLF"
    return Problem(file, f"a line of more than {most:,} bytes", "lines of records or ratings", remedy, line)


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"
