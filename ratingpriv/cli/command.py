"""From a function to a command: groups of options written once, sections in ``--help``, a defined end.

A command is a function whose parameters are Typer options, or frozen dataclasses of them; :func:`register`
lays the dataclasses' fields out as options, builds them back, and exits with the function's code.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand

from ratingpriv.cli.output.exits import ending
from ratingpriv.cli.output.reporter import Talk

__all__ = ["Given", "GroupedCommand", "register"]

Given = typing.NewType("Given", frozenset)  # type: ignore[type-arg]
"""The type of a parameter that is no option: the names of those parameters that the user gave a value."""


class GroupedCommand(TyperCommand):
    """A command whose ``--help`` lists its options in sections, by ``rich_help_panel``, in plain text."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each panel, the command's own options first."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            argument = param.param_type_name == "argument"
            panel = getattr(param, "rich_help_panel", None) or ("Arguments" if argument else "Options")
            sections.setdefault(panel, []).append(record)
        for panel, records in sections.items():
            with formatter.section(panel):
                formatter.write_dl(records)


def register(app: typer.Typer, name: str, function: Callable[..., int]) -> None:
    """Add ``function`` to ``app`` as a command: its docstring is the help, its result the exit code."""
    hints = typing.get_type_hints(function, include_extras=True)
    groups: dict[str, type[Any]] = {
        group: hint
        for group, hint in hints.items()
        if isinstance(hint, type) and dataclasses.is_dataclass(hint)
    }
    parameters: list[inspect.Parameter] = []
    given_as = next((name for name, hint in hints.items() if hint is Given), None)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == given_as:
            parameters.append(parameter.replace(annotation=typer.Context, default=inspect.Parameter.empty))
        elif parameter.name in groups:
            parameters += _fields(groups[parameter.name])
        else:
            hint = hints[parameter.name]
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hint))

    def run(**given: Any) -> None:
        talk = Talk(quiet=bool(given.get("quiet")), verbose=bool(given.get("verbose")))
        with ending(verbose=talk.verbose), talk.warnings():
            arguments: dict[str, Any] = {
                group: cls(**{field.name: given.pop(field.name) for field in dataclasses.fields(cls)})
                for group, cls in groups.items()
            }
            if given_as is not None:
                context = given.pop(given_as)
                arguments[given_as] = Given(frozenset(filter(_is_given(context), context.params)))
            code = function(**given, **arguments)
        raise SystemExit(code)

    run.__doc__ = function.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    app.command(name, cls=GroupedCommand, context_settings=settings)(run)


def _is_given(context: typer.Context) -> Callable[[str], bool]:
    """Return whether a parameter's value is the user's (from the command line or a file), not the default."""

    def is_given(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name != "DEFAULT"

    return is_given


def _fields(group: Any) -> list[inspect.Parameter]:
    """Return the dataclass's fields as keyword-only parameters."""
    hints = typing.get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in dataclasses.fields(group)
    ]
