"""Graph stores and the datasets in them, as text and as JSON."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ratingpriv.base.numbers import in_full
from ratingpriv.documents import graph as documents
from ratingpriv.documents.data import StoredDataset
from ratingpriv.documents.making import document_of
from ratingpriv.graph.datasets import rules_in_words
from ratingpriv.report.page import Table
from ratingpriv.report.plain import count, printable
from ratingpriv.report.text import table_text

if TYPE_CHECKING:
    from ratingpriv.graph.ingesting import Ingested
    from ratingpriv.graph.offline import OfflineImport
    from ratingpriv.graph.releases import ReleaseInfo
    from ratingpriv.graph.store import DatasetInfo, DatasetSpec, GraphStore


def dataset_dict(info: DatasetInfo) -> dict[str, Any]:
    """Return a dataset as plain dicts: what it is, and whether it can be queried."""
    spec = info.spec
    scale = None
    if spec.scale_min is not None and spec.scale_max is not None:
        scale = {"min": spec.scale_min, "max": spec.scale_max, "declared": spec.scale_declared}
    return document_of(
        StoredDataset,
        spec,
        complete=info.complete,
        loading=info.loading,
        loaded=info.loaded,
        hamming_groups=spec.groups,
        scale=scale,
        selection=_selection(spec),
        created_at=info.created_at,
        sha256=spec.source_sha256,
        tool=spec.tool,
    )


def asked_dict(info: DatasetInfo) -> dict[str, Any]:
    """Return what the answers of a query depend on, a part of ``ratingpriv.query/1``."""
    return document_of(documents.QueriedDataset, info.spec, selection=_selection(info.spec))


def dataset_sentence(info: DatasetInfo) -> str:
    """Return what a dataset holds in one line."""
    spec = info.spec
    edges = "" if spec.edges == "all" else f" in which a record below k = {spec.k} takes part"
    return (
        f"{count(spec.records, 'record')}, {count(spec.issues, 'question')}, {count(spec.ratings, 'rating')} "
        f"({'all' if spec.all_ratings else 'the sensitive ones'}), {count(spec.pairs, 'pair')} up to epsilon "
        f"{in_full(spec.epsilon_max)}{edges}, missing ratings {spec.nulls}"
        + (f", quasi-identifiers {printable(rules_in_words(spec.quasi))}" if spec.quasi else "")
        + (", pseudonyms" if spec.pseudonymized else "")
    )


def datasets_text(infos: Sequence[DatasetInfo]) -> str:
    """Return a table of datasets, one a line."""
    if not infos:
        return "no datasets; ratingpriv ingest loads one\n"
    columns = ("dataset", "records", "pairs", "epsilon", "nulls", "edges", "ingested", "state")
    rows = tuple(
        (
            info.spec.name,
            f"{info.spec.records:,}",
            f"{info.spec.pairs:,}",
            in_full(info.spec.epsilon_max),
            info.spec.nulls,
            info.spec.edges if info.spec.k is None else f"{info.spec.edges}, k={info.spec.k}",
            info.created_at,
            _state(info),
        )
        for info in infos
    )
    return table_text(Table(columns, rows, (False, True, True, True, False, False, False, False))) + "\n"


def ingest_dict(loaded: Ingested, store: GraphStore) -> dict[str, Any]:
    """Return a dataset that was loaded, and where it is, schema ``ratingpriv.ingest/1``."""
    return document_of(
        documents.Ingest,
        loaded,
        store=store.uri,
        engine=store.engine,
        version=store.version(),
        dataset=dataset_dict(loaded.dataset),
        **({} if loaded.release is None else {"release": _release_dict(loaded.release)}),
    )


def ingest_text(loaded: Ingested, store: GraphStore) -> str:
    """Return what was loaded, and where it is, in a line; of a release in one or two more."""
    where, info = printable(f"{store.uri} ({store.version()})"), loaded.dataset
    said = f"{info.spec.name!r} is in {where}: {dataset_sentence(info)}\n"
    return said if loaded.release is None else said + _release_sentence(loaded.release)


def next_steps(loaded: Ingested, where: str = "") -> tuple[str, ...]:
    """Return what to ask next of what was loaded, command lines that run as they stand.

    ``where`` : the options that name the store, where the environment does not
    """
    if loaded.release is not None:
        name = shlex.quote(loaded.release.dataset)
        return (f"ratingpriv query run anonymize/releases --dataset {name}{where}",)
    spec = loaded.dataset.spec
    named = f"--dataset {shlex.quote(spec.name)}{where}"
    k, epsilon = spec.k or 5, in_full(spec.epsilon_max)
    picture = re.sub(r"\W+", "-", f"{spec.name} at risk").strip("-")
    return (
        f"ratingpriv audit {named} --k {k} --epsilon {epsilon}",
        f"ratingpriv query run audit/degree-violators {named} -p k={k} -p epsilon={epsilon}",
        f"ratingpriv query run browse/at-risk {named} -p k={k} -p epsilon={epsilon} --picture {picture}.svg",
    )


def _release_dict(info: ReleaseInfo) -> dict[str, Any]:
    """Return what a release is, a part of ``ratingpriv.ingest/1``."""
    names = {"of": info.dataset, "dataset": info.released, "distortion_known": info.distorted}
    return document_of(documents.IngestedRelease, info, **names)


def _release_sentence(info: ReleaseInfo) -> str:
    """Return what a release is, in a line or two."""
    sentence = f"it is release {printable(repr(info.run))} of {printable(repr(info.dataset))}: "
    if not info.linked:
        return f"{sentence}no links to the original, which need --key\n"
    suppressed = count(info.withheld or 0, "record")
    linked = f"{count(info.records, 'record')} linked to the original, {suppressed} suppressed"
    if info.distorted:
        return f"{sentence}{linked}\n"
    return f"{sentence}{linked}; the information loss is not known: ingest the original with --ratings\n"


def offline_dict(spec: DatasetSpec, files: OfflineImport) -> dict[str, Any]:
    """Return import files that were written, schema ``ratingpriv.import-files/1``."""
    written = {"folder": str(files.folder), "script": str(files.script), "command": files.command}
    return document_of(
        documents.ImportFiles,
        spec,
        dataset=spec.name,
        nodes=files.nodes,
        relationships=files.relationships,
        selection=_selection(spec),
        **written,
    )


def offline_text(spec: DatasetSpec, files: OfflineImport) -> str:
    """Return what was written, and what to do with it."""
    return (
        f"{printable(str(files.folder))} holds {printable(spec.name)!r} as files for "
        f"neo4j-admin database import: {count(files.nodes, 'node')}, "
        f"{count(files.relationships, 'relationship')}, among them {count(spec.pairs, 'pair')}.\n"
        "The import makes a new database and what the old one holds is lost. Stop the server, run\n"
        f"  {printable(str(files.script))}\n"
        "start the server again, and make the constraints: cypher-shell -f schema.cypher\n"
    )


def status_dict(store: GraphStore, infos: Sequence[DatasetInfo]) -> dict[str, Any]:
    """Return a store and its datasets, schema ``ratingpriv.store/1``."""
    described = [dataset_dict(info) for info in infos]
    about = {"store": store.uri, "engine": store.engine, "version": store.version()}
    return document_of(documents.Store, None, datasets=described, **about)


def status_text(store: GraphStore, infos: Sequence[DatasetInfo]) -> str:
    """Return a store and its datasets as text."""
    lines = [f"store: {printable(store.uri)}", f"engine: {printable(store.version())}"]
    unfinished = [info for info in infos if not info.complete]
    summary = f"{count(len(infos), 'dataset')}, {len(infos) - len(unfinished)} complete"
    lines.append(f"holds: {summary}")
    lines += [f"  {printable(info.spec.name)}: {dataset_sentence(info)} ({_state(info)})" for info in infos]
    if unfinished:
        lines.append(
            "Run the same ratingpriv ingest again to complete a dataset; it goes on where it stopped."
        )
    return "\n".join(lines) + "\n"


def _selection(spec: DatasetSpec) -> Any:
    return None if spec.selection is None else json.loads(spec.selection)


def _state(info: DatasetInfo) -> str:
    if info.complete:
        return "complete, a new load under way or broken off" if info.loading else "complete"
    loaded = info.loaded or {}
    return (
        f"not complete: {loaded.get('pairs', 0):,} of {info.spec.pairs:,} pairs" if loaded else "not complete"
    )
