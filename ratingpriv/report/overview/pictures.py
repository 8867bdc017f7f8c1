"""Pictures of a document by the library's own drawings: exact, hence for the team only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.report.overview.items import Picture
from ratingpriv.report.overview.material import Material

__all__ = ["pictures"]


def pictures(material: Material, document: Mapping[str, Any]) -> Iterator[Picture]:
    """Yield the pictures of a document. To others none: they draw every number as it is."""
    if not material.telling.internal:
        return
    from ratingpriv.report.pictures import caption, kinds, svg

    for kind in kinds(document):
        yield Picture(svg(document, kind=kind), caption(document, kind))
