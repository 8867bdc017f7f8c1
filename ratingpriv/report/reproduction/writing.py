"""Writing reproduced figures to a folder: NAME.svg, .pdf, .csv and .json of each, all of them or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ratingpriv.base.errors import OutputError
from ratingpriv.base.files import check_writable, together
from ratingpriv.report.as_json import write_json
from ratingpriv.report.markup.files import check_folder_name
from ratingpriv.report.plain import write_text
from ratingpriv.report.reproduction.drawing import draw
from ratingpriv.report.reproduction.markdown import markdown
from ratingpriv.report.reproduction.tidy import tidy_csv
from ratingpriv.studies.papers.figure import Figure
from ratingpriv.studies.papers.reproducing import Reproduced, Reproduction

__all__ = ["PAGE", "prepare_folder", "write_page", "write_reproduced"]

PAGE = "figures.md"
"""The page with all figures of a run."""

_SUFFIXES = (".svg", ".pdf", ".csv", ".json")


def prepare_folder(folder: str | Path, figures: tuple[Figure, ...], *, force: bool = False) -> Path:
    """Make the folder if need be, and refuse early what could not be written in the end.

    Raises
    ------
    ParameterError, OutputError
        Its name is a file's; it is no folder, or a file in it is there already (without ``force``), or cannot
        be written.
    """
    check_folder_name(folder)
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: found a file, expected a folder; choose another name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror}; choose another place") from error
    for name in (*(f"{one.name}{suffix}" for one in figures for suffix in _SUFFIXES), PAGE):
        check_writable(folder / name, force=force)
    return folder


def write_reproduced(
    one: Reproduced, document: dict[str, Any], folder: Path, *, force: bool = False
) -> tuple[Path, ...]:
    """Write a figure's files, and return them; ``document`` is the JSON of a run of this figure alone."""
    if one.outcome is None:
        return ()
    vector, print_, table, content = paths = tuple(folder / f"{one.figure.name}{end}" for end in _SUFFIXES)
    with together():
        draw(one.figure, one.outcome, [vector, print_], force=force)
        write_text(tidy_csv(one), table, force=force)
        write_json(document, content, force=force)
    return paths


def write_page(result: Reproduction, command: str | None, folder: Path, *, force: bool = False) -> Path:
    """Write the page with all figures, and return it."""
    path = folder / PAGE
    write_text(markdown(result, command), path, force=force)
    return path
