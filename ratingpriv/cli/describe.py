"""``ratingpriv describe``: what each column of a file seems to be, and a codebook to correct."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from typer import Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.command import DataArguments
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.values import output_file
from ratingpriv.cli.output.results import ResultOptions

__all__ = ["run"]

_KINDS = ("toml", "frictionless")
_PROPOSALS = (".toml", ".json")


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
    from ratingpriv.base.files import check_writable
    from ratingpriv.base.provenance import tool
    from ratingpriv.data.codebook.files.writing import proposal_text
    from ratingpriv.report.description.page import describe_page
    from ratingpriv.report.markup.files import check_result_file
    from ratingpriv.report.plain import write_text

    suffix = "" if output is None else Path(output).suffix.lower()
    frictionless = suffix == ".json"
    if reading.format in _KINDS:
        if suffix not in _PROPOSALS:
            remedy = "add --output FILE.toml or FILE.json"
            raise ParameterError("format", reading.format, "a FILE to write a codebook to", remedy)
        frictionless = reading.format == "frictionless"
        reading = dataclasses.replace(reading, format=None)
    if output is not None:
        check_writable(output, force=force)
        check_result_file(output, rows=False, more=(".toml",))
    described = reading.describe(data, general.reporter, examples=examples)
    proposal = output if suffix in _PROPOSALS else None
    if proposal is not None:
        text = proposal_text(described, data, proposal, frictionless=frictionless)
        write_text(text, proposal, force=force, private=False)
        general.reporter.wrote(proposal)
    content = {"schema": "ratingpriv.describe/1", "tool": tool(), **described.to_dict()}
    ResultOptions(as_json=as_json, output=None if proposal else output, force=force).deliver(
        content,
        lambda: describe_page(described, data=data_arguments, written=proposal),
        general.reporter,
        private=examples,
    )
    return 0
