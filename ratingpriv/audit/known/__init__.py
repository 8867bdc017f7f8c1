"""What a few known ratings give away: (k,ε) against any m of them, exactly, and against random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.audit.known.chance import Unicity as Unicity
    from ratingpriv.audit.known.chance import unicity as unicity
    from ratingpriv.audit.known.verdict import KnownRatings as KnownRatings
    from ratingpriv.audit.known.verdict import known_ratings as known_ratings

__all__ = ["KnownRatings", "Unicity", "known_ratings", "unicity"]

__getattr__ = _offer(
    __name__,
    {
        **dict.fromkeys(("KnownRatings", "known_ratings"), "ratingpriv.audit.known.verdict"),
        **dict.fromkeys(("Unicity", "unicity"), "ratingpriv.audit.known.chance"),
    },
)
