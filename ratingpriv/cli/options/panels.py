"""The sections of the help; those that commands share are shown by ``--help-data``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from typer import Option

__all__ = [
    "DATA",
    "GATES",
    "GLOBAL",
    "OPTIONS",
    "RULES",
    "SETTINGS",
    "SHARED",
    "STORE",
    "declaring",
    "setting",
]

OPTIONS, STORE, GATES = "Options", "Graph store", "Gates of a pipeline"
DATA, RULES, GLOBAL = "Data", "Rules", "Global options"
SETTINGS = "Settings (--set NAME=VALUE, or in a codebook)"
SHARED = (GATES, DATA, RULES, GLOBAL, SETTINGS)
"""Those that ``--help-data`` shows where a command reads data."""

setting = partial(Option, rich_help_panel=SETTINGS)
"""Declares an option that is given as ``--set NAME=VALUE``, or in a codebook: one that few need."""


def declaring(panel: str | None = None) -> Callable[..., Any]:
    """Return what declares options of a section as help shows them: ``("--id COL", "Column of ids.")``."""

    def declared(words: str, text: str, **more: Any) -> Any:
        word, _, metavar = words.partition(" ")
        return Option(word, metavar=metavar or None, help=text, rich_help_panel=panel, **more)

    return declared
