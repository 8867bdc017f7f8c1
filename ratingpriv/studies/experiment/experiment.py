"""Running an experiment: every cell once, each kept in a journal as soon as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base import checks
from ratingpriv.base.compute.compiling import pinned
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Displayed
from ratingpriv.base.inputs import protecting
from ratingpriv.base.progress import Progress
from ratingpriv.base.provenance import tool
from ratingpriv.data.table import RatingTable
from ratingpriv.studies.experiment.cells import Cell, Plan, fingerprint
from ratingpriv.studies.experiment.journal import journal_at
from ratingpriv.studies.experiment.measuring import Measurer
from ratingpriv.studies.experiment.seeds import CONFIDENCE, OverSeeds, over_seeds
from ratingpriv.studies.experiment.spec import Spec, read_spec
from ratingpriv.studies.experiment.tidy import tidy_frame

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "INTERVALS", "Experimented", "experiment", "run_cells"]

COLUMNS = (
    "data", "method", "k", "epsilon", "l", "seed", "attack", "measure", "value", "low", "high", "original",
    "worthless", "reason",
)  # fmt: skip
"""The columns of the tidy table: a row for each measure (and attack) of each cell."""

INTERVALS = (
    "data", "method", "k", "epsilon", "l", "attack", "measure", "mean", "low", "high", "measured", "of",
    "reason",
)  # fmt: skip
"""The columns of the table of means over the seeds."""

_FEW = 8  # cells that plain Python measures of a small table sooner than numba is loaded


@dataclass(frozen=True, slots=True)
class Experimented(Displayed):
    """What an experiment found.

    Attributes
    ----------
    parameters : the specification without its data sets
    datasets : what each data set is: records, issues, ratings and the hash of its file
    cells : how many cells there are
    infeasible : the cells without a release, by COLUMNS data to seed, and the reason
    rows : all rows by COLUMNS, in the order of the cells
    intervals : the same over the seeds
    """

    parameters: Mapping[str, Any]
    datasets: tuple[Mapping[str, Any], ...]
    cells: int
    infeasible: tuple[Mapping[str, Any], ...]
    rows: tuple[Mapping[str, Any], ...]
    intervals: tuple[OverSeeds, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.experiment/1``; the rows are those of the table's file."""
        return {
            "schema": "ratingpriv.experiment/1",
            "tool": tool(),
            "datasets": [dict(one) for one in self.datasets],
            "parameters": dict(self.parameters),
            "cells": self.cells,
            "infeasible": [dict(one) for one in self.infeasible],
            "confidence": CONFIDENCE,
            "intervals": [one.to_dict() for one in self.intervals],
        }

    def __repr__(self) -> str:
        return f"<Experimented: {self.cells} cells, {len(self.rows)} rows, {len(self.infeasible)} infeasible>"

    def to_frame(self) -> pl.DataFrame:
        """Return ``rows``: the tidy table with a row for each measure (and attack) of each cell, by COLUMNS.

        ``k`` and ``seed`` are Int64, ``epsilon``, ``l``, ``value``, ``low``, ``high``, ``original`` and
        ``worthless`` Float64, the others String; null where there is nothing.
        """
        return tidy_frame(self.rows, COLUMNS)


def experiment(
    spec: Spec | str | Path,
    *,
    journal: str | Path | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    on_resume: Callable[[int, int], None] | None = None,
) -> Experimented:
    """Run an experiment, or go on with it.

    Every cell's seeds are made of the specification's seed and the cell's own coordinates: the same cell has
    the same rows in every experiment that it is in, whatever the number of threads. A release that cannot be
    made is a row with the reason.

    Parameters
    ----------
    spec : the specification, or its file (:mod:`ratingpriv.studies.experiment.spec`)
    journal : where finished cells are kept; None: nowhere. A run that was interrupted, however, goes on from
        there and ends with the same bytes
    threads, memory, progress : as for :func:`ratingpriv.anonymize`
    on_resume : called with (cells that are finished, cells in all) where some are

    Raises
    ------
    DataError
        The specification, or data that it names, cannot be read.
    OutputError
        The journal is of another specification, other data or another version; or it was changed.
    ResourceError
        Memory or the disk does not suffice; the cells that are finished are kept.
    """
    spec = spec if isinstance(spec, Spec) else read_spec(checks.path("spec", spec))
    resources = Resources(threads, memory, progress)
    with protecting(spec.inputs):
        tables = spec.tables(progress)
        cells = tuple(spec.cells())
        rows = run_cells(
            cells, tables, spec.plan, asked=spec.to_dict(), journal=journal, resources=resources,
            on_resume=on_resume,
        )  # fmt: skip
    return Experimented(
        parameters=spec.to_dict(),
        datasets=tuple(_described(name, table) for name, table in tables.items()),
        cells=len(cells),
        infeasible=tuple(
            {name: row[name] for name in (*COLUMNS[:6], "reason")}
            for row in rows
            if row["measure"] == "feasible" and not row["value"]
        ),
        rows=rows,
        intervals=over_seeds(rows),
    )


def run_cells(
    cells: Iterable[Cell],
    tables: Mapping[str, RatingTable],
    plan: Plan,
    *,
    asked: Mapping[str, Any],
    journal: str | Path | None,
    resources: Resources,
    on_resume: Callable[[int, int], None] | None = None,
    on_cell: Callable[[Cell, Sequence[Mapping[str, Any]]], None] | None = None,
) -> tuple[Mapping[str, Any], ...]:
    """Measure every cell that the journal does not have; return the rows of all, by COLUMNS.

    Parameters
    ----------
    asked : what was asked for, which a journal is held to, beside the data and the version
    on_cell : called with each cell that was measured, as soon as it was, and its rows
    others : as :func:`experiment`
    """
    if journal is not None:
        checks.path("journal", journal)
    if on_resume is not None:
        checks.function("on_resume", on_resume)
    cells = tuple(dict.fromkeys(cells))
    about = {
        "version": tool()["version"],
        "specification": dict(asked),
        **{f"data {name}": fingerprint(table) for name, table in tables.items()},
    }
    measurers: dict[str, Measurer] = {}
    # what is repeated so often is worth loading the compiler, however small the tables
    with journal_at(journal, about) as kept, pinned("compiled" if len(cells) > _FEW else None):
        done = sum(cell.key in kept.finished for cell in cells)
        if done and on_resume is not None:
            on_resume(done, len(cells))
        for cell in cells:
            if cell.key in kept.finished:
                continue
            resources.report("cells", done, len(cells))
            if cell.data not in measurers:
                measurers[cell.data] = Measurer(cell.data, tables[cell.data], plan, resources)
            rows = measurers[cell.data].rows(cell)
            kept.add(cell.key, rows)
            done += 1
            if on_cell is not None:
                on_cell(cell, rows)
        resources.report("cells", done, len(cells))
        return tuple(
            {
                "data": cell.data, "method": cell.method, "k": cell.k, "epsilon": cell.epsilon, "l": cell.l,
                "seed": cell.seed, **{name: row[name] for name in COLUMNS[6:]},
            }
            for cell in cells
            for row in kept.finished[cell.key]
        )  # fmt: skip


def _described(name: str, table: RatingTable) -> dict[str, Any]:
    return {
        "name": name,
        "records": table.n_records,
        "issues": table.n_issues,
        "ratings": table.n_ratings,
        "sha256": table.origin.sha256,
    }
