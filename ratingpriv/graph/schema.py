"""What is in a store: labels, relationship types, and the properties that loads,
runs and releases write.

All of it stands in ``cypher/schema/properties.txt``: a block for a label, ``Name: meaning``, or for
a type, ``NAME (FROM, TO): meaning``; in it a line for a property, ``name: TYPE -- meaning``. The
site's page and docs/graph-schema.svg are written from it and from the keys and indexes beside it
(``python -m website.graph_schema`` in docs/); a test compares it with what is in either store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ratingpriv.graph.catalogue import Column, library_folder


@dataclass(frozen=True, slots=True)
class Part:
    """A label, or a relationship type with its two ends.

    A property of type ``T?`` may be absent.
    """

    name: str
    meaning: str
    properties: tuple[Column, ...]
    ends: tuple[str, ...] = ()


def _parts() -> Iterator[Part]:
    text = (library_folder() / "schema" / "properties.txt").read_text(encoding="utf-8")
    for block in text.strip().replace("\n    ", "\0").splitlines():
        head, *lines = block.split("\0")
        heading, _, meaning = head.partition(": ")
        name, _, ends = heading.rstrip(")").partition(" (")
        columns = []
        for line in lines:
            column, _, rest = line.partition(": ")
            type_, _, said = rest.partition(" -- ")
            columns.append(Column(column, type_, said))
        yield Part(name, meaning, tuple(columns), tuple(ends.split(", ")) if ends else ())


_PARTS = {part.name: part for part in _parts()}
LABELS = {name: part for name, part in _PARTS.items() if not part.ends}
TYPES = {name: part for name, part in _PARTS.items() if part.ends}


def properties(*names: str) -> tuple[str, ...]:
    """Return the names of the properties of some labels or types."""
    return tuple(column.name for name in names for column in _PARTS[name].properties)
