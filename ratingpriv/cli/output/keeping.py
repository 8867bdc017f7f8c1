"""Results for whoever runs a command inside this process: the document, however the command prints it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

__all__ = ["Kept", "keep", "keep_message", "keeping"]


@dataclass(slots=True)
class Kept:
    """What a command said last.

    Attributes
    ----------
    document : its result, or ``ratingpriv.error/1``; None: there was none
    private : whether that names records
    message : of its error; None: there was none
    """

    document: dict[str, Any] | None = None
    private: bool = False
    message: str | None = None


_KEPT: ContextVar[Kept | None] = ContextVar("ratingpriv.kept", default=None)


@contextlib.contextmanager
def keeping() -> Iterator[Kept]:
    """Keep the document of a command that runs in this block."""
    kept = Kept()
    token = _KEPT.set(kept)
    try:
        yield kept
    finally:
        _KEPT.reset(token)


def keep_message(message: str) -> None:
    """Keep the message of an error where somebody asked for it."""
    kept = _KEPT.get()
    if kept is not None:
        kept.message = message


def keep(content: Callable[[], dict[str, Any]], *, private: bool = False) -> None:
    """Keep a document where somebody asked for it; it is made only then."""
    kept = _KEPT.get()
    if kept is not None:
        kept.document, kept.private = content(), private
