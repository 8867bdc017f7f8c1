"""Generalisation hierarchies: files that say to which group a value belongs, level by level."""

from __future__ import annotations

import csv
import functools
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ratingpriv.codebook.options import NULL_TOKENS
from ratingpriv.errors import DataError, Problem
from ratingpriv.inputs import small_text
from ratingpriv.numbers import inexact, is_numeral

__all__ = ["Hierarchy", "read_hierarchy"]

_DELIMITERS = (";", "\t", ",")
_MOST_LEVELS = 100


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """To which group each value belongs, on every level; a coarser level never splits a finer group.

    Attributes
    ----------
    name : the file's name, for messages
    groups : by value, its groups from level 1 on, the finest first
    levels : how many levels there are
    """

    name: str
    groups: Mapping[str, tuple[str, ...]]
    levels: int

    def group(self, value: str | float, level: int) -> str | None:
        """Return the group of a value on a level from 1 on; None where the file does not have the value.

        A number is found however the file writes it.
        """
        found = self.groups.get(value) if isinstance(value, str) else self._numbers().get(value)
        return None if found is None else found[level - 1]

    def _numbers(self) -> Mapping[float, tuple[str, ...]]:
        return _by_number(self)

    def __hash__(self) -> int:
        return id(self)


@functools.lru_cache(maxsize=8)
def _by_number(hierarchy: Hierarchy) -> Mapping[float, tuple[str, ...]]:
    return {
        float(value) + 0.0: groups
        for value, groups in hierarchy.groups.items()
        if is_numeral(value) and inexact(value) is None
    }


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Read ``value,group`` lines, or an ARX hierarchy ``value;level1;level2``.

    Cells are separated by semicolons, tabs or commas, whichever the first line has (in this order), and
    quoted as in CSV; a first line that says ``value`` and ``group``, or ``value`` and ``level1`` ..., is a
    header.

    Raises
    ------
    DataError
        It is not there, is too large or no text, a line is longer or shorter than the first, a value is
        there twice, a cell is empty, or a coarser level splits a group of a finer one.
    """
    name = os.fspath(path)
    try:
        text = small_text(path)
    except OSError as error:
        found = f"no file to be read ({error.strerror})"
        raise DataError(Problem(name, found, "a hierarchy", "check the path of map")) from error
    except ValueError as error:  # a NUL in the path, bytes that are no UTF-8
        raise DataError(Problem(name, "no text in UTF-8", "a hierarchy", "save it as UTF-8")) from error
    return _parsed(name, text)


def _parsed(name: str, text: str) -> Hierarchy:
    first = text.partition("\n")[0]
    delimiter = next((one for one in _DELIMITERS if one in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    groups: dict[str, tuple[str, ...]] = {}
    numbers: dict[float, str] = {}
    levels = 0
    try:
        for cells in reader:
            row = tuple(cell.strip() for cell in cells)
            if not any(row):
                continue
            if not levels:
                levels = len(row) - 1
                if not 1 <= levels <= _MOST_LEVELS:
                    found = f"{len(row)} cell" + ("s" if len(row) != 1 else "")
                    raise _refused(name, reader.line_num, found, f"a value and 1 to {_MOST_LEVELS} groups")
                if _is_header(row):
                    continue
            if len(row) != levels + 1:
                raise _refused(name, reader.line_num, f"{len(row)} cells", f"{levels + 1}, as in line 1")
            value, own = row[0], row[1:]
            if "" in row:
                raise _refused(name, reader.line_num, "an empty cell", "a value and its groups")
            if any(group in NULL_TOKENS for group in own):
                raise _refused(
                    name, reader.line_num, "a group whose name means unanswered", "another name for it"
                )
            number = float(value) + 0.0 if is_numeral(value) and inexact(value) is None else None
            if value in groups or number in numbers:
                raise _refused(name, reader.line_num, "a value a second time", "every value once", value)
            groups[value] = own
            if number is not None:
                numbers[number] = value
    except csv.Error as error:
        raise _refused(name, reader.line_num, f"no CSV ({error})", "cells, quoted where needed") from error
    if not groups:
        raise DataError(Problem(name, "no values", "lines of a value and its groups", "check the file"))
    _refuse_splits(name, groups, levels)
    return Hierarchy(name, groups, levels)


def _is_header(row: tuple[str, ...]) -> bool:
    words = [cell.lower() for cell in row]
    numbered = [f"level{number}" for number in range(1, len(row))]
    return words[0] == "value" and words[1:] in (["group"], numbered)


def _refused(name: str, line: int, found: str, expected: str, cell: str | None = None) -> DataError:
    return DataError(Problem(name, found, expected, "correct the hierarchy", line, cell=cell))


def _refuse_splits(name: str, groups: Mapping[str, tuple[str, ...]], levels: int) -> None:
    """Refuse a group that lies in two groups of the next level: a coarser level must hide more, not else."""
    for level in range(1, levels):
        above: dict[str, str] = {}
        for own in groups.values():
            if above.setdefault(own[level - 1], own[level]) != own[level]:
                raise DataError(
                    Problem(
                        name,
                        f"a group of level {level} that lies in two groups of level {level + 1}",
                        "one coarser group for each",
                        "correct the hierarchy",
                        cell=own[level - 1],
                    )
                )
