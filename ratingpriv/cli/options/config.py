"""Options from a codebook, and settings: the same names, and what stands on the command line wins.

A codebook has a command's options by its name, ``[audit]``, beside what it says of the data.
Settings are the options that are rarely given; they stand there, too, or in ``--set NAME=VALUE``,
which wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from ratingpriv.base.errors import DataError, ParameterError, Problem, meant
from ratingpriv.cli.options.parameters import names_of, origin, parameters, words_of
from ratingpriv.cli.output.invocation import invocation

if TYPE_CHECKING:
    from ratingpriv.data.codebook.codebook import Codebook

OLD_WORDS = {"issues": "items"}
"""Names of options that still mean the same, and are in no help."""

# which no file grants itself
_NOT_IN_A_FILE = ("help_data", "print_codebook", "setting", "anywhere")
_CODEBOOK, SET, _ANYWHERE = "ratingpriv.codebook", "ratingpriv.set", "ratingpriv.anywhere"


def note_trust(ctx: typer.Context, words: Sequence[str]) -> None:
    """Note whether ``--set anywhere=yes`` is typed,
    before or behind the codebook that it is about.
    """
    typed = words[: words.index("--")] if "--" in words else words
    ctx.meta[_ANYWHERE] = not {"anywhere=yes", "--set=anywhere=yes"}.isdisjoint(typed)


def apply_settings(ctx: typer.Context, value: tuple[str, ...]) -> tuple[str, ...]:
    """Make the values of ``--set`` the command's defaults. Called before other options are read."""
    by_setting = {param.setting: param for param in parameters(ctx) if param.setting}
    chosen: dict[str, Any] = {}
    for word in value or ():
        name, equals, text = word.partition("=")
        if name not in by_setting or not equals:
            remedy = "" if name in by_setting else meant(name, by_setting)
            raise ParameterError(
                "set", word, "NAME=VALUE with a NAME that --help-data lists", remedy
            )
        param = by_setting[name]
        if param.multiple:
            chosen.setdefault(param.name, []).append(text)
        elif chosen.setdefault(param.name, text) != text:
            raise ParameterError("set", word, f"one value of {name}")
    ctx.default_map = {**(ctx.default_map or {}), **chosen}
    ctx.meta[SET] = chosen.keys()
    return value


def apply_codebook(ctx: typer.Context, path: str | None) -> str | None:
    """Make a codebook's values of this command, and its data, the defaults.

    Called by ``--codebook``.
    """
    if path is None or ctx.resilient_parsing:
        return path
    from ratingpriv.data.codebook.files.toml_file import read_codebook

    book = ctx.meta[_CODEBOOK] = read_codebook(path, anywhere=ctx.meta.get(_ANYWHERE, False))
    defaults: dict[str, Any] = {}
    commands = getattr(ctx.find_root().command, "commands", {})
    for table, content in book.commands.items():
        command = commands.get(table, ctx.command)
        command_options = options_of(command, ("codebook",))
        for key, value in content.items():
            if key not in command_options:
                remedy = meant(key, command_options) or "the keys are the long names of its options"
                refuse(
                    path,
                    table,
                    key,
                    f"unknown key {key!r}",
                    f"an option of ratingpriv {table}",
                    remedy,
                )
            read = _value(path, table, key, value, command_options[key])
            if command.name == ctx.command.name:
                defaults[command_options[key].name] = read
    if "path" in book.data and any(param.name == "data" for param in parameters(ctx)):
        defaults["data"] = str(book.beside(book.data["path"]))
    ctx.default_map = {**defaults, **(ctx.default_map or {})}
    invocation().json |= bool(defaults.get("as_json"))
    return path


def codebook_of(ctx: typer.Context) -> Codebook | None:
    """Return the codebook that a command was given, as it was read."""
    return ctx.meta.get(_CODEBOOK)


def overrules(other: str) -> Callable[[typer.Context, typer.CallbackParam, Any], Any]:
    """Return an option's callback: given on the command line,
    it sets aside the file's value of ``other``.
    """

    def callback(ctx: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
        if value and origin(ctx, param.name) == "COMMANDLINE":
            (ctx.default_map or {}).pop(other, None)
        return value

    return callback


def options_of(command: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the command's options by long name, as a file has them;
    ``no-x`` of a pair is no key.
    """
    options = {
        name: param
        for param in command.params
        if param.param_type_name == "option" and param.name not in (*_NOT_IN_A_FILE, *without)
        for name in names_of(param)
    }
    return options | {old: options[name] for old, name in OLD_WORDS.items() if name in options}


def texts_for(path: str, table: str, key: str, value: Any, param: Any) -> list[str]:
    """Return a TOML value of an option as the words that say it on the command line."""
    return words_of(param, _value(path, table, key, value, param))


def _value(path: str, table: str, key: str, value: Any, param: Any) -> Any:
    """Return the TOML value as Typer would have got it from the command line."""
    if param.is_flag:
        if not isinstance(value, bool):
            refuse(path, table, key, f"{key}: {value!r}", "true or false")
        return value
    values = value if param.multiple and isinstance(value, list) else [value]
    for item in values:
        if isinstance(item, bool) or not isinstance(item, (str, int)):
            expected = "a text or a number" + " or a list" * param.multiple
            refuse(path, table, key, f"{key}: {item!r}", expected)
        if param.name == "require" and item == "list":  # which ends with 0 and measures nothing
            refuse(path, table, key, f"{key}: 'list'", "limits", f"type --{key} list instead")
    texts = [str(item) for item in values]
    return texts if param.multiple else texts[0]


def refuse(
    path: str, table: str, key: str, found: str, expected: str, remedy: str = ""
) -> NoReturn:
    """Refuse what stands in a codebook, and say in which line."""
    from ratingpriv.base.inputs import small_text
    from ratingpriv.data.codebook.files.toml_file import line_of

    line = line_of(small_text(path), (table, key))
    raise DataError(
        Problem(path, f"{found} ([{table}])", expected, remedy or f"correct [{table}]", line)
    )
