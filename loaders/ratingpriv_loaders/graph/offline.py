"""Import files for ``neo4j-admin database import`` from slices: the fastest way in for very many pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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

    ``folder`` does not exist or is empty (else OutputError); nothing is left in it when writing fails.
    """
    folder, ids = Path(folder), prepared.record_ids
    labels = [label for column in prepared.table.sensitive for label in column.labels or ()]
    longest = int(ids.str.len_bytes().max() or 0) if ids.dtype == pl.String else 0  # type: ignore[arg-type]
    with import_folder(folder, array_delimiter(labels)) as files:
        _nodes(prepared, files, progress)
        _relationships(prepared, files, progress)
        return files.finish(folder, longest)


def _nodes(prepared: Slices, files: ImportFolder, progress: Progress | None) -> None:
    spec, dataset, quasi = prepared.spec, prepared.spec.name, prepared.quasi
    add_dataset(files, spec)
    add_issues(files, dataset, prepared.issues())
    groups = prepared.group_batch()
    types = {} if quasi is None else quasi.types("HammingGroup")
    files.begin("nodes", "HammingGroup", group_header(types))
    numbers = list(range(len(groups.sizes)))
    frame = framed(numbers, numbers, groups.sizes, groups.support_sizes, dataset=dataset)
    files.add("HammingGroup", frame.with_columns(_columns(types, groups.quasi, files)))
    types = {} if quasi is None else quasi.types("Record")
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
    def write(label: str, said: str, header: list[str], frames: Iterable[pl.DataFrame], total: int) -> None:
        files.begin("relationships", label, header)
        done = 0
        for frame in frames:
            files.add(label, frame)
            done += len(frame)
            if progress is not None:
                progress(f"writing {said}", done, total)

    groups, spec, times = prepared.groups.group_of, prepared.spec, prepared.table.timestamps
    some = ((first, groups[first : first + _SLICE]) for first in range(0, len(groups), _SLICE))
    members = (framed(np.arange(first, first + len(of)), of) for first, of in some)
    write("IN_GROUP", "memberships", IN_GROUP, members, len(groups))
    ratings = (
        (batch, framed(batch.records, batch.issues, batch.ratings)) for batch in prepared.ratings(_SLICE)
    )
    if times is None or not spec.all_ratings:
        write("RATED", "ratings", RATED, (frame for _, frame in ratings), spec.ratings)
    else:
        header = [*RATED, "timestamp:long" if times.dtype.is_integer() else "timestamp:string"]
        stamped = (
            frame.with_columns(pl.Series("timestamp", batch.timestamps or [None] * len(frame)))
            for batch, frame in ratings
        )
        write("RATED", "ratings", header, stamped, spec.ratings)
    pairs = (framed(block.left, block.right, block.distance) for block in prepared.pairs(_SLICE))
    write("PROXIMATE", "pairs", PROXIMATE, pairs, spec.pairs)


def _columns(
    types: Mapping[str, str], rows: Sequence[Mapping[str, Any]] | None, files: ImportFolder
) -> list[pl.Series]:
    columns = []
    for name, type_ in types.items():
        values = [row.get(name) for row in rows or ()]
        if type_.endswith("[]"):
            values = [None if value is None else files.array(value) for value in values]
        dtype = {"double": pl.Float64, "long": pl.Int64}.get(type_, pl.String)
        columns.append(pl.Series(name, values, dtype=dtype))
    return columns
