"""Import files for ``neo4j-admin database import``: the fastest way in for very many pairs.

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
from typing import TYPE_CHECKING, Any

import polars as pl

from ratingpriv.errors import OutputError
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.datasets import properties_of
from ratingpriv.graph.loading import SCHEMA
from ratingpriv.partial import partial_folder

if TYPE_CHECKING:
    from ratingpriv.progress import Progress
    from ratingpriv_loaders.graph.slices import Slices

__all__ = ["OfflineImport", "write_offline"]

_SLICE = 1_000_000  # rows that are formatted at a time
_PART = 20_000_000  # rows of a part, below half a gigabyte


@dataclass(frozen=True, slots=True)
class OfflineImport:
    """What :func:`write_offline` wrote.

    Attributes
    ----------
    folder : the folder
    script : the shell script in it that runs the import
    command : the command in the script, one argument an entry; paths are relative to the folder
    nodes, relationships : how many of each the import must report
    """

    folder: Path
    script: Path
    command: tuple[str, ...]
    nodes: int
    relationships: int


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
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(
            f"{folder}: found something there, expected a new or empty folder; choose another name"
        )
    if not folder.parent.is_dir() or not os.access(folder.parent, os.W_OK):
        raise OutputError(f"{folder}: the folder {folder.parent} is missing or cannot be written to")
    with _new_folder(folder) as temporary:
        files = _Files(temporary, _array_delimiter(prepared))
        _nodes(prepared, files, progress)
        _relationships(prepared, files, progress)
        command = (
            "neo4j-admin", "database", "import", "full", "neo4j", *files.arguments(), *_OPTIONS,
            *files.options(),
        )  # fmt: skip
        script = temporary / "import.sh"
        counts = (files.count("nodes"), files.count("relationships"))
        script.write_text(
            _SCRIPT.format(command=shlex.join(command), nodes=counts[0], relationships=counts[1])
        )
        names = [*SCHEMA, "schema/record-key"] if _fit_an_index(prepared) else SCHEMA
        statements = [query(name, "neo4j").statement.strip() for name in names]
        (temporary / "schema.cypher").write_text("".join(f"{statement};\n" for statement in statements))
    return OfflineImport(folder, folder / "import.sh", command, *counts)


def _fit_an_index(prepared: Slices) -> bool:
    """Whether every record id fits into an index of Neo4j, which takes some 8,000 bytes."""
    ids = prepared.record_ids
    return ids.dtype != pl.String or int(ids.str.len_bytes().max() or 0) < 4000  # type: ignore[arg-type]


_OPTIONS = ("--overwrite-destination", "--multiline-fields=true")

_SCRIPT = """\
#!/bin/sh
# Makes the database anew from these files: stop the server first; what the database holds now is lost.
# It must report {nodes} nodes and {relationships} relationships. Afterwards start the server and make the
# constraints:  cypher-shell -f schema.cypher
cd "$(dirname "$0")" || exit 1
exec {command}
"""


@contextlib.contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Give a temporary folder beside ``folder`` that becomes it when the block ends well, else vanishes.

    It names records, so that only its owner may enter it.
    """
    with partial_folder(folder) as temporary:
        yield temporary
        for file in temporary.iterdir():  # the folder is its owner's alone already
            file.chmod(0o700 if file.suffix == ".sh" else 0o600)
        temporary.replace(folder)  # also over an empty folder


@dataclass(slots=True)
class _Files:
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
        if len(frame) == 0:
            return
        if self.in_part[name] + len(frame) > _PART:
            self.files[name].append(f"{name.lower()}-{len(self.files[name])}.csv")
            self.in_part[name] = 0
        with (self.folder / self.files[name][-1]).open("ab") as file:
            frame.write_csv(file, include_header=False)
        self.rows[name] += len(frame)
        self.in_part[name] += len(frame)

    def arguments(self) -> list[str]:
        """Return the command's arguments."""
        return [f"--{self.kinds[name]}={name}={','.join(files)}" for name, files in self.files.items()]

    def options(self) -> list[str]:
        """Return what the command says of arrays where they are not separated as it expects."""
        code = f"U+{ord(self.array_delimiter):04X}"
        return [] if self.array_delimiter == ";" else [f"--array-delimiter={code}"]

    def array(self, values: Sequence[object]) -> str:
        """Return a list as a field."""
        return self.array_delimiter.join(map(str, values))

    def count(self, kind: str) -> int:
        """Return how many rows of a kind were written."""
        return sum(rows for name, rows in self.rows.items() if self.kinds[name] == kind)


