"""The Cypher library as objects: one statement a file,
every file with a header that is a checked contract.

The files are found by one locator, :func:`library_folder`: the folder packaged with the library
first, a checkout's ``cypher/`` second. A query's id is its path without the ending
(``audit/degree-check``). Where an engine needs a text of its own it stands beside the common one as
``degree-check.neo4j.cypher`` (or ``.embedded``) with the same parameters and columns; a file that
exists only for one engine is a query of that engine only. Texts for ``gds`` are those of a Neo4j
server that has Graph Data Science: they are asked of a projection
(:mod:`ratingpriv.graph.queries`), whose name is their parameter ``graph``, and chosen by
:func:`query` by that name only.

Header: lines starting with ``//`` before the statement, fixed keys in a fixed order, every key
required but ``key`` and ``facts``. A value goes on in lines indented behind the ``//`` by two
blanks or more; ``params``,
``columns`` and ``facts`` hold one entry a line, the first two else the word ``none``::

    // title: Records alone in their neighbourhood
    // definition: |N(t)| = 1 [SWLZ11, Def. 4.1]
    // params:
    //   dataset: STRING -- the dataset's name
    //   epsilon: FLOAT >= 0 -- the rating distance, at most the dataset's epsilonMax
    //   record: ANY of record -- id of the record t
    // columns:
    //   record: ANY -- the record's id, a text or a whole number
    //   sd: FLOAT? -- null where nobody near rates the issue
    // key: record
    // order: position
    // reads: Record, PROXIMATE
    // writes: nothing
    // complexity: O(records + pairs)
    // example: ratingpriv query run audit/alone --param dataset=survey --param epsilon=1

TYPE is INTEGER, FLOAT, STRING, BOOLEAN, MAP, NODE, RELATIONSHIP, PATH, ANY or LIST<TYPE>; ``?``
behind a column's type says that it may be null (parameters never are). Behind a parameter's type
may stand its limits (``>= 1``, ``> 0 <= 1``), and what of the dataset it names (``of`` one of
``NAMED``): a name that the dataset does not have is refused before the query is run. ``= VALUE``
behind that is the default, as JSON. ``reads: PROXIMATE`` says that the answer needs every pair,
``reads: PROXIMATE-AT-RISK`` that the pairs of the records with ``atRisk`` are enough, so that the
query may also be asked of a dataset that holds no others, ``reads: PROXIMATE-OR-SIZES`` that the
sizes in the records do at the levels of the dataset, and every pair is needed at any other epsilon.
``reads: RATED-ONLY`` says that records are compared by their ratings alone, so that it may not be
asked of a dataset with quasi-identifiers.

``key`` names the columns that no two rows have in common; without it there is at most one row. A
fact is a list, a query that counts its rows, and one that draws them, a node each, which says so
under ``facts``: of all rows, of those in which a column is true (not null; ``without``: none is),
of those that have the same in a column (``by``). Parameters of the list are those of the query, or
columns of its row, but for ``with``::

    // facts:
    //   violators counts audit/degree-violators
    //   r draws at most 74 of audit/degree-violators
    //   left_out counts partition/members without clique by component
    //   alone counts audit/degree-violators with k = 2
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ratingpriv.base.errors import CatalogueError, UnknownQueryError

KEYS = tuple(
    "title definition params columns key facts order reads writes complexity example".split()
)
_REQUIRED = tuple(key for key in KEYS if key not in ("key", "facts"))
NAMED = tuple(
    "record sensitive-issue numeric-issue hamming-group run complete-run release linked-release "
    "swapped-release release-run rating-unit".split()
)
"""What of a dataset a parameter can name. A numeric issue is a sensitive one that is not nominal. A
release is one that was loaded to its end; a linked one came with its key, a swapped one with that
of a release by swap, which has groups instead of links. A release-run is a complete run of the
release that a parameter before it names. A rating-unit makes all non-sensitive ratings whole, as 0
does.
"""

UPKEEP = ("load/", "schema/")
"""How the names of the queries begin of which ``ratingpriv ingest`` is made."""

_SCALARS = "INTEGER|FLOAT|STRING|BOOLEAN|MAP|NODE|RELATIONSHIP|PATH|ANY"
_TYPE = re.compile(rf"(?:{_SCALARS}|LIST<(?:{_SCALARS}|LIST<(?:{_SCALARS})>)>)\??")
_ENTRY = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*:\s*(?P<type>\S+)(?P<limits>(?:\s+(?:>=|<=|>)\s+[0-9.]+)*)"
    r"(?:\s+of\s+(?P<names>\S+))?(?:\s+=\s+(?P<default>\S.*?))?\s+--\s+(?P<meaning>\S.*)"
)
_LIMIT = re.compile(r"(>=|<=|>)\s+([0-9.]+)")
_KEY = re.compile(r"//\s?(?P<key>[a-z]+):\s*(?P<value>.*)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One entry of a header's ``params``: ``name: TYPE -- meaning``.

    ``limits`` are comparisons that the value keeps, e.g. ``(">=", 1.0)``; ``names`` is what of the
    dataset it names, one of NAMED, or None; ``default`` is taken where the parameter is not given,
    None: it has to be.
    """

    name: str
    type: str
    meaning: str
    limits: tuple[tuple[str, float], ...] = ()
    names: str | None = None
    default: Any = None


