"""Exact audits of data beyond one machine, on Apache Spark:
an optional layer (``ratingpriv[spark]``).

``ratingpriv.spark.audit(df, k=5, epsilon=1)`` is :func:`ratingpriv.spark.auditing.audit`;
``audit_file`` opens a session for a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.spark.auditing import audit as audit
    from ratingpriv.spark.auditing import audit_file as audit_file

__all__ = ["audit", "audit_file"]

__getattr__ = _offer(__name__, dict.fromkeys(__all__, "ratingpriv.spark.auditing"))
