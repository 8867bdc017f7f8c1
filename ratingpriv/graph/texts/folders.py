"""How a query is found by its name: a file, one in a folder of the user's own, or one of the library."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.graph import queries
from ratingpriv.graph.texts.own import OwnQuery, is_file, read_own

ENVIRONMENT = "RATINGPRIV_LIBRARY"

type Question = queries.LibraryQuery | OwnQuery


def find(
    name: str,
    folders: Iterable[str] = (),
    engine: str | None = None,
    *,
    everything: bool = False,
    write: bool = False,
) -> Question:
    """Return the query that is called ``name``.

    Parameters
    ----------
    folders : of the user's own queries; else those in ``RATINGPRIV_LIBRARY``, as in PATH
    engine, everything : as :func:`ratingpriv.graph.queries.find_query`
    write : whether it may write, as none of the library does

    Raises
    ------
    UnknownQueryError, ParameterError, DataError, CatalogueError
        There is none of this name; ``write`` is for a query of the user's own; it or a folder is wrong.
    """
    if is_file(name):
        return read_own(name, write=write)
    files = _own_files(folders)
    if name in files:
        return read_own(str(files[name]), id=name, write=write)
    if write:
        expected = "a query of your own: what one of the library writes, ratingpriv query show says"
        raise ParameterError("write", name, expected)
    return queries.find_query(name, engine, everything=everything)


def listed(folders: Iterable[str] = (), *, everything: bool = False) -> list[Question]:
    """Return the queries of the library and of the user's folders, by name; errors as :func:`find`."""
    own: list[Question] = [read_own(str(path), id=name) for name, path in _own_files(folders).items()]
    return sorted([*queries.list_queries(everything=everything), *own], key=lambda query: query.id)


def _own_files(named: Iterable[str]) -> dict[str, Path]:
    """Return the query files in folders by their names: the path in the folder without ``.cypher``."""
    folders = tuple(named) or os.environ.get(ENVIRONMENT, "").split(os.pathsep)
    taken: set[str] | None = None
    files: dict[str, Path] = {}
    for folder in filter(None, folders):
        taken = taken or {query.id for query in queries.list_queries(everything=True)}
        root = Path(folder).expanduser()
        if not root.is_dir():
            remedy = "check the path of `library`"
            raise DataError(Problem(folder, "no folder", "a folder of .cypher files", remedy))
        for path in sorted(root.rglob("*.cypher")):
            inside = path.relative_to(root)
            if any(part.startswith(".") for part in inside.parts) or not path.is_file():
                continue
            name = inside.as_posix().removesuffix(".cypher")
            if name in files or name in taken:
                other = f"{files[name]} has it" if name in files else "the library has it"
                expected = f"names that nothing else has: {other}"
                raise ParameterError("library", name, expected, f"rename {path}")
            files[name] = path
    return files
