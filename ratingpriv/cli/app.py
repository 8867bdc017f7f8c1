"""The application: its commands, and the entry point ``ratingpriv``."""

from __future__ import annotations

import sys

import typer

from ratingpriv.base.unfinished import ignore_signals, last_words
from ratingpriv.cli import (
    about,
    anonymize,
    attack,
    audit,
    demo,
    describe,
    desk,
    experiment,
    explain,
    frontier,
    ingest,
    partition,
    query,
    recommend,
    report,
    reproduce,
    run,
    store,
    synthesize,
    utility,
    verify,
)
from ratingpriv.cli.command import Commands, register
from ratingpriv.cli.options.values import option
from ratingpriv.cli.output.exits import ending, signal_document
from ratingpriv.cli.output.reporter import prepare_streams


def _show_version(wanted: bool) -> None:
    if wanted:
        about.version()
        raise typer.Exit


app = typer.Typer(
    name="ratingpriv",
    cls=Commands,
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


for _module in (
    *(desk, describe, audit, explain, frontier, partition, anonymize, verify, attack, utility),
    *(recommend, report, run, experiment, reproduce, ingest, synthesize, demo),
):
    register(app, _module.__name__.rpartition(".")[2], _module.run)
for _function in (about.doctor, about.schema, about.version):
    register(app, _function.__name__, _function)
app.add_typer(query.app)
app.add_typer(store.app)


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
