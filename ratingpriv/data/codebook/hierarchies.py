"""Generalisation hierarchies: files that say to which group a value belongs, level by level."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.inputs import small_bytes
from ratingpriv.base.numbers import inexact, is_numeral
from ratingpriv.data.codebook.options import NULL_TOKENS
from ratingpriv.data.table.building.delimited import cells_in_words, decoded, small_rows
from ratingpriv.data.table.building.problems import Problems

_DELIMITERS = (";", "\t", ",")
_MOST_LEVELS = 100
_REMEDY = "correct the hierarchy"


@dataclass(frozen=True, eq=False)
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
        found = self.groups.get(value) if isinstance(value, str) else self._by_number.get(value)
        return None if found is None else found[level - 1]

    @functools.cached_property
    def _by_number(self) -> Mapping[float, tuple[str, ...]]:
        return {
            float(value) + 0.0: groups
            for value, groups in self.groups.items()
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
        there twice, a cell is empty, or a coarser level splits a group of a finer one; with every such line.
    """
    name = os.fspath(path)
    try:
        content = small_bytes(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        found = f"no file to be read ({getattr(error, 'strerror', None) or error})"
        raise DataError(Problem(name, found, "a hierarchy", "check the path of map")) from error
    return _parsed(name, decoded(content, name))


def _parsed(name: str, text: str) -> Hierarchy:
    first = text.partition("\n")[0]
    delimiter = next((one for one in _DELIMITERS if one in first), ",")
    problems = Problems()
    lines = small_rows(text, delimiter, file=name, problems=problems)
    levels = len(lines[0][1]) - 1 if lines else 0
    if lines and not 1 <= levels <= _MOST_LEVELS:
        found, expected = cells_in_words(levels + 1), f"a value and 1 to {_MOST_LEVELS} groups"
        raise DataError(Problem(name, found, expected, _REMEDY, lines[0][0]))
    if lines and _is_header(lines[0][1]):
        del lines[0]
    groups: dict[str, tuple[str, ...]] = {}
    known: dict[str | float, int] = {}
    for line, (value, *own) in lines:
        number = float(value) + 0.0 if is_numeral(value) and inexact(value) is None else value
        if not value or "" in own:
            place = (value, *own).index("") + 1
            problems.add(Problem(name, "an empty cell", "a value and its groups", _REMEDY, line, place))
        elif odd := [place for place, group in enumerate(own, 2) if group in NULL_TOKENS]:
            found = "a group whose name means unanswered"
            problems.add(Problem(name, found, "another name for it", _REMEDY, line, odd[0]))
        elif number in known:
            found = f"a value a second time (first in line {known[number]})"
            problems.add(Problem(name, found, "every value once", _REMEDY, line, 1, value))
        else:
            groups[value], known[number] = tuple(own), line
    problems.raise_if_any()
    if not groups:
        raise DataError(Problem(name, "no values", "lines of a value and its groups", "check the file"))
    _refuse_splits(name, groups, levels)
    return Hierarchy(name, groups, levels)


def _is_header(row: tuple[str, ...]) -> bool:
    words = [cell.lower() for cell in row]
    numbered = [f"level{number}" for number in range(1, len(row))]
    return words[0] == "value" and words[1:] in (["group"], numbered)


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
                        _REMEDY,
                        cell=own[level - 1],
                    )
                )
