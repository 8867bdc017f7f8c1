"""The roles a column can have, and what is said of a column beside its role."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AUDITED", "KINDS", "ROLES", "ColumnSpec"]

ROLES = ("id", "identifier", "rating", "quasi", "sensitive", "carry", "drop")
"""id: names the record. identifier: a direct identifier, never released. rating: an answer on an ordered
numeric scale, within ε. quasi: a quasi-identifier, audited by its own rule. sensitive: what must not be
learnt. carry: released though nobody audits it. drop: left out."""

AUDITED = ("rating", "quasi", "sensitive")
"""The roles of columns that a verdict is about."""

KINDS = ("numeric", "nominal")
"""Kinds of sensitive columns: numbers, of which an SD says something, or codes of categories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSpec:
    """What a codebook or an option says of a column; None or empty is "not said".

    Attributes
    ----------
    role : one of ROLES
    kind : of a sensitive column, one of KINDS
    scale : (minimum, maximum) of a rating or a numeric sensitive column
    labels : ordered words of a scale, which count as 1, 2, ...; written back as words
    missing : texts that mean unanswered in this column, beside those of the whole data
    within : of a quasi column of numbers, the most by which two records may differ; None: they must be equal
    band : width of the bands that numbers are put into (10: 20-29, 30-39, ...)
    round : numbers are rounded to multiples of it, halves up
    top, bottom : numbers above ``top`` become ``top``, those below ``bottom`` become ``bottom``
    map : a file of ``value,group`` lines, or an ARX hierarchy ``value;level1;level2``
    level : which level of the hierarchy, from 1; 0: as it is
    """

    role: str | None = None
    kind: str | None = None
    scale: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    within: float | None = None
    band: float | None = None
    round: float | None = None
    top: float | None = None
    bottom: float | None = None
    map: str | None = None
    level: int | None = None

    @property
    def recodes(self) -> bool:
        """Whether values are changed on reading."""
        return any(one is not None for one in (self.band, self.round, self.top, self.bottom, self.map))
