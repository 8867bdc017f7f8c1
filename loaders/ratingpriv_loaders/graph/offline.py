"""A folder of import files for ``neo4j-admin database import``:
the fastest way in for very many pairs.

The import makes a new database of the files and is run while the server is down. The folder holds
headers, parts, a script with the command, and the schema that is made afterwards.
"""

from __future__ import annotations

import datetime
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ratingpriv.base.errors import OutputError
from ratingpriv.base.partial import partial_folder
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.datasets import properties_of
from ratingpriv.graph.ingesting import OfflineImport
from ratingpriv.graph.loading import SCHEMA

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv_loaders.graph.prepared import Prepared

_SLICE = 1_000_000  # rows that are formatted at a time
_PART = 20_000_000  # rows of a part, below half a gigabyte
_LONG = 4_000  # bytes: an index of Neo4j takes values of some 8,000

_SCRIPT = """\
#!/bin/sh
# Makes the database anew from these files: stop the server first; what the database holds now is
# lost. It must report {nodes} nodes and {relationships} relationships. Afterwards start the server
# and make the constraints: cypher-shell -f schema.cypher "$(dirname "$0")" || exit 1 ec {command}
"""


def write_offline(
    prepared: Prepared, folder: str | Path, *, progress: Progress | None = None
) -> OfflineImport:
    """Write what :func:`ratingpriv_loaders.graph.slices.slices` counted as import files.

    ``folder`` does not exist or is empty (else OutputError); nothing is left in it when writing
    fails. It names records, so that only its owner may enter it.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "found something there, expected a new or empty folder; choose another name"
        raise OutputError(f"{folder}: {what}")
    if not folder.parent.is_dir() or not os.access(folder.parent, os.W_OK):
        raise OutputError(
            f"{folder}: the folder {folder.parent} is missing or cannot be written to"
        )
    with partial_folder(folder) as temporary:
        files = _Files(temporary, _delimiter(prepared), progress)
        _nodes(prepared, files)
        _relationships(prepared, files)
        written = _finish(prepared, files, folder)
        for file in temporary.iterdir():  # the folder is its owner's alone already
            file.chmod(0o700 if file.suffix == ".sh" else 0o600)
        temporary.replace(folder)  # also over an empty folder
    return written


class _Files:
    """Headers and parts written so far: what the command says of them,
    and how many rows they have.
    """

    def __init__(self, folder: Path, delimiter: str, progress: Progress | None) -> None:
        self.folder, self.delimiter, self._progress = folder, delimiter, progress
        self.arguments: list[str] = []
        self.rows = {"nodes": 0, "relationships": 0}

    def write(
        self,
        kind: str,
        name: str,
        header: Sequence[str],
        rows: Iterable[Sequence[Any]],
        said: str = "",
    ) -> None:
        """Write the header and the rows, slices of columns, of a label (``kind`` nodes) or a type.

        ``said``: what they are called while they are written, and how many there are.
        """
        files, done, room = [f"{name.lower()}-header.csv"], 0, 0
        pl.DataFrame(schema=header).write_csv(self.folder / files[0])
        what, _, total = said.partition(" of ")
        for columns in rows:
            frame = pl.DataFrame(dict(zip(header, columns, strict=True)))
            if len(frame) > room:
                files.append(f"{name.lower()}-{len(files)}.csv")
                room = _PART
            with (self.folder / files[-1]).open("ab") as file:
                frame.write_csv(file, include_header=False)
            room -= len(frame)
            done += len(frame)
            if said and self._progress is not None:
                self._progress(f"writing {what}", done, int(total))
        self.rows[kind] += done
        self.arguments.append(f"--{kind}={name}={','.join(files)}")

    def array(self, values: Sequence[object] | None) -> str | None:
        """Return a list as a field."""
        return None if values is None else self.delimiter.join(map(str, values))

    def columns(
        self, types: Mapping[str, str], values: Mapping[str, Sequence[Any]]
    ) -> list[pl.Series]:
        """Return columns as fields of these types; an absent value is an empty field."""
        return [
            pl.Series(
                name,
                map(self.array, values[name]) if type_.endswith("[]") else values[name],
                dtype={"double": pl.Float64, "long": pl.Int64}.get(type_, pl.String),
            )
            for name, type_ in types.items()
        ]


def _delimiter(prepared: Prepared) -> str:
    """Return a character that is in none of the texts that stand in lists."""
    labels = [label for column in prepared.table.sensitive for label in column.labels or ()]
    for character in (";", "|", "~", "^", "\x1f", "\x1e", "\x1d"):
        if not any(character in label for label in labels):
            return character
    raise OutputError(
        "labels of a sensitive item contain every character that could separate them; rename one"
    )


def _nodes(prepared: Prepared, files: _Files) -> None:
    spec, quasi = prepared.spec, prepared.quasi
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    described = {**properties_of(spec), "createdAt": created, "complete": True}
    described = {name: value for name, value in described.items() if value is not None}
    values = [
        files.array(value) if isinstance(value, list) else value for value in described.values()
    ]
    header = [f"{name}:{_type(value)}" for name, value in described.items()]
    files.write("nodes", "Dataset", header, [[[value] for value in values]])

    issues = prepared.issues()
    places = range(spec.issues)
    dataset = pl.repeat(spec.name, spec.issues, eager=True)
    header = [":ID(Issue)", "name:string", "position:long", "sensitive:boolean", "dataset:string"]
    columns: list[Any] = [places, issues.names, places, issues.sensitive, dataset]
    if any(labels is not None for labels in issues.labels or ()):
        header.append("labels:string[]")
        columns.append(pl.Series(map(files.array, issues.labels or ()), dtype=pl.String))
    files.write("nodes", "Issue", header, [columns])

    groups = prepared.group_batch()
    types = {} if quasi is None else quasi.types("HammingGroup")
    header = [
        ":ID(Group)",
        "id:long",
        "size:long",
        "supportSize:long",
        "dataset:string",
        *_header(types),
    ]
    places = range(spec.groups)
    dataset = pl.repeat(spec.name, spec.groups, eager=True)
    columns = [places, places, groups.sizes, groups.support_sizes, dataset]
    files.write(
        "nodes", "HammingGroup", header, [[*columns, *files.columns(types, groups.quasi or {})]]
    )

    types = {} if quasi is None else quasi.types("Record")
    id_type = "string" if prepared.record_ids.dtype == pl.String else "long"
    header = [
        ":ID(Record)",
        f"id:{id_type}",
        "position:long",
        "hammingGroup:long",
        "dataset:string",
    ]
    header += [
        "sizes:long[]",
        *(() if prepared.at_risk is None else ("atRisk:boolean",)),
        *_header(types),
    ]
    files.write(
        "nodes", "Record", header, _records(prepared, files, types), f"records of {spec.records}"
    )


def _records(prepared: Prepared, files: _Files, types: Mapping[str, str]) -> Iterator[list[Any]]:
    for first, stop in _cuts(prepared.spec.records):
        part, places = slice(first, stop), np.arange(first, stop)
        dataset = pl.repeat(prepared.spec.name, stop - first, eager=True)
        levels = [
            pl.Series(str(level), sizes) for level, sizes in enumerate(prepared.sizes[part].T)
        ]
        sizes = pl.select(pl.concat_str(levels, separator=files.delimiter)).to_series()
        risk = [] if prepared.at_risk is None else [prepared.at_risk[part]]
        quasi = {} if prepared.quasi is None else prepared.quasi.of_records(first, stop)
        ids, groups = prepared.record_ids[part], prepared.groups.group_of[part]
        yield [places, ids, places, groups, dataset, sizes, *risk, *files.columns(types, quasi)]


def _relationships(prepared: Prepared, files: _Files) -> None:
    spec, times, groups = prepared.spec, prepared.table.timestamps, prepared.groups.group_of
    members = ([np.arange(first, stop), groups[first:stop]] for first, stop in _cuts(spec.records))
    header = [":START_ID(Record)", ":END_ID(Group)"]
    files.write("relationships", "IN_GROUP", header, members, f"memberships of {spec.records}")
    header = [":START_ID(Record)", ":END_ID(Issue)", "rating:double"]
    timed = False
    if times is not None and spec.all_ratings:
        timed = True
        header.append("timestamp:long" if times.dtype.is_integer() else "timestamp:string")
    rated = (
        [
            *(batch.records, batch.issues, batch.ratings),
            *([batch.timestamps or [None] * len(batch.records)] if timed else ()),
        ]
        for batch in prepared.ratings(_SLICE)
    )
    files.write("relationships", "RATED", header, rated, f"ratings of {spec.ratings}")
    header = [":START_ID(Record)", ":END_ID(Record)", "distance:double"]
    near = ([block.left, block.right, block.distance] for block in prepared.pairs(_SLICE))
    files.write("relationships", "PROXIMATE", header, near, f"pairs of {spec.pairs}")


def _finish(prepared: Prepared, files: _Files, place: Path) -> OfflineImport:
    """Write the script and the schema; return what will be at ``place``."""
    command = ["neo4j-admin", "database", "import", "full", "neo4j", *files.arguments]
    command += ["--overwrite-destination", "--multiline-fields=true"]
    if files.delimiter != ";":
        command.append(f"--array-delimiter=U+{ord(files.delimiter):04X}")
    (files.folder / "import.sh").write_text(
        _SCRIPT.format(command=shlex.join(command), **files.rows)
    )
    ids = prepared.record_ids
    lengths = ids.str.len_bytes() if ids.dtype == pl.String else pl.Series([0])
    longest = int(lengths.max() or 0)  # type: ignore[arg-type]
    names = [*SCHEMA, "schema/record-key"] if longest < _LONG else SCHEMA
    statements = [query(name, "neo4j").statement.strip() for name in names]
    (files.folder / "schema.cypher").write_text(
        "".join(f"{statement};\n" for statement in statements)
    )
    return OfflineImport(place, place / "import.sh", tuple(command), **files.rows)


def _cuts(records: int) -> list[tuple[int, int]]:
    return [(first, min(first + _SLICE, records)) for first in range(0, records, _SLICE)]


def _header(types: Mapping[str, str]) -> list[str]:
    return [f"{name}:{type_}" for name, type_ in types.items()]


def _type(value: object) -> str:
    if isinstance(value, list):
        return f"{_type(value[0])}[]"
    return {bool: "boolean", int: "long", float: "double"}.get(type(value), "string")
