"""``ratingpriv ingest``: records and ε-proximate pairs into a graph store."""

from __future__ import annotations

import contextlib
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.command import Given
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.general import GlobalOptions, JsonOption
from ratingpriv.cli.options.graph import STORE, StoreOptions
from ratingpriv.cli.options.release import ReleaseOptions
from ratingpriv.cli.options.rules import NullsOption, ResourceOptions
from ratingpriv.cli.options.values import declaring, input_file, number, output_file
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.results import print_json

if TYPE_CHECKING:
    from ratingpriv.graph.ingesting import PreparedDataset
    from ratingpriv.graph.store import DatasetSpec, GraphStore

__all__ = ["run"]

_option, _store = declaring(), declaring(STORE)


def run(
    data: DataArgument,
    epsilon: Annotated[
        float | None,
        _option("--epsilon E", "Store pairs up to this distance; else [audit]'s in the codebook, else 1."),
    ] = None,
    dataset: Annotated[
        str | None, _store("--dataset NAME", "The dataset's name in the store; else that of the file.")
    ] = None,
    ratings: Annotated[bool, _option("--ratings", "Non-sensitive ratings too.")] = False,
    edges: Annotated[
        Literal["all", "at-risk"], _option("--edges", "All pairs, or of records at risk.")
    ] = "all",
    k: Annotated[int | None, _option("--k K", "For --edges at-risk.", min=2)] = None,
    max_edges: Annotated[
        int | None, _option("--max-edges N", "Refuse above N pairs; else above 10 million.")
    ] = None,
    pseudonymize: Annotated[
        str | None,
        _option(
            "--pseudonymize KEYFILE", "Pseudonyms for ids, made with the key in KEYFILE.", parser=input_file
        ),
    ] = None,
    offline: Annotated[
        str | None,
        _option("--offline DIR", "Write files for neo4j-admin database import instead.", parser=output_file),
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

    A dataset of the same name is replaced in one step, and is as it was until then; where --dataset does not
    name it, by the same data only. A load that broke off goes on where it stopped when the same command is
    run again. With --release-of NAME --run RUN the data are a release of NAME: before and after can then be
    compared.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv ingest survey.csv --dataset pay --epsilon 2 --sensitive pay
    """
    from ratingpriv.graph.ingesting import IngestOptions, dataset_name, ingester, load_prepared
    from ratingpriv.report.stores import ingest_dict, ingest_text, next_steps

    reporter, loader = general.reporter, ingester()
    if offline is not None and "store" in given:
        raise ParameterError("offline", offline, "no --store: the files are imported by neo4j-admin")
    released = releasing.checked(dataset, edges, offline, pseudonymize)
    name = dataset if released is None else released.name
    options = IngestOptions(
        dataset=dataset_name(data) if name is None else name,
        epsilon=_epsilon(reading) if epsilon is None else epsilon,
        nulls=nulls,
        edges=edges,
        k=k,
        ratings=ratings or released is not None,
        max_edges=loader.max_edges if max_edges is None and offline is None else max_edges,
        key=None if pseudonymize is None else loader.read_key(pseudonymize),
        **limits.resources,
    )

    def prepared() -> PreparedDataset:
        table = reading.read(data, reporter, timestamps=options.ratings)
        with reporter.progress() as progress:
            return loader.prepare(table, options, progress=progress)

    if offline is not None:
        return _write_offline(prepared(), offline, reporter, as_json=as_json)
    with contextlib.ExitStack() as stack:
        store = None
        if storing.is_there() or released is not None:  # its faults show before the data are read
            store = stack.enter_context(storing.open("change"))
        if store is not None and released is not None:
            store.dataset(released.dataset)
        ready = prepared()
        if store is None:  # a new file is made only when there is something to put in
            store = stack.enter_context(storing.open("write"))
        _announce(store, ready.spec, reporter, named=name is not None)
        with reporter.progress() as progress:
            loaded = load_prepared(ready, store, released, progress=progress)
        if as_json:
            print_json(ingest_dict(loaded, store))
        else:
            sys.stdout.write(ingest_text(loaded, store))
    where = "" if storing.store is None else f" --store {shlex.quote(storing.store)}"
    for step in next_steps(loaded, where):
        reporter.note(f"now: {step}")
    return 0


def _epsilon(reading: DataOptions) -> Any:
    """Return the distance that the codebook has the data audited at; 1 where it says nothing."""
    book = reading.book
    declared = None if book is None else book.commands.get("audit", {}).get("epsilon")
    return 1.0 if declared is None else number().of("epsilon", str(declared))


def _announce(store: GraphStore, spec: DatasetSpec, reporter: Reporter, *, named: bool) -> None:
    """Report what becomes of a dataset of this name; refuse to replace other data that nobody named."""
    from ratingpriv.report.stores import dataset_sentence

    name = spec.name
    for caution in store.cautions:
        reporter.note(f"caution: {caution}")
    for info in (info for info in store.datasets() if info.spec.name == name):
        if info.complete and not named and info.spec.source_sha256 != spec.source_sha256:
            remedy = f"--dataset {shlex.quote(name)} replaces them; or give another name"
            expected = f"a name that no other data have in {store.uri}"
            raise ParameterError("dataset", name, expected, remedy)
        if info.complete:
            reporter.note(f"replacing {name!r} of {info.created_at}: {dataset_sentence(info)}")
        if info.loading:
            reporter.note(f"a load of {name!r} broke off; the same load goes on, another one begins anew")


def _write_offline(prepared: PreparedDataset, folder: str, reporter: Reporter, *, as_json: bool) -> int:
    from ratingpriv.report.stores import offline_dict, offline_text

    with reporter.progress() as progress:
        files = prepared.write_offline(folder, progress=progress)
    if as_json:
        print_json(offline_dict(prepared.spec, files))
    else:
        sys.stdout.write(offline_text(prepared.spec, files))
    return 0
