"""``ratingpriv ingest``: records and ε-proximate pairs into a graph store."""

from __future__ import annotations

import contextlib
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Option

from ratingpriv.cli.command import Given
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.general import GlobalOptions, JsonOption
from ratingpriv.cli.options.graph import STORE, StoreOptions
from ratingpriv.cli.options.release import ReleaseOptions
from ratingpriv.cli.options.rules import NullsOption, ResourceOptions
from ratingpriv.cli.options.values import input_file, output_file
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import print_json
from ratingpriv.errors import ParameterError
from ratingpriv.escaping import printable
from ratingpriv.numbers import in_full

if TYPE_CHECKING:
    from ratingpriv.graph.ingesting import Ingester, IngestOptions, PreparedDataset
    from ratingpriv.graph.releases import ReleaseInfo, ReleaseOf
    from ratingpriv.graph.store import DatasetInfo, GraphStore

__all__ = ["run"]


def run(
    data: DataArgument,
    epsilon: Annotated[
        float,
        Option("--epsilon", metavar="E", help="Store pairs up to this distance."),
    ],
    dataset: Annotated[
        str | None,
        Option("--dataset", metavar="NAME", help="The dataset's name in the store.", rich_help_panel=STORE),
    ] = None,
    ratings: Annotated[bool, Option("--ratings", help="Non-sensitive ratings too.")] = False,
    edges: Annotated[
        Literal["all", "at-risk"],
        Option("--edges", help="All pairs, or of records at risk."),
    ] = "all",
    k: Annotated[int | None, Option("--k", metavar="K", min=2, help="For --edges at-risk.")] = None,
    max_edges: Annotated[
        int | None,
        Option("--max-edges", metavar="N", help="Refuse above N pairs; else above 10 million."),
    ] = None,
    pseudonymize: Annotated[
        str | None,
        Option(
            "--pseudonymize",
            metavar="KEYFILE",
            parser=input_file,
            help="Pseudonyms for ids, made with the key in KEYFILE.",
        ),
    ] = None,
    offline: Annotated[
        str | None,
        Option(
            "--offline",
            metavar="DIR",
            parser=output_file,
            help="Write files for neo4j-admin database import instead.",
        ),
    ] = None,
    as_json: JsonOption = False,
    *,
    releasing: ReleaseOptions,
    storing: StoreOptions,
    reading: DataOptions,
    nulls: NullsOption = "strict",
    limits: ResourceOptions,
    general: GlobalOptions,
    given: Given,
) -> int:
    """Ingest records and their ε-proximate pairs into a graph store.

    Every record becomes a node, and every two records within a rating distance of E a relationship, in a
    Neo4j server or in one file without a server; ratingpriv query and Neo4j Browser query them.

    A dataset of the same name is replaced in one step, and is as it was until then. A load that broke off
    goes on where it stopped when the same command is run again. With --release-of NAME --run RUN the data
    are a release of NAME: before and after can then be compared.

    Examples
    --------
    ratingpriv ingest survey.csv --dataset survey --epsilon 1
    ratingpriv ingest survey.csv --dataset pay --epsilon 2 --sensitive pay
    """
    from ratingpriv.graph.ingesting import IngestOptions, ingester, load_prepared

    reporter = general.reporter
    if offline is not None and "store" in given:
        raise ParameterError("offline", offline, "no --store: the files are imported by neo4j-admin")
    released = releasing.checked(dataset, edges, offline, pseudonymize)
    dataset = _name(dataset, released)
    loader = ingester()
    options = IngestOptions(
        dataset=dataset,
        epsilon=epsilon,
        nulls=nulls,
        edges=edges,
        k=k,
        ratings=ratings or released is not None,
        max_edges=loader.max_edges if max_edges is None and offline is None else max_edges,
        key=None if pseudonymize is None else loader.read_key(pseudonymize),
        **limits.resources,
    )
    if offline is not None:
        _write_offline(_prepare(loader, data, options, reading, reporter), offline, reporter, as_json=as_json)
        return 0
    with contextlib.ExitStack() as stack:
        there = _is_there(storing)
        mode: Literal["read", "write"] = (
            "write" if there or released is None else "read"
        )  # it has an original
        store = stack.enter_context(storing.open(mode)) if there or released is not None else None
        if released is not None and store is not None:
            store.dataset(released.dataset)
        prepared = _prepare(loader, data, options, reading, reporter)
        if store is None:  # a new file is made only when there is something to put in
            store = stack.enter_context(storing.open("write"))
        _announce(store, dataset, reporter)
        with reporter.progress() as progress:
            loaded = load_prepared(prepared, store, released, progress=progress)
        _print(store, loaded.dataset, loaded.release, as_json=as_json)
    if released is not None:
        reporter.note(
            f"now: ratingpriv query run anonymize/releases --dataset {shlex.quote(released.dataset)}"
        )
        return 0
    where = "" if storing.store is None else f" --store {shlex.quote(storing.store)}"
    named = f"--dataset {shlex.quote(dataset)}{where}"
    audit = f"ratingpriv audit {named} --k 5 --epsilon {in_full(epsilon)}"
    reporter.note(f"now: {audit}, or ratingpriv query list")
    return 0


