"""How long work is told about: the one type of a progress callback."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with (what is being done, units done, units in all or None) as long work goes on."""
