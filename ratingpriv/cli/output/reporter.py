"""What a command reports on stderr while it works: notes and progress bars."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ratingpriv.report.plain import printable
from ratingpriv.report.wording import as_options
from ratingpriv.unfinished import finishing

__all__ = ["Reporter"]


@dataclass(frozen=True, slots=True)
class Reporter:
    """Notes unless ``quiet``; details if ``verbose``; progress bars if stderr is a terminal."""

    quiet: bool = False
    verbose: bool = False

    def note(self, text: str) -> None:
        """Print one line on stderr."""
        if not self.quiet:
            self._write(text)

    def wrote(self, what: object) -> None:
        """Say that a file was written, once it has its name."""
        from ratingpriv.files import once_named

        once_named(lambda: self.note(f"wrote {what}"))

    def detail(self, text: str) -> None:
        """Print one line on stderr if ``-v`` is given."""
        if self.verbose and not self.quiet:
            self._write(text)

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

    @staticmethod
    def _write(text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"ratingpriv: {printable(text)}\n")
