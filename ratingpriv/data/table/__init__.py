"""RatingTable, the data model, and how tables are built; nothing here knows an algorithm."""

from __future__ import annotations

from ratingpriv.data.table.parts import (
    AnswerRange,
    Joined,
    Origin,
    QuasiColumn,
    QuasiRule,
    Roles,
    Scale,
    Selection,
    SensitiveColumn,
)
from ratingpriv.data.table.table import RatingTable

__all__ = [
    "AnswerRange",
    "Joined",
    "Origin",
    "QuasiColumn",
    "QuasiRule",
    "RatingTable",
    "Roles",
    "Scale",
    "Selection",
    "SensitiveColumn",
]
