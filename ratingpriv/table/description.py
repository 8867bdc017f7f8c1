"""What is said of a table beside every result about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ratingpriv.table.parts import Scale, Selection
from ratingpriv.table.table import RatingTable

__all__ = ["TableDescription"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDescription:
    """How many records, non-sensitive issues and their ratings a table has, and where it is from.

    ``selection`` is in no ``to_dict()``: in the JSON contracts it stands at the top, beside ``dataset``.
    """

    name: str
    records: int
    issues: int
    sensitive: tuple[str, ...]
    ratings: int
    scale: Scale | None
    sha256: str | None
    selection: Selection | None = None

    @classmethod
    def of(cls, table: RatingTable, **more: Any) -> Self:
        """Describe ``table``; ``more`` are the attributes that a subclass adds."""
        return cls(
            name=table.origin.name,
            records=table.n_records,
            issues=table.n_issues,
            sensitive=tuple(column.name for column in table.sensitive),
            ratings=table.n_ratings,
            scale=table.scale,
            sha256=table.origin.sha256,
            selection=table.selection,
            **more,
        )

    def selection_dict(self) -> dict[str, Any] | None:
        """Return the selection as the JSON contracts have it; None where nothing was left out."""
        return None if self.selection is None else self.selection.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them."""
        return {
            "name": self.name,
            "records": self.records,
            "issues": self.issues,
            "sensitive": list(self.sensitive),
            "ratings": self.ratings,
            "scale": None if self.scale is None else self.scale.to_dict(),
            "sha256": self.sha256,
        }
