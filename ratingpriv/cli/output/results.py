"""What becomes of a result: a page or JSON on standard output, and a file beside it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.general import ForceOption, JsonOption
from ratingpriv.cli.options.values import writes
from ratingpriv.cli.output.invocation import command, invocation
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.cli.output.step import keep

if TYPE_CHECKING:
    import polars as pl

    from ratingpriv.report.page import Page

__all__ = ["ResultOptions", "document_text", "print_json", "signed", "with_command"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultOptions:
    """How a result is printed, and where else it is written."""

    as_json: JsonOption = False
    output: Annotated[
        str | None, writes("--output", "-o", help="Also write .html, .pdf, .md, .csv, .json, .txt.")
    ] = None
    force: ForceOption = False

    def check(
        self,
        *,
        instead: str | None = None,
        more: str | None = None,
        journal: str | None = None,
        **others: str | None,
    ) -> None:
        """Refuse, before a long read, files that could not be written in the end, or that are one file.

        Parameters
        ----------
        instead : if the result has no rows for a .csv, what to use; None: it has
        more : suffixes that the command writes itself, a blank between them
        journal : a file that the command goes on with, which may exist
        others : the command's other output files, by their parameters
        """
        from ratingpriv.base.files import check_writable

        seen: dict[Path, str] = {}
        for parameter, path in {"output": self.output, **others}.items():
            if path is not None:
                name, place = parameter.replace("_", "-"), Path(path).resolve()
                check_writable(path, force=self.force)
                if place in seen:
                    raise ParameterError(name, path, f"another file than --{seen[place]}")
                seen[place] = name
        if journal is not None and Path(journal).resolve() in seen:
            raise ParameterError("journal", journal, "another file than the outputs")
        if self.output is not None:
            from ratingpriv.report.markup.files import check_result_file

            suffixes = tuple((more or "").split())
            check_result_file(self.output, rows=instead is None, instead=instead or "", more=suffixes)

    def deliver(
        self,
        content: dict[str, Any],
        page: Callable[[], Page],
        reporter: Reporter,
        *,
        frame: Callable[[], pl.DataFrame] | None = None,
        private: bool = False,
        csv_safe: bool = True,
    ) -> None:
        """Write the result to ``output``, if there is one, and print it as JSON or as a page.

        Parameters
        ----------
        frame : makes its rows; None: it has none
        private : whether it names records; its file is then the user's alone
        csv_safe : whether texts that a spreadsheet would take for formulas are escaped in a .csv
        """
        from ratingpriv.base.files import name_together
        from ratingpriv.report.text import print_page

        shown = None if self.as_json else page()  # what can fail does before a file has its name
        if self.output is not None:
            from ratingpriv.report.markup.files import write_result

            write_result(
                self.output, with_command(content), lambda: signed(shown or page()), frame,
                force=self.force, private=private, csv_safe=csv_safe,
            )  # fmt: skip
            reporter.wrote(self.output)
        name_together()  # with what else was written: before anything is printed
        keep(lambda: with_command(content), private=private)
        if shown is None:
            print_json(content)
        else:
            print_page(shown, sys.stdout)


def print_json(content: dict[str, Any]) -> None:
    """Print JSON on standard output."""
    text = document_text(content)
    invocation().printed = True
    sys.stdout.write(text)


def document_text(content: dict[str, Any]) -> str:
    """Return JSON as it is printed, with the command; escaped where standard output is not UTF-8."""
    from ratingpriv.report.as_json import json_text

    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    return json_text(with_command(content), ascii_only=ascii_only)


def with_command(content: dict[str, Any]) -> dict[str, Any]:
    """Return the result with the command that made it."""
    return {**content, "tool": {**content["tool"], "command": command()}}


def signed(page: Page) -> Page:
    """Return the page with the command that made it: a file is read by whoever did not type it."""
    from ratingpriv.base.provenance import tool
    from ratingpriv.report.page import Command, Section

    version, typed = tool()["version"], command()
    items = (f"By ratingpriv {version}:", *(() if typed is None else (Command(typed),)))
    made = Section("How this was made", items)
    return dataclasses.replace(page, sections=(*page.sections, made))
