"""``ratingpriv query``: the Cypher library, listed, shown, and run on a graph store."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ratingpriv.cli.command import register
from ratingpriv.cli.options import values
from ratingpriv.cli.options.graph import DatasetOption, StoreOptions
from ratingpriv.cli.options.shared import JsonOption, TalkOptions, choices
from ratingpriv.errors import ParameterError

__all__ = ["app", "list_queries", "run", "show"]

_Name = Annotated[str, typer.Argument(metavar="NAME", help="A query, such as audit/degree-check.")]


def list_queries(
    everything: Annotated[
        bool, typer.Option("--all", help="Also those that load data, and parts of others.")
    ] = False,
    as_json: JsonOption = False,
    *,
    talking: TalkOptions,
) -> int:
    """List the queries of the library."""
    from ratingpriv.graph import queries as library
    from ratingpriv.report.as_json import json_text
    from ratingpriv.report.rows import question_dict, questions_text

    found = library.list_queries(everything=everything)
    if as_json:
        listed = {"schema": "ratingpriv.queries/1", "queries": [question_dict(one) for one in found]}
        sys.stdout.write(json_text(listed, ascii_only=True))
    else:
        sys.stdout.write(questions_text(found))
        talking.talk.note("ratingpriv query show NAME tells more; ratingpriv query run NAME runs one")
    return 0


def show(
    name: _Name,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine", help="The text for this engine, where it has its own.", **choices("neo4j", "embedded")
        ),
    ] = None,
    as_json: JsonOption = False,
    *,
    talking: TalkOptions,
) -> int:
    """Show what a query means, takes and returns, and its Cypher.

    The text can be pasted into Neo4j Browser; give its parameters there with :param.
    """
    from ratingpriv.checks import choice
    from ratingpriv.graph import queries as library
    from ratingpriv.report.as_json import json_text
    from ratingpriv.report.rows import question_dict, question_text

    if engine is not None:
        choice("engine", engine, ("neo4j", "embedded"))
    found = library.find_query(name, engine, everything=True)
    if as_json:
        sys.stdout.write(json_text({"schema": "ratingpriv.queries/1", "queries": [question_dict(found)]}))
    else:
        sys.stdout.write(question_text(found))
    return 0


def run(
    name: _Name,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param", "-p", metavar="NAME=VALUE", help="A parameter of the query, such as k=5 (repeatable)."
        ),
    ] = None,
    dataset: DatasetOption = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV, nothing else.")] = False,
    shown: Annotated[
        str | None, typer.Option("--show", metavar="N", help="Print at most N rows of the table; else 50.")
    ] = None,
    *,
    storing: StoreOptions,
    talking: TalkOptions,
) -> int:
    """Run a query on a dataset in a graph store.

    Parameters are checked before the store is opened. Exits with 0 whatever the answer is: a query is no
    verdict, ratingpriv audit --dataset is.
    """
    from ratingpriv.graph import queries as library
    from ratingpriv.report.as_json import json_text
    from ratingpriv.report.rows import rows_csv, rows_dict, rows_text

    if as_json and as_csv:
        raise ParameterError("csv", "with --json", "one of the two")
    if shown is not None and (as_json or as_csv):
        raise ParameterError("show", shown, "no --json and no --csv, which print every row")
    most = 50 if shown is None else values.whole("show", shown, 0)
    asked = library.find_query(name)
    params = asked.parameters(_texts(param or [], dataset))
    talk = talking.talk
    with storing.open("read" if asked.is_read else "write") as store, talk.progress() as progress:
        result = asked.run(store, progress=progress, **params)
        described = rows_dict(result, asked, store, params) if as_json else {}
    problem = next((row["problem"] for row in result.dicts() if row.get("problem")), None)
    if problem is not None:
        raise ParameterError("query", name, f"a question that the dataset can answer: {problem}")
    if as_json:
        sys.stdout.write(json_text(described, ascii_only=True))
    else:
        sys.stdout.write(rows_csv(result) if as_csv else rows_text(result, show=most))
    return 0


def _texts(params: list[str], dataset: str | None) -> dict[str, str]:
    """Return the parameters by name; ``--dataset`` is one of them, written shorter."""
    found: dict[str, str] = {} if dataset is None else {"dataset": dataset}
    for param in params:
        name, equals, text = param.partition("=")
        if not equals or not name:
            raise ParameterError("param", param, "NAME=VALUE, such as k=5")
        if name in found:
            raise ParameterError(name, text, "every parameter once")
        found[name] = text
    return found


app = typer.Typer(
    name="query",
    help="List, show and run the queries of the Cypher library.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
register(app, "list", list_queries)
register(app, "show", show)
register(app, "run", run)
