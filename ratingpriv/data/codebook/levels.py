"""Levels of generalisation: how coarse a quasi-identifier may be made, from as it is to the coarsest.

A hierarchy has its levels; bands have those that a codebook lists in ``bands``. A coarser level never splits
a group of a finer one.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.hierarchies import read_hierarchy
from ratingpriv.data.codebook.recoding import map_path, recode_words, recoded
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.table.building.problems import Problems
from ratingpriv.data.table.parts import QuasiColumn


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A quasi-identifier on each of its levels.

    Attributes
    ----------
    columns : the column on each level; 0 is as it is
    """

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
    """Return the codebook without the recodes that have levels: every hierarchy at level 0, and no bands."""
    columns = {}
    for name, spec in codebook.columns.items():
        if spec.role == "quasi" and (spec.map is not None or spec.band is not None):
            level = 0 if spec.map is not None else None
            spec = dataclasses.replace(spec, level=level, band=None, bands=_bands(spec))
        columns[name] = spec
    return dataclasses.replace(codebook, columns=columns)


def levels_of(column: QuasiColumn, codebook: Codebook) -> Levels | None:
    """Return the levels of a column that was read as :func:`as_it_is` says; None where it has but one.

    Raises
    ------
    DataError
        A value that occurs is not in the hierarchy; text that is to be banded.
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
    """Return the column recoded as ``spec`` says, its values in the order of those they are made of."""
    problems = Problems()
    made = recoded(column.values.alias(column.name), spec, place=place, problems=problems)
    problems.raise_if_any()
    values = made.unique(maintain_order=True)
    places = made.replace_strict(values, pl.int_range(len(values), eager=True), return_dtype=pl.Int32)
    group: NDArray[np.int32] = np.append(places.to_numpy(), np.int32(-1)).astype(np.int32)
    return QuasiColumn(column.name, group[column.codes], values, None, recode_words(spec))
