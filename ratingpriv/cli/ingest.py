"""``ratingpriv ingest``: records and ε-proximate pairs into a graph store."""

from __future__ import annotations

import contextlib
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ratingpriv.cli.command import Given
from ratingpriv.cli.options import values
from ratingpriv.cli.options.graph import STORE, StoreOptions
from ratingpriv.cli.options.release import Released, ReleaseOptions
from ratingpriv.cli.options.shared import DataOptions, JsonOption, TalkOptions, choices
from ratingpriv.cli.output.reporter import Talk
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.graph.ingesting import Ingester, IngestOptions, PreparedDataset
    from ratingpriv.graph.releases import ReleaseInfo
    from ratingpriv.graph.store import DatasetInfo, GraphStore

__all__ = ["run"]


def run(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A file or directory of ratings; - is standard input.")
    ],
    epsilon: Annotated[
        str,
        typer.Option(
            "--epsilon",
            metavar="E",
            help="Pairs up to this rating distance; any smaller one can be asked later.",
        ),
    ],
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset",
            metavar="NAME",
            help="The dataset's name in the store; of a release it is NAME/RUN.",
            rich_help_panel=STORE,
        ),
    ] = None,
    nulls: Annotated[
        str,
        typer.Option(
            "--nulls",
            help="Is an unrated issue far from every rating, or does it match any?",
            **choices("strict", "wildcard"),
        ),
    ] = "strict",
    ratings: Annotated[
        bool, typer.Option("--ratings", help="Non-sensitive ratings too; sensitive ones always go in.")
    ] = False,
    edges: Annotated[
        str,
        typer.Option(
            "--edges",
            help="All pairs, or only those of records with fewer than K near them, themselves included.",
            **choices("all", "at-risk"),
        ),
    ] = "all",
    k: Annotated[str | None, typer.Option("--k", metavar="K", help="For --edges at-risk.")] = None,
    max_edges: Annotated[
        str | None,
        typer.Option("--max-edges", metavar="N", help="Refuse above N pairs; else above 10 million."),
    ] = None,
    pseudonymize: Annotated[
        str | None,
        typer.Option(
            "--pseudonymize",
            metavar="KEYFILE",
            help="Replace record ids by pseudonyms made with the key in this file, which stays yours.",
        ),
    ] = None,
    offline: Annotated[
        str | None,
        typer.Option(
            "--offline",
            metavar="DIR",
            help="Write files for neo4j-admin database import into a new folder instead.",
        ),
    ] = None,
    threads: Annotated[
        str | None, typer.Option("--threads", metavar="N", help="Threads; else one a core.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="Limit for the engine's memory, such as 4GiB."),
    ] = None,
    as_json: JsonOption = False,
    *,
    releasing: ReleaseOptions,
    storing: StoreOptions,
    reading: DataOptions,
    talking: TalkOptions,
    given: Given,
) -> int:
    """Put records and near pairs into a graph store.

    Every record of DATA becomes a node, and every two records within a rating distance of E a relationship,
    in a Neo4j server or in one file without a server. ratingpriv query and Neo4j Browser then ask about them.

    A dataset of the same name is replaced in one step, and is as it was until then. A load that broke off
    goes on where it stopped when the same command is run again.

    With --release-of NAME --run RUN the data are a release of NAME: before and after can then be compared.
    """
    from ratingpriv.graph.ingesting import IngestOptions, ingester
    from ratingpriv.graph.releases import announce_release, link_release

    talk = talking.talk
    if offline is not None and "store" in given:
        raise ParameterError("offline", offline, "no --store: the files are imported by neo4j-admin")
    released = releasing.checked(dataset, edges, offline, pseudonymize)
    dataset = _name(dataset, released)
    loader = ingester()
    asked = IngestOptions(
        dataset=dataset,
        epsilon=values.real("epsilon", epsilon),
        nulls=nulls,
        edges=edges,
        k=None if k is None else values.whole("k", k, 2),
        ratings=ratings or released is not None,
        max_edges=_limit(max_edges, loader, offline),
        key=None if pseudonymize is None else loader.read_key(pseudonymize),
        threads=None if threads is None else values.whole("threads", threads, 1),
        memory=None if memory is None else values.bytes_of("memory", memory),
    )
    if offline is not None:
        _write_offline(_prepare(loader, data, asked, reading, talk), offline, talk, as_json=as_json)
        return 0
    with contextlib.ExitStack() as stack:
        there = _is_there(storing)
        mode: Literal["read", "write"] = (
            "write" if there or released is None else "read"
        )  # it has an original
        store = stack.enter_context(storing.open(mode)) if there or released is not None else None
        if released is not None and store is not None:
            store.dataset(released.of)
        prepared = _prepare(loader, data, asked, reading, talk)
        if store is None:  # a new file is made only when there is something to put in
            store = stack.enter_context(storing.open("write"))
        _announce(store, dataset, talk)
        with talk.progress() as progress:
            if released is not None:
                announce_release(store, released.of, released.run)
            info = prepared.load(store, progress=progress)
            found = None
            if released is not None:
                found = link_release(store, released.of, released.run, released.key, progress=progress)
        _tell(store, info, found, as_json=as_json)
    if released is not None:
        talk.note(f"now: ratingpriv query run anonymize/releases --dataset {shlex.quote(released.of)}")
        return 0
    where = "" if storing.store is None else f" --store {shlex.quote(storing.store)}"
    named = f"--dataset {shlex.quote(dataset)}{where}"
    talk.note(f"now: ratingpriv audit {named} --k 5 --epsilon {epsilon}, or ratingpriv query list")
    return 0


