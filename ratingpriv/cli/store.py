"""``ratingpriv store``: what a graph store holds, writing a dataset out, and removing one."""

from __future__ import annotations

import sys

import typer

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli import options
from ratingpriv.cli.command import commands
from ratingpriv.cli.options.source import at_terminal
from ratingpriv.cli.options.values import argument, option, writes
from ratingpriv.cli.output.invocation import answer
from ratingpriv.cli.output.reporter import note, progress_bars


def status(as_json: bool = options.AS_JSON, *, storing: options.Store) -> int:
    """Show whether a store answers, its version, and what it holds.

    Exits with 0 if it answers and 3 if not.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv store status
    """
    from ratingpriv.graph.described import status_dict
    from ratingpriv.report.stores import status_text

    with storing.open("read") as store:
        infos = store.datasets()
        answer(status_dict(store, infos), lambda: status_text(store, infos), as_json=as_json)
    return 0


def list_datasets(as_json: bool = options.AS_JSON, *, storing: options.Store) -> int:
    """List the datasets of a store.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv store list
    """
    from ratingpriv.graph.described import status_dict
    from ratingpriv.report.stores import datasets_text

    with storing.open("read") as store:
        infos = store.datasets()
        answer(status_dict(store, infos), lambda: datasets_text(infos), as_json=as_json)
    return 0


def drop(
    dataset: str = argument("The dataset to remove.", ..., metavar="DATASET"),
    yes: bool = option("Do not prompt."),
    *,
    storing: options.Store,
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

    if not yes and not at_terminal():
        raise ParameterError("yes", None, "--yes where there is no terminal")
    with storing.open("change") as store:  # to write would make the store, where there is none
        info = store.dataset(dataset)
        if not yes:
            sys.stderr.write(
                f"{printable(store.uri)}: {printable(dataset)!r}: {dataset_sentence(info)}\n"
            )
            if not typer.confirm("Remove it?", err=True):
                note("nothing was removed")
                return 1
        store.drop(dataset)
    note(f"removed {dataset!r} from {store.uri}: {dataset_sentence(info)}")
    return 0


def export(
    dataset: str = argument("The dataset to write.", ..., metavar="DATASET"),
    output: str = writes("The file: .graphml.", ...),
    epsilon: float | None = option(
        "Pairs up to this distance; else all that were ingested.", metavar="X"
    ),
    force: bool = options.FORCE,
    *,
    storing: options.Store,
) -> int:
    """Write the records of a dataset and their pairs as GraphML, for Gephi, NetworkX and others.

    Nodes are records, with their ids and Hamming groups, edges the pairs with their distances; no
    ratings. The file names records: it is yours alone (0600), and to be kept like the data.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv store export survey -o survey.graphml
    """
    from ratingpriv.graph.export import check_graphml, export_graphml
    from ratingpriv.report.plain import count

    check_graphml(output, force=force)
    with storing.open("read") as store, progress_bars() as progress:
        pairs = export_graphml(
            store, dataset, output, epsilon=epsilon, force=force, progress=progress
        )
    note(f"wrote {output}: {count(pairs, 'pair')}; it names records: keep it like the data")
    return 0


app = commands(
    "store",
    """Show what a graph store holds, write a dataset out, and remove one.

    --store is embedded:FILE, neo4j://HOST:PORT, bolt://HOST:PORT (+s or +ssc for TLS), or neo4j for
    NEO4J_URI; else RATINGPRIV_STORE, NEO4J_URI, or embedded:ratingpriv.grafeo. NEO4J_USERNAME,
    NEO4J_PASSWORD and NEO4J_DATABASE log in; without a password you are prompted for it.""",
    status=status,
    list=list_datasets,
    export=export,
    drop=drop,
)
