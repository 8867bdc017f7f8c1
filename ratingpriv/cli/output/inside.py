"""A command run inside this process as a shell would run it: its exit code, its page and its document."""

from __future__ import annotations

import contextlib
import contextvars
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from ratingpriv.cli.output.keeping import keeping

__all__ = ["Ended", "run_inside"]

_FAILED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended.

    Attributes
    ----------
    code : its exit code
    page : what it printed
    document : its result as JSON, or ``ratingpriv.error/1``; None: it makes none
    private : whether that names records
    message : of its error; None: there was none
    """

    code: int
    page: str
    document: dict[str, Any] | None
    private: bool
    message: str | None


def run_inside(root: click.Group, words: Sequence[str], *, silent: bool = False) -> Ended:
    """Run a command of the application ``root``; ``silent``: nothing goes to standard error."""
    page = io.StringIO()

    def command() -> int:
        errors = contextlib.redirect_stderr(io.StringIO()) if silent else contextlib.nullcontext()
        with errors, contextlib.redirect_stdout(page):
            try:
                root.main(list(words), prog_name="ratingpriv")
            except SystemExit as end:
                return end.code if isinstance(end.code, int) else 0 if end.code is None else _FAILED
        return 0

    with keeping() as kept:
        code = contextvars.copy_context().run(command)
    return Ended(
        code=code, page=page.getvalue(), document=kept.document, private=kept.private, message=kept.message
    )
