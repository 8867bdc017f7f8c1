"""What becomes of a result: printed, written, drawn, held to limits,
and told to a pipeline's server.

A command checks its :class:`Results` first thing: what could not be written, and a limit that is
none, is refused before a long read. Where there is no result, because the input is bad,
:func:`reporting_errors` writes that into the file for the server.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ratingpriv.base.errors import OutputError, ParameterError, RatingPrivError
from ratingpriv.cli.options.parameters import current_context, place_of
from ratingpriv.cli.options.values import GATES, group, option, writes
from ratingpriv.cli.output.exits import message_of
from ratingpriv.cli.output.invocation import answer, invocation, with_command, without_addresses
from ratingpriv.cli.output.reporter import wrote
from ratingpriv.cli.output.step import keep
from ratingpriv.report.wording import as_options

if TYPE_CHECKING:
    from ratingpriv.base.requirement import Requirement
    from ratingpriv.report.page import Page


def _list_names(ctx: typer.Context, value: tuple[str, ...]) -> tuple[str, ...]:
    """Print what a limit can be on and exit, where that is asked for: ``--require list``."""
    if "list" in value and not ctx.resilient_parsing:
        from ratingpriv.report.limits import names

        if invocation().json:
            raise ParameterError(
                "json", "with --require list", "one of the two: the list is a text"
            )
        numbers = names(str(ctx.command.name))
        width = max(map(len, numbers))
        for name, meaning in numbers.items():
            typer.echo(f"{name:{width}}  {meaning}")
        ctx.exit()
    return value


AS_JSON = option("Print the result as JSON, nothing else.", None, "--json")
CSV_SAFE = option("Escape formulas in CSV (yes).", True, "--csv-safe/--no-csv-safe")
FORCE = option("Replace output files that exist.")
_REQUIRE = option(
    "Exit with 1 unless a number of the result is at most X (>=: at least), quoted; --require "
    "list names "
    "them.",
    metavar="'NAME<=X'",
    panel=GATES,
    is_eager=True,
    callback=_list_names,
)
_JUNIT = writes("Write the outcome as JUnit XML.", panel=GATES)


@group
class Printed:
    """Where a result goes, and the limits that its numbers are held to;
    a command may have less of it.
    """

    as_json: bool = AS_JSON
    output: str | None = None
    force: bool = FORCE
    csv_safe: bool = True
    plot: str | None = None
    plot_kind: str | None = None
    require: tuple[str, ...] = ()
    junit: str | None = None

    @property
    def of_records(self) -> bool:
        """Whether the output has the rows of a result,
        which name records where it has a row a record.
        """
        return self.output is not None and Path(self.output).suffix.lower() == ".csv"

    def check(
        self,
        *,
        ungated: str | None = None,
        rows: str = "",
        more: tuple[str, ...] = (),
        absent: Mapping[str, str] | None = None,
        journal: str | None = None,
        **others: str | None,
    ) -> None:
        """Refuse, before a long read, what could not be judged, written or drawn in the end.

        ``ungated`` : what would decide the exit code where no verdict does; ``rows`` : what has
        rows for a .csv if the result has none; ``more`` : suffixes that the command writes itself;
        ``absent`` : kinds of pictures that this command line does not give, and what would;
        ``others`` : the command's own files
        """
        from ratingpriv.base.files import check_writable

        if self.junit is not None and ungated is not None and not self.require:
            raise ParameterError(
                "junit", self.junit, f"a gate whose outcome it is: {ungated}--require"
            )
        self._limits()
        seen: dict[Path, str] = {}
        files = {"output": self.output, **others, "plot": self.plot, "junit": self.junit}
        for parameter, path in files.items():
            if path is not None:
                name, resolved = parameter.replace("_", "-"), Path(path).resolve()
                check_writable(path, force=self.force)
                if resolved in seen:
                    raise ParameterError(name, path, f"another file than --{seen[resolved]}")
                seen[resolved] = name
        if journal is not None and Path(journal).resolve() in seen:
            raise ParameterError("journal", journal, "another file than the outputs")
        if self.output is not None:
            from ratingpriv.report.markup.files import check_result_file

            check_result_file(self.output, rows=not rows, instead=rows, more=more)
        self._check_picture(absent or {})

    def deliver(
        self,
        result: Any,
        *,
        document: dict[str, Any] | None = None,
        page: Mapping[str, Any] | None = None,
        data: str | None = None,
        verdict: str | None = None,
        private: bool = False,
        shown: bool = True,
    ) -> int:
        """Draw the result, judge the limits, write all files, and print it; return the exit code.

        ``document`` : a result's JSON, if that is not all of it; ``page`` : what its page is told
        beside it; ``verdict`` : what the verdict is on, in a few words; ``private`` : whether it
        names records, and its files are the user's alone; ``shown`` : whether it is printed, too
        """
        from ratingpriv.base.files import name_together
        from ratingpriv.report import pages
        from ratingpriv.report.gates import (
            Run,
            exit_code_of,
            gated,
            judged_of,
            outcomes,
            with_gate,
            write_junit,
        )
        from ratingpriv.report.limits import judge
        from ratingpriv.report.markup.files import write_result

        make: Callable[..., Page] = pages.page if isinstance(result, dict) else pages.page_of
        plain = functools.partial(make, result, **(page or {}))
        if document is None:
            document = result if isinstance(result, dict) else result.to_dict()
        self.draw(document)
        library_judged = judged_of(document)  # of the library
        judged = library_judged or judge(document, self._limits())
        if self.junit is not None:
            outcome_list = tuple(outcomes(document, judged, plain(), verdict=verdict))
            run = Run(
                str(current_context().command.name), None if data == "-" else data, outcome_list
            )
            write_junit(run, self.junit, force=self.force)
            wrote(self.junit)
        added = () if library_judged else judged
        content, made = with_gate(document, added), functools.cache(lambda: gated(plain(), added))
        if not self.as_json:
            made()  # what can fail does before a file has its name
        if self.output is not None:
            how: dict[str, Any] = {
                "force": self.force,
                "private": private,
                "csv_safe": self.csv_safe,
            }
            write_result(
                self.output, with_command(content), made, getattr(result, "to_frame", None), **how
            )
            wrote(self.output)
        name_together()  # with what else was written: before anything is printed
        keep(lambda: with_command(content))
        if shown:
            answer(content, made, as_json=self.as_json)
        return exit_code_of(content)

    def _limits(self) -> tuple[Requirement, ...]:
        """Return the limits, for which the command's numbers have names."""
        if not self.require:
            return ()
        from ratingpriv.report.limits import requirements

        return requirements(str(current_context().command.name), self.require)

    def _check_picture(self, absent: Mapping[str, str]) -> None:
        kind = self.plot_kind
        if self.plot is None:
            if kind is not None:
                raise ParameterError("plot-kind", kind, "a --plot FILE to draw to")
            return
        from ratingpriv.report.pictures import PICTURES
        from ratingpriv.report.pictures.canvas import check_picture

        check_picture(self.plot, force=self.force)
        command = f"ratingpriv.{current_context().command.name}/"
        kinds = next(kinds for schema, kinds in PICTURES.items() if schema.startswith(command))
        if kind is not None and kind not in kinds:
            raise ParameterError("plot-kind", kind, f"one of {', '.join(kinds)}")
        if kind is not None and kind in absent:
            raise ParameterError("plot-kind", kind, f"{absent[kind]} beside it")

    def draw(self, document: Mapping[str, Any]) -> None:
        """Draw the result, given as its JSON, if there is a file to draw it to."""
        if self.plot is None:
            return
        from ratingpriv.report.pictures import write_picture

        try:
            write_picture(document, self.plot, kind=self.plot_kind, force=self.force)
        except ParameterError as error:
            raise error.of("plot-kind" if error.name == "kind" else error.name) from error
        wrote(self.plot)


