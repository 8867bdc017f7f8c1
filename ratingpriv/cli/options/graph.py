"""Options of the commands that talk to a graph store, and how a store is opened for them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from ratingpriv.graph.store import GraphStore

__all__ = ["STORE", "DatasetOption", "StoreOptions", "ask_password"]

STORE = "Graph store"

DatasetOption = Annotated[
    str | None,
    typer.Option("--dataset", metavar="NAME", help="A dataset in the graph store.", rich_help_panel=STORE),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """Where the graph store is. Who may log in is said by the environment or a prompt, never here."""

    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="URI",
            rich_help_panel=STORE,
            show_default=False,
            help="embedded:FILE, neo4j://HOST:PORT, bolt://HOST:PORT (+s or +ssc for TLS), or neo4j for "
            "NEO4J_URI; else RATINGPRIV_STORE, else embedded:ratingpriv.grafeo. NEO4J_USERNAME, "
            "NEO4J_PASSWORD and NEO4J_DATABASE log in; without a password you are asked.",
        ),
    ] = None

    def open(self, mode: Literal["read", "write"]) -> GraphStore:
        """Open the store; errors as :func:`ratingpriv.graph.connect.open_store`."""
        from ratingpriv.graph.connect import open_store

        return open_store(self.store, mode=mode, password_prompt=ask_password())


def ask_password() -> Callable[[str], str] | None:
    """Return what asks a user for a password without showing it, or None where nobody can be asked."""
    if not sys.stdin.isatty():
        return None

    def ask(question: str) -> str:
        import getpass

        with contextlib.suppress(EOFError):  # Ctrl-D: the store refuses to be entered without one
            return getpass.getpass(question)
        return ""

    return ask
