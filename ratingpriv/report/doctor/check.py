"""One thing that ``ratingpriv doctor`` tried."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried: its name, whether it works, and what was seen (a remedy if it does not)."""

    name: str
    works: bool
    seen: str
