"""A folder of import files for ``neo4j-admin database import``: the fastest way in for very many pairs.

The import makes a new database of the files and is run while the server is down. The folder holds headers,
parts, a script with the command, and the schema that is made afterwards.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import OutputError
from ratingpriv.base.partial import partial_folder
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.datasets import properties_of
from ratingpriv.graph.loading import SCHEMA
from ratingpriv.graph.store import DatasetSpec, IssueBatch

_PART = 20_000_000  # rows of a part, below half a gigabyte

_LONG = 4_000  # bytes: an index of Neo4j takes values of some 8,000


@dataclass(frozen=True, slots=True)
class OfflineImport:
    """Import files that were written, and the script in their folder that runs the command.

    Paths in the command are relative to the folder; ``nodes`` and ``relationships`` are what it must report.
    """

    folder: Path
    script: Path
    command: tuple[str, ...]
    nodes: int
    relationships: int


@dataclass(slots=True)
class ImportFolder:
    """Headers and parts written so far: for each label or type its kind, its files, its rows."""

    folder: Path
    array_delimiter: str = ";"
    kinds: dict[str, str] = field(default_factory=dict)
    files: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    in_part: dict[str, int] = field(default_factory=dict)

    def begin(self, kind: str, name: str, header: list[str]) -> None:
        """Write the header of a label (``kind`` nodes) or type (relationships)."""
        self.kinds[name], self.rows[name], self.in_part[name] = kind, 0, _PART
        self.files[name] = [f"{name.lower()}-header.csv"]
        quoted = pl.DataFrame([[column] for column in header], schema=[str(i) for i in range(len(header))])
        quoted.write_csv(self.folder / self.files[name][0], include_header=False)

    def add(self, name: str, frame: pl.DataFrame) -> None:
        """Append rows, in a new part where the last one is full."""
        if len(frame):
            with self._part(name, len(frame)).open("ab") as file:
                frame.write_csv(file, include_header=False)

    def array(self, values: Sequence[object]) -> str:
        """Return a list as a field."""
        return self.array_delimiter.join(map(str, values))

    def finish(self, place: Path, longest_id: int) -> OfflineImport:
        """Write the script and the schema; return what will be at ``place``.

        ``longest_id`` is how many bytes the longest record id has: Neo4j indexes no value of very many.
        """
        command = ["neo4j-admin", "database", "import", "full", "neo4j"]
        command += [f"--{self.kinds[name]}={name}={','.join(files)}" for name, files in self.files.items()]
        command += ["--overwrite-destination", "--multiline-fields=true"]
        if self.array_delimiter != ";":
            command.append(f"--array-delimiter=U+{ord(self.array_delimiter):04X}")
        nodes, relationships = (
            sum(rows for name, rows in self.rows.items() if self.kinds[name] == kind)
            for kind in ("nodes", "relationships")
        )
        (self.folder / "import.sh").write_text(
            _SCRIPT.format(command=shlex.join(command), nodes=nodes, relationships=relationships)
        )
        names = [*SCHEMA, "schema/record-key"] if longest_id < _LONG else SCHEMA
        statements = [query(name, "neo4j").statement.strip() for name in names]
        (self.folder / "schema.cypher").write_text("".join(f"{statement};\n" for statement in statements))
        return OfflineImport(place, place / "import.sh", tuple(command), nodes, relationships)

    def _part(self, name: str, rows: int) -> Path:
        """Return the file that so many more rows of a label or type go to."""
        if self.in_part[name] + rows > _PART:
            self.files[name].append(f"{name.lower()}-{len(self.files[name])}.csv")
            self.in_part[name] = 0
        self.rows[name] += rows
        self.in_part[name] += rows
        return self.folder / self.files[name][-1]


_SCRIPT = """\
#!/bin/sh
# Makes the database anew from these files: stop the server first; what the database holds now is lost.
# It must report {nodes} nodes and {relationships} relationships. Afterwards start the server and make the
# constraints:  cypher-shell -f schema.cypher
cd "$(dirname "$0")" || exit 1
exec {command}
"""


@contextlib.contextmanager
def import_folder(folder: Path, array_delimiter: str) -> Iterator[ImportFolder]:
    """Give a temporary folder beside ``folder`` that becomes it when the block ends well, else vanishes.

    It names records, so that only its owner may enter it.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "found something there, expected a new or empty folder; choose another name"
        raise OutputError(f"{folder}: {what}")
    if not folder.parent.is_dir() or not os.access(folder.parent, os.W_OK):
        raise OutputError(f"{folder}: the folder {folder.parent} is missing or cannot be written to")
    with partial_folder(folder) as temporary:
        yield ImportFolder(temporary, array_delimiter)
        for file in temporary.iterdir():  # the folder is its owner's alone already
            file.chmod(0o700 if file.suffix == ".sh" else 0o600)
        temporary.replace(folder)  # also over an empty folder


def array_delimiter(labels: Sequence[str]) -> str:
    """Return a character that is in none of the texts that stand in lists."""
    for one in (";", "|", "~", "^", "\x1f", "\x1e", "\x1d"):
        if not any(one in label for label in labels):
            return one
    raise OutputError("labels of a sensitive issue hold every character that could part them; rename one")


# ---- what the rows look like: whoever writes them, on one machine or in tasks of a cluster ----

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
    levels = [pl.Series(str(place), column).cast(pl.String) for place, column in enumerate(sizes.T)]
    lists = pl.DataFrame(levels).select(pl.concat_str(pl.all(), separator=array_delimiter)).to_series()
    frame = frame.with_columns(sizes=lists)
    return frame if at_risk is None else frame.with_columns(risk=at_risk)


def framed(*columns: Any, **constants: str) -> pl.DataFrame:
    """Return columns, and after them some that are the same in every row, as a frame."""
    frame = pl.DataFrame({str(place): column for place, column in enumerate(columns)})
    return frame.with_columns(**{name: pl.lit(value) for name, value in constants.items()})


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
