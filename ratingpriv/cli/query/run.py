"""``ratingpriv query run``: one query on a graph store, and what becomes of its rows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.unfinished import interruptible
from ratingpriv.cli.options.general import CsvSafeOption, ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.graph import DatasetOption, StoreOptions
from ratingpriv.cli.options.values import output_file
from ratingpriv.cli.output.results import print_json, with_command
from ratingpriv.cli.query.library import LibraryOption, QueryName, find

if TYPE_CHECKING:
    from ratingpriv.cli.output.reporter import Reporter
    from ratingpriv.graph.catalogue import Parameter
    from ratingpriv.graph.store import GraphStore

__all__ = ["ParamOption", "WriteOption", "run", "say_incomplete", "sits_there", "texts_of"]

ParamOption = Annotated[
    tuple[str, ...],
    Option("--param", "-p", metavar="NAME=VALUE", help="A parameter, such as k=5 (repeatable)."),
]
WriteOption = Annotated[
    bool, Option("--write", help="Let a query of your own write; it cannot change what was ingested.")
]


def run(
    name: QueryName,
    param: ParamOption = (),
    dataset: DatasetOption = None,
    library: LibraryOption = (),
    write: WriteOption = False,
    output: Annotated[
        str | None,
        Option(
            "--output",
            "-o",
            metavar="FILE",
            parser=output_file,
            help="Also write the rows to FILE: .csv, .json or .parquet.",
        ),
    ] = None,
    picture: Annotated[
        str | None,
        Option(
            "--picture",
            metavar="FILE",
            parser=output_file,
            help="Draw the nodes and relationships of the answer: .svg or .html.",
        ),
    ] = None,
    ids: Annotated[bool, Option("--ids", help="Write the ids of records in the picture.")] = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, Option("--csv", help="Print the rows as CSV, nothing else.")] = False,
    csv_safe: CsvSafeOption = True,
    shown: Annotated[
        int | None, Option("--show", metavar="N", help="Print at most N rows of the table; else 50.")
    ] = None,
    *,
    storing: StoreOptions,
    general: GlobalOptions,
) -> int:
    """Run a query on a dataset in a graph store.

    One of the library, or one of your own: FILE.cypher, or - for standard input. Your own is read-only
    without --write; without a header its parameters are what it uses, and -p reads them as JSON.

    What is not given and can only be one thing is taken from the store: its only dataset, the largest epsilon
    and the only run of that, k = 5. Exits with 0 whatever the answer is: a query is no verdict, ratingpriv
    audit --dataset is.

    Examples
    --------
    ratingpriv ingest survey.csv --dataset survey --epsilon 1
    ratingpriv query run audit/degree-check -p k=3
    echo 'MATCH (n:Record) RETURN count(n)' | ratingpriv query run -
    """
    from ratingpriv.base.checks import whole_number  # brings NumPy
    from ratingpriv.base.files import name_together, together
    from ratingpriv.graph.completing import completed, parameter_text
    from ratingpriv.report.graphs.elements import picture_of
    from ratingpriv.report.graphs.writing import check_picture, write_picture
    from ratingpriv.report.rows import (
        changes_text,
        check_rows_file,
        rows_csv,
        rows_dict,
        rows_text,
        write_rows,
    )

    most = 50 if shown is None else whole_number("show", shown, 1)
    if as_json and as_csv:
        raise ParameterError("csv", "with --json", "one of the two")
    if shown is not None and (as_json or as_csv):
        raise ParameterError("show", shown, "no --json and no --csv, which print every row")
    if ids and picture is None:
        raise ParameterError("ids", True, "--picture, which it is about")
    if output is not None:
        check_rows_file(output, force=force)
    if picture is not None:
        check_picture(picture, force=force)
    query = find(name, library, write=write)
    given = query.parameters(texts_of(param, dataset), partial=True)
    reporter = general.reporter
    ask = _ask if sits_there() and not (as_json or as_csv) else None
    with storing.open("read" if query.is_read else "change") as store, reporter.progress() as progress:
        params = completed(store, query.query, given, ask)
        if taken := {name: value for name, value in params.items() if name not in given}:
            reporter.note(
                f"query {name}: "
                + ", ".join(f"{key}={parameter_text(value)}" for key, value in taken.items())
            )
        result = query.run(store, progress=progress, **params)
        described = with_command(rows_dict(result, query, store, params))
        say_incomplete(store, params, reporter)
    problem = next((row["problem"] for row in result.dicts() if row.get("problem")), None)
    if problem is not None:
        raise ParameterError("query", name, f"a question that the dataset can answer: {problem}")
    if result.changes is not None and (output or picture):  # which may fail, and that is written
        reporter.note(changes_text(result.changes).strip())
    with together():
        if output is not None:
            write_rows(result, described, output, safe=csv_safe, force=force)
            reporter.wrote(output)
        if picture is not None:
            drawn = picture_of(result, query.query, params, ids=ids)
            write_picture(drawn, picture, force=force)
            reporter.wrote(f"{picture}: {drawn.said}")
        name_together()
    if as_json:
        print_json(described)
    else:
        seen = sys.stdout.isatty()
        sys.stdout.write(
            rows_csv(result, safe=csv_safe, seen=seen) if as_csv else rows_text(result, show=most)
        )
    return 0


def sits_there() -> bool:
    """Return whether somebody at a terminal can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def _ask(parameter: Parameter, choices: list[str]) -> str | None:
    """Ask a person at a terminal for a parameter; None where nothing was said."""
    there = f" ({', '.join(map(str, choices[:20]))})" if choices else ""
    sys.stderr.write(f"{parameter.name}, {parameter.meaning}{there}: ")
    sys.stderr.flush()
    with interruptible():
        return sys.stdin.readline().strip() or None


def texts_of(params: tuple[str, ...], dataset: str | None = None) -> dict[str, str]:
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


def say_incomplete(store: GraphStore, params: dict[str, object], reporter: Reporter) -> None:
    """Say which datasets are not there to their end, where a statement was asked of the whole store."""
    if "dataset" in params or reporter.quiet:
        return
    broken = [info.spec.name for info in store.datasets() if not info.complete]
    if broken:
        reporter.note(f"not loaded to their end, and counted all the same: {', '.join(broken)}")
