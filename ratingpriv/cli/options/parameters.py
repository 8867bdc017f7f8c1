"""All that leans on the inside of Typer, whose version pyproject.toml bounds:
how a parameter is read.

Typer reads values by pydantic, which takes other texts for numbers (``1_0``, ``+5``, ``1e-400``)
and a tenth of a second to import. A parameter keeps what reads it in ``_runtime_param``, made when
it is first needed: :func:`prepared` sets it before that.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer
from typer._click import exceptions as exceptions  # what is wrong with a command line
from typer._click.globals import get_current_context

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.escaping import as_utf8
from ratingpriv.cli.options.values import (
    SETTINGS,
    Parser,
    Place,
    number,
    one_of,
    text,
    whole,
    yes_or_no,
)

_TEXTS, _LENIENT = "ratingpriv.texts", "ratingpriv.lenient"


def current_context() -> typer.Context:
    """Return the context of the command that runs."""
    return typing.cast("typer.Context", get_current_context())


def given() -> frozenset[str]:
    """Return the names of those parameters that the user gave a value."""
    ctx = current_context()
    return frozenset(name for name in ctx.params if origin(ctx, name) != "DEFAULT")


def parameters(ctx: typer.Context) -> list[Any]:
    """Return the options and arguments of the command that runs."""
    return typing.cast("list[Any]", ctx.command.params)


def prepared(params: list[Any]) -> list[Any]:
    """Return parameters whose values are read by parsers; a setting has its name in ``setting``."""
    for param in params:
        if not isinstance(param._runtime_param, _Reader):
            param._runtime_param = _Reader(_parser_of(param))
            param.setting = param.opts[0][2:] if param.rich_help_panel == SETTINGS else None
    return params


def _parser_of(param: Any) -> Parser:
    kind: Any = param.type_descriptor.annotation
    info = param.type_descriptor.parameter_info
    if isinstance(info.parser, Parser):
        return info.parser
    if typing.get_origin(kind) is list:
        (kind,) = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Literal:
        return one_of(*typing.get_args(kind))
    if kind is int:
        return whole(int(info.min or 0))
    return {bool: yes_or_no, float: number(info.max)}.get(kind, text)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the values of one parameter; what the user wrote is kept beside them."""

    parser: Parser

    def coerce(self, value: Any, param: Any, ctx: typer.Context) -> Any:
        """Return the value as its parser has it; what is no text is a default,
        and of the right type.
        """
        if value is None:
            return (
                () if param.multiple else "" if param.required and ctx.meta.get(_LENIENT) else None
            )
        if origin(ctx, param.name) != "DEFAULT":
            ctx.meta.setdefault(_TEXTS, {})[param.name] = value
        if param.multiple:
            return tuple(self._value(text, param, ctx) for text in value)
        return self._value(value, param, ctx)

    def _value(self, value: Any, param: Any, ctx: typer.Context) -> Any:
        if not isinstance(value, str):
            return value
        name = next(iter(names_of(param)), param.name)
        if self.parser.place is None and as_utf8(value) != value:
            raise ParameterError(name, value, "a text in UTF-8")
        if self.parser.place == "output" and value == "-":
            prints = any(other.name == "as_json" for other in parameters(ctx))
            remedy = "--json prints the result on standard output" if prints else ""
            raise ParameterError(name, value, self.parser.expected, remedy)
        return self.parser.of(name, value)


def lenient(ctx: typer.Context, value: bool) -> bool:
    """Let nothing be missing from the command line:
    an option's callback that has the command do less.
    """
    ctx.meta[_LENIENT] = value
    return value


def place_of(param: Any) -> Place | None:
    """Return what a parameter's value names, if it is a file, a folder or a store."""
    return typing.cast("Place | None", param._runtime_param.parser.place)


def names_of(param: Any) -> list[str]:
    """Return the long names of an option, as a file has them, or the one of a setting; none:
    an argument.
    """
    return (
        [param.setting]
        if param.setting
        else [name[2:] for name in param.opts if name.startswith("--")]
    )


def origin(ctx: typer.Context, name: str) -> str:
    """Return where a value is from: COMMANDLINE; DEFAULT_MAP, a codebook or ``--set``;
    or DEFAULT.
    """
    source = ctx.get_parameter_source(name)
    return "DEFAULT" if source is None else source.name


def all_written(ctx: typer.Context) -> Iterator[tuple[Any, Any]]:
    """Yield what the user gave a value, and that, as texts; of a flag whether it holds."""
    for param in parameters(ctx):
        if param.expose_value and origin(ctx, param.name) != "DEFAULT":
            yield (
                param,
                ctx.params[param.name]
                if getattr(param, "is_flag", False)
                else ctx.meta[_TEXTS][param.name],
            )


def words_of(param: Any, value: Any) -> list[str]:
    """Return the words of a command line that give a parameter what :func:`all_written` yields."""
    if param.param_type_name == "argument":
        return [str(value)]
    name = names_of(param)[0]
    if param.is_flag and param.setting is None:
        return [f"--{name}"] if value else list(param.secondary_opts[:1])
    texts = (
        ["yes" if value else "no"]
        if param.is_flag
        else [value]
        if isinstance(value, str)
        else value
    )
    option, prefix = ("--set", f"{name}=") if param.setting else (f"--{name}", "")
    return [word for text in texts for word in (option, f"{prefix}{text}")]
