"""What becomes of a result: a page or JSON on standard output, and a file beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ratingpriv.cli.options.declare import option
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.report.page import Page

__all__ = ["OutputOption", "check_outputs", "deliver", "print_json"]

OutputOption = Annotated[
    str | None,
    option(
        "--output",
        "-o",
        metavar="FILE",
        help="Also write the result to FILE: .txt, or JSON.",
    ),
]


def check_outputs(outputs: Mapping[str, str | None], *, force: bool) -> None:
    """Refuse, before anything is read, files that could not be written in the end, or that are one file."""
    from ratingpriv.files import check_writable

    seen: dict[Path, str] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        if path == "-":
            raise ParameterError(name, path, "a file name", "--json prints the result on standard output")
        check_writable(path, force=force)
        place = Path(path).resolve()
        if place in seen:
            raise ParameterError(name, path, f"another file than --{seen[place]}")
        seen[place] = name


def deliver(
    content: dict[str, Any],
    page: Callable[[], Page],
    *,
    as_json: bool,
    output: str | None,
    force: bool,
    reporter: Reporter,
) -> None:
    """Write the result to ``output``, if there is one, and print it as JSON or as a page."""
    from ratingpriv.report.as_json import write_json
    from ratingpriv.report.plain import write_text
    from ratingpriv.report.text import print_page, render

    if output is not None:
        if Path(output).suffix.lower() == ".txt":
            write_text(render(page()), output, force=force)
        else:
            write_json(content, output, force=force)
        reporter.note(f"wrote {output}")
    if as_json:
        print_json(content)
    else:
        print_page(page(), sys.stdout)


def print_json(content: dict[str, Any]) -> None:
    """Print JSON on standard output, escaped where that is not UTF-8."""
    from ratingpriv.report.as_json import json_text

    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json_text(content, ascii_only=ascii_only))
