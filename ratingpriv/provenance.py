"""What made a result: the key ``tool`` of the JSON contracts."""

from __future__ import annotations

from ratingpriv import __version__

__all__ = ["tool"]


def tool() -> dict[str, str | None]:
    """Return the version that makes a result, and the ``command``: None, the command line names its own."""
    return {"version": __version__, "command": None}
