"""From a function to a command: groups of options written once, sections in ``--help``, a defined end.

A command is a function whose parameters are Typer's, ``Annotated[int, Option("--k", min=1)]``, or frozen
dataclasses of them; :func:`register` lays the dataclasses' fields out as options, builds them back, and exits
with the function's code. Its docstring is the help; ``Examples`` stand at the end.
"""

from __future__ import annotations

import inspect
import shlex
import sys
import types
import typing
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.config import OLD_WORDS, refuse_two_words
from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.gate import reporting_errors
from ratingpriv.cli.options.parameters import (
    current_context,
    names_of,
    nearest,
    origin,
    parameters,
    place_of,
    prepared,
    words_of,
    written,
)
from ratingpriv.cli.options.values import DATA, GLOBAL, SHARED, one_of
from ratingpriv.cli.output.exits import UsageError, ending
from ratingpriv.cli.output.invocation import invocation, remember
from ratingpriv.cli.output.places import guarded
from ratingpriv.cli.output.reporter import Reporter

__all__ = ["CONTEXT", "Command", "Commands", "DataArguments", "Given", "register"]

CONTEXT = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "token_normalize_func": lambda word: OLD_WORDS.get(word, word),
}
_ARGUMENTS, _OPTIONS = "Arguments", "Options"
_DATA_FIELDS = {field.name for field in fields(DataOptions)}

Given = typing.NewType("Given", frozenset)  # type: ignore[type-arg]
"""The type of a parameter that is no option: the names of those parameters that the user gave a value."""

DataArguments = typing.NewType("DataArguments", str)
"""The type of a parameter that is no option: DATA and the data options as the user gave them, for a shell."""


