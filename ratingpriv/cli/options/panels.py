"""The sections of the help; those that commands share are shown by ``--help-data``."""

from __future__ import annotations

from functools import partial

from typer import Option

from ratingpriv.cli.options.values import input_file, output_file

__all__ = [
    "DATA",
    "GATES",
    "GLOBAL",
    "OPTIONS",
    "RULES",
    "SETTINGS",
    "SHARED",
    "STORE",
    "reads",
    "setting",
    "writes",
]

OPTIONS, STORE, GATES = "Options", "Graph store", "Gates of a pipeline"
DATA, RULES, GLOBAL = "Data", "Rules", "Global options"
SETTINGS = "Settings (--set NAME=VALUE, or in a codebook)"
SHARED = (GATES, DATA, RULES, GLOBAL, SETTINGS)
"""Those that ``--help-data`` shows where a command reads data."""

setting = partial(Option, rich_help_panel=SETTINGS)
"""Declares an option that is given as ``--set NAME=VALUE``, or in a codebook: one that few need."""

reads = partial(Option, metavar="FILE", parser=input_file)
writes = partial(Option, metavar="FILE", parser=output_file)
"""Declare options that name a file which is read, or written."""
