"""RatingTable, the data model, and how tables are built; nothing here knows an algorithm."""

from __future__ import annotations

from ratingpriv.table.table import Origin, RatingTable, Scale, SensitiveColumn

__all__ = ["Origin", "RatingTable", "Scale", "SensitiveColumn"]
