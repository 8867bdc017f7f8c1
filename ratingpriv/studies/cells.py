"""The engine of experiments and recommendations: each cell of a grid is measured once, and kept in a journal.

A seed is a hash of the plan's seed and of the coordinates that it belongs to, so that adding a method, a k or
a data set changes no other cell. What is drawn to *measure* (queries, targets of an attack) depends on the
data set and the replicate alone: two releases of one original are measured by the same draw, and compare.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ratingpriv.base import checks
from ratingpriv.base.compute.compiling import pinned
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.frames import typed_frame
from ratingpriv.base.provenance import VERSION
from ratingpriv.data.table import RatingTable
from ratingpriv.studies.journal import Journal, Rows, journal_at

if TYPE_CHECKING:
    import polars as pl

_OF_A_ROW = ("attack", "measure", "value", "low", "high", "original", "worthless", "reason")
COLUMNS = ("data", "method", "k", "epsilon", "l", "seed", *_OF_A_ROW)
"""The columns of the tidy table: a row for each measure (and attack) of each cell."""

_FEW = 8  # cells that plain Python measures of a small table sooner than numba is loaded
_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("data", "method", "attack", "measure", "reason"), str),
    **dict.fromkeys(("k", "seed", "measured", "of"), int),
    "front": bool,
}
"""The types of columns that are no Float64."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One release to be made and measured; ``seed`` is the number of the replicate, not yet a seed."""

    data: str
    method: str
    k: int
    epsilon: float
    l: float | None = None  # noqa: E741 -- the theory's word
    seed: int = 0

    @property
    def key(self) -> str:
        """The coordinates as text: the cell's name in a journal."""
        return json.dumps(list(asdict(self).values()))


@dataclass(frozen=True, slots=True)
class Plan:
    """What all cells of an experiment have in common.

    Attributes
    ----------
    methods : for each name the method of :func:`ratingpriv.anonymize` and its options
    attacks : for each name what the adversary knows, in the words of :func:`ratingpriv.attack`
    measures : names of :data:`ratingpriv.studies.measuring.GROUPS`, and of
        :data:`ratingpriv.utility.measures.MEASURES`
    utility : settings of measures of utility, as :func:`ratingpriv.utility` has them
    exposure : E of exposure; None: each cell's own ε
    seed : what all seeds are made of
    """

    methods: Mapping[str, tuple[str, Mapping[str, Any]]]
    attacks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    utility: Mapping[str, Any] = field(default_factory=dict)
    exposure: float | None = None
    nulls: str = "strict"
    sensitive_nulls: str = "paper"
    seed: int = 0


def seed_of(seed: int, *coordinates: object) -> int:
    """Return the seed, 0..2**63 - 1, that belongs to ``coordinates`` under the plan's ``seed``."""
    text = json.dumps([seed, *coordinates])
    return int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:8]) >> 1


def run_cells(
    cells: Iterable[Cell],
    tables: Mapping[str, RatingTable],
    measure: Callable[[Cell], Rows],
    *,
    asked: Mapping[str, Any],
    journal: str | Path | None,
    resources: Resources,
    on_resume: Callable[[int, int], None] | None = None,
    on_cell: Callable[[int, Cell, Rows], None] | None = None,
) -> dict[Cell, Rows]:
    """Make and ``measure`` every cell that the journal does not have; return the rows of each, by COLUMNS.

    A journal is held to what was ``asked``, beside the data and the version. ``on_resume`` is called with
    (cells that are finished, cells in all) where some are, ``on_cell`` with how many are finished, each cell
    that was measured, as soon as it was, and its rows.
    """
    if journal is not None:
        checks.path("journal", journal)
    if on_resume is not None:
        checks.function("on_resume", on_resume)
    cells = tuple(dict.fromkeys(cells))
    # what is repeated so often is worth loading the compiler, however small the tables
    with journal_of(journal, asked, tables) as opened, pinned("compiled" if len(cells) > _FEW else None):
        new = [cell for cell in cells if cell.key not in opened.finished]
        if len(new) < len(cells) and on_resume is not None:
            on_resume(len(cells) - len(new), len(cells))
        for done, cell in enumerate(new, start=len(cells) - len(new)):
            resources.report("cells", done, len(cells))
            rows = opened.measured(cell.key, partial(measure, cell))
            if on_cell is not None:
                on_cell(done + 1, cell, rows)
        resources.report("cells", len(cells), len(cells))
        return {
            cell: [
                asdict(cell) | {name: row[name] for name in _OF_A_ROW} for row in opened.finished[cell.key]
            ]
            for cell in cells
        }


def journal_of(
    path: str | Path | None, asked: Mapping[str, Any], tables: Mapping[str, RatingTable]
) -> AbstractContextManager[Journal]:
    """Open the journal of what is ``asked`` of some data, by this version; as :func:`.journal.journal_at`."""
    if path is None:
        return journal_at(None, {})
    data = {f"data {name}": fingerprint(table) for name, table in tables.items()}
    return journal_at(path, {"version": VERSION, "specification": dict(asked), **data})


def fingerprint(table: RatingTable) -> str:
    """Return a hash of everything of ``table`` that a release or a measure of it depends on."""
    digest = hashlib.sha256()

    def add(*parts: object) -> None:
        for part in parts:
            content = part.tobytes() if isinstance(part, np.ndarray) else json.dumps(part).encode("ascii")
            digest.update(len(content).to_bytes(8))
            digest.update(content)

    scale = table.scale
    add(None if scale is None else [scale.minimum, scale.maximum, scale.declared], list(table.issues))
    add(table.indptr, table.indices, table.codes, table.levels, list(map(str, table.record_ids)))
    for column in table.sensitive:
        add(column.name, column.values, column.present, column.labels)
    for quasi in table.quasi:
        add(quasi.name, quasi.codes, quasi.values.to_list(), quasi.within, quasi.recoded)
    for series in (*table.carried, *(() if table.timestamps is None else (table.timestamps,))):
        add(series.name, [str(value) for value in series])
    return digest.hexdigest()


def tidy_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pl.DataFrame:
    """Return ``columns`` of ``rows`` as a tidy frame; None, or no text, is null."""
    cells = {name: [None if row[name] == "" else row[name] for row in rows] for name in columns}
    return typed_frame(cells, {name: _TYPES.get(name, float) for name in columns})
