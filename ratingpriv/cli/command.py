"""From a function to a command: groups of options written once, sections in ``--help``, a defined end.

A command is a function whose parameters are Typer's, ``Annotated[int, Option("--k", min=1)]``, or frozen
dataclasses of them; :func:`register` lays the dataclasses' fields out as options, builds them back, and exits
with the function's code. Its docstring is the help; ``Examples`` stand at the end.
"""

from __future__ import annotations

import dataclasses
import inspect
import shlex
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from difflib import get_close_matches
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from ratingpriv.cli.options.config import OLD_WORDS, refuse_two_words
from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.gate import reporting_errors
from ratingpriv.cli.options.panels import DATA, GLOBAL, OPTIONS, SHARED
from ratingpriv.cli.options.parameters import names_of, parameters, place_of, prepared, texts_of, written
from ratingpriv.cli.options.values import one_of
from ratingpriv.cli.output.cells import showing_cells
from ratingpriv.cli.output.errors import UsageError, usage_errors
from ratingpriv.cli.output.exits import ending
from ratingpriv.cli.output.invocation import remember
from ratingpriv.cli.output.places import guarded
from ratingpriv.cli.output.reporter import Reporter
from ratingpriv.errors import ParameterError

__all__ = ["CONTEXT", "Command", "Commands", "DataArguments", "Given", "register"]

CONTEXT = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "token_normalize_func": lambda word: OLD_WORDS.get(word, word),
}
_ARGUMENTS = "Arguments"
_DATA_FIELDS = {field.name for field in dataclasses.fields(DataOptions)}

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
        prepared(params)
        if not any(param.setting for param in params):
            params = [param for param in params if param.name != "setting"]
        super().__init__(**{**settings, "help": text, "short_help": short, "params": params})
        shared = any(param.rich_help_panel == DATA for param in params)
        self.elsewhere = frozenset(SHARED) if shared else frozenset()

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, that of the help included."""
        return prepared(super().get_params(ctx))

    def sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Return the lines of every section, the command's own first."""
        found: dict[str, list[tuple[str, str]]] = {_ARGUMENTS: [], OPTIONS: []}
        for param in typing.cast("list[Any]", self.get_params(ctx)):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                found[_ARGUMENTS].append((param.metavar, param.help))
            else:
                if param.setting:
                    kind = "yes|no" if param.is_flag else param.metavar or param.display_type(ctx).strip("<>")
                    record = f"{param.setting}={kind}", record[1]
                found.setdefault(param.rich_help_panel or OPTIONS, []).append(record)
        panels = sorted(found, key=lambda panel: SHARED.index(panel) if panel in SHARED else -1)
        return {panel: found[panel] for panel in panels if found[panel]}

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the line of usage, without arguments that are an old way to say something."""
        params: list[Any] = list(self.params)
        hidden = [piece for param in params if param.hidden for piece in param.get_usage_pieces(ctx)]
        return [piece for piece in super().collect_usage_pieces(ctx) if piece not in hidden]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the command's own sections, and where the others are."""
        sections = self.sections(ctx)
        for panel, records in sections.items():
            if panel not in self.elsewhere:
                with formatter.section(panel):
                    formatter.write_dl(records)
        hidden = [panel for panel in SHARED if panel in self.elsewhere & sections.keys()]
        if hidden:
            formatter.write_paragraph()
            formatter.write_text(f"{', '.join(hidden)}:")
            formatter.write(f"  {ctx.command_path} --help-data\n")

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples as they are."""
        formatter.write_paragraph()
        formatter.write("Examples:\n" + "".join(f"  {line}\n" for line in self.examples.splitlines()))


class Commands(TyperGroup):
    """A group; what is wrong with a command line is said as any error."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, those of completion and help included."""
        return prepared(super().get_params(ctx))

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Take the command line apart; what was typed is noted first."""
        if parent is None:
            remember(args)
        with usage_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, whose own options are taken apart here."""
        with usage_errors():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; a name that is none is said with the nearest."""
        if args[0] not in self.commands and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(args[0], self.commands, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"{ctx.command_path} --help lists them"
            raise UsageError("command", args[0], f"a command of {ctx.command_path}", remedy)
        return super().resolve_command(ctx, args)


def _show_data_help(ctx: typer.Context, wanted: bool) -> None:
    """Print the sections that commands share, and exit."""
    if not wanted or ctx.resilient_parsing:
        return
    command, formatter = typing.cast("Command", ctx.command), ctx.make_formatter()
    formatter.write_text(f"More options of {ctx.command_path}; most are shared by several commands.")
    for panel, records in command.sections(ctx).items():
        if panel in command.elsewhere:
            with formatter.section(panel):
                formatter.write_dl(records)
    typer.echo(formatter.getvalue().rstrip())
    raise typer.Exit


_DataHelp = Annotated[
    bool,
    typer.Option("--help-data", is_eager=True, expose_value=False, hidden=True, callback=_show_data_help),
]


def register(app: typer.Typer, name: str, function: Callable[..., int]) -> None:
    """Add ``function`` to ``app`` as a command: its docstring is the help, its result the exit code."""
    app.command(name, cls=Command, context_settings=CONTEXT)(_laid_out(function))


def _laid_out(function: Callable[..., int]) -> Callable[..., None]:
    """Return ``function`` as Typer sees it: each dataclass parameter replaced by its fields."""
    hints = typing.get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {key: hint for key, hint in hints.items() if dataclasses.is_dataclass(hint)}
    params = [_parameter("ctx", typer.Context)]
    for one in inspect.signature(function).parameters.values():
        if one.name in groups:
            params += _of_fields(groups[one.name])
        elif hints[one.name] not in (Given, DataArguments, typer.Context):
            params.append(_parameter(one.name, _as_typer(hints[one.name]), one.default))
    if any(getattr(_declared(param), "rich_help_panel", None) == DATA for param in params):
        params.append(_parameter("help_data", _DataHelp, False))

    def command(ctx: typer.Context, **values: Any) -> None:
        values = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in values.items()
            if key != "help_data"
        }
        reporter = Reporter(quiet=bool(values.get("quiet")), verbose=bool(values.get("verbose")))
        cells = showing_cells(bool(values.get("show_cells")))
        with cells, ending(verbose=reporter.verbose), reporter.warnings():
            arguments: dict[str, Any] = {
                key: cls(**{field.name: values.pop(field.name) for field in dataclasses.fields(cls)})
                for key, cls in groups.items()
            }
            for key, hint in hints.items():
                if hint is Given:
                    arguments[key] = frozenset(given for given in ctx.params if _is_given(ctx, given))
                elif hint is DataArguments:
                    arguments[key] = shlex.join(_data_arguments(ctx)) or "DATA"
                elif hint is typer.Context:
                    arguments[key] = ctx
            with guarded(ctx), reporting_errors(ctx):
                refuse_two_words(ctx)
                _print_codebook(ctx, arguments.values())
                code = function(**values, **arguments)
        raise SystemExit(code)

    command.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]
    command.__annotations__ = {}
    command.__doc__ = function.__doc__
    return command


def _parameter(name: str, hint: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _of_fields(group: Any) -> Iterator[inspect.Parameter]:
    """Yield a dataclass's fields as parameters."""
    hints = typing.get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        yield _parameter(field.name, _as_typer(hints[field.name]), default)