@dataclass(frozen=True, slots=True)
class Column:
    """One entry of a header's ``columns``: ``name: TYPE -- meaning``; ``TYPE?`` may be null."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Query:
    """One query of the library, in the text for one engine.

    Attributes
    ----------
    id : e.g. ``audit/degree-check``
    title, definition, complexity, example : the header's texts
    params, columns : the header's entries, in their order
    key : the columns that no two rows have in common; empty where there is at most one row
    facts : what it says of the rows of other queries, a line each
    order : what the rows are sorted by, in their order; empty where there is at most one row
    reads, writes : labels, relationship types and, for writes, what is done with them
    text : the whole file, header included: engines skip comments, and Browser shows them
    path : the file
    engine : the engine the text is for, or None where it is for every engine
    """

    id: str
    title: str
    definition: str
    params: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    order: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    complexity: str
    example: str
    text: str
    path: Path
    engine: str | None = None
    key: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """The text without its header."""
        lines = self.text.splitlines()
        start = next(number for number, line in enumerate(lines) if not line.startswith("//"))
        return "\n".join(lines[start:]).strip() + "\n"

    @property
    def is_read(self) -> bool:
        """Whether the query changes nothing."""
        return not self.writes

    @property
    def is_step(self) -> bool:
        """Whether it is a statement of a procedure, which is run by the procedure's name."""
        return self.id.startswith(("partition/decompose/", "partition/change/"))

    @property
    def is_part(self) -> bool:
        """Whether it is a statement of a procedure or of a command, and no user named it."""
        return self.is_step or (self.id.startswith(UPKEEP) and not self.is_read)


def library_folder() -> Path:
    """Find the query files: ``_cypher`` in the installed package,
    else ``cypher/`` of the checkout.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_cypher", package.parent / "cypher"):
        if folder.is_dir():
            return folder
    raise CatalogueError(f"no folder with query files beside {package}; install ratingpriv again")


def catalogue() -> Mapping[str, Query]:
    """Return every query by id, sorted, each in its common text where it has one.

    Raises
    ------
    CatalogueError
        A header is malformed; a note names the file and the line.
    """
    return MappingProxyType({name: _common(texts) for name, texts in _library().items()})


def _common(texts: Mapping[str | None, Query]) -> Query:
    return texts[None] if None in texts else texts[min(filter(None, texts))]


def query(
    id: str,  # noqa: A002 -- the word of the headers and the CLI
    engine: str | None = None,
) -> Query:
    """Return the query called ``id``, in the text for ``engine`` where it has one of its own.

    Raises
    ------
    UnknownQueryError
        There is no such query, or not for this engine; the message names the nearest ones.
    """
    library = _library()
    texts = library.get(id)
    if texts is None:
        raise UnknownQueryError(id, difflib.get_close_matches(id, library, n=3, cutoff=0.5))
    if engine in texts:
        return texts[engine]
    if None in texts or engine is None:
        return _common(texts)
    raise UnknownQueryError(id, [], engine)


@functools.cache
def _library() -> dict[str, dict[str | None, Query]]:
    folder = library_folder()
    library: dict[str, dict[str | None, Query]] = {}
    for path in sorted(folder.rglob("*.cypher")):
        contract = read_query(path, folder)
        library.setdefault(contract.id, {})[contract.engine] = contract
    return dict(sorted(library.items()))


def facts_about(
    id: str,  # noqa: A002 -- the word of the headers and the CLI
) -> list[tuple[str, str]]:
    """Return what other queries say of the rows of a query: their names, and a fact each."""
    about = re.compile(rf".+ (?:counts|draws? at most \d+ of) {re.escape(id)}(?: .*)?")
    facts = (
        (name, fact) for name, query_of_name in catalogue().items() for fact in query_of_name.facts
    )
    return [(name, fact) for name, fact in facts if about.fullmatch(fact)]


def texts_of(
    id: str,  # noqa: A002 -- the word of the headers and the CLI
) -> Mapping[str | None, Query]:
    """Return the texts of a query by the engine that they are for (None: any);
    empty where there is none.
    """
    return MappingProxyType(_library().get(id, {}))


def read_query(path: Path, folder: Path) -> Query:
    """Read one query file of the library in ``folder``."""
    stem, _, engine = path.name.removesuffix(".cypher").partition(".")
    name = (path.parent.relative_to(folder) / stem).as_posix()
    return parse_query(path.read_text(encoding="utf-8"), name, path, engine=engine or None)


def parse_query(
    text: str,
    id: str,  # noqa: A002 -- the word of the headers and the CLI
    path: Path,
    *,
    engine: str | None = None,
    keys: tuple[str, ...] = _REQUIRED,
) -> Query:
    """Return the query in a text; of the keys of the header ``keys`` have to be there."""
    try:
        header = _header(text, keys)
        values = {key: " ".join(content for _, content in lines) for key, lines in header.items()}
        columns = _entries("columns", header.get("columns", []))
        return Query(
            id=id,
            title=values["title"],
            definition=values.get("definition", ""),
            params=_entries("params", header.get("params", [])),
            columns=tuple(Column(entry.name, entry.type, entry.meaning) for entry in columns),
            order=_items(values.get("order", "none")),
            reads=_items(values.get("reads", "nothing")),
            writes=_items(values.get("writes", "nothing")),
            complexity=values.get("complexity", ""),
            example=values.get("example", ""),
            text=text,
            path=path,
            engine=engine,
            key=_items(values.get("key", "none")),
            facts=tuple(content for _, content in header.get("facts", [])),
        )
    except _Malformed as problem:
        line, message = problem.args
        error = CatalogueError(message)
        error.add_note(f"in {path}, line {line}")
        raise error from None


class _Malformed(Exception):  # noqa: N818 -- becomes a CatalogueError
    """A line of the file at hand, and what is wrong in it."""


def _header(text: str, required: tuple[str, ...]) -> dict[str, list[tuple[int, str]]]:
    """Return, by key, the header's lines with their 1-based numbers."""
    header: dict[str, list[tuple[int, str]]] = {}
    lines = text.splitlines()
    length = next(
        (number for number, line in enumerate(lines) if not line.startswith("//")), len(lines)
    )
    following = KEYS
    for number, line in enumerate(lines[:length], start=1):
        if line.startswith("//  ") and header:
            header[next(reversed(header))].append((number, line[2:].strip()))
            continue
        match = _KEY.fullmatch(line.rstrip())
        wanted = next((key for key in following if key in required), None)
        skipped = following if wanted is None else following[: following.index(wanted) + 1]
        if match is None or match["key"] not in skipped:
            expected = "the statement" if wanted is None else f"// {wanted}: ..."
            raise _Malformed(number, f"found {line!r}, expected {expected}")
        header[match["key"]] = [(number, match["value"])] if match["value"] else []
        following = KEYS[KEYS.index(match["key"]) + 1 :]
    missing = next((key for key in following if key in required), None)
    if missing is not None:
        raise _Malformed(length + 1, f"the header ends before '{missing}:'")
    if not any(line.strip() and not line.startswith("//") for line in lines):
        raise _Malformed(length, "found a header only, expected a statement behind it")
    for key, content in header.items():
        if not content:
            raise _Malformed(1, f"found nothing behind '{key}:'")
    return header


