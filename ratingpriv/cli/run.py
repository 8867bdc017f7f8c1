"""``ratingpriv run``: describe, audit, anonymize, attack, ... as one file says."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import cast

from typer.core import TyperGroup

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.inputs import protecting
from ratingpriv.cli import options
from ratingpriv.cli.command import refuse_standard_output
from ratingpriv.cli.options.parameters import current_context
from ratingpriv.cli.options.values import file_argument, group, option, writes
from ratingpriv.cli.output.invocation import answer


@group
class _Steps:
    step: tuple[str, ...] = option("Only this step.")
    from_step: str | None = option("Only this step and those after it.")
    dry_run: bool = option("Check everything, print the commands, and run none.")

    def chosen(self, names: list[str]) -> frozenset[str]:
        """Return those of the plan's steps that were asked for."""
        first = self.from_step or names[0]
        for word, name in (*(("step", name) for name in self.step), ("from-step", first)):
            if name not in names:
                raise ParameterError(word, name, f"one of the steps {', '.join(names)}")
        if self.step and self.from_step is not None:
            raise ParameterError("from-step", self.from_step, "--step or --from-step")
        return frozenset(self.step or names[names.index(first) :])


def run(
    *,
    file: str = file_argument("A codebook with [run].", ..., metavar="FILE.toml"),
    output: str | None = writes("The folder of the results.", metavar="DIR"),
    steps: _Steps,
    as_json: bool = options.AS_JSON,
    force: bool = option("Repeat finished steps, and replace files in their way."),
    anywhere: bool = option("Files that FILE names may be outside of its folder."),
    limits: options.Resources,
) -> int:
    """Run the steps of one file: describe, audit, anonymize, attack, report.

    FILE.toml is a codebook (describe -o proposes one) with a table [run]: data, output, steps. Each
    step is the command of that name with the options of its own table, [audit], [anonymize], ...;
    the release goes on to verify, attack, utility and report. All options are checked before the
    first step runs. JSON and text of every step are kept in the folder of the results, with
    run.json, which says what was run. A step that is finished and whose data, options and version
    are unchanged is not repeated. An earlier release and its key are kept, never replaced. Paths
    are taken from FILE's folder.

    Exits with 0 if all steps are done; 1 if one of the gates (gates of [run]; else any step)
    failed, was not run or is out of date; 2 or 3 at the first step that ends with an error.

    Examples
    --------
    ratingpriv run run.toml --dry-run
    ratingpriv run run.toml
    ratingpriv run run.toml --from-step anonymize
    """
    from ratingpriv.cli.running import Plan, Runner
    from ratingpriv.report.pages import page

    root, folder = cast("TyperGroup", current_context().find_root().command), Path(file).parent
    if not Path(file).is_file():
        raise DataError(
            Problem(file, "no file to be read", "a codebook with [run]", "check the path")
        )
    if output is not None and not Path(output).is_absolute():
        output = os.path.relpath(output, folder)
    with contextlib.chdir(folder):
        plan = Plan(Path(file).name, root, output, anywhere=anywhere)
        with protecting([plan.codebook, plan.data, *map(str, plan.book.files())]):
            refuse_standard_output([plan.data])
            runner = Runner(plan, steps.chosen([*plan.steps]), root, limits, force=force)
            runner.check()
            code = None if steps.dry_run else runner.run()
            found_rate = None if steps.dry_run else runner.found
    content = runner.content(code)
    elsewhere = None if folder.resolve() == Path.cwd() else str(folder)
    answer(content, lambda: page(content, folder=elsewhere, found=found_rate), as_json=as_json)
    return code or 0
