"""From a function to a command: groups of options written once, sections in ``--help``, a defined end.

A command is a function whose parameters are declared options (:mod:`ratingpriv.cli.options.declare`), or
frozen dataclasses of them; :func:`register` lays the dataclasses' fields out as options, builds them back,
and exits with the function's code. Its docstring is the help; ``Examples`` stand at the end.
"""

from __future__ import annotations

import dataclasses
import inspect
import shlex
import sys
import typing
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import Any

import click

from ratingpriv.cli.options.declare import (
    DATA,
    DEMANDS,
    FORM,
    GATES,
    GLOBAL,
    OPTIONS,
    PARAMETERS,
    PICTURE,
    RULES,
    SPARK,
    Argument,
    Option,
    parameter,
    texts_of,
)
from ratingpriv.cli.options.gate import reporting_errors
from ratingpriv.cli.output.cells import showing_cells
from ratingpriv.cli.output.errors import usage_errors
from ratingpriv.cli.output.exits import ending
from ratingpriv.cli.output.invocation import remember
from ratingpriv.cli.output.places import guarded
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.errors import ParameterError

__all__ = ["Command", "Commands", "DataArguments", "Given", "register"]

_ARGUMENTS = "Arguments"
_ELSEWHERE = (PARAMETERS, FORM, DEMANDS, GATES, PICTURE, DATA, RULES, SPARK, GLOBAL)  # shown by --help-data

Given = typing.NewType("Given", frozenset)  # type: ignore[type-arg]
"""The type of a parameter that is no option: the names of those parameters that the user gave a value."""

DataArguments = typing.NewType("DataArguments", str)
"""The type of a parameter that is no option: DATA and the data options as the user gave them, for a shell."""


class Command(click.Command):
    """A command whose ``--help`` lists its options in sections, in plain text.

    Where it reads data, sections that it shares with others are shown by ``--help-data``.
    """

    def __init__(self, *args: Any, examples: str, elsewhere: frozenset[str], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.examples, self.elsewhere = examples, elsewhere
        if elsewhere:
            show = click.Option(
                ["--help-data"], is_flag=True, is_eager=True, expose_value=False, callback=_show_data_help,
                hidden=True,
            )  # fmt: skip
            self.params.append(show)

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the lines of every section, the command's own first."""
        found: dict[str, list[tuple[str, str]]] = {_ARGUMENTS: [], OPTIONS: []}
        for param in self.get_params(ctx):
            record = None if getattr(param, "hidden", False) else param.get_help_record(ctx)
            if record is not None:
                panel = _ARGUMENTS if isinstance(param, Argument) else getattr(param, "panel", OPTIONS)
                found.setdefault(panel, []).append(record)
        return {panel: records for panel, records in found.items() if records}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own sections, and where the others are."""
        sections = self.sections(ctx)
        for panel, records in sections.items():
            if panel not in self.elsewhere:
                with formatter.section(panel):
                    formatter.write_dl(records)
        hidden = [panel for panel in _ELSEWHERE if panel in self.elsewhere & sections.keys()]
        if hidden:
            formatter.write_paragraph()
            formatter.write_text(f"{', '.join(hidden)}:")
            formatter.write(f"  {ctx.command_path} --help-data\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are."""
        formatter.write_paragraph()
        formatter.write("Examples:\n" + "".join(f"  {line}\n" for line in self.examples.splitlines()))


class Commands(click.Group):
    """A group that lists its commands in the order in which they are used."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Take the command line apart; what was typed is noted first."""
        if parent is None:
            remember(args)
        with usage_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, whose own options are taken apart here."""
        with usage_errors():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names as they were registered."""
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; a name that is none gets a suggestion, whatever click's version."""
        close = get_close_matches(args[0], self.commands, n=1)
        if close and args[0] not in self.commands and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)


