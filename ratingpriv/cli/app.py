"""The application: its commands, and the entry point ``ratingpriv``."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer.main import get_command, get_group

from ratingpriv.base.unfinished import ignore_signals, last_words
from ratingpriv.cli.command import Commands, register
from ratingpriv.cli.options.values import option
from ratingpriv.cli.output.exits import ending, signal_document
from ratingpriv.cli.output.reporter import prepare_streams

COMMANDS = {
    "desk": (
        "ratingpriv.cli.desk",
        "Open the desk: columns, protection, release and neighbours as pages in your browser",
    ),
    "describe": (
        "ratingpriv.cli.describe",
        "Describe the columns of a file, and propose a codebook",
    ),
    "audit": (
        "ratingpriv.cli.audit",
        "Audit a dataset for (k,ε)-anonymity and list records at risk",
    ),
    "explain": (
        "ratingpriv.cli.explain",
        "Explain which few known ratings narrow one record down, and what to blank",
    ),
    "frontier": ("ratingpriv.cli.frontier", "Find which k, ε and l are within reach of a dataset"),
    "partition": (
        "ratingpriv.cli.partition",
        "Partition a dataset into groups of ε-proximate records",
    ),
    "anonymize": (
        "ratingpriv.cli.anonymize",
        "Anonymize a dataset: make a release that is (k,ε)-anonymous",
    ),
    "verify": (
        "ratingpriv.cli.verify",
        "Verify a release against its manifest, anew from its file",
    ),
    "attack": (
        "ratingpriv.cli.attack",
        "Attack a dataset or a release as an adversary who knows a few ratings",
    ),
    "utility": (
        "ratingpriv.cli.utility",
        "Measure what a release is still good for, beside its original",
    ),
    "recommend": ("ratingpriv.cli.recommend", "Decide what may be published"),
    "report": (
        "ratingpriv.cli.report",
        "Report the results on DATA, and on a --release of them, on one page",
    ),
    "run": (
        "ratingpriv.cli.run",
        "Run the steps of one file: describe, audit, anonymize, attack, report",
    ),
    "experiment": (
        "ratingpriv.cli.experiment",
        "Run an experiment: methods, k, ε, l and seeds over data sets",
    ),
    "reproduce": ("ratingpriv.cli.reproduce", "Make figures of the papers again, on your data"),
    "ingest": (
        "ratingpriv.cli.ingest",
        "Ingest records and their ε-proximate pairs into a graph store",
    ),
    "synthesize": (
        "ratingpriv.cli.synthesize",
        "Write synthetic ratings from a stated model and a seed",
    ),
    "demo": ("ratingpriv.cli.demo", "Take a two-minute tour on a synthetic survey"),
    "doctor": (
        "ratingpriv.cli.about",
        "Check that everything needed is installed and computes correctly",
    ),
    "schema": ("ratingpriv.cli.about", "Print the JSON Schema of what --json prints"),
    "version": ("ratingpriv.cli.about", "Print the version"),
    "query": (
        "ratingpriv.cli.query",
        "List, show and run queries: those of the Cypher library, and your own",
    ),
    "store": (
        "ratingpriv.cli.store",
        "Show what a graph store holds, write a dataset out, and remove one",
    ),
}
"""The commands in their order: the module of each, and the first sentence of its help.

``ratingpriv --help`` imports no command, and a command no other. A test holds the sentences equal.
"""


class _Loaded(Mapping[str, Any]):
    """The commands by name, each imported and laid out when it is first asked for."""

    def __getitem__(self, name: str) -> Any:
        """Return the command; KeyError for another name."""
        if name not in COMMANDS:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@functools.cache
def _command(name: str) -> Any:
    """Import the module of a command, and return the command or group of commands in it."""
    module: Any = importlib.import_module(COMMANDS[name][0])
    if hasattr(module, "app"):
        return get_group(module.app)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    register(alone, name, getattr(module, name, None) or module.run)
    return get_command(alone)


class _Application(Commands):
    """All commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = _Loaded()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _show_version(wanted: bool) -> None:
    if wanted:
        from ratingpriv.cli import about

        about.version()
        raise typer.Exit


app = typer.Typer(
    name="ratingpriv",
    cls=_Application,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain text: to import rich takes longer than all the rest of --help
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done and satisfied; 1 done and not, or with a reservation; 2 wrong "
    "usage or bad "
    "input; 3 a resource failed; 130 interrupted.",
)


@app.callback()
def _without_a_command(
    version: bool = option(
        "Print the version and exit.", None, "--version", is_eager=True, callback=_show_version
    ),
) -> None:
    """Decide exactly whether a release of ratings is (k,ε)- and (k,ε,l)-anonymous, make one,
    and attack it.

    ε is a distance between ratings, not a differential-privacy budget.
    """


def main() -> None:
    """Run the command line on ``sys.argv`` and exit;
    see :mod:`ratingpriv.cli.output.exits` for the codes.
    """
    prepare_streams()
    with ending():
        last_words(signal_document)
        try:
            app(prog_name="ratingpriv")
        except SystemExit:
            # where it fails, the disk is full or the reader is gone: reported by ending()
            sys.stdout.flush()
            ignore_signals()
            raise
