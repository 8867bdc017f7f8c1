"""What the rows of import files look like: headers, and the frames that are written below them.

Whoever writes them, on one machine or in tasks of a cluster, writes the same rows.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.graph.datasets import properties_of
from ratingpriv.graph.offline.folder import ImportFolder
from ratingpriv.graph.store import DatasetSpec, IssueBatch

IN_GROUP = [":START_ID(Record)", ":END_ID(Group)"]
"""The header of memberships: a record's position, its group's id."""

RATED = [":START_ID(Record)", ":END_ID(Issue)", "rating:double"]
"""The header of ratings: a record's position, an issue's, the rating."""

PROXIMATE = [":START_ID(Record)", ":END_ID(Record)", "distance:double"]
"""The header of pairs: the smaller position, the larger one, the distance."""


def add_dataset(files: ImportFolder, spec: DatasetSpec) -> None:
    """Write the Dataset node: complete, and made now."""
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    properties = {**properties_of(spec), "createdAt": created, "complete": True}
    described = {name: value for name, value in properties.items() if value is not None}
    files.begin("nodes", "Dataset", [f"{name}:{_type(value)}" for name, value in described.items()])
    files.add("Dataset", pl.DataFrame({name: [_text(value, files)] for name, value in described.items()}))


def add_issues(files: ImportFolder, dataset: str, issues: IssueBatch) -> None:
    """Write the Issue nodes."""
    nominal = [None if one is None else files.array(one) for one in issues.labels or ()]
    more = [pl.Series("labels:string[]", nominal)] if any(one is not None for one in nominal) else []
    header = [":ID(Issue)", "name:string", "position:long", "sensitive:boolean", "dataset:string"]
    files.begin("nodes", "Issue", [*header, *(column.name for column in more)])
    places = list(range(len(issues.names)))
    frame = framed(places, list(issues.names), places, [*map(bool, issues.sensitive)], dataset=dataset)
    files.add("Issue", frame.with_columns(more))


def group_header(more: Mapping[str, str]) -> list[str]:
    """Return the header of HammingGroup; ``more`` properties by their types. Rows are its columns framed."""
    return [":ID(Group)", "id:long", "size:long", "supportSize:long", "dataset:string", *_header(more)]


def record_header(*, text: bool, at_risk: bool, more: Mapping[str, str]) -> list[str]:
    """Return the header of Record: whether ids are texts, and whether it says who is at risk."""
    header = [":ID(Record)", f"id:{'string' if text else 'long'}", "position:long", "hammingGroup:long"]
    header += ["dataset:string", "sizes:long[]", *(("atRisk:boolean",) if at_risk else ())]
    return [*header, *_header(more)]


def record_frame(
    positions: NDArray[np.int64],
    ids: Sequence[object] | pl.Series,
    groups: NDArray[np.int64],
    sizes: NDArray[np.int32] | NDArray[np.int64],
    at_risk: NDArray[np.bool_] | None,
    *,
    dataset: str,
    array_delimiter: str,
) -> pl.DataFrame:
    """Return rows of Record; ``sizes`` is (n, n_levels)."""
    frame = framed(positions, ids, positions, groups, dataset=dataset)
    frame = frame.with_columns(sizes=_lists(sizes, array_delimiter))
    return frame if at_risk is None else frame.with_columns(risk=at_risk)


def framed(*columns: Any, **constants: str) -> pl.DataFrame:
    """Return columns, and after them some that are the same in every row, as a frame."""
    frame = pl.DataFrame({str(place): column for place, column in enumerate(columns)})
    return frame.with_columns(**{name: pl.lit(value) for name, value in constants.items()})


def _lists(rows: NDArray[np.int32] | NDArray[np.int64], delimiter: str) -> pl.Series:
    """Return each row as a field."""
    columns = [pl.Series(str(place), column).cast(pl.String) for place, column in enumerate(rows.T)]
    return pl.DataFrame(columns).select(pl.concat_str(pl.all(), separator=delimiter)).to_series()


def _header(types: Mapping[str, str]) -> list[str]:
    return [f"{name}:{type_}" for name, type_ in types.items()]


def _type(value: object) -> str:
    names: Mapping[type, str] = {bool: "boolean", int: "long", float: "double"}
    if isinstance(value, list):
        return f"{_type(value[0])}[]"
    return names.get(type(value), "string")


def _text(value: object, files: ImportFolder) -> object:
    if isinstance(value, list):
        return files.array(value)
    return value if isinstance(value, bool | int | float) else str(value)
