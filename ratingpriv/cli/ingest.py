"""``ratingpriv ingest``: records and ε-proximate pairs into a graph store."""

from __future__ import annotations

import contextlib
import shlex
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli import options
from ratingpriv.cli.options.parameters import given
from ratingpriv.cli.options.values import STORE, group, input_file, number, option, reads, writes
from ratingpriv.cli.output.invocation import answer
from ratingpriv.cli.output.reporter import note, progress_bars

if TYPE_CHECKING:
    from ratingpriv.graph.ingesting import IngestOptions, PreparedDataset
    from ratingpriv.graph.releases import ReleaseOf
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import DatasetSpec

_release = partial(option, panel="A release")


@group
class _Content(options.Resources):
    epsilon: float | None = option("Pairs up to this distance; else the codebook's, else 1.")
    ratings: bool = option("Non-sensitive ratings too.")
    edges: Literal["all", "at-risk"] = option("All pairs, or of records at risk.", "all")
    k: int | None = option("For --edges at-risk.", metavar="K", min=2)
    max_edges: int | None = option("Refuse above N pairs; else above 10 million.")
    pseudonymize: str | None = reads(
        "Pseudonyms for ids, made with the key in KEYFILE.", metavar="KEYFILE"
    )
    nulls: Literal["strict", "wildcard"] = options.NULLS

    def of(
        self, dataset: str, reading: options.Data, *, is_release: bool, offline: bool
    ) -> IngestOptions:
        """Return the options as the library takes them; a release is compared by its ratings."""
        from ratingpriv.graph.ingesting import IngestOptions, ingester

        loader = ingester()
        most = loader.max_edges if self.max_edges is None and not offline else self.max_edges
        return IngestOptions(
            dataset=dataset,
            epsilon=_epsilon(reading) if self.epsilon is None else self.epsilon,
            nulls=self.nulls,
            edges=self.edges,
            k=self.k,
            ratings=self.ratings or is_release,
            max_edges=most,
            key=None if self.pseudonymize is None else loader.read_key(self.pseudonymize),
            **self.resources,
        )


@group
class _Release:
    release_of: str | None = _release("DATA is a release of this dataset in the store.")
    release_run: str | None = _release(
        "The release's name: NAME/RUN.", None, "--run", metavar="RUN"
    )
    release_key: str | None = _release(
        "Its key: links each record to its own, or groups.",
        None,
        "--key",
        metavar="KEYFILE",
        parser=input_file,
    )

    def checked(
        self, dataset: str | None, offline: str | None, content: _Content
    ) -> ReleaseOf | None:
        """Check the options against each other and read the key;
        None where the data are no release.
        """
        from ratingpriv.base.keys import read_key
        from ratingpriv.graph.releases import ReleaseOf

        of, run, key = self.release_of, self.release_run, self.release_key
        if of is None:
            for name, value in (("run", run), ("key", key)):
                if value is not None:
                    raise ParameterError(name, value, f"--{name} together with --release-of")
            return None
        if run is None:
            raise ParameterError("run", None, "--run RUN, the release's name, with --release-of")
        if dataset is not None:
            raise ParameterError(
                "dataset", dataset, f"no --dataset: a release goes in as {of}/{run}"
            )
        if content.edges != "all":
            raise ParameterError(
                "edges", content.edges, "all, where a release is compared with its original"
            )
        if offline is not None:
            raise ParameterError("offline", offline, "no --release-of: its original is in a store")
        if key is not None and content.pseudonymize is not None:
            raise ParameterError(
                "pseudonymize", content.pseudonymize, "no --key: it names records by their own ids"
            )
        return ReleaseOf(of, run, None if key is None else read_key(key))


