"""What becomes of a result: a page or JSON on standard output, and a file beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ratingpriv.cli.output.reporter import Talk
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.report.page import Page

__all__ = ["OutputOption", "check_outputs", "give", "print_json"]

OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Also write the result to FILE: as text if it ends in .txt, else as JSON.",
    ),
]


def check_outputs(outputs: Mapping[str, str | None], *, force: bool) -> None:
    """Refuse, before anything is read, files that could not be written in the end, or that are one file."""
    from ratingpriv.files import check_writable

    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if path == "-":
            raise ParameterError(option, path, "a file name", "--json prints the result on standard output")
        check_writable(path, force=force)
        place = Path(path).resolve()
        if place in seen:
            raise ParameterError(option, path, f"another file than --{seen[place]}")
        seen[place] = option


def give(
    content: dict[str, Any],
    page: Callable[[], Page],
    *,
    as_json: bool,
    output: str | None,
    force: bool,
    talk: Talk,
) -> None:
    """Write the result to ``output``, if that was asked for, and print it as JSON or as a page."""
    from ratingpriv.report.as_json import write_json
    from ratingpriv.report.plain import write_text
    from ratingpriv.report.text import print_page, render

    if output is not None:
        if Path(output).suffix.lower() == ".txt":
            write_text(render(page()), output, force=force)
        else:
            write_json(content, output, force=force)
        talk.note(f"wrote {output}")
    if as_json:
        print_json(content)
    else:
        print_page(page(), sys.stdout)


def print_json(content: dict[str, Any]) -> None:
    """Print JSON on standard output, escaped where that is not UTF-8."""
    from ratingpriv.report.as_json import json_text

    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json_text(content, ascii_only=ascii_only))
