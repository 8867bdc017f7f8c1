"""The application: its commands, and the entry point ``ratingpriv``."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from ratingpriv.cli import (
    anonymize,
    attack,
    audit,
    describe,
    doctor,
    experiment,
    frontier,
    ingest,
    partition,
    recommend,
    report,
    reproduce,
    schema,
    store,
    synthesize,
    utility,
    verify,
    version,
)
from ratingpriv.cli.command import Commands, register
from ratingpriv.cli.demo import demo
from ratingpriv.cli.options.types import OneOf
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
        if "COMP_WORDS" not in os.environ:  # no shell asks what could come next
            settings.setdefault("complete_var", "")
        with ending():
            return super().main(*args, **settings)


def _show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        version.run()
        ctx.exit()


def _show_completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    if shell is None or ctx.resilient_parsing:
        return
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    if completion is not None:
        click.echo(completion(ctx.command, {}, "ratingpriv", "_RATINGPRIV_COMPLETE").source())
    ctx.exit()


app = _Application(
    "ratingpriv",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Print the version and exit.",
        ),
        click.Option(
            ["--show-completion"],
            type=OneOf("bash", "zsh", "fish"),
            is_eager=True,
            expose_value=False,
            callback=_show_completion,
            help="Print a completion script for this shell.",
        ),
    ],
    help="Decide exactly whether a release of ratings is (k,ε)- and (k,ε,l)-anonymous, make one, and attack "
    "it.\n\nε is a distance between ratings, not a differential-privacy budget.",
    epilog="Exit codes: 0 done and satisfied; 1 done and not, or with a but; 2 wrong usage or bad input; "
    "3 a resource failed; 130 interrupted.",
)
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
register(app, "doctor", doctor.run)
register(app, "schema", schema.run)
register(app, "version", version.run)
app.add_command(query.app)
app.add_command(store.app)


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