def _nodes(prepared: Slices, files: _Files, progress: Progress | None) -> None:
    spec, dataset = prepared.spec, prepared.spec.name
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    properties = {**properties_of(spec), "createdAt": created, "complete": True}
    described = {name: value for name, value in properties.items() if value is not None}
    files.begin("nodes", "Dataset", [f"{name}:{_type(value)}" for name, value in described.items()])
    files.add("Dataset", pl.DataFrame({name: [_text(value, files)] for name, value in described.items()}))
    issues = prepared.issues()
    nominal = [None if one is None else files.array(one) for one in issues.labels or ()]
    more = [pl.Series("labels:string[]", nominal)] if any(one is not None for one in nominal) else []
    header = [":ID(Issue)", "name:string", "position:long", "sensitive:boolean", "dataset:string"]
    header += [column.name for column in more]
    files.begin("nodes", "Issue", header)
    places = list(range(len(issues.names)))
    frame = _frame(places, list(issues.names), places, [*map(bool, issues.sensitive)], dataset=dataset)
    files.add("Issue", frame.with_columns(more))
    groups = prepared.group_batch()
    types = {} if prepared.quasi is None else prepared.quasi.types("HammingGroup")
    header = [":ID(Group)", "id:long", "size:long", "supportSize:long", "dataset:string", *_header(types)]
    files.begin("nodes", "HammingGroup", header)
    numbers = list(range(len(groups.sizes)))
    frame = _frame(numbers, numbers, groups.sizes, groups.support_sizes, dataset=dataset)
    files.add("HammingGroup", frame.with_columns(_columns(types, groups.quasi, files)))
    id_type = "string" if prepared.record_ids.dtype == pl.String else "long"
    header = [":ID(Record)", f"id:{id_type}", "position:long", "hammingGroup:long", "dataset:string"]
    types = {} if prepared.quasi is None else prepared.quasi.types("Record")
    header += [*(() if prepared.at_risk is None else ("atRisk:boolean",)), *_header(types)]
    files.begin("nodes", "Record", header)
    first = 0
    for batch in prepared.records(_SLICE):
        places = list(range(first, first := first + len(batch.ids)))
        frame = _frame(places, list(batch.ids), places, batch.groups, dataset=dataset)
        if batch.at_risk is not None:
            frame = frame.with_columns(risk=batch.at_risk)
        files.add("Record", frame.with_columns(_columns(types, batch.quasi, files)))
        if progress is not None:
            progress("writing records", first, spec.records)


def _relationships(prepared: Slices, files: _Files, progress: Progress | None) -> None:
    files.begin("relationships", "IN_GROUP", [":START_ID(Record)", ":END_ID(Group)"])
    files.add("IN_GROUP", _frame(list(range(prepared.spec.records)), prepared.groups.group_of))
    timed = prepared.spec.all_ratings and prepared.table.timestamps is not None
    header = [":START_ID(Record)", ":END_ID(Issue)", "rating:double"]
    if timed:
        whole = prepared.table.timestamps is not None and prepared.table.timestamps.dtype.is_integer()
        header.append("timestamp:long" if whole else "timestamp:string")
    files.begin("relationships", "RATED", header)
    done = 0
    for ratings in prepared.ratings(_SLICE):
        frame = _frame(ratings.records, ratings.issues, ratings.ratings)
        if timed:
            stamps = ratings.timestamps or [None] * len(frame)
            frame = frame.with_columns(pl.Series("timestamp", stamps))
        files.add("RATED", frame)
        if progress is not None:
            progress("writing ratings", done := done + len(frame), prepared.spec.ratings)
    files.begin("relationships", "PROXIMATE", [":START_ID(Record)", ":END_ID(Record)", "distance:double"])
    done = 0
    for block in prepared.pairs(_SLICE):
        files.add("PROXIMATE", _frame(block.left, block.right, block.distance))
        if progress is not None:
            progress("writing pairs", done := done + len(block.left), prepared.spec.pairs)


def _frame(*columns: Any, **constants: str) -> pl.DataFrame:
    frame = pl.DataFrame({str(place): column for place, column in enumerate(columns)})
    return frame.with_columns(**{name: pl.lit(value) for name, value in constants.items()})


def _header(types: Mapping[str, str]) -> list[str]:
    return [f"{name}:{type_}" for name, type_ in types.items()]


def _columns(
    types: Mapping[str, str], rows: Sequence[Mapping[str, Any]] | None, files: _Files
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


def _array_delimiter(prepared: Slices) -> str:
    """Return a character that is in no text of a list."""
    labels = [label for column in prepared.table.sensitive for label in column.labels or ()]
    for one in (";", "|", "~", "^", "\x1f", "\x1e", "\x1d"):
        if not any(one in label for label in labels):
            return one
    raise OutputError("labels of a sensitive issue hold every character that could part them; rename one")


def _type(value: object) -> str:
    names: Mapping[type, str] = {bool: "boolean", int: "long", float: "double", list: "string[]"}
    return names.get(type(value), "string")


def _text(value: object, files: _Files) -> object:
    if isinstance(value, list):
        return files.array(value)
    return value if isinstance(value, bool | int | float) else str(value)
