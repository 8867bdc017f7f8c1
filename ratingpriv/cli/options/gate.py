"""Options of a command that a pipeline takes its gate from: limits, and files for its server.

A command makes a :class:`Gate` of them first thing, so that a wrong limit is refused before a long read, and
concludes with it: what became of the limits goes into the JSON and the page, and all that was asked into the
files. Where there is no result, because the input is bad, :func:`reporting_errors` writes that into them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from ratingpriv.cli.options.parameters import place_of
from ratingpriv.cli.options.values import GATES, output_file, setting
from ratingpriv.cli.output.invocation import invocation
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.errors import DataError, OutputError, ParameterError, RatingPrivError

if TYPE_CHECKING:
    from ratingpriv.cli.options.picture import PictureOptions
    from ratingpriv.cli.output.results import ResultOptions
    from ratingpriv.report.gates.outcome import Outcome, Run
    from ratingpriv.report.page import Page
    from ratingpriv.requirement import Requirement

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

    sarif: Annotated[
        str | None,
        setting("--sarif", metavar="FILE", parser=output_file, help="Write it as SARIF, too."),
    ] = None

    @property
    def files(self) -> dict[str, str | None]:
        """The files that are written, by option, to be checked with the others of a command."""
        return {"junit": self.junit, "sarif": self.sarif}

    def of(
        self, command: str, *, gated: bool, without: str = "", parsed: tuple[Requirement, ...] | None = None
    ) -> Gate:
        """Return the gate of a command.

        Parameters
        ----------
        gated : whether something else than a limit decides the exit code
        without : what would make it do so, said where nothing does and a file was asked for
        parsed : the limits, where the library has them

        Raises
        ------
        ParameterError
            A limit is none, or on nothing of this command's; or there is nothing that a file could say.
        """
        requirements: tuple[Requirement, ...] = parsed or ()
        if parsed is None and self.require:
            from ratingpriv.report.gates.numbers import names
            from ratingpriv.requirement import Requirement

            known = names(command)
            requirements = tuple(Requirement.of(one, known) for one in self.require)
        for name, path in self.files.items():
            if path is not None and not gated and not requirements:
                raise ParameterError(name, path, f"a gate whose outcome it is: {without}--require")
        return Gate(command, self, requirements)


@dataclass(frozen=True, slots=True)
class Gate:
    """What one command is asked."""

    command: str
    options: GateOptions
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
        from ratingpriv.report.gates.numbers import judge
        from ratingpriv.report.gates.outcome import Run, gated, judged_of, outcomes, with_gate

        if picture is not None:
            picture.draw(document, reporter, force=results.force)
        own = judged_of(document)  # of the library
        judged = own or judge(document, self.requirements)
        code = 0 if held and all(one.met for one in judged) else 1
        written = [path for path in self.options.files.values() if path is not None]
        if written:
            found = tuple(outcomes(document, judged, page(), verdict=verdict))
            run = Run(self.command, None if data == "-" else data, code, found)
            _write(run, self.options.files, results.force)
            for path in written:
                reporter.wrote(path)
        if own:
            results.deliver(dict(document), page, reporter, **more)
        else:
            results.deliver(with_gate(document, judged), lambda: gated(page(), judged), reporter, **more)
        return code


def _write(run: Run, files: Mapping[str, str | None], force: bool) -> None:
    from ratingpriv.report.gates.junit import write_junit
    from ratingpriv.report.gates.sarif import write_sarif

    for write, path in ((write_junit, files["junit"]), (write_sarif, files["sarif"])):
        if path is not None:
            write(run, path, force=force)


@contextlib.contextmanager
def reporting_errors(ctx: typer.Context) -> Iterator[None]:
    """Run a command; where its input is bad, write that into the files that its outcome was to go to.

    A server of continuous integration then shows why there is no outcome. What a disk or a service did is in
    no file, nor that a file could not be written.
    """
    try:
        yield
    except RatingPrivError as error:
        from ratingpriv.files import disk_failure

        files = {name: ctx.params.get(name) for name in ("junit", "sarif")}
        ours = error.exit_code == 2 and disk_failure(error) is None and not _about_output(ctx, error)
        if ours and any(files.values()):
            with contextlib.suppress(OSError, RatingPrivError):  # what went wrong first is what is said
                _write(_failed(ctx, error), files, bool(ctx.params.get("force")))
        raise


def _about_output(ctx: typer.Context, error: RatingPrivError) -> bool:
    """Return whether an error is about a file to be written: then none is."""
    if isinstance(error, ParameterError):
        outputs = [one.name for one in ctx.command.params if place_of(one) == "output"]
        return error.name.replace("-", "_") in outputs
    return isinstance(error, OutputError)


def _failed(ctx: typer.Context, error: RatingPrivError) -> Run:
    from ratingpriv.cli.output.exits import message_of
    from ratingpriv.cli.output.invocation import without_addresses
    from ratingpriv.report.gates.outcome import Outcome, Place, Run
    from ratingpriv.report.wording import as_options

    message, command = as_options(message_of(error)), str(ctx.command.name)
    problems = error.problems if isinstance(error, DataError) else ()
    places = tuple(Place(without_addresses(one.file), one.line) for one in problems)
    data = ctx.params.get("release") if command in ("verify", "utility") else ctx.params.get("data")
    found: tuple[Outcome, ...] = (Outcome("input", "it can be read", "unmeasured", message, places),)
    named = None if data is None or data == "-" else without_addresses(str(data))
    return Run(command, named, error.exit_code, found)
