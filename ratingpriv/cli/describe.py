"""``ratingpriv describe``: what each column of a file seems to be, and a codebook to correct."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ratingpriv.cli import options
from ratingpriv.cli.options.values import group, option, writes
from ratingpriv.cli.output.reporter import wrote


@group
class _Columns(options.Printed):
    output: str | None = writes(
        "The codebook, .toml or .json (Frictionless), or a page: .html .pdf .md .txt."
    )


def run(
    data: str = options.DATA_FILE,
    *,
    examples: bool = option("Also show some values of each column."),
    results: _Columns,
    reading: options.Data,
) -> int:
    """Describe the columns of a file, and propose a codebook.

    For every column: a role and why, what it holds, how many different values, how many are
    missing. No cell is shown, but for the least and greatest number, the words of known scales and
    what may be missing codes; --examples shows some. The codebook is TOML to be read and corrected
    by a person: then give it to every command with --codebook. A FILE in .json is a Frictionless
    Table Schema instead.

    Examples
    --------
    ratingpriv describe survey.csv
    ratingpriv describe survey.csv -o survey.toml
    """
    from ratingpriv.base.files import check_writable
    from ratingpriv.base.provenance import tool
    from ratingpriv.data.formats.describing import proposal_text
    from ratingpriv.report.markup.files import check_result_file
    from ratingpriv.report.plain import write_text

    output = results.output
    suffix = "" if output is None else Path(output).suffix.lower()
    if output is not None:
        check_writable(output, force=results.force)
        check_result_file(output, rows=False, more=(".toml",))
    described = reading.describe(data, examples=examples)
    proposal = output if suffix in (".toml", ".json") else None
    if proposal is not None:
        text = proposal_text(described, data, proposal, frictionless=suffix == ".json")
        write_text(text, proposal, force=results.force, private=False)
        wrote(proposal)
        results = dataclasses.replace(results, output=None)
    content = {"schema": "ratingpriv.describe/1", "tool": tool(), **described.to_dict()}
    page = {"data": reading.typed, "written": proposal}
    return results.deliver(described, document=content, page=page, private=examples)
