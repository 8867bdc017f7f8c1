"""All that leans on the inside of Typer, whose version pyproject.toml bounds: how a parameter is read.

Typer reads values by pydantic, which takes other texts for numbers (``1_0``, ``+5``, ``1e-400``) and a tenth
of a second to import. A parameter keeps what reads it in ``_runtime_param``, made when it is first needed:
:func:`prepared` sets it before that.
"""

from __future__ import annotations

import typing
from typing import Any

import typer
from typer._click.exceptions import BadOptionUsage as BadOptionUsage  # what is wrong with a command line
from typer._click.exceptions import ClickException as ClickException
from typer._click.exceptions import MissingParameter as MissingParameter
from typer._click.exceptions import NoArgsIsHelpError as NoArgsIsHelpError
from typer._click.exceptions import NoSuchOption as NoSuchOption
from typer._click.globals import get_current_context

from ratingpriv.cli.options.panels import SETTINGS
from ratingpriv.cli.options.values import Parser, Place, number, one_of, text, whole, yes_or_no
from ratingpriv.errors import ParameterError
from ratingpriv.escaping import as_utf8

__all__ = [
    "current_context",
    "lenient",
    "names_of",
    "parameters",
    "place_of",
    "prepared",
    "texts_of",
    "written",
]

_TEXTS, _LENIENT = "ratingpriv.texts", "ratingpriv.lenient"


def current_context() -> typer.Context | None:
    """Return the context of the command that runs; None where none does."""
    return typing.cast("typer.Context | None", get_current_context(silent=True))


def parameters(ctx: typer.Context) -> list[Any]:
    """Return the options and arguments of the command that runs."""
    return typing.cast("list[Any]", ctx.command.params)


def prepared(params: list[Any]) -> list[Any]:
    """Return parameters whose values are read by parsers; a setting's own word is in no help."""
    for param in params:
        if isinstance(param._runtime_param, _Reading):
            continue
        param._runtime_param, param.setting = _Reading(_parser_of(param)), None
        if param.rich_help_panel == SETTINGS:
            param.setting = param.opts[0][2:]
    return params


def names_of(param: Any) -> list[str]:
    """Return the long names of an option, as a file has them, or the one of a setting."""
    found = getattr(param, "setting", None)
    return [found] if found else [one[2:] for one in param.opts if one.startswith("--")]


def _parser_of(param: Any) -> Parser:
    kind: Any = param.type_descriptor.annotation
    info = param.type_descriptor.parameter_info
    if isinstance(info.parser, Parser):
        return info.parser
    if typing.get_origin(kind) is list:
        (kind,) = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Literal:
        return one_of(*typing.get_args(kind))
    if kind is bool:
        return yes_or_no
    if kind is int:
        return whole(int(info.min or 0))
    return number(info.max) if kind is float else text


class _Reading:
    """Reads the values of one parameter; what the user wrote is kept beside them."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser

    def coerce(self, value: Any, param: Any, ctx: typer.Context) -> Any:
        """Return the value as its parser has it; what is no text is a default, and of the right type."""
        if value is None:
            return () if param.multiple else "" if param.required and ctx.meta.get(_LENIENT) else None
        source = ctx.get_parameter_source(param.name)
        if source is not None and source.name in ("COMMANDLINE", "DEFAULT_MAP"):
            ctx.meta.setdefault(_TEXTS, {})[param.name] = value
        if param.multiple:
            return tuple(self._one(one, param, ctx) for one in value)
        return self._one(value, param, ctx)

    def _one(self, value: Any, param: Any, ctx: typer.Context) -> Any:
        if not isinstance(value, str):
            return value
        name = next(iter(names_of(param)), param.name)
        if self.parser.place is None and as_utf8(value) != value:
            raise ParameterError(name, value, "a text in UTF-8")
        if self.parser.place == "output" and value == "-":
            prints = any(one.name == "as_json" for one in ctx.command.params)
            remedy = "--json prints the result on standard output" if prints else ""
            raise ParameterError(name, value, self.parser.expected, remedy)
        return self.parser.of(name, value)


def place_of(param: Any) -> Place | None:
    """Return what a parameter's value names, if it is a file, a folder or a store."""
    reading = getattr(param, "_runtime_param", None)
    return reading.parser.place if isinstance(reading, _Reading) else None


def lenient(ctx: typer.Context, value: bool) -> bool:
    """Let nothing be missing from the command line: an option's callback that has the command do less."""
    ctx.meta[_LENIENT] = value
    return value


def written(ctx: typer.Context, param: Any) -> Any:
    """Return what the user wrote for an option, as texts; of a flag whether it holds; None: nothing."""
    source = ctx.get_parameter_source(param.name)
    if source is None or source.name not in ("COMMANDLINE", "DEFAULT_MAP"):
        return None
    return ctx.params[param.name] if param.is_flag else ctx.meta[_TEXTS][param.name]


def texts_of(ctx: typer.Context, param: Any) -> list[str]:
    """Return what the user wrote for an option, as words of a command line; none where it was not given."""
    found, names = written(ctx, param), names_of(param)
    if found is None:
        return []
    if param.setting is not None:
        texts = ("yes" if found else "no",) if param.is_flag else found
        texts = texts if isinstance(texts, (list, tuple)) else (texts,)
        return [word for text in texts for word in ("--set", f"{names[0]}={text}")]
    if param.is_flag:
        return [f"--{names[0]}"] if found else list(param.secondary_opts[:1])
    texts = found if isinstance(found, (list, tuple)) else [found]
    return [word for text in texts for word in (f"--{names[0]}", str(text))]
