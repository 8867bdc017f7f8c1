"""Import files for ``neo4j-admin database import`` from slices: the fastest way in for very many pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ratingpriv.graph.offline import (
    IN_GROUP,
    PROXIMATE,
    RATED,
    ImportFolder,
    OfflineImport,
    add_dataset,
    add_issues,
    array_delimiter,
    framed,
    group_header,
    import_folder,
    record_frame,
    record_header,
)

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv_loaders.graph.slices import Slices

_SLICE = 1_000_000  # rows that are formatted at a time


def write_offline(prepared: Slices, folder: str | Path, *, progress: Progress | None = None) -> OfflineImport:
    """Write what :func:`ratingpriv_loaders.graph.slices.slices` counted as import files.

    Parameters
    ----------
    prepared : what to write
    folder : a folder that does not exist or is empty; nothing is left in it when writing fails
    progress : called with (what is being written, units done, units in all)

    Raises
    ------
    OutputError
        The folder is not empty, or cannot be made.
    """
    folder = Path(folder)
    labels = [label for column in prepared.table.sensitive for label in column.labels or ()]
    with import_folder(folder, array_delimiter(labels)) as files:
        _nodes(prepared, files, progress)
        _relationships(prepared, files, progress)
        return files.finish(folder, _longest(prepared.record_ids))


def _longest(ids: pl.Series) -> int:
    """Return how many bytes the longest id has; 0 of numbers."""
    return 0 if ids.dtype != pl.String else int(ids.str.len_bytes().max() or 0)  # type: ignore[arg-type]


def _nodes(prepared: Slices, files: ImportFolder, progress: Progress | None) -> None:
    spec, dataset = prepared.spec, prepared.spec.name
    add_dataset(files, spec)
    add_issues(files, dataset, prepared.issues())
    groups = prepared.group_batch()
    types = {} if prepared.quasi is None else prepared.quasi.types("HammingGroup")
    files.begin("nodes", "HammingGroup", group_header(types))
    numbers = list(range(len(groups.sizes)))
    frame = framed(numbers, numbers, groups.sizes, groups.support_sizes, dataset=dataset)
    files.add("HammingGroup", frame.with_columns(_columns(types, groups.quasi, files)))
    types = {} if prepared.quasi is None else prepared.quasi.types("Record")
    text = prepared.record_ids.dtype == pl.String
    files.begin("nodes", "Record", record_header(text=text, at_risk=prepared.at_risk is not None, more=types))
    first = 0
    for batch in prepared.records(_SLICE):
        start, first = first, first + len(batch.ids)
        frame = record_frame(
            np.arange(start, first),
            list(batch.ids),
            batch.groups,
            prepared.sizes[start:first],
            batch.at_risk,
            dataset=dataset,
            array_delimiter=files.array_delimiter,
        )
        files.add("Record", frame.with_columns(_columns(types, batch.quasi, files)))
        if progress is not None:
            progress("writing records", first, spec.records)


def _relationships(prepared: Slices, files: ImportFolder, progress: Progress | None) -> None:
    files.begin("relationships", "IN_GROUP", IN_GROUP)
    groups = prepared.groups.group_of
    for first in range(0, len(groups), _SLICE):
        some = groups[first : first + _SLICE]
        files.add("IN_GROUP", framed(np.arange(first, first + len(some)), some))
        if progress is not None:
            progress("writing memberships", first + len(some), len(groups))
    timed = prepared.spec.all_ratings and prepared.table.timestamps is not None
    header = list(RATED)
    if timed:
        whole = prepared.table.timestamps is not None and prepared.table.timestamps.dtype.is_integer()
        header.append("timestamp:long" if whole else "timestamp:string")
    files.begin("relationships", "RATED", header)
    done = 0
    for ratings in prepared.ratings(_SLICE):
        frame = framed(ratings.records, ratings.issues, ratings.ratings)
        if timed:
            stamps = ratings.timestamps or [None] * len(frame)
            frame = frame.with_columns(pl.Series("timestamp", stamps))
        files.add("RATED", frame)
        if progress is not None:
            progress("writing ratings", done := done + len(frame), prepared.spec.ratings)
    files.begin("relationships", "PROXIMATE", PROXIMATE)
    done = 0
    for block in prepared.pairs(_SLICE):
        files.add("PROXIMATE", framed(block.left, block.right, block.distance))
        if progress is not None:
            progress("writing pairs", done := done + len(block.left), prepared.spec.pairs)


def _columns(
    types: Mapping[str, str], rows: Sequence[Mapping[str, Any]] | None, files: ImportFolder
) -> list[pl.Series]:
    """Return the properties ``types`` of nodes as columns."""
    columns = []
    for name, type_ in types.items():
        values = [row.get(name) for row in rows or ()]
        if type_.endswith("[]"):
            values = [None if value is None else files.array(value) for value in values]
        columns.append(pl.Series(name, values, dtype=_DTYPES.get(type_, pl.String)))
    return columns


_DTYPES: Mapping[str, Any] = {"double": pl.Float64, "long": pl.Int64}