class Command(TyperCommand):
    """A command whose ``--help`` lists its options in sections, in plain text.

    Where it reads data, sections that it shares with others are shown by ``--help-data``.
    """

    def __init__(self, *, help: str, params: list[Any], **settings: Any) -> None:  # noqa: A002
        text, _, self.examples = help.partition("\n\nExamples\n--------\n")
        short = text.partition("\n")[0].removesuffix(".")
        shares = any(param.rich_help_panel == DATA for param in prepared(params))
        self.elsewhere = SHARED if shares else ()
        serves = {"help_data": shares, "setting": any(param.setting for param in params)}
        params = [param for param in params if serves.get(param.name, True)]
        super().__init__(**{**settings, "help": text, "short_help": short, "params": params})

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, that of the help included."""
        return prepared(super().get_params(ctx))

    def sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Return the lines of every section, the command's own first."""
        sections: dict[str, list[tuple[str, str]]] = {_ARGUMENTS: [], _OPTIONS: []}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is None:
                continue
            if param.param_type_name == "argument":
                panel, record = _ARGUMENTS, (param.metavar, param.help)
            else:
                panel = param.rich_help_panel or _OPTIONS
            if param.setting:
                kind = "yes|no" if param.is_flag else param.metavar or param.display_type(ctx).strip("<>")
                record = f"{param.setting}={kind}", record[1]
            sections.setdefault(panel, []).append(record)
        own = [panel for panel in sections if panel not in SHARED]
        return {panel: sections[panel] for panel in (*own, *SHARED) if sections.get(panel)}

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the line of usage, without arguments that are an old way to say something."""
        params: list[Any] = self.params
        hidden = [piece for param in params if param.hidden for piece in param.get_usage_pieces(ctx)]
        return [piece for piece in super().collect_usage_pieces(ctx) if piece not in hidden]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the command's own sections, and where the others are."""
        others = [panel for panel in self.sections(ctx) if panel in self.elsewhere]
        self.format_sections(ctx, formatter, shared=False)
        if others:
            formatter.write_paragraph()
            formatter.write_text(f"{', '.join(others)}:")
            formatter.write(f"  {ctx.command_path} --help-data\n")

    def format_sections(self, ctx: Any, formatter: Any, *, shared: bool) -> None:
        """Write the sections that it has for itself, or those that it shares."""
        for panel, records in self.sections(ctx).items():
            if (panel in self.elsewhere) == shared:
                with formatter.section(panel):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as they are."""
        formatter.write_paragraph()
        formatter.write("Examples:\n" + "".join(f"  {line}\n" for line in self.examples.splitlines()))


class Commands(TyperGroup):
    """A group of commands; what goes wrong in it ends the program as :func:`ending` says."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, those of completion and help included."""
        return prepared(super().get_params(ctx))

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Take the command line apart; what was typed is noted first."""
        if parent is None:
            remember(args)
        with ending():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, whose own options are taken apart here; exit with its code."""
        with ending():
            code = super().invoke(ctx)
        raise typer.Exit(code)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; a name that is none is said with the nearest."""
        if args[0] not in self.commands and not ctx.resilient_parsing:
            remedy = nearest(args[0], self.commands) or f"{ctx.command_path} --help lists them"
            raise UsageError("command", args[0], f"a command of {ctx.command_path}", remedy)
        return super().resolve_command(ctx, args)


def _show_data_help(ctx: typer.Context, wanted: bool) -> None:
    """Print the sections that commands share, and exit."""
    if wanted and not ctx.resilient_parsing:
        formatter = ctx.make_formatter()
        formatter.write_text(f"More options of {ctx.command_path}; most are shared by several commands.")
        typing.cast("Command", ctx.command).format_sections(ctx, formatter, shared=True)
        typer.echo(formatter.getvalue().rstrip())
        raise typer.Exit


_DataHelp = Annotated[
    bool,
    typer.Option("--help-data", is_eager=True, expose_value=False, hidden=True, callback=_show_data_help),
]


def register(app: typer.Typer, name: str, function: Callable[..., int]) -> None:
    """Add ``function`` to ``app`` as a command: its docstring is the help, its result the exit code."""
    hints: dict[str, Any] = typing.get_type_hints(function, include_extras=True)
    injected: dict[Any, Callable[[typer.Context], Any]] = {
        typer.Context: lambda ctx: ctx,
        Given: lambda ctx: frozenset(key for key in ctx.params if origin(ctx, key) != "DEFAULT"),
        DataArguments: lambda ctx: shlex.join(_data_arguments(ctx)) or "DATA",
    }
    params = [*_laid_out("help_data", _DataHelp, False)]
    for param in inspect.signature(function).parameters.values():
        if hints[param.name] not in injected:
            params += _laid_out(param.name, hints[param.name], param.default)

    def command(*, help_data: Any, **values: Any) -> int:
        ctx, run = typing.cast("typer.Context", current_context()), invocation()
        run.verbose, run.cells = bool(values.get("verbose")), bool(values.get("show_cells"))
        reporter = Reporter(quiet=bool(values.get("quiet")))
        values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
        for key, hint in hints.items():
            if hint in injected:
                values[key] = injected[hint](ctx)
            elif is_dataclass(hint):
                of_group = {field.name: values.pop(field.name) for field in fields(hint)}
                values[key] = typing.cast("Any", hint)(**of_group)
        with reporter.warnings(), guarded(ctx), reporting_errors(ctx):
            refuse_two_words(ctx)
            if ctx.params.get("print_codebook"):
                (reading,) = (value for value in values.values() if isinstance(value, DataOptions))
                return _print_codebook(ctx, reading)
            return function(**values)

    command.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]
    command.__annotations__ = {}
    command.__doc__ = function.__doc__
    app.command(name, cls=Command, context_settings=CONTEXT)(command)


def _laid_out(name: str, hint: Any, default: Any) -> Iterator[inspect.Parameter]:
    """Yield a parameter as Typer has it; of a dataclass, its fields."""
    if is_dataclass(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        for field in fields(hint):
            without = inspect.Parameter.empty if field.default is MISSING else field.default
            yield from _laid_out(field.name, hints[field.name], without)
    else:
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, kind, default=default, annotation=_as_typer(hint))


def _as_typer(hint: Any) -> Any:
    """Return a type as Typer has it: ``tuple[X, ...]`` is a list, what a parser reads is a text."""
    kind, declared = typing.get_args(hint)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(other for other in typing.get_args(kind) if other is not types.NoneType)
    several = typing.get_args(kind)[1:] == (...,)
    if several:
        kind = typing.get_args(kind)[0]
        if typing.get_origin(kind) is typing.Literal:  # Typer has no lists of them
            words = typing.get_args(kind)
            declared = copy(declared)
            declared.parser, declared.metavar = one_of(*words), declared.metavar or "|".join(words)
    kind = kind if declared.parser is None else str
    return Annotated[types.GenericAlias(list, (kind,)) if several else kind, declared]


def _print_codebook(ctx: typer.Context, reading: DataOptions) -> int:
    """Print the codebook in force, with the command's own options by their long names, as a file has them."""
    if ctx.params.get("as_json"):
        raise ParameterError("json", "with --print-codebook", "one of the two: a codebook is TOML")
    options = {
        names_of(param)[0]: written(ctx, param)
        for param in parameters(ctx)
        if param.param_type_name == "option" and param.expose_value and written(ctx, param) is not None
        if not (_is_of_data(param) or param.rich_help_panel == GLOBAL or place_of(param))
        if param.name not in ("as_json", "force")
    }
    sys.stdout.write(reading.codebook_text(ctx.params.get("data"), options, str(ctx.command.name)))
    return 0


def _is_of_data(param: Any) -> bool:
    """Return whether an option says what the data are."""
    return param.rich_help_panel == DATA or param.name in _DATA_FIELDS


def _data_arguments(ctx: typer.Context) -> Iterator[str]:
    """Yield DATA and the data options that were given, as words of a command line."""
    for param in parameters(ctx):
        if param.param_type_name == "argument":
            if ctx.params.get(param.name) is not None:
                yield str(ctx.params[param.name])
        elif _is_of_data(param) and (text := written(ctx, param)) is not None:
            yield from words_of(param, text)
