"""The JSON contracts as JSON Schema (draft 2020-12): a file each; ``shared.json`` has what several say."""

from __future__ import annotations

from ratingpriv.schemas.contracts import schema, schemas

__all__ = ["schema", "schemas"]
