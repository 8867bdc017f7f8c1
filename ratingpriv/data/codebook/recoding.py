"""Recodes: values made coarser on reading, by bottom- and top-coding, rounding,
bands and hierarchies.

Several recodes of one column follow each other: ``bottom`` and ``top``, then ``round``, then
``band`` or ``map``. All are exact on decimals as a person wrote them: 0.3 is in the band [0.3,
0.4), whatever float64 makes of 0.1 * 3. A hierarchy is a file that says to which group a value
belongs, level by level; bands have the levels that a codebook lists in ``bands``. A coarser level
never splits a group of a finer one.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.inputs import small_bytes
from ratingpriv.base.numbers import inexact, inexact_decimal, is_numeral
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import NULL_TOKENS, ColumnSpec
from ratingpriv.data.table.building.delimited import cells_in_words, decoded, small_rows
from ratingpriv.data.table.building.problems import Problems, number_text
from ratingpriv.data.table.parts import QuasiColumn

_DELIMITERS = (";", "\t", ",")
_MOST_LEVELS = 100
_REMEDY = "correct the hierarchy"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """To which groups each value belongs, from level 1 on, the finest first;
    ``name`` is the file's.
    """

    name: str
    groups: Mapping[str, tuple[str, ...]]
    levels: int

    def group(self, value: str | float, level: int) -> str | None:
        """Return the group of a value on a level from 1 on.

        None where the file does not have the value.

        A number is found however the file writes it.
        """
        group_number = (
            self.groups.get(value) if isinstance(value, str) else self._by_number.get(value)
        )
        return None if group_number is None else group_number[level - 1]

    @functools.cached_property
    def _by_number(self) -> Mapping[float, tuple[str, ...]]:
        return {
            float(value) + 0.0: groups
            for value, groups in self.groups.items()
            if is_numeral(value) and inexact(value) is None
        }


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Read ``value,group`` lines, or an ARX hierarchy ``value;level1;level2``.

    DataError where it is none.

    Cells are separated by semicolons, tabs or commas, whichever the first line has (in this order),
    and quoted as in CSV; a first line that says ``value`` and ``group``, or ``value`` and
    ``level1`` ..., is a header.
    """
    name = os.fspath(path)
    try:
        content = small_bytes(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = f"no file to be read ({getattr(error, 'strerror', None) or error})"
        raise DataError(Problem(name, reason, "a hierarchy", "check the path of map")) from error
    text = decoded(content, name)
    first = text.partition("\n")[0]
    delimiter = next((candidate for candidate in _DELIMITERS if candidate in first), ",")
    problems = Problems()
    lines = small_rows(text, delimiter, file=name, problems=problems)
    levels = len(lines[0][1]) - 1 if lines else 0
    if lines and not 1 <= levels <= _MOST_LEVELS:
        width, expected = cells_in_words(levels + 1), f"a value and 1 to {_MOST_LEVELS} groups"
        raise DataError(Problem(name, width, expected, _REMEDY, lines[0][0]))
    if lines and _is_header(lines[0][1]):
        del lines[0]
    groups = _groups(lines, name, problems)
    problems.raise_if_any()
    if not groups:
        raise DataError(
            Problem(name, "no values", "lines of a value and its groups", "check the file")
        )
    _refuse_overlaps(groups, levels, name)
    return Hierarchy(name, groups, levels)


def _is_header(cells: Sequence[str]) -> bool:
    """Whether a first line says ``value`` and ``group``, or ``value`` and ``level1`` ..."""
    words = [cell.lower() for cell in cells]
    levels = [f"level{number}" for number in range(1, len(words))]
    return words[0] == "value" and words[1:] in (["group"], levels)


def _groups(
    lines: Sequence[tuple[int, Sequence[str]]], name: str, problems: Problems
) -> dict[str, tuple[str, ...]]:
    """Return the groups of each value; note what is wrong with lines."""
    groups: dict[str, tuple[str, ...]] = {}
    line_of_value: dict[str | float, int] = {}
    for line, (value, *own) in lines:
        number = float(value) + 0.0 if is_numeral(value) and inexact(value) is None else value
        if not value or "" in own:
            column_number = (value, *own).index("") + 1
            problems.add(
                Problem(
                    name, "an empty cell", "a value and its groups", _REMEDY, line, column_number
                )
            )
        elif odd := [
            column_number for column_number, group in enumerate(own, 2) if group in NULL_TOKENS
        ]:
            actual = "a group whose name means missing"
            problems.add(Problem(name, actual, "another name for it", _REMEDY, line, odd[0]))
        elif number in line_of_value:
            actual = f"a value a second time (first in line {line_of_value[number]})"
            problems.add(Problem(name, actual, "every value once", _REMEDY, line, 1, value))
        else:
            groups[value], line_of_value[number] = tuple(own), line
    return groups


def _refuse_overlaps(groups: Mapping[str, Sequence[str]], levels: int, name: str) -> None:
    """Refuse a coarser level that does not hide more."""
    for level in range(1, levels):
        above: dict[str, str] = {}
        for each in groups.values():
            if above.setdefault(each[level - 1], each[level]) != each[level]:
                overlap = f"a group of level {level} that lies in two groups of level {level + 1}"
                problem = Problem(
                    name, overlap, "one coarser group for each", _REMEDY, cell=each[level - 1]
                )
                raise DataError(problem)


_WIDE = Context(prec=1000)  # a whole number of bands of 1e-300 up to 2**53 has 317 digits


def recoded(
    values: pl.Series, spec: ColumnSpec, *, place: Path | None, problems: Problems
) -> pl.Series:
    """Return what each value becomes, String of ``band`` and ``map``, else Float64.

    Null stays null.

    ``values`` are String or Float64, called by the column's name; each distinct value once will do.
    Against ``place``, the codebook's file, the path of a hierarchy is taken. Where ``problems`` get
    something, what is returned is of no use.
    """
    if not spec.recodes:
        return values
    if spec.map is not None and spec.bottom is spec.top is spec.round is None:
        return _mapped(values, spec, place, problems)
    file = "codebook" if place is None else str(place)
    if values.dtype != pl.Float64 and values.null_count() < len(values):
        expected = f"numbers, as they are recoded ({recode_words(spec)})"
        remedy = "remove the recode, use map, or name the texts that mean missing in missing"
        problems.add(Problem(file, "text", expected, remedy, None, values.name))
        return values
    values = values.cast(pl.Float64)
    if not values.drop_nulls().is_finite().all():
        problems.add(
            Problem(file, "NaN or an infinite number", "finite numbers", "", None, values.name)
        )
        return values
    clipped = values.clip(spec.bottom, spec.top).to_list()
    made = [None if value is None else _rounded(_exact(value), spec) for value in clipped]
    if any(number is not None and inexact_decimal(number) is not None for number in made):
        actual = f"multiples of {number_text(spec.round)} of more than 15 digits"
        problems.add(Problem(file, actual, "a rounder number", "correct round", None, values.name))
        return values
    if spec.band is not None:
        return pl.Series(values.name, _banded(made, spec), dtype=pl.String)
    numbers = pl.Series(
        values.name, [None if one is None else float(one) + 0.0 for one in made], dtype=pl.Float64
    )
    return numbers if spec.map is None else _mapped(numbers, spec, place, problems)


def recode_words(spec: ColumnSpec) -> str:
    """Return the recodes in words, as ``top=80, band=10``; a hierarchy by its file's name;
    empty: none.
    """
    words = [
        f"{name}={number_text(value)}"
        for name in ("bottom", "top", "round", "band")
        if (value := getattr(spec, name)) is not None
    ]
    if spec.map is not None and spec.level != 0:
        words.append(
            f"map={Path(spec.map).name}" + ("" if spec.level is None else f", level={spec.level}")
        )
    return ", ".join(words)


def map_path(spec: ColumnSpec, place: Path | None) -> Path:
    """Return where the hierarchy of a column is:
    a relative path is taken from the codebook's folder.
    """
    path = Path(spec.map or "")
    return path if place is None else place.parent / path


def _rounded(value: Decimal, spec: ColumnSpec) -> Decimal:
    """Return the nearest multiple, of two the larger."""
    if spec.round is None:
        return value
    step = _exact(spec.round)
    return _WIDE.multiply(
        step, Decimal(math.floor(Fraction(value) / Fraction(step) + Fraction(1, 2)))
    )


def _banded(values: list[Decimal | None], spec: ColumnSpec) -> list[str | None]:
    """Return the band of each value: 20-29 where all are whole numbers from 0 on, else [20, 30).

    Where numbers are top-coded the band they come into is open (80+), likewise below (<20).
    """
    width = _exact(spec.band or 1.0)
    values_present = [value for value in values if value is not None]
    plain = all(
        value >= 0 and value == value.to_integral_value() for value in (*values_present, width)
    )
    last = None if spec.top is None else _band(_rounded(_exact(spec.top), spec), width)
    first = None if spec.bottom is None else _band(_rounded(_exact(spec.bottom), spec), width)

    def words(value: Decimal) -> str:
        number = _band(value, width)
        low = _WIDE.multiply(width, Decimal(number))
        high = _WIDE.add(low, width)
        if number == last == first:
            return "*"
        if number == last:
            return f"{_text(low)}+"
        if number == first:
            return f"<{_text(high)}"
        if not plain:
            return f"[{_text(low)}, {_text(high)})"
        return _text(low) if width == 1 else f"{_text(low)}-{_text(high - 1)}"

    return [None if value is None else words(value) for value in values]


def _band(value: Decimal, width: Decimal) -> int:
    return math.floor(Fraction(value) / Fraction(width))


def _exact(number: float) -> Decimal:
    """Return the decimal that a person wrote for a number of at most 15 digits."""
    return Decimal(repr(float(number)))


def _text(number: Decimal) -> str:
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _mapped(
    values: pl.Series, spec: ColumnSpec, place: Path | None, problems: Problems
) -> pl.Series:
    """Return the groups of a hierarchy's level; a value that it does not have is a problem."""
    if spec.level == 0:
        return values
    hierarchy = read_hierarchy(map_path(spec, place))
    if spec.level is None and hierarchy.levels > 1:
        count, remedy = (
            f"{hierarchy.levels} levels",
            f"say which with level in [columns.{values.name}]",
        )
        problems.add(Problem(hierarchy.name, count, "a stated level", remedy, None, values.name))
        return values
    level = spec.level or 1
    if level > hierarchy.levels:
        levels = f"{hierarchy.levels} level" + ("s" if hierarchy.levels > 1 else "")
        problems.add(
            Problem(hierarchy.name, levels, f"level {level}", "correct level", None, values.name)
        )
        return values
    listed = values.to_list()
    groups = [None if value is None else hierarchy.group(value, level) for value in listed]
    lost = [
        value
        for value, group in zip(listed, groups, strict=True)
        if value is not None and group is None
    ]
    if lost:
        many = f"{len(set(lost)):,} values" if len(set(lost)) > 1 else "a value"
        actual, expected = f"no line for {many} of the column", "a group for each value that occurs"
        remedy, cell = (
            "add a line for each, or name the missing codes in missing",
            number_text(lost[0]),
        )
        problems.add(Problem(hierarchy.name, actual, expected, remedy, None, values.name, cell))
    return pl.Series(values.name, groups, dtype=pl.String)


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A quasi-identifier on each of its levels, as ``columns``; 0 is as it is."""

    columns: tuple[QuasiColumn, ...]

    @property
    def name(self) -> str:
        """The column's name."""
        return self.columns[0].name

    @property
    def words(self) -> tuple[str, ...]:
        """Each level in words: how the column is recoded; empty: as read."""
        return tuple(column.recoded for column in self.columns)

    @property
    def values(self) -> tuple[int, ...]:
        """How many different values occur on each level."""
        return tuple(len(np.unique(column.codes[column.codes >= 0])) for column in self.columns)


def as_it_is(codebook: Codebook) -> Codebook:
    """Return the codebook without the recodes that have levels: every hierarchy at level 0,
    and no bands.
    """
    columns = dict(codebook.columns)
    for name, spec in columns.items():
        if spec.role == "quasi" and (spec.map is not None or spec.band is not None):
            level = 0 if spec.map is not None else None
            columns[name] = dataclasses.replace(spec, level=level, band=None, bands=_bands(spec))
    return dataclasses.replace(codebook, columns=columns)


def levels_of(column: QuasiColumn, codebook: Codebook) -> Levels | None:
    """Return the levels of a column that was read as :func:`as_it_is` says;
    None where it has but one.
    """
    spec = codebook.spec_of(column.name)
    specs: list[ColumnSpec] = []
    if spec.map is not None:
        most = read_hierarchy(map_path(spec, codebook.place)).levels
        specs = [dataclasses.replace(spec, level=level) for level in range(1, most + 1)]
    elif _bands(spec):
        specs = [dataclasses.replace(spec, band=width, bands=()) for width in _bands(spec)]
    if not specs or column.within is not None:
        return None
    return Levels((column, *(_on(column, one, codebook.place) for one in specs)))


def _bands(spec: ColumnSpec) -> tuple[float, ...]:
    return spec.bands or (() if spec.band is None else (spec.band,))


def _on(column: QuasiColumn, spec: ColumnSpec, place: Path | None) -> QuasiColumn:
    """Return the column recoded as ``spec`` says,
    its values in the order of those they are made of.
    """
    problems = Problems()
    made = recoded(column.values.alias(column.name), spec, place=place, problems=problems)
    problems.raise_if_any()
    values = made.unique(maintain_order=True)
    places = made.replace_strict(
        values, pl.int_range(len(values), eager=True), return_dtype=pl.Int32
    )
    group: NDArray[np.int32] = np.append(places.to_numpy(), np.int32(-1)).astype(np.int32)
    return QuasiColumn(column.name, group[column.codes], values, None, recode_words(spec))
