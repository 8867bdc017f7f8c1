"""Verdicts on (k,ε)- and (k,ε,l)-anonymity, who is at risk, and the bounds that hold.

``ratingpriv.audit`` is this package and may also be called: ``ratingpriv.audit(table, k=5, epsilon=1)`` is
:func:`ratingpriv.audit.verdict.audit`. One name serves both because importing any part of the package sets
the attribute ``ratingpriv.audit`` to the package; a function put there would be replaced without a word.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType

from ratingpriv.audit.result import AuditResult
from ratingpriv.audit.verdict import audit

__all__ = ["AuditResult", "audit"]


class _CallableAuditPackage(ModuleType):
    """The package's module type: calling the package calls :func:`audit`."""

    __call__ = staticmethod(audit)
    __signature__ = inspect.signature(audit)  # Python 3.12 takes a static method's first parameter for self


sys.modules[__name__].__class__ = _CallableAuditPackage