def _name(dataset: str | None, released: ReleaseOf | None) -> str:
    from ratingpriv.graph.releases import released_name

    if released is not None:
        return released_name(released.dataset, released.run)
    if dataset is None:
        raise ParameterError("dataset", None, "--dataset NAME, or --release-of NAME --run RUN")
    return dataset


def _is_there(storing: StoreOptions) -> bool:
    """Whether the store can be opened before the data are read, so that its faults show at once."""
    from ratingpriv.graph.address import parse_address

    address = parse_address(storing.store)
    if address.engine == "neo4j":
        return True
    if address.path is None:
        raise ParameterError(
            "store", address.uri, "a store that lasts", "name a file: embedded:ratingpriv.grafeo"
        )
    return address.path.exists()


def _prepare(
    loader: Ingester, data: str, options: IngestOptions, reading: DataOptions, reporter: Reporter
) -> PreparedDataset:
    table = reading.read(data, reporter, timestamps=options.ratings)
    with reporter.progress() as progress:
        return loader.prepare(table, options, progress=progress)


def _announce(store: GraphStore, dataset: str, reporter: Reporter) -> None:
    """Report what becomes of a dataset of this name that is there."""
    from ratingpriv.report.stores import dataset_sentence

    for caution in store.cautions:
        reporter.note(f"caution: {caution}")
    for info in store.datasets():
        if info.spec.name != dataset:
            continue
        if info.complete:
            reporter.note(f"replacing {dataset!r} of {info.created_at}: {dataset_sentence(info)}")
        if info.loading:
            reporter.note(f"a load of {dataset!r} broke off; the same load goes on, another one begins anew")


def _print(store: GraphStore, info: DatasetInfo, released: ReleaseInfo | None, *, as_json: bool) -> None:
    from ratingpriv.report.stores import dataset_sentence, ingest_dict, release_dict, release_sentence

    if as_json:
        content = ingest_dict(info, store)
        if released is not None:
            content["release"] = release_dict(released)
        print_json(content)
        return
    where = printable(f"{store.uri} ({store.version()})")
    sys.stdout.write(f"{info.spec.name!r} is in {where}: {dataset_sentence(info)}\n")
    if released is not None:
        sys.stdout.write(release_sentence(released))


def _write_offline(prepared: PreparedDataset, folder: str, reporter: Reporter, *, as_json: bool) -> None:
    from ratingpriv.report.stores import offline_dict, offline_text

    with reporter.progress() as progress:
        files = prepared.write_offline(folder, progress=progress)
    if as_json:
        print_json(offline_dict(prepared.spec, files))
    else:
        sys.stdout.write(offline_text(prepared.spec, files))
