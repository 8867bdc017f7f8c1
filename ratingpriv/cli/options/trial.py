"""A command on trial: its options are checked as ever, and it ends before it reads anything."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

__all__ = ["end_of_trial", "trial"]

_TRIAL: ContextVar[bool] = ContextVar("ratingpriv.trial", default=False)


@contextlib.contextmanager
def trial() -> Iterator[None]:
    """Run a command in this block only to see whether it could run."""
    token = _TRIAL.set(True)
    try:
        yield
    finally:
        _TRIAL.reset(token)


def end_of_trial() -> None:
    """End a command that is on trial, well; called where its data would be read."""
    if _TRIAL.get():
        raise SystemExit(0)
