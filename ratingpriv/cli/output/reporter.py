"""What a command reports on stderr while it works, and the standard streams of the process."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator

from ratingpriv.base.unfinished import finishing
from ratingpriv.cli.output.invocation import invocation
from ratingpriv.cli.output.step import is_step
from ratingpriv.report.plain import printable
from ratingpriv.report.wording import as_options


def note(text: str) -> None:
    """Print one line on stderr, unless ``--quiet``."""
    if not invocation().quiet:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"ratingpriv: {printable(text)}\n")


def wrote(what: object) -> None:
    """Say that a file was written, once it has its name."""
    from ratingpriv.base.files import once_named

    once_named(lambda: note(f"wrote {what}"))


@contextlib.contextmanager
def noting_warnings() -> Iterator[None]:
    """Print Python warnings in one line, as notes, without the source line that raised them."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: note(
            f"warning: {as_options(str(message))}"
        )
        yield


@contextlib.contextmanager
def progress_bars() -> Iterator[Callable[[str, int, int | None], None] | None]:
    """Give a progress callback that draws bars, or None where nobody would see them."""
    if invocation().quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from ratingpriv.base.compute.compiling import telling

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    bars = Progress(*columns, console=Console(stderr=True), transient=True)
    with bars, finishing(bars.stop):
        tasks = {}

        def show(what: str, done: int, total: int | None) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(printable(what), total=total)
            bars.update(tasks[what], completed=done, total=total)

        with telling(show):
            yield show


def prepare_streams() -> None:
    """Replace the streams that are closed (``>&-``) by nothing,
    and escape what they cannot encode.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        if isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            encoding = "utf-8" if is_step() and name == "stdout" else None
            # an ε on a terminal without
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
