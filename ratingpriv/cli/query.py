"""``ratingpriv query``: the Cypher library, listed, shown, and run on a graph store."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from ratingpriv.cli.command import Commands, register
from ratingpriv.cli.options.declare import argument, option
from ratingpriv.cli.options.general import CsvSafeOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.graph import DatasetOption, StoreOptions
from ratingpriv.cli.output.results import print_json
from ratingpriv.errors import ParameterError

__all__ = ["app", "list_queries", "run", "show"]

_Name = Annotated[str, argument("NAME", help="A query, such as audit/degree-check.")]


def list_queries(
    everything: Annotated[
        bool, option("--all", help="Also those that load data, and parts of others.")
    ] = False,
    as_json: JsonOption = False,
    *,
    general: GlobalOptions,
) -> int:
    """List the queries of the library.

    Examples
    --------
    ratingpriv query list
    ratingpriv query list --all --json
    """
    from ratingpriv.graph import queries as library
    from ratingpriv.report.rows import questions_dict, questions_text

    found = library.list_queries(everything=everything)
    if as_json:
        print_json(questions_dict(found))
    else:
        sys.stdout.write(questions_text(found))
        general.reporter.note("ratingpriv query show NAME tells more; ratingpriv query run NAME runs one")
    return 0


def show(
    name: _Name,
    engine: Annotated[
        Literal["neo4j", "embedded"] | None,
        option("--engine", help="The text for this engine, where it has its own."),
    ] = None,
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
    from ratingpriv.graph import queries as library
    from ratingpriv.report.rows import question_text, questions_dict

    found = library.find_query(name, engine, everything=True)
    if as_json:
        print_json(questions_dict([found]))
    else:
        sys.stdout.write(question_text(found))
    return 0


def run(
    name: _Name,
    param: Annotated[
        tuple[str, ...],
        option(
            "--param", "-p", metavar="NAME=VALUE", help="A parameter of the query, such as k=5 (repeatable)."
        ),
    ] = (),
    dataset: DatasetOption = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, option("--csv", help="Print the rows as CSV, nothing else.")] = False,
    csv_safe: CsvSafeOption = True,
    shown: Annotated[int | None, option("--show", help="Print at most N rows of the table; else 50.")] = None,
    *,
    storing: StoreOptions,
    general: GlobalOptions,
) -> int:
    """Run a query on a dataset in a graph store.

    Parameters are checked before the store is opened. Exits with 0 whatever the answer is: a query is no
    verdict, ratingpriv audit --dataset is.

    Examples
    --------
    ratingpriv ingest survey.csv --dataset survey --epsilon 1
    ratingpriv query run audit/degree-check -p k=5 -p epsilon=1 --dataset survey
    ratingpriv query run audit/risk-summary -p k=5 -p epsilon=1 --dataset survey --csv
    """
    from ratingpriv.checks import whole_number  # brings NumPy
    from ratingpriv.graph import queries as library
    from ratingpriv.report.rows import rows_csv, rows_dict, rows_text

    most = 50 if shown is None else whole_number("show", shown, 1)
    if as_json and as_csv:
        raise ParameterError("csv", "with --json", "one of the two")
    if shown is not None and (as_json or as_csv):
        raise ParameterError("show", shown, "no --json and no --csv, which print every row")
    query = library.find_query(name)
    params = query.parameters(_texts(param, dataset))
    reporter = general.reporter
    with storing.open("read" if query.is_read else "write") as store, reporter.progress() as progress:
        result = query.run(store, progress=progress, **params)
        described = rows_dict(result, query, store, params) if as_json else {}
    problem = next((row["problem"] for row in result.dicts() if row.get("problem")), None)
    if problem is not None:
        raise ParameterError("query", name, f"a question that the dataset can answer: {problem}")
    if as_json:
        print_json(described)
    else:
        sys.stdout.write(rows_csv(result, safe=csv_safe) if as_csv else rows_text(result, show=most))
    return 0


def _texts(params: tuple[str, ...], dataset: str | None) -> dict[str, str]:
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


app = Commands(
    "query",
    help="List, show and run the queries of the Cypher library.",
    short_help="List, show and run the queries of the Cypher library",
    no_args_is_help=True,
)
register(app, "list", list_queries)
register(app, "show", show)
register(app, "run", run)
