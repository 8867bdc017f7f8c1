"""``ratingpriv describe``: what each column of a file seems to be, and a codebook to check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.declare import option
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.output.results import print_json
from ratingpriv.errors import ParameterError
from ratingpriv.files import together

__all__ = ["run"]

_WRITTEN = ("toml", "frictionless")


@together()
def run(
    *,
    data: DataArgument,
    output: Annotated[
        str | None,
        option(
            "--output", "-o", metavar="FILE.toml", place="output", help="Write the proposal as a codebook."
        ),
    ] = None,
    examples: Annotated[bool, option("--examples", help="Show some values of every column.")] = False,
    as_json: JsonOption = False,
    force: ForceOption = False,
    reading: DataOptions,
    general: GlobalOptions,
) -> int:
    """Propose what each column of a file is, and why.

    For every column: a role (id, identifier, rating, quasi, sensitive, drop), the reason, how many different
    values, their range, how many are missing. When in doubt, an identifier. No value of the data is shown
    without --examples. It reads files that audit refuses.

    With -o, a codebook with the reasons as comments: check it, then give it to every command as --codebook.
    --format frictionless writes a Frictionless Table Schema instead.

    Exits with 0 if the file could be described, 2 if not.

    Examples
    --------
    ratingpriv describe survey.csv
    ratingpriv describe survey.csv --id respondent --json
    """
    import dataclasses

    from ratingpriv.files import check_writable, name_together
    from ratingpriv.formats.describing import describe
    from ratingpriv.report.columns.describing import description_page
    from ratingpriv.report.plain import write_text
    from ratingpriv.report.text import print_page

    reporter = general.reporter
    written = reading.format if reading.format in _WRITTEN else "toml"
    if reading.format in _WRITTEN:
        if output is None:
            raise ParameterError("format", reading.format, "a file to write it to", "name it with `output`")
        reading = dataclasses.replace(reading, format=None)
    if output is not None:
        if output == "-":
            raise ParameterError("output", output, "a file name")
        check_writable(output, force=force)
    with reporter.progress() as progress:
        found = describe(data, format=reading.format, options=reading.options(progress))
    if output is not None:
        codebook, comments = found.codebook()
        if written == "toml":
            from ratingpriv.codebook.writing import toml_text

            opening = (
                f"What the columns of {Path(found.name).name} seem to be, proposed by ratingpriv describe.",
                "Check every role: identifier and drop are never released, rating and quasi are audited.",
            )
            text = toml_text(codebook, comments, opening=opening)
        else:
            from ratingpriv.codebook.frictionless import frictionless_text

            text = frictionless_text(codebook, found.fields())
        write_text(text, output, force=force)
        reporter.note(f"wrote {output}")
    name_together()
    if as_json:
        print_json(found.to_dict(examples=examples))
    else:
        print_page(description_page(found, examples=examples, codebook=output), sys.stdout)
    return 0
