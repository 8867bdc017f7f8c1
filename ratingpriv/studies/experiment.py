"""Experiments: methods × k × ε × l × seeds over data sets, resumable, as one tidy table."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Displayed
from ratingpriv.base.inputs import protecting
from ratingpriv.base.progress import Progress
from ratingpriv.documents import recommend as documents
from ratingpriv.documents.making import document_of
from ratingpriv.documents.recommend import CellInterval
from ratingpriv.studies.cells import COLUMNS, run_cells, tidy_frame
from ratingpriv.studies.measuring import Measurer
from ratingpriv.studies.specification import Spec, read_spec

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "CONFIDENCE", "INTERVALS", "Experimented", "experiment", "over_seeds"]

CONFIDENCE = 0.95
"""Of the intervals, if replicates are alike and about normal (Student's t)."""

_DATASET = ("name", "records", "issues", "ratings", "sha256")
_COORDINATES = ("data", "method", "k", "epsilon", "l", "attack", "measure")

INTERVALS = (*_COORDINATES, "mean", "low", "high", "measured", "of", "reason")
"""The columns of the table of means over the seeds."""


@dataclass(frozen=True, slots=True)
class Experimented(Displayed):
    """What an experiment found.

    Attributes
    ----------
    parameters : the specification without its data sets
    datasets : what each data set is: records, issues, ratings and the hash of its file
    cells : how many there are
    infeasible : the cells without a release, by COLUMNS data to seed, and the reason
    rows : all rows by COLUMNS, in the order of the cells
    intervals : the same over the seeds
    """

    parameters: Mapping[str, Any]
    datasets: tuple[Mapping[str, Any], ...]
    cells: int
    infeasible: tuple[Mapping[str, Any], ...]
    rows: tuple[Mapping[str, Any], ...]
    intervals: tuple[CellInterval, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.experiment/1``; the rows are those of the table's file."""
        return document_of(documents.Experiment, self, confidence=CONFIDENCE)

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
    spec : the specification, or its file (:mod:`ratingpriv.studies.specification`)
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
        measurers = {name: Measurer(name, table, spec.plan, resources) for name, table in tables.items()}
        measured = run_cells(
            spec.cells(),
            tables,
            lambda cell: measurers[cell.data].rows(cell),
            asked=spec.to_dict(),
            journal=journal,
            resources=resources,
            on_resume=on_resume,
        )
    rows = tuple(itertools.chain.from_iterable(measured.values()))
    failed = [row for row in rows if row["measure"] == "feasible" and not row["value"]]
    described = (
        (name, table.n_records, table.n_issues, table.n_ratings, table.origin.sha256)
        for name, table in tables.items()
    )
    return Experimented(
        parameters=spec.to_dict(),
        datasets=tuple(dict(zip(_DATASET, values, strict=True)) for values in described),
        cells=len(measured),
        infeasible=tuple({name: row[name] for name in (*COLUMNS[:6], "reason")} for row in failed),
        rows=rows,
        intervals=over_seeds(rows),
    )


def over_seeds(rows: Iterable[Mapping[str, Any]]) -> tuple[CellInterval, ...]:
    """Put together the rows that differ in nothing but the seed, in the order in which they first come.

    ``low``, ``high`` are a 95 % interval of the mean by Student's t, None below two replicates. It is about
    seeds alone: other people's data may differ by more.
    """
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in _COORDINATES), []).append(row)
    intervals = []
    for where, replicates in groups.items():
        values = [float(row["value"]) for row in replicates if row["value"] is not None]
        reason = next((row["reason"] for row in replicates if row["reason"]), "")
        count, mean = len(values), math.fsum(values) / len(values) if values else None
        low = high = None
        if mean is not None and count > 1:
            mean = low = high = values[0] if min(values) == max(values) else mean
            spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
            if spread:
                from scipy.special import stdtrit

                reach = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * spread / math.sqrt(count)
                low, high = mean - reach, mean + reach
        numbers = (mean, low, high, count, len(replicates), reason)
        intervals.append(CellInterval(**dict(zip(INTERVALS, (*where, *numbers), strict=True))))
    return tuple(intervals)
