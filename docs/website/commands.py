"""The reference of the command line, from the application itself: a page a command,
an entry an option.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

from ratingpriv.cli import app
from ratingpriv.cli.command import Command
from website.markdown import dedented, escaped, fenced, table

__all__ = ["commands", "pages"]

_INTRODUCTION = """Every command with every argument, every option and every panel of its `--help`,
from the program itself. Panels that several commands share are shown there by `--help-data`.
"""


def commands(
    group: TyperGroup, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Command]]:
    """Yield every command with the words that call it, in the order of the help."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, (*path, name))
        elif isinstance(command, Command):
            yield (*path, name), command


def pages() -> dict[str, str]:
    """Return the pages by their names: an index with its table, and a page a command."""
    root = cast("TyperGroup", get_command(app))
    found = {_file(words): _page(words, command) for words, command in commands(root)}
    rows = [
        [f"[`ratingpriv {' '.join(words)}`]({_file(words)})", escaped(command.short_help or "")]
        for words, command in commands(root)
    ]
    general = "\n".join(
        _option(param.get_help_record(typer.Context(root))) for param in root.params
    )
    found["index.md"] = "\n".join(
        [
            "# Command line\n",
            _INTRODUCTION,
            table(["command", "does"], rows),
            "## Without a command\n",
            "```{program} ratingpriv\n```\n",
            general,
            escaped(root.epilog or "") + "\n",
        ]
    )
    return found


def _file(words: tuple[str, ...]) -> str:
    return "-".join(words) + ".md"


def _page(words: tuple[str, ...], command: Command) -> str:
    name = f"ratingpriv {' '.join(words)}"
    ctx = typer.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(ctx)])
    lines = [f"# {name}\n", fenced(usage, "text"), f"```{{program}} {name}\n```\n"]
    lines += [f"{paragraph}\n" for paragraph in _prose(command.help or "")]
    if command.examples:
        lines += ["## Examples\n", fenced(command.examples, "sh")]
    for panel, records in command.sections(ctx).items():
        lines += [f"## {panel.rstrip(':')}\n"]
        if panel in command.elsewhere:
            lines += [f"Shown by `{name} --help-data`.\n"]
        if panel == "Arguments":
            needed = {
                param.metavar
                for param in command.params
                if param.param_type_name == "argument" and param.required
            }
            rows = [
                [f"`{one}`", escaped(said) + (" *Required.*" if one in needed else "")]
                for one, said in records
            ]
            lines.append(table(["argument", "what it is"], rows))
        else:
            lines += [_option(record) for record in records]
    return "\n".join(lines)


def _prose(text: str) -> list[str]:
    """Return the paragraphs of a help text; one that Typer shall leave as it is stays a block."""
    paragraphs = []
    for one in re.split(r"\n\s*\n", text):
        if one.lstrip().startswith("\b"):
            paragraphs.append(fenced(one.replace("\b", "").strip("\n"), "text"))
        else:
            paragraphs += [escaped(line) for line in dedented(one)]
    return paragraphs


def _option(record: tuple[str, str] | None) -> str:
    """Return the entry of an option: its names as Sphinx indexes them, then what it does."""
    if record is None:
        return ""
    names, said = record
    names = re.sub(r" / ", ", ", names)
    return f"````{{option}} {names}\n{escaped(' '.join(said.split()))}\n````\n"
