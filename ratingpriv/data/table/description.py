"""What is said of a table beside every result about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ratingpriv.data.table.parts import Multiline, QuasiRule, Roles, Scale, Selection
from ratingpriv.data.table.table import RatingTable
from ratingpriv.documents.data import DatasetShape
from ratingpriv.documents.making import document_of

_LISTED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDescription:
    """How many records, non-sensitive issues and their ratings a table has, and where it is from.

    Attributes
    ----------
    name, sha256 : of what was read
    records, issues, ratings : how many records, non-sensitive issues and their ratings there are
    sensitive : names of the sensitive issues
    nominal : those of them whose values are words
    scale : of the ratings; None: there is none
    selection : which part of the data the table is; it is in no ``to_dict()``: in the JSON
        contracts it stands at the top, beside ``dataset``
    quasi : the rules of the quasi-identifiers
    carried : columns that are released though nobody audited them
    roles : what each column was taken for; None where the format decides
    multiline : counts cells over several lines; None where no text was read
    previews : rows that a survey tool marks as previews, left out
    """

    name: str
    records: int
    issues: int
    sensitive: tuple[str, ...]
    ratings: int
    scale: Scale | None
    sha256: str | None
    selection: Selection | None = None
    nominal: tuple[str, ...] = ()
    quasi: tuple[QuasiRule, ...] = ()
    carried: tuple[str, ...] = ()
    roles: Roles | None = None
    multiline: Multiline | None = None
    previews: int = 0

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
            nominal=tuple(column.name for column in table.sensitive if column.nominal),
            quasi=tuple(column.described for column in table.quasi),
            carried=tuple(column.name for column in table.carried),
            roles=table.roles,
            multiline=table.multiline,
            previews=table.origin.details.get("previews", 0),
            **more,
        )

    @property
    def rules(self) -> str:
        """When two records are the same on the quasi-identifiers:
        ``equal on region and within 5 on age``.
        """
        equal = [column.name for column in self.quasi if column.within is None]
        listed = ", ".join(equal)
        if len(equal) > _LISTED:
            listed = f"{', '.join(equal[:2])} and {len(equal) - 2} more columns"
        rules = [f"equal on {listed}"] if equal else []
        rules += [
            f"{column} on {column.name}" for column in self.quasi if column.within is not None
        ]
        return " and ".join(rules)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as the JSON contracts have them."""
        return document_of(DatasetShape, self)
