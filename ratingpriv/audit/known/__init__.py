"""What a few known ratings give away: (k,ε) against any m of them, exactly,
and against random ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.audit.known.chance import Unicity as Unicity
    from ratingpriv.audit.known.chance import unicity as unicity
    from ratingpriv.audit.known.identifying import IdentifyingSets as IdentifyingSets
    from ratingpriv.audit.known.identifying import identifying_sets as identifying_sets
    from ratingpriv.audit.known.singling import SinglingItem as SinglingItem
    from ratingpriv.audit.known.singling import singling_items as singling_items
    from ratingpriv.audit.known.verdict import KnownRatings as KnownRatings
    from ratingpriv.audit.known.verdict import known_ratings as known_ratings

__all__ = [
    "IdentifyingSets",
    "KnownRatings",
    "SinglingItem",
    "Unicity",
    "identifying_sets",
    "known_ratings",
    "singling_items",
    "unicity",
]

__getattr__ = _offer(
    __name__,
    {
        **dict.fromkeys(
            ("IdentifyingSets", "identifying_sets"), "ratingpriv.audit.known.identifying"
        ),
        **dict.fromkeys(("SinglingItem", "singling_items"), "ratingpriv.audit.known.singling"),
        **dict.fromkeys(("KnownRatings", "known_ratings"), "ratingpriv.audit.known.verdict"),
        **dict.fromkeys(("Unicity", "unicity"), "ratingpriv.audit.known.chance"),
    },
)