def _show_data_help(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Print the sections that commands share, and exit."""
    if not wanted or ctx.resilient_parsing:
        return
    command, formatter = typing.cast("Command", ctx.command), ctx.make_formatter()
    formatter.write_text(f"More options of {ctx.command_path}; most are shared by several commands.")
    for panel, records in command.sections(ctx).items():
        if panel in command.elsewhere:
            with formatter.section(panel):
                formatter.write_dl(records)
    click.echo(formatter.getvalue().rstrip())
    ctx.exit()


def register(group: click.Group, name: str, function: Callable[..., int]) -> None:
    """Add ``function`` to ``group`` as a command: its docstring is the help, its result the exit code."""
    hints = typing.get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {key: hint for key, hint in hints.items() if dataclasses.is_dataclass(hint)}
    params: list[click.Parameter] = []
    for one in inspect.signature(function).parameters.values():
        if one.name in groups:
            params += _of_fields(groups[one.name])
        elif hints[one.name] not in (Given, DataArguments):
            params.append(parameter(one.name, hints[one.name], one.default))
    _drop_second_names(params)

    def run(**values: Any) -> None:
        ctx = click.get_current_context()
        reporter = Reporter(quiet=bool(values.get("quiet")), verbose=bool(values.get("verbose")))
        cells = showing_cells(bool(values.get("show_cells")))
        with cells, ending(verbose=reporter.verbose), reporter.warnings():
            arguments = {
                key: cls(**{field.name: values.pop(field.name) for field in dataclasses.fields(cls)})
                for key, cls in groups.items()
            }
            for key, hint in hints.items():
                if hint is Given:
                    arguments[key] = frozenset(given for given in ctx.params if _is_given(ctx, given))
                elif hint is DataArguments:
                    arguments[key] = shlex.join(_data_arguments(ctx)) or "DATA"
            with guarded(ctx), reporting_errors(ctx):
                _print_codebook(ctx, arguments.values())
                code = function(**values, **arguments)
        raise SystemExit(code)

    text, _, examples = inspect.cleandoc(function.__doc__ or "").partition("\n\nExamples\n--------\n")
    panels = {getattr(param, "panel", None) for param in params}
    group.add_command(
        Command(
            name,
            params=params,
            callback=run,
            help=text,
            short_help=text.partition("\n")[0].removesuffix("."),
            examples=examples,
            elsewhere=frozenset(_ELSEWHERE) if DATA in panels else frozenset(),
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        )
    )


def _print_codebook(ctx: click.Context, groups: Iterable[Any]) -> None:
    """Print the codebook in force and exit, where that is asked for."""
    for group in groups:
        if getattr(group, "print_codebook", False):
            if ctx.params.get("as_json"):
                raise ParameterError("json", "with --print-codebook", "one of the two: a codebook is TOML")
            text = group.codebook_text(ctx.params.get("data"), _own_options(ctx), ctx.command.name)
            sys.stdout.write(text)
            raise SystemExit(0)


def _own_options(ctx: click.Context) -> dict[str, Any]:
    """Return what was given for the command's own options, by their long names, as a file has it."""
    found: dict[str, Any] = {}
    for param in ctx.command.params:
        if not isinstance(param, Option) or param.panel in (DATA, GLOBAL) or param.place is not None:
            continue
        name = next((one[2:] for one in param.opts if one.startswith("--")), "")
        words = texts_of(ctx, param)
        if not words or name in ("", "json", "force"):
            continue
        if param.is_flag:
            found[name] = words[0] in param.opts
        else:
            found[name] = words[1::2] if param.multiple else words[1]
    return found


def _of_fields(group: Any) -> Iterator[click.Parameter]:
    """Yield a dataclass's fields as parameters."""
    hints = typing.get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        yield parameter(field.name, hints[field.name], default)


def _drop_second_names(params: list[click.Parameter]) -> None:
    """Leave a name to its first owner: the shared --items is --issues unless it is something else."""
    taken: set[str] = set()
    for param in params:
        param.opts = [name for name in param.opts if name not in taken]
        taken.update(param.opts)


def _is_given(ctx: click.Context, name: str) -> bool:
    """Return whether a parameter's value is the user's (from the command line or a file), not the default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _data_arguments(ctx: click.Context) -> Iterator[str]:
    """Yield DATA and the data options that were given, as words of a command line."""
    for param in ctx.command.params:
        if isinstance(param, Argument) and ctx.params.get(param.name or "") is not None:
            yield str(ctx.params[param.name or ""])
        elif isinstance(param, Option) and param.panel == DATA:
            yield from texts_of(ctx, param)
