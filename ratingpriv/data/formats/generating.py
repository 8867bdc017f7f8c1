"""Making synthetic data: what a generator is, and how the installed ones are found.

Generators live in other packages and are found by the entry point group ``ratingpriv.generators``
(``name = "package.module:GeneratorClass"``); this module knows none of them by name.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.reading import plugged_in
from ratingpriv.data.table import RatingTable


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number or list of names that shapes a generator's model:
    a keyword of ``write`` and ``table``.

    ``default`` is None where the generator finds a value by itself; ``meaning`` is for people, with
    the range.
    """

    name: str
    default: int | float | bool | tuple[str, ...] | None
    meaning: str


@dataclass(frozen=True, slots=True)
class Written:
    """What a generator wrote, in which layout;
    ``issues`` and ``ratings`` are the non-sensitive ones.

    The same call with the same ``seed`` gives the same ratings; ``model`` says the model in words.
    """

    path: Path
    layout: str
    records: int
    issues: int
    ratings: int
    sensitive: tuple[str, ...]
    seed: int
    model: str


@runtime_checkable
class Generator(Protocol):
    """What a generator offers; a class without constructor arguments, registered by entry point."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]

    def table(self, *, records: int, issues: int, seed: int, **parameters: object) -> RatingTable:
        """Return the data as a table.

        ParameterError for a parameter that is unknown or out of range.
        """
        ...

    def write(
        self,
        path: str | Path,
        *,
        records: int,
        issues: int,
        seed: int,
        layout: str | None = None,
        force: bool = False,
        progress: Progress | None = None,
        **parameters: object,
    ) -> Written:
        """Write the data to ``path`` in bounded memory, whatever its size; atomically.

        The suffix says the format (.csv, .tsv, .parquet); ``layout`` is long or wide, by default
        what suits the model. ParameterError for bad parameters or another suffix; OutputError if
        the file exists (without ``force``) or cannot be written.
        """
        ...


def described(generator: Generator) -> str:
    """Return what a generator makes, and its parameters, a line each."""
    lines = [f"{generator.name}: {generator.description}"]
    for parameter in generator.parameters:
        default = parameter.default
        shown = ",".join(default) if isinstance(default, tuple) else default
        usual = "" if default is None else f" (default {shown})"
        lines.append(f"  {parameter.name}: {parameter.meaning}{usual}")
    return "\n".join(lines) + "\n"


@functools.cache
def generators() -> dict[str, Generator]:
    """Return the installed generators."""
    return plugged_in("generator")
