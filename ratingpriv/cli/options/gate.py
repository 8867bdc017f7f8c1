"""Options of a command that a pipeline takes its gate from: limits, and a file for its server.

A command makes a :class:`Gate` of them first thing, so that a wrong limit is refused before a long read, and
concludes with it. Where there is no result, because the input is bad, :func:`reporting_errors` writes that.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from ratingpriv.base.errors import OutputError, ParameterError, RatingPrivError
from ratingpriv.cli.options.parameters import place_of
from ratingpriv.cli.options.values import GATES, output_file
from ratingpriv.cli.output.invocation import invocation
from ratingpriv.cli.output.reporter import Reporter

if TYPE_CHECKING:
    from ratingpriv.base.requirement import Requirement
    from ratingpriv.cli.options.picture import PictureOptions
    from ratingpriv.cli.output.results import ResultOptions
    from ratingpriv.report.gates.outcome import Run
    from ratingpriv.report.page import Page

__all__ = ["Gate", "GateOptions", "reporting_errors"]


def _list_names(ctx: typer.Context, value: tuple[str, ...]) -> tuple[str, ...]:
    """Print what a limit can be on and exit, where that is asked for: ``--require list``."""
    if "list" in value and not ctx.resilient_parsing:
        from ratingpriv.report.gates.numbers import names

        if invocation().json:
            raise ParameterError("json", "with --require list", "one of the two: the list is a text")
        known = names(str(ctx.command.name))
        width = max(map(len, known))
        for name, meaning in known.items():
            typer.echo(f"{name:{width}}  {meaning}")
        ctx.exit()
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """What a pipeline requires, and where it reads the outcome."""

    require: Annotated[
        tuple[str, ...],
        Option(
            "--require",
            metavar="'NAME<=X'",
            rich_help_panel=GATES,
            is_eager=True,
            callback=_list_names,
            help="Exit with 1 unless a number of the result is at most X (>=: at least), quoted; --require "
            "list names them (repeatable).",
        ),
    ] = ()
    junit: Annotated[
        str | None,
        Option(
            "--junit",
            metavar="FILE",
            parser=output_file,
            rich_help_panel=GATES,
            help="Write the outcome as JUnit XML.",
        ),
    ] = None

    @property
    def files(self) -> dict[str, str | None]:
        """The file that is written, by its option, to be checked with the others of a command."""
        return {"junit": self.junit}

    def of(
        self, command: str, *, gated: bool, without: str = "", parsed: tuple[Requirement, ...] | None = None
    ) -> Gate:
        """Return the gate of a command; refuse a limit that is none, and a file that would say nothing.

        Parameters
        ----------
        gated : whether something else than a limit decides the exit code
        without : what would make it do so, said where nothing does and a file was asked for
        parsed : the limits, where the library has them
        """
        requirements = parsed or ()
        if parsed is None and self.require:
            from ratingpriv.base.requirement import Requirement
            from ratingpriv.report.gates.numbers import names

            known = names(command)
            requirements = tuple(Requirement.of(text, known) for text in self.require)
        if self.junit is not None and not gated and not requirements:
            raise ParameterError("junit", self.junit, f"a gate whose outcome it is: {without}--require")
        return Gate(command, self.junit, requirements)


@dataclass(frozen=True, slots=True)
class Gate:
    """What one command is asked, and where its outcome goes."""

    command: str
    junit: str | None
    requirements: tuple[Requirement, ...]

    def deliver(
        self,
        document: Mapping[str, Any],
        page: Callable[[], Page],
        results: ResultOptions,
        reporter: Reporter,
        *,
        data: str | None,
        verdict: str | None = None,
        held: bool = True,
        picture: PictureOptions | None = None,
        **more: Any,
    ) -> int:
        """Draw the result, judge the limits, write all files, and print it; return the exit code.

        Parameters
        ----------
        document : the result's JSON contract
        page : gives the result as a page
        data : the file that the result is about
        verdict : what the verdict is on, in a few words; None where none was asked for
        held : whether the command ends with 0 as far as it goes without the limits
        more : as :meth:`ratingpriv.cli.output.results.ResultOptions.deliver`
        """
        from ratingpriv.report.gates.junit import write_junit
        from ratingpriv.report.gates.numbers import judge
        from ratingpriv.report.gates.outcome import Run, gated, judged_of, outcomes, with_gate

        if picture is not None:
            picture.draw(document, reporter, force=results.force)
        own = judged_of(document)  # of the library
        judged = own or judge(document, self.requirements)
        code = 0 if held and all(limit.met for limit in judged) else 1
        if self.junit is not None:
            asked = tuple(outcomes(document, judged, page(), verdict=verdict))
            run = Run(self.command, None if data == "-" else data, code, asked)
            write_junit(run, self.junit, force=results.force)
            reporter.wrote(self.junit)
        if own:
            results.deliver(dict(document), page, reporter, **more)
        else:
            results.deliver(with_gate(document, judged), lambda: gated(page(), judged), reporter, **more)
        return code


@contextlib.contextmanager
def reporting_errors(ctx: typer.Context) -> Iterator[None]:
    """Run a command; where its input is bad, write that into the file that its outcome was to go to."""
    try:
        yield
    except RatingPrivError as error:
        path = ctx.params.get("junit")
        if path is not None and _is_of_input(ctx, error):
            from ratingpriv.report.gates.junit import write_junit

            with contextlib.suppress(OSError, RatingPrivError):  # what went wrong first is what is said
                write_junit(_failed(ctx, error), path, force=bool(ctx.params.get("force")))
        raise


def _is_of_input(ctx: typer.Context, error: RatingPrivError) -> bool:
    """Return whether the input is bad: no disk, no service, and no file to be written."""
    from ratingpriv.base.files import disk_failure

    if error.exit_code != 2 or disk_failure(error) is not None:
        return False
    if isinstance(error, ParameterError):
        outputs = [param.name for param in ctx.command.params if place_of(param) == "output"]
        return error.name.replace("-", "_") not in outputs
    return not isinstance(error, OutputError)


def _failed(ctx: typer.Context, error: RatingPrivError) -> Run:
    from ratingpriv.cli.output.exits import message_of
    from ratingpriv.cli.output.invocation import without_addresses
    from ratingpriv.report.gates.outcome import Outcome, Run
    from ratingpriv.report.wording import as_options

    command = str(ctx.command.name)
    data = ctx.params.get("release" if command in ("verify", "utility") else "data")
    named = None if data is None or data == "-" else without_addresses(str(data))
    outcome = Outcome("input", "it can be read", "unmeasured", as_options(message_of(error)))
    return Run(command, named, error.exit_code, (outcome,))