@group
class Gated(Printed):
    """A result that is judged."""

    require: tuple[str, ...] = _REQUIRE
    junit: str | None = _JUNIT


@group
class Drawn(Printed):
    """A result that has pictures."""

    plot: str | None = writes("Draw the result: .svg, .png or .pdf.")
    plot_kind: str | None = option(
        "Which picture (docs/pictures.md); else that of what was asked for most particularly.",
        metavar="NAME",
    )


@group
class Results(Drawn):
    """A result that is judged, drawn, and written to a file."""

    output: str | None = writes("Also write .html, .pdf, .md, .csv, .json, .txt.")
    csv_safe: bool = CSV_SAFE
    require: tuple[str, ...] = _REQUIRE
    junit: str | None = _JUNIT


@contextlib.contextmanager
def reporting_errors(ctx: typer.Context) -> Iterator[None]:
    """Run a command; where its input is bad, write that into the file
    that its outcome was to go to.
    """
    try:
        yield
    except RatingPrivError as error:
        if ctx.params.get("junit") is not None and _is_of_input(ctx, error):
            from ratingpriv.report.gates import Outcome, Run, write_junit

            command = str(ctx.command.name)
            data = ctx.params.get("release" if command in ("verify", "utility") else "data")
            named = None if data is None or data == "-" else without_addresses(str(data))
            outcome = Outcome(
                "input", "it can be read", "unmeasured", as_options(message_of(error))
            )
            run = Run(command, named, (outcome,))
            # what went wrong first is what is said
            with contextlib.suppress(OSError, RatingPrivError):
                write_junit(run, ctx.params["junit"], force=bool(ctx.params.get("force")))
        raise


def _is_of_input(ctx: typer.Context, error: RatingPrivError) -> bool:
    """Return whether the input is bad: no disk, no service, and no file to be written."""
    from ratingpriv.base.files import disk_failure

    if error.exit_code != 2 or disk_failure(error) is not None or isinstance(error, OutputError):
        return False
    outputs = [param.name for param in ctx.command.params if place_of(param) == "output"]
    return not isinstance(error, ParameterError) or error.name.replace("-", "_") not in outputs
