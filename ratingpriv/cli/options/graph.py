"""Options of the commands that use a graph store, and how a store is opened for them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.unfinished import finishing, interruptible
from ratingpriv.cli.options.values import STORE, group, option, store_uri

if TYPE_CHECKING:
    from ratingpriv.graph.store import GraphStore

_store = partial(option, panel=STORE)

DATASET = _store("A dataset in the graph store.", metavar="NAME")


@group
class Store:
    """Where the graph store is. Who may log in is said by the environment or a prompt, never here."""

    store: str | None = _store("Else RATINGPRIV_STORE, NEO4J_URI, or a file here.", parser=store_uri)

    def is_there(self) -> bool:
        """Return whether it can be opened before anything is made; ParameterError where it would not last."""
        from ratingpriv.graph.address import parse_address

        address = parse_address(self.store)
        if address.engine == "embedded" and address.path is None:
            remedy = "name a file: embedded:ratingpriv.grafeo"
            raise ParameterError("store", address.uri, "a store that lasts", remedy)
        return address.path is None or address.path.exists()

    @contextlib.contextmanager
    def open(self, mode: Literal["read", "change", "write"]) -> Iterator[GraphStore]:
        """Give the store; errors as :func:`ratingpriv.graph.connect.open_store`."""
        from ratingpriv.graph.connect import open_store

        with open_store(self.store, mode=mode, password_prompt=password_prompt()) as store:
            if store.engine != "embedded":  # a server itself undoes what is unfinished
                yield store
                return
            with finishing(store.close):
                yield store


def at_terminal() -> bool:
    """Return whether somebody can be asked; standard input may be closed by the caller (<&-)."""
    return sys.stdin is not None and sys.stdin.isatty()


def password_prompt() -> Callable[[str], str] | None:
    """Return what reads a password without showing it, or None where nobody can type one."""

    def typed(question: str) -> str:
        import getpass

        with contextlib.suppress(EOFError), interruptible():  # Ctrl-D: the store refuses it
            return getpass.getpass(question)
        return ""

    return typed if at_terminal() else None
