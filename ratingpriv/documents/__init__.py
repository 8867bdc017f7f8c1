"""The JSON contracts: a type a document, whose keys, units and meanings are written once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.documents.contracts import schema as schema
    from ratingpriv.documents.contracts import schemas as schemas

__all__ = ["schema", "schemas"]

__getattr__ = _offer(__name__, dict.fromkeys(__all__, "ratingpriv.documents.contracts"))
