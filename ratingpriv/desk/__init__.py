"""The desk: four pages in the user's own browser, for whoever has no command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.desk.desk import Desk as Desk
    from ratingpriv.desk.shortcut import write_shortcut as write_shortcut

__all__ = ["Desk", "write_shortcut"]

__getattr__ = _offer(
    __name__, {"Desk": "ratingpriv.desk.desk", "write_shortcut": "ratingpriv.desk.shortcut"}
)
