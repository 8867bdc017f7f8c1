"""What a command reports on stderr while it works, and the standard streams of the process.

They are there even where the caller closed them, and standard output is named in its errors.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.unfinished import finishing
from ratingpriv.cli.output.step import is_step
from ratingpriv.report.plain import printable
from ratingpriv.report.wording import as_options

__all__ = ["STANDARD_OUTPUT", "Reporter", "prepare_streams"]

STANDARD_OUTPUT = "standard output"


@dataclass(frozen=True, slots=True)
class Reporter:
    """Notes unless ``quiet``; details if ``verbose``; progress bars if stderr is a terminal."""

    quiet: bool = False
    verbose: bool = False

    def note(self, text: str) -> None:
        """Print one line on stderr."""
        if not self.quiet:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(f"ratingpriv: {printable(text)}\n")

    def wrote(self, what: object) -> None:
        """Say that a file was written, once it has its name."""
        from ratingpriv.base.files import once_named

        once_named(lambda: self.note(f"wrote {what}"))

    def detail(self, text: str) -> None:
        """Print one line on stderr if ``-v`` is given."""
        if self.verbose:
            self.note(text)

    @contextlib.contextmanager
    def warnings(self) -> Iterator[None]:
        """Print Python warnings in one line, as notes, without the source line that raised them."""
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: self.note(f"warning: {as_options(str(message))}")
            yield

    @contextlib.contextmanager
    def progress(self) -> Iterator[Callable[[str, int, int | None], None] | None]:
        """Give a progress callback that draws bars, or None where nobody would see them."""
        if self.quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        bars = Progress(*columns, console=Console(stderr=True), transient=True)
        with bars, finishing(bars.stop):
            tasks = {}

            def show(what: str, done: int, total: int | None) -> None:
                if what not in tasks:
                    tasks[what] = bars.add_task(printable(what), total=total)
                bars.update(tasks[what], completed=done, total=total)

            yield show


class _Output(io.FileIO):
    """Standard output without a buffer; its errors say that it was this, and no file that was read."""

    def write(self, data: Any) -> int | None:  # type: ignore[override]
        """Write some of ``data``; return how many bytes."""
        try:
            return super().write(data)
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise


def prepare_streams() -> None:
    """Replace the streams that are closed (``>&-``) by nothing, and name standard output in its errors."""
    closed = sys.stdout is None
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        if isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # an ε on a terminal that has none
    if closed:
        return
    given = sys.stdout
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(given.fileno(), "wb", closefd=False)),
        encoding="utf-8" if is_step() else given.encoding,
        errors="backslashreplace",
        line_buffering=bool(given.line_buffering),
        write_through=bool(getattr(given, "write_through", False)),
    )
