"""The slicing loader as the library finds it: registered in the group ``ratingpriv.ingesters``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ratingpriv.graph.offline.folder import OfflineImport
from ratingpriv_loaders.graph.offline import write_offline
from ratingpriv_loaders.graph.pseudonyms import read_key
from ratingpriv_loaders.graph.slices import MAX_EDGES, Slices, load, slices

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.ingesting import IngestOptions
    from ratingpriv.graph.store import DatasetInfo, DatasetSpec, GraphStore

__all__ = ["PreparedSlices", "SlicingIngester"]


@dataclass(frozen=True, slots=True, eq=False)
class PreparedSlices:
    """A :class:`ratingpriv.graph.ingesting.PreparedDataset`: slices, and the two ways that they can go."""

    slices: Slices

    @property
    def spec(self) -> DatasetSpec:
        """What is coming, exactly."""
        return self.slices.spec

    def load(self, store: GraphStore, *, progress: Progress | None = None) -> DatasetInfo:
        """Load the slices; see :func:`ratingpriv_loaders.graph.slices.load`."""
        return load(self.slices, store, progress=progress)

    def write_offline(self, folder: str | Path, *, progress: Progress | None = None) -> OfflineImport:
        """Write import files; see :func:`ratingpriv_loaders.graph.offline.write_offline`."""
        return write_offline(self.slices, folder, progress=progress)


class SlicingIngester:
    """Streams a table, slice by slice, with its ε-proximate pairs [SWLZ11, §5.2] into a graph store."""

    name = "slicing"
    description = "records and ε-proximate pairs from the compiled engine, slice by slice"
    max_edges = MAX_EDGES

    def read_key(self, path: str | Path) -> bytes:
        """Read a key for pseudonyms; see :func:`ratingpriv_loaders.graph.pseudonyms.read_key`."""
        return read_key(path)

    def prepare(
        self, table: RatingTable, options: IngestOptions, *, progress: Progress | None = None
    ) -> PreparedSlices:
        """Count what is coming; see :func:`ratingpriv_loaders.graph.slices.slices`."""
        counted = slices(
            table,
            options.dataset,
            epsilon=options.epsilon,
            nulls=options.nulls,
            edges=options.edges,
            k=options.k,
            ratings=options.ratings,
            max_edges=options.max_edges,
            key=options.key,
            threads=options.threads,
            memory=options.memory,
            progress=progress,
        )
        return PreparedSlices(counted)
