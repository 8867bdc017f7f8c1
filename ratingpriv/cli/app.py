"""The application: its commands, and the entry point ``ratingpriv``."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from ratingpriv.cli import (
    about,
    anonymize,
    attack,
    audit,
    demo,
    describe,
    experiment,
    frontier,
    ingest,
    partition,
    recommend,
    report,
    reproduce,
    store,
    synthesize,
    utility,
    verify,
)
from ratingpriv.cli.command import Commands, register
from ratingpriv.cli.output.errors import signal_document
from ratingpriv.cli.output.exits import ending
from ratingpriv.cli.output.invocation import as_typed
from ratingpriv.cli.output.streams import prepare_streams
from ratingpriv.cli.query import commands as query
from ratingpriv.cli.run import run
from ratingpriv.unfinished import ignore_signals, last_words

__all__ = ["app", "main"]


class _Application(Commands):
    """The command line; a wrong value of an option ends like any error."""

    def main(self, *args: Any, **settings: Any) -> Any:
        if not _COMPLETING & os.environ.keys():  # no shell asks what could come next
            settings.setdefault("complete_var", "")
        with ending():
            return super().main(*args, **settings)


_COMPLETING = {"COMP_WORDS", "_TYPER_COMPLETE_ARGS"}


def _show_version(wanted: bool) -> None:
    if wanted:
        about.version()
        raise typer.Exit


app = typer.Typer(
    name="ratingpriv",
    cls=_Application,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain text: to import rich takes longer than all the rest of --help
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done and satisfied; 1 done and not, or with a but; 2 wrong usage or bad input; "
    "3 a resource failed; 130 interrupted.",
)


@app.callback()
def _without_a_command(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version and exit."),
    ] = False,
) -> None:
    """Decide exactly whether a release of ratings is (k,ε)- and (k,ε,l)-anonymous, make one, and attack it.

    ε is a distance between ratings, not a differential-privacy budget.
    """


register(app, "describe", describe.run)
register(app, "audit", audit.run)
register(app, "frontier", frontier.run)
register(app, "partition", partition.run)
register(app, "anonymize", anonymize.run)
register(app, "verify", verify.run)
register(app, "attack", attack.run)
register(app, "utility", utility.run)
register(app, "recommend", recommend.run)
register(app, "report", report.run)
register(app, "run", run.run)
register(app, "experiment", experiment.run)
register(app, "reproduce", reproduce.run)
register(app, "ingest", ingest.run)
register(app, "synthesize", synthesize.run)
register(app, "demo", demo.run)
register(app, "doctor", about.doctor)
register(app, "schema", about.schema)
register(app, "version", about.version)
app.add_typer(query.app)
app.add_typer(store.app)


def main() -> None:
    """Run the command line on ``sys.argv`` and exit; see :mod:`ratingpriv.cli.output.exits` for the codes."""
    prepare_streams()
    with ending():
        last_words(lambda number: as_typed(lambda: signal_document(number)))
        try:
            app(prog_name="ratingpriv")
        except SystemExit:
            sys.stdout.flush()  # where it fails, the disk is full or the reader is gone: reported by ending()
            ignore_signals()
            raise
