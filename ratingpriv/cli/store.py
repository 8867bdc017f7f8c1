"""``ratingpriv store``: what a graph store holds, and removing a dataset from it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ratingpriv.cli.command import register
from ratingpriv.cli.options.graph import StoreOptions
from ratingpriv.cli.options.shared import JsonOption, TalkOptions
from ratingpriv.errors import ParameterError
from ratingpriv.report.plain import printable

__all__ = ["app", "drop", "list_datasets", "status"]


def status(as_json: JsonOption = False, *, storing: StoreOptions, talking: TalkOptions) -> int:
    """Say whether a store answers, its version, and what it holds.

    Exits with 0 if it answers and 3 if not.
    """
    from ratingpriv.report.as_json import json_text
    from ratingpriv.report.stores import status_dict, status_text

    with storing.open("read") as store:
        infos = store.datasets()
        content = status_dict(store, infos)
        text = json_text(content, ascii_only=True) if as_json else status_text(store, infos)
    sys.stdout.write(text)
    return 0


def list_datasets(as_json: JsonOption = False, *, storing: StoreOptions, talking: TalkOptions) -> int:
    """List the datasets of a store."""
    from ratingpriv.report.as_json import json_text
    from ratingpriv.report.stores import datasets_text, status_dict

    with storing.open("read") as store:
        infos = store.datasets()
        text = json_text(status_dict(store, infos), ascii_only=True) if as_json else datasets_text(infos)
    sys.stdout.write(text)
    return 0


def drop(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="The dataset to remove.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    *,
    storing: StoreOptions,
    talking: TalkOptions,
) -> int:
    """Remove a dataset from a store; the data file it came from is not touched.

    Exits with 0 if it was removed and 1 if you said no.
    """
    from ratingpriv.report.stores import dataset_sentence

    if not yes and not sys.stdin.isatty():
        raise ParameterError("yes", None, "--yes where nobody can be asked")
    talk = talking.talk
    with storing.open("write" if yes else "read") as store:
        info = store.dataset(dataset)
        if yes:
            store.drop(dataset)
    if not yes:
        sys.stderr.write(f"{printable(store.uri)}: {printable(dataset)!r}: {dataset_sentence(info)}\n")
        if not typer.confirm("Remove it?", err=True):
            talk.note("nothing was removed")
            return 1
        with storing.open("write") as store:
            store.drop(dataset)
    talk.note(f"removed {dataset!r} from {store.uri}: {dataset_sentence(info)}")
    return 0


app = typer.Typer(
    name="store",
    help="See what a graph store holds, and remove a dataset from it.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
register(app, "status", status)
register(app, "list", list_datasets)
register(app, "drop", drop)
