"""The application: its commands, and the entry point ``ratingpriv``."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from ratingpriv.cli import (
    anonymize,
    attack,
    audit,
    doctor,
    frontier,
    ingest,
    partition,
    query,
    store,
    synthesize,
    verify,
    version,
)
from ratingpriv.cli.command import register
from ratingpriv.cli.demo import demo
from ratingpriv.cli.output.exits import catch_signals, ending

__all__ = ["app", "main"]

app = typer.Typer(
    name="ratingpriv",
    rich_markup_mode=None,  # [SWLZ11] in a help text is a source, not markup; errors are plain lines
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

register(app, "audit", audit.run)
register(app, "frontier", frontier.run)
register(app, "partition", partition.run)
register(app, "anonymize", anonymize.run)
register(app, "verify", verify.run)
register(app, "attack", attack.run)
register(app, "ingest", ingest.run)
app.add_typer(query.app)
app.add_typer(store.app)
register(app, "synthesize", synthesize.run)
register(app, "demo", demo.run)
register(app, "doctor", doctor.run)
register(app, "version", version.run)


def _show_version(wanted: bool) -> None:
    if wanted:
        version.run()
        raise typer.Exit


@app.callback(
    epilog="Exit codes: 0 done and satisfied; 1 done and not satisfied; 2 wrong usage or bad input; "
    "3 a resource failed; 130 interrupted."
)
def _root(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Decide exactly whether a release of ratings is (k,ε)- and (k,ε,l)-anonymous, make one, and attack it.

    ε is a distance between ratings, not a differential-privacy budget.
    """


def main() -> None:
    """Run the command line on ``sys.argv`` and exit; see :mod:`ratingpriv.cli.output.exits` for the codes."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller (>&-)
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        else:
            getattr(sys, name).reconfigure(errors="backslashreplace")  # an ε on a terminal that has none
    with ending():
        catch_signals()
        try:
            app()
        except SystemExit:
            sys.stdout.flush()  # where it fails, the disk is full or the reader is gone: said by ending()
            raise
