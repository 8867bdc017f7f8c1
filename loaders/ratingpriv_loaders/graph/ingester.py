"""The slicing loader as the library finds it: registered in the group ``ratingpriv.ingesters``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ratingpriv_loaders.graph.pseudonyms import read_key
from ratingpriv_loaders.graph.slices import MAX_EDGES, Slices, counted

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.ingesting import IngestOptions


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
    ) -> Slices:
        """Count what is coming; see :func:`ratingpriv_loaders.graph.slices.counted`."""
        return counted(table, options, progress)