def _name(dataset: str | None, released: Released | None) -> str:
    from ratingpriv.graph.releases import released_name

    if released is not None:
        return released_name(released.of, released.run)
    if dataset is None:
        raise ParameterError("dataset", None, "--dataset NAME, or --release-of NAME --run RUN")
    return dataset


def _limit(text: str | None, loader: Ingester, offline: str | None) -> int | None:
    if text is not None:
        return values.whole("max-edges", text, 0)
    return loader.max_edges if offline is None else None


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
    loader: Ingester, data: str, asked: IngestOptions, reading: DataOptions, talk: Talk
) -> PreparedDataset:
    table = reading.read(data, talk, timestamps=asked.ratings)
    talk.detail(f"read {table!r}")
    with talk.progress() as progress:
        return loader.prepare(table, asked, progress=progress)


def _announce(store: GraphStore, dataset: str, talk: Talk) -> None:
    """Say what becomes of a dataset of this name that is there."""
    from ratingpriv.report.stores import dataset_sentence

    for info in store.datasets():
        if info.spec.name != dataset:
            continue
        if info.complete:
            talk.note(f"replacing {dataset!r} of {info.created_at}: {dataset_sentence(info)}")
        if info.loading:
            talk.note(f"a load of {dataset!r} broke off; the same load goes on, another one begins anew")


def _tell(store: GraphStore, info: DatasetInfo, released: ReleaseInfo | None, *, as_json: bool) -> None:
    from ratingpriv.report.as_json import json_text
    from ratingpriv.report.stores import dataset_sentence, ingest_dict, release_dict, release_sentence

    if as_json:
        content = ingest_dict(info, store)
        if released is not None:
            content["release"] = release_dict(released)
        sys.stdout.write(json_text(content, ascii_only=True))
        return
    sys.stdout.write(f"{info.spec.name!r} is in {store.uri} ({store.version()}): {dataset_sentence(info)}\n")
    if released is not None:
        sys.stdout.write(release_sentence(released))


def _write_offline(prepared: PreparedDataset, folder: str, talk: Talk, *, as_json: bool) -> None:
    from ratingpriv.report.as_json import json_text
    from ratingpriv.report.stores import offline_dict, offline_text

    with talk.progress() as progress:
        files = prepared.write_offline(folder, progress=progress)
    if as_json:
        sys.stdout.write(json_text(offline_dict(prepared.spec, files), ascii_only=True))
    else:
        sys.stdout.write(offline_text(prepared.spec, files))
