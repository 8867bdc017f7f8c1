"""ratingpriv decides exactly whether ratings are (k,ε)- and (k,ε,l)-anonymous,
makes them so, attacks them.

ε is a distance between ratings, not a differential-privacy budget.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer
from ratingpriv.base.provenance import VERSION as _VERSION

if TYPE_CHECKING:
    from ratingpriv.anonymize.anonymizer import Anonymizer as Anonymizer
    from ratingpriv.anonymize.methods import anonymize as anonymize
    from ratingpriv.attack.studies import attack as attack
    from ratingpriv.audit.exposure.measure import exposure as exposure
    from ratingpriv.audit.frontier.frontier import frontier as frontier
    from ratingpriv.audit.known.chance import unicity as unicity
    from ratingpriv.audit.known.verdict import known_ratings as known_ratings
    from ratingpriv.audit.result import AuditResult as AuditResult
    from ratingpriv.audit.stored import audit_stored as audit_stored
    from ratingpriv.audit.verdict import audit as audit
    from ratingpriv.base.errors import DataError as DataError
    from ratingpriv.base.errors import ParameterError as ParameterError
    from ratingpriv.base.errors import RatingPrivError as RatingPrivError
    from ratingpriv.data.formats.reading import read as read
    from ratingpriv.data.table import RatingTable as RatingTable
    from ratingpriv.documents.contracts import schema as schema
    from ratingpriv.partition.partitioning import partition as partition
    from ratingpriv.studies.recommend import recommend as recommend
    from ratingpriv.utility.utility import utility as utility

__all__ = [
    "Anonymizer",
    "AuditResult",
    "DataError",
    "ParameterError",
    "RatingPrivError",
    "RatingTable",
    "anonymize",
    "attack",
    "audit",
    "audit_stored",
    "exposure",
    "frontier",
    "known_ratings",
    "partition",
    "read",
    "recommend",
    "schema",
    "unicity",
    "utility",
]

__version__ = _VERSION

# Five functions are named like the rooms they come from. Importing a room for the first time sets
# the attribute of its name here; done now, and taken away again, that cannot put a room in a
# function's
# place.
for _package in ("anonymize", "attack", "audit", "partition", "utility"):
    importlib.import_module(f"ratingpriv.{_package}")
    del globals()[_package]

__getattr__ = _offer(
    __name__,
    {
        "Anonymizer": "ratingpriv.anonymize.anonymizer",
        "AuditResult": "ratingpriv.audit.result",
        "DataError": "ratingpriv.base.errors",
        "ParameterError": "ratingpriv.base.errors",
        "RatingPrivError": "ratingpriv.base.errors",
        "RatingTable": "ratingpriv.data.table",
        "anonymize": "ratingpriv.anonymize.methods",
        "attack": "ratingpriv.attack.studies",
        "audit": "ratingpriv.audit.verdict",
        "audit_stored": "ratingpriv.audit.stored",
        "exposure": "ratingpriv.audit.exposure.measure",
        "frontier": "ratingpriv.audit.frontier.frontier",
        "known_ratings": "ratingpriv.audit.known.verdict",
        "partition": "ratingpriv.partition.partitioning",
        "read": "ratingpriv.data.formats.reading",
        "recommend": "ratingpriv.studies.recommend",
        "schema": "ratingpriv.documents.contracts",
        "unicity": "ratingpriv.audit.known.chance",
        "utility": "ratingpriv.utility.utility",
    },
)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
