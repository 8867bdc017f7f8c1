"""``ratingpriv query list`` and ``show``; and how a query is found by what a user calls it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.general import GlobalOptions, JsonOption
from ratingpriv.cli.options.values import input_file
from ratingpriv.cli.output.results import print_json

if TYPE_CHECKING:
    from ratingpriv.graph.queries import LibraryQuery
    from ratingpriv.graph.texts.own import OwnQuery

    type _Question = LibraryQuery | OwnQuery

__all__ = ["LibraryOption", "QueryName", "find", "list_queries", "listed", "show"]

QueryName = Annotated[
    str,
    Argument(
        metavar="NAME",
        parser=input_file,
        help="A query, such as audit/degree-check, or a FILE.cypher, or - for input.",
    ),
]
LibraryOption = Annotated[
    tuple[str, ...],
    Option(
        "--library",
        metavar="DIR",
        parser=input_file,
        help="A folder of queries of your own (repeatable); else RATINGPRIV_LIBRARY.",
    ),
]


def find(
    name: str,
    library: tuple[str, ...],
    engine: str | None = None,
    *,
    everything: bool = False,
    write: bool = False,
) -> _Question:
    """Return the query that a user names: a file, one in a folder of the user's own, or one of the library.

    Raises
    ------
    UnknownQueryError, ParameterError, DataError, CatalogueError
        There is none of this name; ``write`` is for a query of the user's own; it is wrong.
    """
    from ratingpriv.graph import queries
    from ratingpriv.graph.texts.own import is_file, read_own

    if is_file(name):
        return read_own(name, write=write)
    files = _files(library)
    if name in files:
        return read_own(str(files[name]), id=name, write=write)
    if write:
        expected = "a query of your own: what one of the library writes, ratingpriv query show says"
        raise ParameterError("write", name, expected)
    return queries.find_query(name, engine, everything=everything)


def listed(library: tuple[str, ...], *, everything: bool = False) -> list[_Question]:
    """Return the queries of the library and of the user's folders, by name; errors as :func:`find`."""
    from ratingpriv.graph import queries
    from ratingpriv.graph.texts.own import read_own

    own: list[_Question] = [read_own(str(path), id=name) for name, path in _files(library).items()]
    return sorted([*queries.list_queries(everything=everything), *own], key=lambda one: one.id)


def _files(library: tuple[str, ...]) -> dict[str, Path]:
    from ratingpriv.graph import queries
    from ratingpriv.graph.texts.folders import folders_of, own_files

    folders = folders_of(library)
    taken = {one.id for one in queries.list_queries(everything=True)} if folders else ()
    return own_files(folders, taken)


def list_queries(
    everything: Annotated[
        bool, Option("--all", help="Also those that load data, and parts of others.")
    ] = False,
    library: LibraryOption = (),
    as_json: JsonOption = False,
    *,
    general: GlobalOptions,
) -> int:
    """List the queries of the library, and of your own folders.

    Examples
    --------
    ratingpriv query list
    ratingpriv query list --all --json
    """
    from ratingpriv.report.rows import questions_dict, questions_text

    found = listed(library, everything=everything)
    if as_json:
        print_json(questions_dict(found))
    else:
        sys.stdout.write(questions_text(found))
        general.reporter.note("ratingpriv query show NAME tells more; ratingpriv query run NAME runs one")
    return 0


def show(
    name: QueryName,
    engine: Annotated[
        Literal["neo4j", "embedded"] | None,
        Option("--engine", help="The text for this engine, where it has its own."),
    ] = None,
    library: LibraryOption = (),
    as_json: JsonOption = False,
    *,
    general: GlobalOptions,
) -> int:
    """Show what a query means, takes and returns, and its Cypher.

    The text can be pasted into Neo4j Browser; give its parameters there with :param.

    Examples
    --------
    ratingpriv query show audit/degree-check
    ratingpriv query show audit/neighbourhood --engine neo4j
    """
    from ratingpriv.report.rows import question_text, questions_dict

    found = find(name, library, engine, everything=True)
    if as_json:
        print_json(questions_dict([found]))
    else:
        sys.stdout.write(question_text(found))
    return 0
