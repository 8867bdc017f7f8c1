"""From a function to a command: groups of options written once, sections in ``--help``,
a defined end.

A command is a function whose parameters are options,
``k: int = option("Smallest neighbourhood.")``, or groups of them; :func:`register` lays the groups'
fields out as options, builds them back, and exits with the function's code. Its docstring is the
help; ``Examples`` stand at the end.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import stat
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

from ratingpriv.base.errors import OutputError, ParameterError, meant
from ratingpriv.base.inputs import protecting, refuse_inputs
from ratingpriv.cli.options import Data
from ratingpriv.cli.options.config import OLD_WORDS, SET, apply_settings, codebook_of, note_trust
from ratingpriv.cli.options.parameters import (
    current_context,
    names_of,
    origin,
    parameters,
    place_of,
    prepared,
)
from ratingpriv.cli.options.results import reporting_errors
from ratingpriv.cli.options.values import (
    DATA,
    GLOBAL,
    SETTINGS,
    SHARED,
    Place,
    default_of,
    group,
    one_of,
    option,
)
from ratingpriv.cli.output.exits import UsageError, ending
from ratingpriv.cli.output.invocation import invocation, remember
from ratingpriv.cli.output.reporter import noting_warnings
from ratingpriv.report import wording

_CONTEXT = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "token_normalize_func": lambda word: OLD_WORDS.get(word, word),
}
_METAVARS = {int: "N", float: "E", str: "NAME"}
_SHORT = {name: (f"-{name[0]}",) for name in ("output", "param", "quiet", "verbose", "yes")}
_MANIFEST = ".manifest.json"  # beside a release, which is read with it
_ARGUMENTS, _OPTIONS = "Arguments", "Options"


class Command(TyperCommand):
    """A command whose ``--help`` lists its options in sections, in plain text.

    Where it reads data, sections that it shares with others are shown by ``--help-data``.
    """

    def __init__(
        self,
        *,
        help: str | None,  # noqa: A002
        params: list[Any],
        **settings: Any,
    ) -> None:
        # PYTHONOPTIMIZE=2 takes docstrings away
        text, _, self.examples = (help or "").partition("\n\nExamples\n--------\n")
        short = text.partition("\n")[0].removesuffix(".")
        shares = any(param.rich_help_panel == DATA for param in prepared(params))
        self.elsewhere = SHARED if shares else ()
        serves = {"help_data": shares, "setting": any(param.setting for param in params)}
        params = [param for param in params if serves.get(param.name, True)]
        super().__init__(**{**settings, "help": text, "short_help": short, "params": params})

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the words; what a codebook may do is known before it is read.

        So are the names of the options, for messages.
        """
        run, named = invocation(), list(parameters(ctx))
        run.options = frozenset(name for param in named for name in names_of(param))
        run.settings = frozenset(param.setting for param in named if param.setting)
        note_trust(ctx, args)
        return super().parse_args(ctx, args)

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
                kind = (
                    "yes|no"
                    if param.is_flag
                    else param.metavar or param.display_type(ctx).strip("<>")
                )
                record = f"{param.setting}={kind}", record[1]
            sections.setdefault(panel, []).append(record)
        own_panels = [panel for panel in sections if panel not in SHARED]
        return {panel: sections[panel] for panel in (*own_panels, *SHARED) if sections.get(panel)}

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
        formatter.write(
            "Examples:\n" + "".join(f"  {line}\n" for line in self.examples.splitlines())
        )


class Commands(TyperGroup):
    """A group of commands; what goes wrong in it ends the program as :func:`ending` says."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, those of completion and help included."""
        return prepared(super().get_params(ctx))

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
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
            remedy = meant(args[0], self.commands) or f"{ctx.command_path} --help lists them"
            raise UsageError("command", args[0], f"a command of {ctx.command_path}", remedy)
        return super().resolve_command(ctx, args)


def _show_data_help(ctx: typer.Context, wanted: bool) -> None:
    """Print the sections that commands share, and exit."""
    if wanted and not ctx.resilient_parsing:
        formatter = ctx.make_formatter()
        formatter.write_text(
            f"More options of {ctx.command_path}; most are shared by several commands."
        )
        typing.cast("Command", ctx.command).format_sections(ctx, formatter, shared=True)
        typer.echo(formatter.getvalue().rstrip())
        raise typer.Exit


@contextlib.contextmanager
def guarded(ctx: typer.Context) -> Iterator[None]:
    """Refuse outputs that are inputs of the command; in the block,
    refuse them whenever a file is written.
    """
    book, store = codebook_of(ctx), _store(ctx)
    inputs = [] if book is None else list(map(str, book.files()))
    for path in _values(ctx, "input"):
        inputs += [path, path.removeprefix("@"), path + _MANIFEST]  # @FILE has the names of --items
    with protecting(inputs):
        if store is not None:
            refuse_inputs(store)
        with protecting([store]):
            for path in _values(ctx, "output"):
                refuse_inputs(path)
            refuse_standard_output(inputs)
            yield


def _values(ctx: typer.Context, place: Place) -> Iterator[str]:
    """Yield the values of the parameters that are declared to be such places."""
    for param in parameters(ctx):
        value = ctx.params.get(param.name)
        if place_of(param) == place and value is not None:
            yield from value if isinstance(value, tuple) else (str(value),)


