"""Estimators in the style of scikit-learn, which is imported with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.estimators.anonymizer import Anonymizer as Anonymizer

__all__ = ["Anonymizer"]

__getattr__ = _offer(__name__, {"Anonymizer": "ratingpriv.estimators.anonymizer"})
