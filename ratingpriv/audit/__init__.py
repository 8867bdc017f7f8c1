"""Verdicts on (k,ε)- and (k,ε,l)-anonymity, who is at risk, the bounds that hold, and what could be promised.

``ratingpriv.audit`` is this package and may also be called: ``ratingpriv.audit(table, k=5, epsilon=1)`` is
:func:`ratingpriv.audit.verdict.audit`.
"""

from __future__ import annotations

from ratingpriv.audit.result import AuditResult
from ratingpriv.audit.verdict import audit
from ratingpriv.callable_package import make_callable as _make_callable

__all__ = ["AuditResult", "audit"]

_make_callable(__name__, audit)
