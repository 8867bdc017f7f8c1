"""The roles a column can have, and what is said of a column beside its role."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.numbers import in_full

ROLES = ("id", "identifier", "rating", "quasi", "sensitive", "carry", "drop")
"""id: names the record. identifier: a direct identifier, never released. rating: an answer on an ordered
numeric scale, within ε. quasi: a quasi-identifier, audited by its own rule. sensitive: what must not be
learnt. carry: released though nobody audits it. drop: left out."""

AUDITED = ("rating", "quasi", "sensitive")
"""The roles of columns that a verdict is about."""

KINDS = ("numeric", "nominal")
"""Kinds of sensitive columns: numbers, of which an SD says something, or codes of categories."""


NULL_TOKENS = ("", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "null", "NULL", "None", "∅")
"""Texts that mean "not rated" unless ``only_null`` names others. NaN is not among them: name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSpec:
    """What a codebook or an option says of a column; None or empty is "not said".

    Attributes
    ----------
    role, kind : one of ROLES, and of a sensitive column one of KINDS
    scale : (minimum, maximum) of a rating or a numeric sensitive column
    labels : ordered words of a scale, which count as 1, 2, ...; written back as words
    missing : texts that mean unanswered in this column, beside those of the whole data
    within : of a quasi column of numbers, the most by which two records may differ; None: they must be equal
    band : width of the bands that numbers are put into (10: 20-29, 30-39, ...)
    round : numbers are rounded to multiples of it, halves up
    top, bottom : numbers above ``top`` become ``top``, those below ``bottom`` become ``bottom``
    bands : widths of bands that a search for recodes tries, each a multiple of the one before
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
    bands: tuple[float, ...] = ()
    round: float | None = None
    top: float | None = None
    bottom: float | None = None
    map: str | None = None
    level: int | None = None

    @property
    def recodes(self) -> bool:
        """Whether values are changed on reading."""
        return any(one is not None for one in (self.band, self.round, self.top, self.bottom, self.map))

    def said(self) -> Iterator[tuple[str, Any]]:
        """Yield what is said, by name."""
        for one in dataclasses.fields(self):
            value = getattr(self, one.name)
            if value not in (None, ()):
                yield one.name, value


RECODES = ("band", "round", "top", "bottom", "map", "level")
"""What changes values on reading."""

_MAY_SAY = {
    "id": (),
    "identifier": (),
    "drop": (),
    "carry": (),
    "rating": ("scale", "labels"),
    "quasi": ("labels", "within", "bands", *RECODES),
    "sensitive": ("kind", "scale", "labels", *RECODES),
}
_NEVER_BOTH = (
    ("band", "map", "one of the two"),
    ("within", "band", "numbers for within: bands are equal or not"),
    ("bands", "map", "one of the two"),
    ("within", "bands", "numbers for within: bands are equal or not"),
    ("within", "map", "numbers for within: groups are equal or not"),
    *(("labels", key, f"{key} of numbers, or labels of words") for key in ("bands", *RECODES[:4])),
    ("labels", "scale", "no scale: labels are 1, 2, ... to their number"),
)


def clash(spec: ColumnSpec) -> tuple[str, str, str] | None:
    """Return what of a spec does not fit together, as (key, found, expected); None: all does.

    A role has its own keys, two recodes may exclude each other; without a role (a pattern may have it) only
    the latter is looked at.
    """
    keys = [key for key, _ in spec.said() if key not in ("role", "missing")]
    for key in keys:
        if spec.role is not None and key not in _MAY_SAY[spec.role]:
            own = ", ".join((*_MAY_SAY[spec.role], "missing"))
            return key, f"{key} of a column of role {spec.role}", f"only {own}"
    for one, other, expected in _NEVER_BOTH:
        if one in keys and other in keys:
            return other, f"{other} together with {one}", expected
    if spec.level is not None and spec.map is None:
        return "level", "level without map", "the file of the hierarchy in map"
    if spec.bottom is not None and spec.top is not None and spec.bottom >= spec.top:
        return "top", f"top {in_full(spec.top)} and bottom {in_full(spec.bottom)}", "bottom below top"
    if (
        spec.role == "sensitive"
        and spec.kind != "nominal"
        and (spec.band is not None or spec.map is not None)
    ):
        key = "map" if spec.band is None else "band"
        return key, f"{key} of a numeric sensitive column", 'kind = "nominal", whose values are categories'
    if spec.kind == "nominal" and spec.scale is not None:
        return "scale", "scale of a nominal column", "no scale: its values are categories"
    return None
