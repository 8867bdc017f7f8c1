"""Graph stores and the datasets in them, as the JSON contracts have them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ratingpriv.documents import graph as documents
from ratingpriv.documents.data import StoredDataset
from ratingpriv.documents.making import document_of

if TYPE_CHECKING:
    from ratingpriv.graph.ingesting import Ingested, OfflineImport
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import DatasetInfo, DatasetSpec


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


def ingest_dict(loaded: Ingested, store: GraphStore) -> dict[str, Any]:
    """Return a dataset that was loaded, and where it is, schema ``ratingpriv.ingest/1``."""
    release = {}
    if (info := loaded.release) is not None:
        names = {"of": info.dataset, "dataset": info.released, "distortion_known": info.distorted}
        release["release"] = document_of(documents.IngestedRelease, info, **names)
    return document_of(
        documents.Ingest,
        loaded,
        store=store.uri,
        engine=store.engine,
        version=store.version(),
        dataset=dataset_dict(loaded.dataset),
        **release,
    )


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


def status_dict(store: GraphStore, infos: Sequence[DatasetInfo]) -> dict[str, Any]:
    """Return a store and its datasets, schema ``ratingpriv.store/1``."""
    described = [dataset_dict(info) for info in infos]
    about = {"store": store.uri, "engine": store.engine, "version": store.version()}
    return document_of(documents.Store, None, datasets=described, **about)


def _selection(spec: DatasetSpec) -> Any:
    return None if spec.selection is None else json.loads(spec.selection)
