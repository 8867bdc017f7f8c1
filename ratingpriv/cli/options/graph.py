"""Options of the commands that use a graph store, and how a store is opened for them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.unfinished import finishing, interruptible
from ratingpriv.cli.options.values import STORE, declaring, store_uri

if TYPE_CHECKING:
    from ratingpriv.graph.store import GraphStore

__all__ = ["STORE", "DatasetOption", "StoreOptions", "password_prompt"]

_option = declaring(STORE)

DatasetOption = Annotated[str | None, _option("--dataset NAME", "A dataset in the graph store.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """Where the graph store is. Who may log in is said by the environment or a prompt, never here."""

    store: Annotated[
        str | None,
        _option(
            "--store URI",
            "Else RATINGPRIV_STORE, NEO4J_URI, or embedded:ratingpriv.grafeo (ratingpriv store --help).",
            parser=store_uri,
        ),
    ] = None

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


def password_prompt() -> Callable[[str], str] | None:
    """Return what reads a password without showing it, or None where nobody can type one."""
    if sys.stdin is None or not sys.stdin.isatty():  # None: closed by the caller (<&-)
        return None

    def prompt(question: str) -> str:
        import getpass

        with contextlib.suppress(EOFError), interruptible():  # Ctrl-D: the store refuses it
            return getpass.getpass(question)
        return ""

    return prompt
