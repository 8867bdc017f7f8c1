"""``ratingpriv run``: describe, audit, anonymize, attack, ... as one file says."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated, cast

import typer
from typer import Argument, Option
from typer.core import TyperGroup

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.inputs import protecting
from ratingpriv.cli.options.general import GlobalOptions, JsonOption
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.values import input_file, output_file
from ratingpriv.cli.output.places import refuse_standard_output
from ratingpriv.cli.output.results import print_json

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
    from ratingpriv.cli.run.plan import Plan
    from ratingpriv.cli.run.running import Runner
    from ratingpriv.report.run.page import run_page
    from ratingpriv.report.text import print_page

    root = cast("TyperGroup", ctx.find_root().command)
    folder = Path(file).parent
    if not Path(file).is_file():
        raise DataError(Problem(file, "no file to be read", "a codebook with [run]", "check the path"))
    if output is not None and not Path(output).is_absolute():
        output = os.path.relpath(output, folder)
    with contextlib.chdir(folder):
        plan = Plan(Path(file).name, root, output)
        names = _chosen(list(plan.steps), step, from_step)
        with protecting([plan.codebook, plan.data, *map(str, plan.book.files())]):
            refuse_standard_output([plan.data])
            words = {
                name: _words({param.name for param in root.commands[name].params}, limits, general)
                for name in plan.steps
            }
            runner = Runner(plan, names, root=root, words=words, force=force, reporter=general.reporter)
            runner.check()
            code = None if dry_run else runner.run()
    content = runner.content(code)
    if as_json:
        print_json(content)
    else:
        elsewhere = None if folder.resolve() == Path.cwd() else str(folder)
        print_page(run_page(content, folder=elsewhere), sys.stdout)
    return code or 0


def _chosen(names: list[str], steps: tuple[str, ...], first: str | None) -> frozenset[str]:
    """Return the names of the steps to make."""
    for option, name in (*(("step", name) for name in steps), *([("from-step", first)] if first else [])):
        if name not in names:
            raise ParameterError(option, name, f"one of the steps {', '.join(names)}")
    if steps and first is not None:
        raise ParameterError("from-step", first, "--step or --from-step")
    return frozenset(names[names.index(first) :] if first is not None else steps or names)


def _words(known: set[str | None], limits: ResourceOptions, general: GlobalOptions) -> list[str]:
    """Return words for what a command reports and uses, which change no result; ``known``: its parameters."""
    flags = {"--quiet": general.quiet, "--verbose": general.verbose, "--show-cells": general.show_cells}
    using = {"threads": limits.threads, "memory": limits.memory}
    settings = [f"{name}={value}" for name, value in using.items() if value is not None and name in known]
    return [*(flag for flag, given in flags.items() if given), *(f"--set={setting}" for setting in settings)]
