"""Exposure: how many records fit knowledge that is off by up to an error, on average and at worst.

``ratingpriv.exposure(table, error=1)`` is :func:`ratingpriv.audit.exposure.measure.exposure`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.audit.exposure.measure import exposure as exposure
    from ratingpriv.audit.exposure.result import Exposure as Exposure

__all__ = ["Exposure", "exposure"]

__getattr__ = _offer(
    __name__,
    {"Exposure": "ratingpriv.audit.exposure.result", "exposure": "ratingpriv.audit.exposure.measure"},
)
