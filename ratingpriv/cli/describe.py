"""``ratingpriv describe``: what each column of a file seems to be, and a codebook to correct."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ratingpriv.cli.command import DataArguments
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.values import output_file
from ratingpriv.cli.output.results import print_json, signed, with_command
from ratingpriv.cli.output.step import keep
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.codebook.proposing import Description

__all__ = ["run"]

_KINDS = ("toml", "frictionless")
_PROPOSALS = (".toml", ".json")
_TYPES = {"whole numbers": "integer", "numbers": "number", "text": "string", "yes or no": "boolean"}


def run(
    data: DataArgument,
    *,
    output: Annotated[
        str | None,
        Option(
            "--output",
            "-o",
            metavar="FILE",
            parser=output_file,
            help="Write the codebook, .toml or .json (Frictionless), or the page: .html .pdf .md .txt.",
        ),
    ] = None,
    examples: Annotated[bool, Option("--examples", help="Also show some values of each column.")] = False,
    as_json: JsonOption = False,
    force: ForceOption = False,
    reading: DataOptions,
    general: GlobalOptions,
    data_arguments: DataArguments,
) -> int:
    """Describe the columns of a file, and propose a codebook.

    For every column: a role and why, what it holds, how many different values, how many are missing. No
    cell is shown, but for the least and greatest number, the words of known scales and what may be missing
    codes; --examples shows some. The codebook is TOML to be read and corrected by a person: then give it to
    every command with --codebook. --format frictionless (or a FILE in .json) writes a Frictionless Table
    Schema instead.

    Exits with 0; 2 if the file cannot be read.

    Examples
    --------
    ratingpriv describe survey.csv
    ratingpriv describe survey.csv -o survey.toml
    """
    from ratingpriv.files import check_writable
    from ratingpriv.provenance import tool
    from ratingpriv.report.description.page import describe_page
    from ratingpriv.report.markup.files import check_result_file
    from ratingpriv.report.text import print_page

    reporter = general.reporter
    kind = "frictionless" if output is not None and Path(output).suffix.lower() == ".json" else "toml"
    if reading.format in _KINDS:
        kind = reading.format
        reading = dataclasses.replace(reading, format=None)
        if output is None or Path(output).suffix.lower() not in _PROPOSALS:
            remedy = "add --output FILE.toml or FILE.json"
            raise ParameterError("format", kind, "a FILE to write a codebook to", remedy)
    if output is not None:
        check_writable(output, force=force)
        check_result_file(output, rows=False, more=(".toml",))
    proposes = output is not None and Path(output).suffix.lower() in _PROPOSALS
    found = reading.describe(data, reporter, examples=examples)
    content = {"schema": "ratingpriv.describe/1", "tool": tool(), **found.to_dict()}
    if output is not None:
        if proposes:
            from ratingpriv.report.plain import write_text

            write_text(_text(found, kind, data, output), output, force=force, private=False)
        else:
            from ratingpriv.report.markup.files import write_result

            page = signed(describe_page(found, data=data_arguments))
            write_result(output, with_command(content), lambda: page, None, force=force, private=examples)
        reporter.wrote(output)
    keep(lambda: with_command(content))
    if as_json:
        print_json(content)
    else:
        print_page(
            describe_page(found, data=data_arguments, written=output if proposes else None), sys.stdout
        )
    return 0


def _text(found: Description, kind: str, data: str, output: str) -> str:
    """Return the proposal as a file has it."""
    from ratingpriv.codebook.files.writing import run_proposal, toml_text

    if kind == "frictionless":
        from ratingpriv.codebook.files.frictionless import Field, frictionless_text

        return frictionless_text(
            found.codebook,
            [
                Field(name=one.name, type=_TYPES.get(one.kind, "any"), description=one.question or "")
                for one in found.columns
            ],
        )
    opening = (
        f"Proposed by `ratingpriv describe` for {Path(found.name).name}: read it, and correct what is wrong.",
        "Roles: id, identifier, rating, quasi, sensitive, carry, drop.",
    )
    beside = data if Path(data).is_absolute() else os.path.relpath(data, Path(output).parent)
    closing = () if data == "-" else run_proposal(beside)
    return toml_text(found.codebook, found.comments(), opening=opening, closing=closing)
