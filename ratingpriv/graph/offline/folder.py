"""A folder of import files for ``neo4j-admin database import``: the fastest way in for very many pairs.

The import makes a new database of the files and is run while the server is down. The folder holds headers,
parts, a script with the command, and the schema that is made afterwards.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from ratingpriv.base.errors import OutputError
from ratingpriv.base.partial import partial_folder
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.loading import SCHEMA

_PART = 20_000_000  # rows of a part, below half a gigabyte

_LONG = 4_000  # bytes: an index of Neo4j takes values of some 8,000


@dataclass(frozen=True, slots=True)
class OfflineImport:
    """Import files that were written: a :class:`ratingpriv.graph.ingesting.ImportFiles`.

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

    def add_lines(self, name: str, lines: str, rows: int) -> None:
        """Append ``rows`` rows that are text already, each with its newline."""
        if rows:
            with self._part(name, rows).open("ab") as file:
                file.write(lines.encode())

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

    def finish(self, place: Path, longest_id: int) -> OfflineImport:
        """Write the script and the schema; return what will be at ``place``.

        ``longest_id`` is how many bytes the longest record id has: Neo4j indexes no value of very many.
        """
        command = (
            "neo4j-admin", "database", "import", "full", "neo4j", *self.arguments(), *_OPTIONS,
            *self.options(),
        )  # fmt: skip
        counts = (self.count("nodes"), self.count("relationships"))
        (self.folder / "import.sh").write_text(
            _SCRIPT.format(command=shlex.join(command), nodes=counts[0], relationships=counts[1])
        )
        names = [*SCHEMA, "schema/record-key"] if longest_id < _LONG else SCHEMA
        statements = [query(name, "neo4j").statement.strip() for name in names]
        (self.folder / "schema.cypher").write_text("".join(f"{statement};\n" for statement in statements))
        return OfflineImport(place, place / "import.sh", command, *counts)

    def _part(self, name: str, rows: int) -> Path:
        """Return the file that so many more rows of a label or type go to."""
        if self.in_part[name] + rows > _PART:
            self.files[name].append(f"{name.lower()}-{len(self.files[name])}.csv")
            self.in_part[name] = 0
        self.rows[name] += rows
        self.in_part[name] += rows
        return self.folder / self.files[name][-1]


_OPTIONS = ("--overwrite-destination", "--multiline-fields=true")

_SCRIPT = """\
#!/bin/sh
# Makes the database anew from these files: stop the server first; what the database holds now is lost.
# It must report {nodes} nodes and {relationships} relationships. Afterwards start the server and make the
# constraints:  cypher-shell -f schema.cypher
cd "$(dirname "$0")" || exit 1
exec {command}
"""


def refuse_folder(folder: Path) -> None:
    """Raise OutputError unless ``folder`` is new or empty, and can be made."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(
            f"{folder}: found something there, expected a new or empty folder; choose another name"
        )
    if not folder.parent.is_dir() or not os.access(folder.parent, os.W_OK):
        raise OutputError(f"{folder}: the folder {folder.parent} is missing or cannot be written to")


@contextlib.contextmanager
def import_folder(folder: Path, array_delimiter: str) -> Iterator[ImportFolder]:
    """Give a temporary folder beside ``folder`` that becomes it when the block ends well, else vanishes.

    It names records, so that only its owner may enter it.

    Raises
    ------
    OutputError
        ``folder`` is there and not empty, or cannot be made.
    """
    refuse_folder(folder)
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