def _store(ctx: typer.Context) -> Path | None:
    """Return the file of the store that the command uses, if it is one."""
    stores = [param for param in parameters(ctx) if place_of(param) == "store"]
    if not stores or (ctx.params.get("data") is not None and ctx.params.get("dataset") is None):
        return None
    from ratingpriv.graph.address import parse_address

    try:
        return parse_address(ctx.params.get(stores[0].name)).path
    except ParameterError:  # the command says what is wrong with it
        return None


def refuse_standard_output(inputs: Iterable[str]) -> None:
    """Refuse ``>> DATA``: what is printed would go into what is read."""
    same: list[str] = []
    with contextlib.suppress(OSError, ValueError, AttributeError):  # it is no file of the system
        output = os.fstat(sys.stdout.fileno())
        files = filter(os.path.exists, inputs if stat.S_ISREG(output.st_mode) else ())
        same = [path for path in files if os.path.samestat(output, Path(path).stat())]
    if same:
        raise OutputError(f"standard output: this is the input {same[0]}; print to another file")


_global = partial(option, panel=GLOBAL)


@group
class _General:
    help_data: bool = option(
        "", is_eager=True, expose_value=False, hidden=True, callback=_show_data_help
    )
    setting: tuple[str, ...] = _global(
        "A setting that --help-data lists.",
        None,
        "--set",
        metavar="NAME=VALUE",
        is_eager=True,
        expose_value=False,
        callback=apply_settings,
    )
    verbose: bool = _global("Print all details; show the traceback of an error.")
    quiet: bool = _global("Print the headline only, on stderr errors only.")
    show_cells: bool = _global(
        "Let error messages show what stands in the data: cells and record ids."
    )


def register(app: typer.Typer, name: str, function: Callable[..., int]) -> None:
    """Add ``function`` to ``app`` as a command: its docstring is the help,
    its result the exit code.
    """
    hints = typing.get_type_hints(function)
    groups: dict[str, Any] = {key: hint for key, hint in hints.items() if is_dataclass(hint)}
    params = [*_laid_out("general", _General, None)]
    for param in inspect.signature(function).parameters.values():
        params += _laid_out(param.name, hints[param.name], param.default)

    def command(*, help_data: Any, setting: Any, **values: Any) -> int:
        ctx, run = current_context(), invocation()
        run.verbose, run.quiet, run.cells = map(values.pop, ("verbose", "quiet", "show_cells"))
        values = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        for key, made in groups.items():
            names = [field.name for field in fields(made) if field.metadata]
            values[key] = made(**{name: values.pop(name) for name in names})
        with noting_warnings(), guarded(ctx), reporting_errors(ctx):
            if both := [
                name for name in ctx.meta.get(SET, ()) if origin(ctx, name) == "COMMANDLINE"
            ]:
                word = both[0].replace("_", "-")
                raise ParameterError(word, f"--{word} beside --set", "one of the two")
            if ctx.params.get("print_codebook"):
                return next(
                    value for value in values.values() if isinstance(value, Data)
                ).show_codebook()
            return function(**values)

    command.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]
    command.__annotations__ = {}
    command.__doc__ = function.__doc__
    app.command(name, cls=Command, context_settings=_CONTEXT)(command)


def commands(name: str, text: str, **functions: Callable[..., int]) -> typer.Typer:
    """Return a group of commands by their names;
    the first sentence of ``text`` stands in the list of all.
    """
    short = text.partition("\n")[0].removesuffix(".")
    app = typer.Typer(
        name=name,
        cls=Commands,
        help=text,
        short_help=short,
        context_settings=_CONTEXT,
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    for word, function in functions.items():
        register(app, word, function)
    return app


def _laid_out(name: str, hint: Any, declared: Any) -> Iterator[inspect.Parameter]:
    """Yield a parameter as Typer has it; of a dataclass, its fields."""
    if is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        for field in (field for field in fields(hint) if field.metadata):
            yield from _laid_out(field.name, hints[field.name], field.metadata["declared"])
        return
    declared = copy(declared)
    declared.default = default_of(hint, declared)
    if isinstance(declared, OptionInfo):  # of a flag without a name Typer would make --no-, too
        declared.param_decls = declared.param_decls or (
            f"--{name.replace('_', '-')}",
            *_SHORT.get(name, ()),
        )
        if declared.param_decls[0].partition("/")[0][2:] in wording.SETTINGS:
            declared.rich_help_panel = SETTINGS
    kind = inspect.Parameter.KEYWORD_ONLY
    yield inspect.Parameter(name, kind, default=declared, annotation=_kind(hint, declared))


def _kind(kind: Any, declared: Any) -> Any:
    """Return a type as Typer has it: ``tuple[X, ...]`` is a list, what a parser reads is a text."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(other for other in typing.get_args(kind) if other is not types.NoneType)
    several = typing.get_args(kind)[1:] == (...,)
    if several:
        kind = typing.get_args(kind)[0]
        if typing.get_origin(kind) is typing.Literal:  # Typer has no lists of them
            words = typing.get_args(kind)
            declared.parser, declared.metavar = one_of(*words), declared.metavar or "|".join(words)
    kind = kind if declared.parser is None else str
    if isinstance(declared, OptionInfo):
        declared.metavar = declared.metavar or _METAVARS.get(kind)
        declared.help = f"{str(declared.help)[:-1]} (repeatable)." if several else declared.help
    return types.GenericAlias(list, (kind,)) if several else kind