def _as_typer(hint: Any) -> Any:
    """Return a type as Typer has it: ``tuple[X, ...]`` is a list, what a parser reads is a text."""
    kind, declared = typing.get_args(hint)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(one for one in typing.get_args(kind) if one is not types.NoneType)
    if typing.get_args(kind)[1:] != (...,):
        return Annotated[kind if declared.parser is None else str, declared]
    one = typing.get_args(kind)[0]
    if typing.get_origin(one) is Literal:  # Typer has no lists of them
        words = typing.get_args(one)
        declared = copy(declared)
        declared.parser, declared.metavar = one_of(*words), declared.metavar or "|".join(words)
    listed = types.GenericAlias(list, (one if declared.parser is None else str,))
    return Annotated[listed, declared]


def _declared(param: inspect.Parameter) -> Any:
    return next(iter(typing.get_args(param.annotation)[1:]), None)


def _print_codebook(ctx: typer.Context, groups: Iterable[Any]) -> None:
    """Print the codebook in force and exit, where that is asked for."""
    for group in groups:
        if getattr(group, "print_codebook", False):
            if ctx.params.get("as_json"):
                raise ParameterError("json", "with --print-codebook", "one of the two: a codebook is TOML")
            text = group.codebook_text(ctx.params.get("data"), _own_options(ctx), ctx.command.name)
            sys.stdout.write(text)
            raise SystemExit(0)


def _own_options(ctx: typer.Context) -> dict[str, Any]:
    """Return what was given for the command's own options, by their long names, as a file has it."""
    found: dict[str, Any] = {}
    for param in parameters(ctx):
        shared = _is_of_data(param) or param.rich_help_panel == GLOBAL or param.expose_value is False
        if param.param_type_name == "argument" or shared or place_of(param) is not None:
            continue
        name, said = next(iter(names_of(param)), ""), written(ctx, param)
        if said is not None and name not in ("", "json", "force"):
            found[name] = said
    return found


def _is_of_data(param: Any) -> bool:
    """Return whether an option says what the data are."""
    return param.rich_help_panel == DATA or (param.setting and param.name in _DATA_FIELDS)


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Return whether a parameter's value is the user's (from the command line or a file), not the default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _data_arguments(ctx: typer.Context) -> Iterator[str]:
    """Yield DATA and the data options that were given, as words of a command line."""
    for param in parameters(ctx):
        if param.param_type_name == "argument":
            if ctx.params.get(param.name) is not None:
                yield str(ctx.params[param.name])
        elif _is_of_data(param) and param.expose_value:
            yield from texts_of(ctx, param)
