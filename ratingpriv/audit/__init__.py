"""Verdicts on (k,ε)- and (k,ε,l)-anonymity, who is at risk, the bounds that hold,
and what could be promised.

``ratingpriv.audit(table, k=5, epsilon=1)`` is :func:`ratingpriv.audit.verdict.audit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditResult as AuditResult
    from ratingpriv.audit.stored import audit_stored as audit_stored
    from ratingpriv.audit.verdict import audit as audit

__all__ = ["AuditResult", "audit", "audit_stored"]

__getattr__ = _offer(
    __name__,
    {
        "AuditResult": "ratingpriv.audit.result",
        "audit": "ratingpriv.audit.verdict",
        "audit_stored": "ratingpriv.audit.stored",
    },
)
