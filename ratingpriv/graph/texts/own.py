"""A query of the user's own: a text of Cypher, with a header of the library's form or without one.

A header begins with ``// title:`` in the first line; of its other keys any may be left out, and
their order stays. Without ``params`` the parameters are those that the statement uses, of any type;
without ``reads`` it is what the statement names, or takes without a name, so that a dataset which
holds only the pairs of records at risk is not asked for all of them.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import Parameter, Query, parse_query
from ratingpriv.graph.texts.guarding import check_text
from ratingpriv.graph.texts.lexer import Statement, one_statement

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv.graph.store import Result

STANDARD_INPUT = "-"
_HEADER = "// title:"
_MOST = 1_000_000  # characters


@dataclass(frozen=True, slots=True)
class OwnQuery:
    """A query of the user's own; it has what a query of the library has.

    Attributes
    ----------
    query : its contract, of a header or of what the statement uses
    statement : the text taken apart
    typed : whether a header says which parameters it has
    write : whether it may write
    """

    query: Query
    statement: Statement
    typed: bool
    write: bool = False

    iterated = False

    @property
    def id(self) -> str:
        """The name of its file, or of its text."""
        return self.query.id

    @property
    def parts(self) -> tuple[Query, ...]:
        """The query itself."""
        return (self.query,)

    @property
    def is_read(self) -> bool:
        """Whether it may not write."""
        return not self.write

    def parameters(self, texts: Mapping[str, str], *, partial: bool = False) -> dict[str, Any]:
        """Return parameters given as texts, checked; without a header each is JSON, else a text."""
        read = (
            parse_text(self.query, texts)
            if self.typed
            else {key: _json(text) for key, text in texts.items()}
        )
        return bind(self.query, read, partial=partial)

    def run(self, store: _Runs, *, progress: Progress | None = None, **params: Any) -> Result:
        """Run it on ``store``; errors as :meth:`GraphStore.run`."""
        return store.run(self, write=self.write, **params)


class _Runs(Protocol):
    """What runs a text of the user's own: a graph store."""

    def run(self, asked: OwnQuery, /, *, write: bool = False, **params: Any) -> Result:
        """Run it; see :meth:`ratingpriv.graph.running.GraphStore.run`."""


def is_file(name: str) -> bool:
    """Whether what a user names is a file of Cypher or standard input,
    and not a query of the library.

    That is ``-``, a name that ends in ``.cypher``, and one with a folder in it where there is such
    a file; ``./`` before a name says that it is a file in any case.
    """
    if (
        name == STANDARD_INPUT
        or name.endswith(".cypher")
        or name.startswith(("./", "../", "/", "~"))
    ):
        return True
    return "/" in name and Path(name).is_file()


def read_own(
    name: str,
    *,
    id: str | None = None,  # noqa: A002 -- as a query's
    write: bool = False,
) -> OwnQuery:
    """Read a query from a file, or from standard input for ``-``;
    ``id`` is its name in a folder.
    """
    if name == STANDARD_INPUT:
        content = b"" if sys.stdin is None else sys.stdin.buffer.read(4 * _MOST)
        return own_query(_decoded(content, "standard input"), STANDARD_INPUT, write=write)
    try:
        path = Path(name).expanduser()
        with path.open("rb") as file:
            content = file.read(4 * _MOST)
    except (OSError, ValueError) as error:
        message = getattr(error, "strerror", None) or "no file can be called so"
        remedy = "check the path; ratingpriv query list names the queries of the library"
        raise DataError(
            Problem(name, f"no file to be read ({message})", "a file of Cypher", remedy)
        ) from error
    return own_query(_decoded(content, name), id or name, path, write=write)


def own_query(text: str, name: str, path: Path | None = None, *, write: bool = False) -> OwnQuery:
    """Return the query in a text, which ``name`` stands for in messages."""
    if len(text) > _MOST:
        raise DataError(Problem(name, f"more than {_MOST:,} characters", "one statement of Cypher"))
    statement = one_statement(text, name)
    check_text(statement, name)
    used = statement.parameters
    path = Path(name) if path is None else path
    typed = False
    if text.lstrip("\ufeff").startswith(_HEADER):
        query = parse_query(text, name, path, keys=("title",))
        typed = any(line.startswith("// params:") for line in text.splitlines())
        unknown = [
            parameter
            for parameter in used
            if parameter not in {param.name for param in query.params}
        ]
        if typed and unknown:
            expected = f"a parameter that its header declares, in {name}"
            raise ParameterError("query", f"${unknown[0]}", expected, "add it under // params:")
    else:
        query = Query(
            id=name,
            title=name,
            definition="",
            params=(),
            columns=(),
            order=(),
            reads=(),
            writes=(),
            complexity="",
            example="",
            text=text,
            path=path,
        )
    if not typed:
        params = tuple(
            Parameter(parameter, "ANY", "a parameter of the statement") for parameter in used
        )
        query = dataclasses.replace(query, params=params)
    if not query.reads:
        query = dataclasses.replace(
            query, reads=("PROXIMATE",) if statement.follows("PROXIMATE") else ()
        )
    return OwnQuery(query, statement, typed, write)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            Problem(name, "no text in UTF-8", "a file of Cypher", "save it as UTF-8")
        ) from error


def _json(text: str) -> Any:
    """Return what a text is as JSON: a number, true, a list, a text in quotes;
    any other text as it is.
    """
    try:
        return json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return text


def _no_json(name: str) -> Any:
    raise ValueError(name)
