"""What every stop of the tour has: its folder, the sensitive columns, how it shows commands and answers."""

from __future__ import annotations

import shlex
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ratingpriv.progress import Progress

__all__ = ["Tour", "people"]


@dataclass(frozen=True, slots=True)
class Tour:
    """Where the tour keeps its files, how the commands that it shows call them, and how it speaks.

    Attributes
    ----------
    folder : where the files are
    kept : whether they stay; else commands name them without a folder, as a temporary one means nothing
    sensitive : the survey's sensitive columns
    force : whether files that exist are replaced
    progress : what draws progress bars, or None
    """

    folder: Path
    kept: bool
    sensitive: tuple[str, ...]
    force: bool
    progress: Progress | None

    @property
    def columns(self) -> str:
        """The options that declare the sensitive columns."""
        return " ".join(f"--sensitive {name}" for name in self.sensitive)

    def shown(self, name: str) -> str:
        """Return how a command calls a file of the folder."""
        return shlex.quote(str(self.folder / name) if self.kept else name)

    def say(self, text: str, title: str | None = None) -> None:
        """Print a paragraph, below a title if it has one."""
        if title is not None:
            sys.stdout.write(f"\n{title}\n\n")
        sys.stdout.write(textwrap.fill(text, 78, initial_indent="  ", subsequent_indent="  ") + "\n")
        sys.stdout.flush()

    def command(self, text: str, answer: str, *, about_data: bool = True) -> None:
        """Print a command that the reader can repeat, and its answer."""
        columns = f" {self.columns}" if about_data else ""
        lines = "\n".join(f"    {line}" for line in answer.splitlines())
        sys.stdout.write(f"\n    $ ratingpriv {text}{columns}\n{lines}\n\n")


def people(number: int, one: str, more: str) -> str:
    """Return ``1 person is`` or ``1,234 people are``, for the verbs ``is`` and ``are``."""
    return f"1 person {one}" if number == 1 else f"{number:,} people {more}"
