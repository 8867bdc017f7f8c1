"""Exact audits of data beyond one machine, on Apache Spark: an optional layer (``ratingpriv[spark]``).

``ratingpriv.spark.audit(df, k=5, epsilon=1)`` is :func:`ratingpriv.spark.auditing.audit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.spark.auditing import audit as audit

__all__ = ["audit"]

__getattr__ = _offer(__name__, {"audit": "ratingpriv.spark.auditing"})
