"""``ratingpriv run``: describe, audit, anonymize, attack, ... as one file says."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, cast

import typer
from typer import Argument, Option
from typer.core import TyperGroup

from ratingpriv.cli.options.general import GlobalOptions, JsonOption
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.values import input_file, output_file
from ratingpriv.cli.output.places import refuse_standard_output
from ratingpriv.cli.output.results import print_json
from ratingpriv.errors import DataError, Problem
from ratingpriv.inputs import is_device, protecting

__all__ = ["run"]


def run(
    *,
    file: Annotated[
        str,
        Argument(
            metavar="FILE.toml",
            parser=input_file,
            help="A codebook with [run], and the options of its steps.",
        ),
    ],
    output: Annotated[
        str | None,
        Option("--output", "-o", metavar="DIR", parser=output_file, help="The folder of the results."),
    ] = None,
    step: Annotated[
        tuple[str, ...], Option("--step", metavar="NAME", help="Only this step (repeatable).")
    ] = (),
    from_step: Annotated[
        str | None, Option("--from-step", metavar="NAME", help="Only this step and those after it.")
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Check everything, print the commands, and run none.")
    ] = False,
    as_json: JsonOption = False,
    force: Annotated[
        bool, Option("--force", help="Repeat finished steps, and replace files in their way.")
    ] = False,
    limits: ResourceOptions,
    general: GlobalOptions,
    ctx: typer.Context,
) -> int:
    """Run the steps of one file: describe, audit, anonymize, attack, report.

    FILE.toml is a codebook (describe -o proposes one) with a table [run]: data, output, steps. Each step is
    the command of that name with the options of its own table, [audit], [anonymize], ...; the release goes
    on to verify, attack, utility and report. All options are checked before the first step runs. JSON and
    text of every step are kept in the folder of the results, with run.json, which says what was run.

    A step that is finished and whose data, options and version are unchanged is not repeated. An earlier
    release and its key are kept, never replaced. Paths are taken from FILE's folder.

    Exits with 0 if all steps are done; 1 if one of the gates (gates of [run]; else any step) failed: the
    others are run all the same, but for those that need a release where there is none; 2 or 3 at the first
    step that ends with an error.

    Examples
    --------
    ratingpriv run run.toml --dry-run
    ratingpriv run run.toml
    ratingpriv run run.toml --from-step anonymize
    """
    from ratingpriv.cli.run.plan import chosen, planned
    from ratingpriv.cli.run.running import Runner
    from ratingpriv.report.run.page import run_page
    from ratingpriv.report.text import print_page

    root = cast("TyperGroup", ctx.find_root().command)
    folder = Path(file).parent
    if output is not None and not Path(output).is_absolute():
        output = os.path.relpath(output, folder)
    with _in_folder(folder, file):
        plan = planned(Path(file).name, root, output=output)
        names = chosen(plan, step, from_step)
        with protecting([plan.codebook, plan.data, *map(str, plan.book.files())]):
            refuse_standard_output([plan.data])
            more = _more(root, limits, general)
            runner = Runner(plan, names, force=force, more=more, reporter=general.reporter)
            runner.check()
            code = None if dry_run else runner.run()
    content = runner.content(code)
    if as_json:
        print_json(content)
    else:
        elsewhere = None if folder.resolve() == Path.cwd() else str(folder)
        print_page(run_page(content, folder=elsewhere), sys.stdout)
    return code or 0


@contextlib.contextmanager
def _in_folder(folder: Path, file: str) -> Iterator[None]:
    """Work in the codebook's folder, from which its paths are taken."""
    path = Path(file)
    found = None
    if is_device(path):
        found = "a device"
    elif not folder.is_dir() or not path.exists() or path.is_dir():
        found = "a folder" if path.is_dir() else "no file to be read"
    if found is not None:
        raise DataError(Problem(file, found, "a codebook with [run]", "check the path"))
    with contextlib.chdir(folder):
        yield


def _more(root: TyperGroup, limits: ResourceOptions, general: GlobalOptions) -> Callable[[str], list[str]]:
    """Return, by a command's name, the words for what is reported and used: they change no result."""
    common = [
        *(["--quiet"] if general.quiet else []),
        *(["--verbose"] if general.verbose else []),
        *(["--show-cells"] if general.show_cells else []),
    ]
    using = [
        (option, str(value))
        for option, value in (("threads", limits.threads), ("memory", limits.memory))
        if value is not None
    ]

    def more(name: str) -> list[str]:
        known = {param.name for param in root.commands[name].params}
        given = (word for name, value in using if name in known for word in ("--set", f"{name}={value}"))
        return [*common, *given]

    return more