def run(
    *,
    data: str = options.DATA_FILE,
    dataset: str | None = option("Its name in the store; else the file's.", panel=STORE),
    append: bool = option("DATA goes on from the dataset: write the new records only."),
    offline: str | None = writes(
        "Write files for neo4j-admin database import instead.", metavar="DIR"
    ),
    as_json: bool = options.AS_JSON,
    content: _Content,
    releasing: _Release,
    storing: options.Store,
    reading: options.Data,
) -> int:
    """Ingest records and their ε-proximate pairs into a graph store.

    Every record becomes a node, and every two records within a rating distance of E a relationship,
    in a Neo4j server or in one file without a server; ratingpriv query and Neo4j Browser query
    them.

    A dataset of the same name is replaced in one step; where --dataset does not name it, by the
    same data only. A load that broke off goes on when the same command is run again. With --append
    DATA is the whole file of a survey that grows. With --release-of NAME --run RUN the data are a
    release of NAME: before and after can then be compared.

    Examples
    --------
    ratingpriv ingest survey.csv
    ratingpriv ingest survey.csv --dataset pay --epsilon 2 --sensitive pay
    ratingpriv ingest survey.csv --append
    """
    from ratingpriv.graph.appending import base_of
    from ratingpriv.graph.described import ingest_dict, offline_dict
    from ratingpriv.graph.ingesting import dataset_name, load_prepared
    from ratingpriv.report.stores import ingest_text, next_steps, offline_text

    if offline is not None and "store" in given():
        raise ParameterError(
            "offline", offline, "no --store: the files are imported by neo4j-admin"
        )
    released = releasing.checked(dataset, offline, content)
    for other, value in (("offline", offline), ("release-of", releasing.release_of)):
        if append and value is not None:
            raise ParameterError(other, value, "no --append together with it")
    name = dataset if released is None else released.name
    written = {"is_release": released is not None, "offline": offline is not None}
    ingested = content.of(dataset_name(data) if name is None else name, reading, **written)
    if offline is not None:
        ready = _prepared(data, reading, ingested)
        with progress_bars() as progress:
            files = ready.write_offline(offline, progress=progress)
        answer(
            offline_dict(ready.spec, files),
            lambda: offline_text(ready.spec, files),
            as_json=as_json,
        )
        return 0
    with contextlib.ExitStack() as stack:
        store, base = None, None
        # its faults show before the data are read
        if storing.is_there() or released is not None or append:
            store = stack.enter_context(storing.open("change"))
        if store is not None and released is not None:
            store.dataset(released.dataset)
        if store is not None and append:
            base = base_of(store, ingested.dataset)
        ready = _prepared(data, reading, ingested, base)
        if store is None:  # a new file is made only when there is something to put in
            store = stack.enter_context(storing.open("write"))
        if base is None:
            _announce(store, ready.spec, named=name is not None)
        else:
            more, pairs = (
                f"{getattr(ready.spec, kind) - getattr(base, kind):,}"
                for kind in ("records", "pairs")
            )
            note(
                f"adding to the {base.records:,} records of {base.name!r}: {more} records, "
                f"{pairs} pairs"
            )
        with progress_bars() as progress:
            loaded = load_prepared(ready, store, released, progress=progress)
        text = ingest_text(loaded, store)
        answer(ingest_dict(loaded, store), lambda: text, as_json=as_json)
    where = "" if storing.store is None else f" --store {shlex.quote(storing.store)}"
    for step in next_steps(loaded, where):
        note(f"now: {step}")
    return 0


def _prepared(
    data: str, reading: options.Data, ingested: IngestOptions, base: DatasetSpec | None = None
) -> PreparedDataset:
    """Read the data and find their pairs."""
    from ratingpriv.graph.ingesting import ingester

    table = reading.read(data, timestamps=ingested.ratings)
    with progress_bars() as progress:
        return ingester().prepare(table, ingested, base=base, progress=progress)


def _epsilon(reading: options.Data) -> Any:
    """Return the distance that the codebook has the data audited at; 1 where it says nothing."""
    book = reading.book
    declared = None if book is None else book.commands.get("audit", {}).get("epsilon")
    return 1.0 if declared is None else number().of("epsilon", str(declared))


def _announce(store: GraphStore, spec: DatasetSpec, *, named: bool) -> None:
    """Report what becomes of a dataset of this name;
    refuse to replace other data that nobody named.
    """
    from ratingpriv.report.stores import dataset_sentence

    name = spec.name
    for caution in store.cautions:
        note(f"caution: {caution}")
    for info in (info for info in store.datasets() if info.spec.name == name):
        if info.complete and not named and info.spec.source_sha256 != spec.source_sha256:
            remedy = f"--dataset {shlex.quote(name)} replaces them; or give another name"
            expected = f"a name that no other data have in {store.uri}"
            raise ParameterError("dataset", name, expected, remedy)
        if info.complete:
            note(f"replacing {name!r} of {info.created_at}: {dataset_sentence(info)}")
        if info.loading:
            note(f"a load of {name!r} broke off; the same load goes on, another one begins anew")
