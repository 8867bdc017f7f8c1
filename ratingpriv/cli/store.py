"""``ratingpriv store``: what a graph store holds, writing a dataset out, and removing one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.command import CONTEXT, Commands, register
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.graph import StoreOptions
from ratingpriv.cli.options.values import declaring, output_file
from ratingpriv.cli.output.results import print_json

__all__ = ["app", "drop", "export", "list_datasets", "status"]

_option = declaring()


def status(as_json: JsonOption = False, *, storing: StoreOptions, general: GlobalOptions) -> int:
    """Show whether a store answers, its version, and what it holds.

    Exits with 0 if it answers and 3 if not.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv store status
    """
    from ratingpriv.report.stores import status_text

    return _show(storing, status_text, as_json=as_json)


def list_datasets(as_json: JsonOption = False, *, storing: StoreOptions, general: GlobalOptions) -> int:
    """List the datasets of a store.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv store list
    """
    from ratingpriv.report.stores import datasets_text

    return _show(storing, lambda _, infos: datasets_text(infos), as_json=as_json)


def _show(storing: StoreOptions, text: Callable[..., str], *, as_json: bool) -> int:
    from ratingpriv.report.stores import status_dict

    with storing.open("read") as store:
        infos = store.datasets()
        content, page = status_dict(store, infos), text(store, infos)
    if as_json:
        print_json(content)
    else:
        sys.stdout.write(page)
    return 0


def drop(
    dataset: Annotated[str, Argument(metavar="DATASET", help="The dataset to remove.")],
    yes: Annotated[bool, Option("--yes", "-y", help="Do not prompt.")] = False,
    *,
    storing: StoreOptions,
    general: GlobalOptions,
) -> int:
    """Remove a dataset from a store; the data file it came from is not touched.

    Exits with 0 if it was removed and 1 if you declined.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv store drop survey --yes
    """
    from ratingpriv.report.plain import printable
    from ratingpriv.report.stores import dataset_sentence

    if not yes and (sys.stdin is None or not sys.stdin.isatty()):
        raise ParameterError("yes", None, "--yes where nobody can be asked")
    reporter = general.reporter
    with storing.open("change") as store:  # to write would make the store, where there is none
        info = store.dataset(dataset)
        if not yes:
            sys.stderr.write(f"{printable(store.uri)}: {printable(dataset)!r}: {dataset_sentence(info)}\n")
            if not typer.confirm("Remove it?", err=True):
                reporter.note("nothing was removed")
                return 1
        store.drop(dataset)
    reporter.note(f"removed {dataset!r} from {store.uri}: {dataset_sentence(info)}")
    return 0


def export(
    dataset: Annotated[str, Argument(metavar="DATASET", help="The dataset to write.")],
    output: Annotated[
        str, Option("--output", "-o", metavar="FILE", parser=output_file, help="The file: .graphml.")
    ],
    epsilon: Annotated[
        float | None, _option("--epsilon X", "Pairs up to this distance; else all that were ingested.")
    ] = None,
    force: ForceOption = False,
    *,
    storing: StoreOptions,
    general: GlobalOptions,
) -> int:
    """Write the records of a dataset and their pairs as GraphML, for Gephi, NetworkX and others.

    Nodes are records, with their ids and Hamming groups, edges the pairs with their distances; no ratings.
    The file names records: it is yours alone (0600), and to be kept like the data.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv store export survey -o survey.graphml
    """
    from ratingpriv.base.files import check_writable
    from ratingpriv.graph.export import export_graphml
    from ratingpriv.report.plain import count

    if Path(output).suffix.lower() != ".graphml":
        raise ParameterError("output", output, "a file name ending in .graphml")
    check_writable(output, force=force)
    with storing.open("read") as store, general.reporter.progress() as progress:
        pairs = export_graphml(store, dataset, output, epsilon=epsilon, force=force, progress=progress)
    general.reporter.note(f"wrote {output}: {count(pairs, 'pair')}; it names records: keep it like the data")
    return 0


app = typer.Typer(
    name="store",
    cls=Commands,
    context_settings=CONTEXT,
    help="""Show what a graph store holds, write a dataset for other tools, and remove one.

    --store is embedded:FILE, neo4j://HOST:PORT, bolt://HOST:PORT (+s or +ssc for TLS), or neo4j for
    NEO4J_URI; else RATINGPRIV_STORE, NEO4J_URI, or embedded:ratingpriv.grafeo. NEO4J_USERNAME, NEO4J_PASSWORD
    and NEO4J_DATABASE log in; without a password you are prompted for it.""",
    no_args_is_help=True,
    short_help="Show what a graph store holds, write a dataset out, and remove one",
)
register(app, "status", status)
register(app, "list", list_datasets)
register(app, "export", export)
register(app, "drop", drop)
