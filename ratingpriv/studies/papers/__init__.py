"""The figures of the papers, made again: what they say, what comes out, and whether it holds.

:func:`reproduce` makes one or all. What a figure is, and how it is judged, stands in ``specs``, a
file each; how it is measured in :mod:`.attacks`, :mod:`.counting` and :mod:`.curves`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.studies.papers.reproducing import Reproduction as Reproduction
    from ratingpriv.studies.papers.reproducing import reproduce as reproduce

__all__ = ["Reproduction", "reproduce"]

__getattr__ = _offer(
    __name__,
    {
        "Reproduction": "ratingpriv.studies.papers.reproducing",
        "reproduce": "ratingpriv.studies.papers.reproducing",
    },
)
