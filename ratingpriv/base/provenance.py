"""What made a result: the key ``tool`` of the JSON contracts."""

from __future__ import annotations

__all__ = ["VERSION", "tool"]

VERSION = "0.1.0"


def tool() -> dict[str, str | None]:
    """Return the version that makes a result, and the ``command``: None, the command line names its own."""
    return {"version": VERSION, "command": None}
