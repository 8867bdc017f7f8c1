"""Options from a TOML file: the same long names, and what stands on the command line wins.

``--config`` has the options of one command; a codebook has them by the command's name, ``[audit]``, beside
what it says of the data. The command line beats ``--config``, which beats ``--codebook``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from ratingpriv.inputs import small_text
from ratingpriv.numbers import parser_said

if TYPE_CHECKING:
    from ratingpriv.codebook.codebook import Codebook

__all__ = ["apply_codebook", "apply_config", "codebook_of", "options_of", "overrules", "texts_for"]

_NOT_IN_A_FILE = ("config", "help", "print_codebook")
_CODEBOOK = "ratingpriv.codebook"


def apply_config(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Make the file's values the command's defaults. Called by ``--config`` before other options are read.

    A wrong file, an unknown key or a value of the wrong type is a usage error.
    """
    if path is None or ctx.resilient_parsing:
        return path
    try:
        # a float keeps its text, for the option's own grammar: 1e-400 is not 0
        content = tomllib.loads(small_text(path), parse_float=str)
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}; check the path") from error
    except RecursionError as error:
        raise click.BadParameter(f"{path}: not a TOML file: values nested too deeply") from error
    except ValueError as error:  # no TOML, no UTF-8, a number of thousands of digits, a NUL in the path
        raise click.BadParameter(f"{path}: not a TOML file: {parser_said(error)}") from error
    ctx.default_map = {**(ctx.default_map or {}), **_defaults(path, content, options_of(ctx.command))}
    return path


def apply_codebook(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Make a codebook's values of this command, and its data, the defaults. Called by ``--codebook``.

    Raises
    ------
    DataError
        The codebook is wrong.
    """
    if path is None or ctx.resilient_parsing:
        return path
    from ratingpriv.codebook.files.toml_file import read_codebook

    book = ctx.meta[_CODEBOOK] = read_codebook(path)
    defaults: dict[str, Any] = {}
    commands = getattr(ctx.find_root().command, "commands", {})
    for name, content in book.commands.items():
        command = commands.get(name, ctx.command)
        given = _defaults(f"{path}: [{name}]", content, options_of(command, ("codebook",)))
        defaults |= given if command.name == ctx.command.name else {}
    if "path" in book.data and any(one.name == "data" for one in ctx.command.params):
        defaults["data"] = str(book.beside(book.data["path"]))
    ctx.default_map = {**defaults, **(ctx.default_map or {})}
    return path


def codebook_of(ctx: click.Context | None) -> Codebook | None:
    """Return the codebook that a command was given, as it was read."""
    return None if ctx is None else ctx.meta.get(_CODEBOOK)


def _defaults(path: str, content: Mapping[str, Any], known: dict[str, tuple[Any, bool]]) -> dict[str, Any]:
    """Return values by the names of the parameters that they are for."""
    defaults: dict[str, Any] = {}
    for key, value in content.items():
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = (
                f"did you mean {close[0]!r}?"
                if close
                else "the keys are the long names of the command's options"
            )
            raise click.BadParameter(f"{path}: unknown key {key!r}; {hint}")
        param, flag = known[key]
        defaults[param.name] = _value(path, key, value, param, flag)
    return defaults


def overrules(other: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return an option's callback: given on the command line, it sets aside the file's value of ``other``."""

    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        source = ctx.get_parameter_source(param.name or "")
        if value and source is not None and source.name == "COMMANDLINE" and ctx.default_map:
            ctx.default_map = {name: kept for name, kept in ctx.default_map.items() if name != other}
        return value

    return callback


def options_of(command: click.Command, without: tuple[str, ...] = ()) -> dict[str, tuple[Any, bool]]:
    """Return the command's options by long name, and whether each is a flag; ``no-x`` of a pair is no key."""
    named: dict[str, tuple[Any, bool]] = {}
    for param in command.params:
        if param.param_type_name != "option" or param.name in (*_NOT_IN_A_FILE, *without):
            continue
        for option in param.opts:
            if option.startswith("--"):
                named[option[2:]] = (param, bool(getattr(param, "is_flag", False)))
    return named


def texts_for(path: str, key: str, value: Any, param: Any, flag: bool) -> list[str]:
    """Return a TOML value of an option as the words that say it on the command line."""
    read = _value(path, key, value, param, flag)
    name = f"--{key}"
    if flag:
        return [name] if read else list(param.secondary_opts[:1])
    return [word for one in (read if isinstance(read, list) else [read]) for word in (name, one)]


def _value(path: str, key: str, value: Any, param: Any, flag: bool) -> Any:
    """Return the TOML value as click would have got it from the command line."""
    if flag:
        if not isinstance(value, bool):
            raise click.BadParameter(f"{path}: {key}: found {value!r}, expected true or false")
        return value
    if param.multiple:
        items = value if isinstance(value, list) else [value]
        if param.name == "require" and "list" in items:  # which ends with 0 and measures nothing
            raise click.BadParameter(
                f"{path}: {key}: found 'list', expected limits; type --{key} list instead"
            )
        return [_text(path, key, item, "a text, a number or a list of them") for item in items]
    return _text(path, key, value, "a text or a number")


def _text(path: str, key: str, value: Any, expected: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise click.BadParameter(f"{path}: {key}: found {value!r}, expected {expected}")
    try:
        return str(value)
    except ValueError:  # Python prints no number of thousands of digits
        raise click.BadParameter(f"{path}: {key}: a number of too many digits, expected {expected}") from None
