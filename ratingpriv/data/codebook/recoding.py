"""Recodes: values made coarser on reading, by bottom- and top-coding, rounding, bands and hierarchies.

Several recodes of one column follow each other: ``bottom`` and ``top``, then ``round``, then ``band`` or
``map``. All are exact on decimals as a person wrote them: 0.3 is in the band [0.3, 0.4), whatever float64
makes of 0.1 * 3.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

import polars as pl

from ratingpriv.base.errors import Problem
from ratingpriv.base.numbers import inexact_decimal
from ratingpriv.data.codebook.hierarchies import read_hierarchy
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.table.building.problems import Problems, number_text

_WIDE = Context(prec=1000)  # a whole number of bands of 1e-300 up to 2**53 has 317 digits


def recoded(values: pl.Series, spec: ColumnSpec, *, place: Path | None, problems: Problems) -> pl.Series:
    """Return what each value becomes; null stays null.

    Parameters
    ----------
    values : String or Float64, called by the column's name; each distinct value once will do
    spec : what is said of the column; only its recodes count
    place : the codebook's file, against which the path of a hierarchy is taken; None: the working directory
    problems : gets what is wrong; what is returned then is of no use

    Returns
    -------
    Series of the same length: String of ``band`` and ``map``, else Float64; ``values`` without a recode
    """
    if not spec.recodes:
        return values
    if spec.map is not None and not _numeric(spec):
        return _mapped(values, spec, place, problems)
    file = "codebook" if place is None else str(place)
    if values.dtype != pl.Float64 and values.null_count() < len(values):
        words = recode_words(spec)
        remedy = "leave the recode out, use map, or name the texts that mean unanswered in missing"
        problems.add(
            Problem(file, "text", f"numbers, as they are recoded ({words})", remedy, None, values.name)
        )
        return values
    values = values.cast(pl.Float64)
    if not values.drop_nulls().is_finite().all():
        problems.add(Problem(file, "NaN or an infinite number", "finite numbers", "", None, values.name))
        return values
    exact = [None if value is None else Decimal(repr(float(value))) for value in values.to_list()]
    clipped = [None if value is None else _rounded(_clipped(value, spec), spec) for value in exact]
    wrong = next((one for one in clipped if one is not None and inexact_decimal(one) is not None), None)
    if wrong is not None:
        found = f"multiples of {number_text(spec.round)} of more than 15 digits"
        problems.add(Problem(file, found, "a rounder number", "correct round", None, values.name))
        return values
    if spec.band is not None:
        return pl.Series(values.name, _banded(clipped, spec), dtype=pl.String)
    numbers = pl.Series(
        values.name, [None if one is None else float(one) + 0.0 for one in clipped], dtype=pl.Float64
    )
    return numbers if spec.map is None else _mapped(numbers, spec, place, problems)


def recode_words(spec: ColumnSpec) -> str:
    """Return the recodes in words, as ``top=80, band=10``; a hierarchy by its file's name; empty: none."""
    words = [
        f"{name}={number_text(value)}"
        for name in ("bottom", "top", "round", "band")
        if (value := getattr(spec, name)) is not None
    ]
    if spec.map is not None and spec.level != 0:
        words.append(f"map={Path(spec.map).name}" + ("" if spec.level is None else f", level={spec.level}"))
    return ", ".join(words)


def map_path(spec: ColumnSpec, place: Path | None) -> Path:
    """Return where the hierarchy of a column is: a relative path is taken from the codebook's folder."""
    path = Path(spec.map or "")
    return path if place is None else place.parent / path


def _numeric(spec: ColumnSpec) -> bool:
    return any(one is not None for one in (spec.bottom, spec.top, spec.round))


def _clipped(value: Decimal, spec: ColumnSpec) -> Decimal:
    if spec.bottom is not None:
        value = max(value, _exact(spec.bottom))
    return value if spec.top is None else min(value, _exact(spec.top))


def _rounded(value: Decimal, spec: ColumnSpec) -> Decimal:
    """Return the nearest multiple, of two the larger."""
    if spec.round is None:
        return value
    step = _exact(spec.round)
    return _WIDE.multiply(step, Decimal(math.floor(Fraction(value) / Fraction(step) + Fraction(1, 2))))


def _banded(values: list[Decimal | None], spec: ColumnSpec) -> list[str | None]:
    """Return the band of each value: 20-29 where all are whole numbers from 0 on, else [20, 30).

    Where numbers are top-coded the band they come into is open (80+), likewise below (<20).
    """
    width = _exact(spec.band or 1.0)
    there = [value for value in values if value is not None]
    plain = all(value >= 0 and value == value.to_integral_value() for value in (*there, width))
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


def _mapped(values: pl.Series, spec: ColumnSpec, place: Path | None, problems: Problems) -> pl.Series:
    """Return the groups of a hierarchy's level; a value that it does not have is a problem."""
    if spec.level == 0:
        return values
    hierarchy = read_hierarchy(map_path(spec, place))
    if spec.level is None and hierarchy.levels > 1:
        found, remedy = f"{hierarchy.levels} levels", f"say which with level in [columns.{values.name}]"
        problems.add(Problem(hierarchy.name, found, "a stated level", remedy, None, values.name))
        return values
    level = spec.level or 1
    if level > hierarchy.levels:
        levels = f"{hierarchy.levels} level" + ("s" if hierarchy.levels > 1 else "")
        problems.add(Problem(hierarchy.name, levels, f"level {level}", "correct level", None, values.name))
        return values
    listed = values.to_list()
    groups = [None if value is None else hierarchy.group(value, level) for value in listed]
    lost = [value for value, group in zip(listed, groups, strict=True) if value is not None and group is None]
    if lost:
        many = f"{len(set(lost)):,} values" if len(set(lost)) > 1 else "a value"
        cell = number_text(lost[0])
        remedy = "add a line for each, or name what means unanswered in missing"
        problems.add(
            Problem(
                hierarchy.name,
                f"no line for {many} of the column",
                "a group for each value that occurs",
                remedy,
                None,
                values.name,
                cell,
            )
        )
    return pl.Series(values.name, groups, dtype=pl.String)
