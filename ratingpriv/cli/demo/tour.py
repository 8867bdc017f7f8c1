"""What every stop of the tour has: how it speaks, and how it runs the commands that it shows."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.cli.output.step import Ended, run_step
from ratingpriv.report.text import wrapped

__all__ = ["SENSITIVE", "Tour", "people"]

SENSITIVE = ("income", "health")
"""The survey's sensitive columns."""

_COLUMNS = " ".join(f"--sensitive {name}" for name in SENSITIVE)


@dataclass(frozen=True, slots=True)
class Tour:
    """Where the tour keeps its files, how it speaks, and how it runs commands.

    Attributes
    ----------
    folder : how the commands call the folder of the files; None: they are in the current one
    """

    folder: Path | None

    def at(self, name: str) -> str:
        """Return how a command calls a file of the tour, for a shell."""
        return shlex.quote(name if self.folder is None else str(self.folder / name))

    def say(self, text: str, title: str | None = None) -> None:
        """Print a paragraph, below a title if it has one."""
        sys.stdout.write("\n" if title is None else f"\n\n{title}\n\n")
        sys.stdout.write("\n".join(wrapped(text, 78, "  ", "  ")) + "\n")
        sys.stdout.flush()

    def command(self, line: str, *, lines: int = 1, sensitive: bool = True, rows: bool = False) -> Ended:
        """Run a command, and print it with what it answered.

        Parameters
        ----------
        line : the command, for a shell
        lines : how many lines of its page are shown
        sensitive : whether the sensitive columns are named in it
        rows : whether its page is a table, which is not wrapped

        Raises
        ------
        SystemExit
            It ended with an error or a signal, which it has said: so ends the tour.
        """
        line += f" {_COLUMNS}" if sensitive else ""
        ended = run_step([*shlex.split(line), "--quiet"])
        if ended.code > 1:
            raise SystemExit(ended.code)
        sys.stdout.write(f"\n    $ ratingpriv {line}\n")
        shown = ended.page.splitlines()[:lines]
        for one in shown if rows else wrapped(" ".join(map(str.strip, shown)), 74):
            sys.stdout.write(f"    {one}\n")
        sys.stdout.flush()
        return ended

    def result(self, line: str, *, lines: int = 1) -> dict[str, Any]:
        """Run and show a command about the data; return its result, as its JSON says it."""
        document = self.command(line, lines=lines).document
        if document is None:
            raise AssertionError(f"{line} makes no document")
        return document


def people(number: int, one: str, more: str) -> str:
    """Return ``1 person is``, ``1,234 people are`` or ``nobody is``, for the verbs ``is`` and ``are``."""
    if number == 0:
        return f"nobody {one}"
    return f"1 person {one}" if number == 1 else f"{number:,} people {more}"
