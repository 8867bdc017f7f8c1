"""ratingpriv decides exactly whether ratings are (k,ε)- and (k,ε,l)-anonymous, makes them so, attacks them.

ε is a distance between ratings, not a differential-privacy budget.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ratingpriv import anonymize as anonymize
    from ratingpriv import attack as attack
    from ratingpriv.audit.frontier import frontier as frontier
    from ratingpriv.audit.result import AuditResult as AuditResult
    from ratingpriv.audit.verdict import audit as audit
    from ratingpriv.partition.partitioning import partition as partition
    from ratingpriv.reading import read as read
    from ratingpriv.table import RatingTable as RatingTable

_HOME = {  # heavy imports wait until a name is used
    "AuditResult": "ratingpriv.audit",
    "RatingTable": "ratingpriv.table",
    "frontier": "ratingpriv.audit.frontier",
    "read": "ratingpriv.reading",
}
_PACKAGES = ("anonymize", "attack", "audit", "partition")  # the last two are also functions

__all__ = ["AuditResult", "RatingTable", "anonymize", "attack", "audit", "frontier", "partition", "read"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"ratingpriv.{name}")
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'ratingpriv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
