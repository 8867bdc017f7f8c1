"""What of the data an error message shows: nothing, unless ``--show-cells`` asks for it.

Messages end up in logs of continuous integration, which more people read than may read the data.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator
from contextvars import ContextVar

from ratingpriv.cli.output.invocation import without_addresses
from ratingpriv.errors import RatingPrivError
from ratingpriv.escaping import printable

__all__ = ["cells_are_shown", "hint_of", "message_of", "print_traceback", "showing_cells"]

_SHOWN = ContextVar("ratingpriv.show_cells", default=False)


@contextlib.contextmanager
def showing_cells(wanted: bool) -> Iterator[None]:
    """Run a command that may show cells in its messages, or may not."""
    token = _SHOWN.set(wanted)
    try:
        yield
    finally:
        _SHOWN.reset(token)


def cells_are_shown() -> bool:
    """Whether messages may show cells."""
    return _SHOWN.get()


def message_of(error: object) -> str:
    """Return an error's message; of one that we did not raise only what it is: its text may quote a cell."""
    return without_addresses(_message_of(error))


def _message_of(error: object) -> str:
    if isinstance(error, RatingPrivError):
        return error.with_cells() if _SHOWN.get() else str(error)
    if isinstance(error, BaseException):
        name = type(error).__name__
        return f"{name}: {printable(error)}" if _SHOWN.get() else name
    return printable(error)  # a text of ours, which may name a file


def hint_of(error: object) -> str:
    """Return how to see what the message leaves out, or an empty string if it leaves out nothing."""
    if _SHOWN.get() or not isinstance(error, RatingPrivError) or error.with_cells() == str(error):
        return ""
    return "cells and record ids are not shown here; --show-cells shows them"


def print_traceback() -> None:
    """Print the traceback of the exception that is being handled, and of what caused it, on stderr."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write("".join(_lines(sys.exception())))


def _lines(error: BaseException | None) -> Iterator[str]:
    """Yield the lines of a traceback as Python prints it, but messages as they may be shown."""
    if error is None:
        return
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _lines(before)
        yield "\nand then\n\n"
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(error.__traceback__)
    name = type(error).__name__
    said = "\n".join(printable(line) for line in message_of(error).split("\n"))
    yield f"{said}\n" if said.startswith(name) else f"{name}: {said}\n"
