"""The commands of ``ratingpriv query``, put together."""

from __future__ import annotations

import typer

from ratingpriv.cli.command import CONTEXT, Commands, register
from ratingpriv.cli.query.library import list_queries, show
from ratingpriv.cli.query.run import run
from ratingpriv.cli.query.shell import shell

__all__ = ["app"]

app = typer.Typer(
    name="query",
    cls=Commands,
    context_settings=CONTEXT,
    help="List, show and run queries: those of the Cypher library, and your own.",
    short_help="List, show and run queries: those of the Cypher library, and your own",
    no_args_is_help=True,
)
register(app, "list", list_queries)
register(app, "show", show)
register(app, "run", run)
register(app, "shell", shell)
