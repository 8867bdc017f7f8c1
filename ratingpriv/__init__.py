"""ratingpriv decides exactly whether ratings are (k,ε)- and (k,ε,l)-anonymous, makes them so, attacks them.

ε is a distance between ratings, not a differential-privacy budget.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ratingpriv.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.anonymize.methods import anonymize as anonymize
    from ratingpriv.attack.studies import attack as attack
    from ratingpriv.audit.frontier.frontier import frontier as frontier
    from ratingpriv.audit.result import AuditResult as AuditResult
    from ratingpriv.audit.verdict import audit as audit
    from ratingpriv.documents.contracts import schema as schema
    from ratingpriv.estimators.anonymizer import Anonymizer as Anonymizer
    from ratingpriv.exposure.measure import exposure as exposure
    from ratingpriv.formats.reading import read as read
    from ratingpriv.partition.partitioning import partition as partition
    from ratingpriv.recommend.recommend import recommend as recommend
    from ratingpriv.table import RatingTable as RatingTable
    from ratingpriv.utility.utility import utility as utility

__all__ = [
    "Anonymizer",
    "AuditResult",
    "RatingTable",
    "anonymize",
    "attack",
    "audit",
    "exposure",
    "frontier",
    "partition",
    "read",
    "recommend",
    "schema",
    "utility",
]

__version__ = "0.1.0"

# Seven functions are named like the packages they come from. Importing a package for the first time sets the
# attribute of its name here; done now, and taken away again, that cannot put a package in a function's place.
for _package in ("anonymize", "attack", "audit", "exposure", "partition", "recommend", "utility"):
    importlib.import_module(f"ratingpriv.{_package}")
    del globals()[_package]

__getattr__ = _offer(
    __name__,
    {
        "Anonymizer": "ratingpriv.estimators.anonymizer",
        "AuditResult": "ratingpriv.audit.result",
        "RatingTable": "ratingpriv.table",
        "anonymize": "ratingpriv.anonymize.methods",
        "attack": "ratingpriv.attack.studies",
        "audit": "ratingpriv.audit.verdict",
        "exposure": "ratingpriv.exposure.measure",
        "frontier": "ratingpriv.audit.frontier.frontier",
        "partition": "ratingpriv.partition.partitioning",
        "read": "ratingpriv.formats.reading",
        "recommend": "ratingpriv.recommend.recommend",
        "schema": "ratingpriv.documents.contracts",
        "utility": "ratingpriv.utility.utility",
    },
)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
