"""How an option is declared: beside its Python type, in ``Annotated[int, option("--k", help=...)]``.

:func:`parameter` makes the click parameter from both, so that the type says what a command gets: ``int`` is
a whole number, ``float`` a number >= 0, ``bool`` a flag, ``Literal`` a choice, ``tuple[str, ...]`` an option
that may be repeated; another kind is named by ``kind=``.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import click

from ratingpriv.cli.options.types import Kind, OneOf, Real, Whole
from ratingpriv.errors import ParameterError
from ratingpriv.escaping import as_utf8

__all__ = [
    "DATA",
    "DEMANDS",
    "FORM",
    "GATES",
    "GLOBAL",
    "OPTIONS",
    "PARAMETERS",
    "PICTURE",
    "RULES",
    "SPARK",
    "Argument",
    "Declaration",
    "Option",
    "Place",
    "argument",
    "lenient",
    "option",
    "parameter",
    "texts_of",
]

OPTIONS, DATA, RULES, GLOBAL = "Options", "Data", "Null rules and resources", "Global options"
PARAMETERS, DEMANDS = "Parameters of the algorithm", "Demands on sensitive answers"
FORM, GATES, PICTURE, SPARK = "Form of the release", "Gates of a pipeline", "Picture", "Engine spark"
_NO_FILE_EITHER = ("issues", "name")  # of issues, of a query of the library
_TEXTS, _LENIENT = "ratingpriv.texts", "ratingpriv.lenient"

Place = Literal["input", "output", "store"]
"""What a parameter names whose value is a place on the disk or a graph store."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the help says of a parameter, and how it is written; no names: an argument.

    ``place`` says that the value names a file or folder that is read ("input") or written ("output"), or a
    graph store ("store").
    """

    help: str
    names: tuple[str, ...] = ()
    metavar: str | None = None
    kind: Kind | None = None
    panel: str = OPTIONS
    place: Place | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def option(
    *names: str,
    help: str,  # noqa: A002
    metavar: str | None = None,
    kind: Kind | None = None,
    panel: str = OPTIONS,
    place: Place | None = None,
    **settings: Any,
) -> Declaration:
    """Declare an option; ``settings`` are click's."""
    return Declaration(help, names, metavar, kind, panel, place, settings)


def argument(
    metavar: str,
    *,
    help: str,  # noqa: A002
    place: Place | None = None,
    hidden: bool = False,
) -> Declaration:
    """Declare a positional argument; ``hidden``: it is the old way to say something, and no help has it."""
    return Declaration(help, metavar=metavar, place=place, settings={"hidden": hidden})


def lenient(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Let nothing be missing from the command line: an option's callback that has the command do less."""
    ctx.meta[_LENIENT] = bool(value)
    return value


def _refuse_meaningless(ctx: click.Context, param: Option | Argument, value: Any) -> None:
    """Refuse what no option can mean: bytes that are no text, a file without a name or called ``-``."""
    longest = [name[2:] for name in param.opts if name.startswith("--")]
    name = longest[0] if longest else param.name or ""
    for text in value if isinstance(value, (list, tuple)) else [value]:
        if not isinstance(text, str):
            continue
        if param.place is None and as_utf8(text) != text:
            raise ParameterError(name, text, "a text in UTF-8")
        if not text and param.place in ("input", "output") and name not in _NO_FILE_EITHER:
            raise ParameterError(name, text, "the name of a file or folder")
        if text == "-" and param.place == "output":
            prints = any(one.name == "as_json" for one in ctx.command.params)
            remedy = "--json prints the result on standard output" if prints else ""
            raise ParameterError(name, text, "the name of a file or folder", remedy)


def _unless_lenient(ctx: click.Context, process: Callable[[], Any]) -> Any:
    try:
        return process()
    except click.MissingParameter:
        if ctx.meta.get(_LENIENT):
            return None
        raise


class Option(click.Option):
    """An option in a section of the help; what the user wrote is kept beside its value."""

    def __init__(self, *args: Any, panel: str, place: Place | None = None, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.panel, self.place = panel, place

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the value as its type has it."""
        _refuse_meaningless(ctx, self, value)
        return _unless_lenient(ctx, lambda: super(Option, self).process_value(ctx, value))

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        """Take the value as it was written, and remember it."""
        value, source = super().consume_value(ctx, opts)
        if source is not None and source.name in ("COMMANDLINE", "DEFAULT_MAP"):
            ctx.meta.setdefault(_TEXTS, {})[self.name] = value
        return value, source


class Argument(click.Argument):
    """A positional argument with a line in the help."""

    def __init__(
        self, *args: Any, meaning: str, hidden: bool, place: Place | None = None, **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self.meaning, self.place, self.hidden = meaning, place, hidden

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the value as its type has it."""
        _refuse_meaningless(ctx, self, value)
        return _unless_lenient(ctx, lambda: super(Argument, self).process_value(ctx, value))

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return what the line of usage has of it."""
        return [] if self.hidden else super().get_usage_pieces(ctx)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the name and what it means."""
        return (self.metavar or self.human_readable_name).strip("[]"), self.meaning


def parameter(name: str, hint: Any, default: Any = inspect.Parameter.empty) -> click.Parameter:
    """Return the click parameter for a Python parameter with a Declaration; no default: it is required."""
    kept, declared = typing.get_args(hint)
    options = [one for one in typing.get_args(kept) if one is not types.NoneType]
    if typing.get_origin(kept) in (typing.Union, types.UnionType):
        kept = options[0]
    required = default is inspect.Parameter.empty
    settings: dict[str, Any] = {"required": required, "metavar": declared.metavar}
    if not declared.names:
        if not required:  # given for a required one, click 8.3 takes it for a value and misses nothing
            settings["default"] = None
        settings |= declared.settings
        return Argument([name], meaning=declared.help, place=declared.place, **settings)
    flag, repeatable = kept is bool, typing.get_args(kept)[1:] == (...,)
    kept = typing.get_args(kept)[0] if repeatable else kept
    if flag:
        settings |= {"is_flag": True, "default": default}
    else:
        kind = declared.kind or _kind(kept)
        settings |= {"type": kind, "multiple": repeatable, "metavar": declared.metavar or kind.name}
        if not required and not repeatable:
            settings["default"] = default
    settings["show_default"] = not required and default is not None and default not in ("", ()) and not flag
    settings |= declared.settings
    settings |= {"panel": declared.panel, "place": declared.place, "help": declared.help}
    return Option([name, *declared.names], **settings)


def _kind(kept: Any) -> Any:
    if typing.get_origin(kept) is Literal:
        return OneOf(*typing.get_args(kept))
    return {int: Whole(0), float: Real()}.get(kept, click.STRING)


def texts_of(ctx: click.Context, option: Option) -> list[str]:
    """Return what the user wrote for an option, as words of a command line; none where it was not given."""
    if option.name not in ctx.meta.get(_TEXTS, {}):
        return []
    written, names = ctx.meta[_TEXTS][option.name], [one for one in option.opts if one.startswith("--")]
    if option.is_flag:
        return names[:1] if written else list(option.secondary_opts[:1])
    values = written if isinstance(written, (list, tuple)) else [written]
    return [word for value in values for word in (names[0], str(value))]
