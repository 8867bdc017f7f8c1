"""The figures of the papers, made again: what they say, what comes out, and whether it holds.

:func:`reproduce` makes one or all. What a figure is stands in :mod:`ratingpriv.reproduce.specs`, how it is
made in :mod:`ratingpriv.reproduce.kinds`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.reproduce.reproducing import Reproduction as Reproduction
    from ratingpriv.reproduce.reproducing import reproduce as reproduce

__all__ = ["Reproduction", "reproduce"]

__getattr__ = _offer(
    __name__,
    {"Reproduction": "ratingpriv.reproduce.reproducing", "reproduce": "ratingpriv.reproduce.reproducing"},
)
