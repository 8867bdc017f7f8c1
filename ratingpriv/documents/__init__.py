"""The JSON contracts: a type a document, whose keys, units and meanings are written once."""

from __future__ import annotations

from ratingpriv.documents.contracts import schema, schemas

__all__ = ["schema", "schemas"]