def _items(value: str) -> tuple[str, ...]:
    if value in ("nothing", "none") or value.startswith("none "):  # none (one row)
        return ()
    return tuple(item.strip() for item in re.split(r",(?![^{(]*[})])", value) if item.strip())


def _entries(key: str, lines: list[tuple[int, str]]) -> tuple[Parameter, ...]:
    """Return the entries of ``params``, or of ``columns``, which have no limits,
    names and defaults.
    """
    entries: dict[str, Parameter] = {}
    for number, content in lines:
        match = _ENTRY.fullmatch(content)
        if content == "none" and len(lines) == 1:
            break
        if match is None and entries and " -- " not in content:  # a meaning that goes on
            last = next(reversed(entries.values()))
            entries[last.name] = dataclasses.replace(last, meaning=f"{last.meaning} {content}")
            continue
        if match is None:
            raise _Malformed(
                number, f"found {content!r} under '{key}:', expected name: TYPE -- meaning"
            )
        name, type_, names, default = match["name"], match["type"], match["names"], match["default"]
        limits = tuple((sign, float(limit)) for sign, limit in _LIMIT.findall(match["limits"]))
        wrong = ""
        if _TYPE.fullmatch(type_) is None or (key == "params" and type_.endswith("?")):
            types = _SCALARS.replace("|", ", ")
            wrong = f"found the type {type_}, expected one of {types} or LIST<...>"
        elif names not in (None, *NAMED):
            wrong = f"found of {names}, expected of {', '.join(NAMED)}"
        elif (limits and type_ not in ("INTEGER", "FLOAT")) or (
            key == "columns" and (limits or names)
        ):
            wrong = "found limits or a name, which only a parameter has, limits a number"
        elif name in entries:
            wrong = "declared twice"
        elif default is not None and (key == "columns" or _json(default) is None):
            wrong = f"found = {default}, expected a parameter's default as JSON"
        if wrong:
            raise _Malformed(number, f"{key} {name}: {wrong}")
        value = None if default is None else _json(default)
        entries[name] = Parameter(name, type_, match["meaning"], limits, names, value)
    return tuple(entries.values())


def _json(text: str) -> Any:
    with contextlib.suppress(ValueError):
        return json.loads(text)
    return None
