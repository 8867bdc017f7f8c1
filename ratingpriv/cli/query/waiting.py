"""Waiting for a statement so that Ctrl-C and SIGTERM end it: the embedded engine notices no signal itself."""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, Any

from ratingpriv.cli.output.signals import Interrupted

if TYPE_CHECKING:
    from ratingpriv.graph.queries import LibraryQuery
    from ratingpriv.graph.store import GraphStore, Result
    from ratingpriv.graph.texts.own import OwnQuery
    from ratingpriv.progress import Progress

__all__ = ["Abandoned", "answer"]

_LOOK = 0.1  # seconds between two looks, where a signal does not wake whoever waits (Windows)


class Abandoned(Interrupted):
    """A signal that came while the engine was at a statement, which nothing can stop: the command ends."""


def answer(
    query: LibraryQuery | OwnQuery, store: GraphStore, *, progress: Progress | None, params: dict[str, Any]
) -> Result:
    """Run a query; where the engine is in this process, in a thread that ends with it at the latest.

    A store that is closed meanwhile takes nothing from the statement: its transaction was not committed.

    Raises
    ------
    Abandoned
        A signal came.
    """
    if store.engine != "embedded":
        return query.run(store, progress=progress, **params)
    found: list[Result] = []
    failed: list[BaseException] = []
    under_way = threading.Lock()
    under_way.acquire()

    def ask() -> None:
        try:
            found.append(query.run(store, progress=progress, **params))
        except BaseException as error:
            failed.append(error)
        finally:
            under_way.release()

    threading.Thread(target=contextvars.copy_context().run, args=(ask,), daemon=True).start()
    try:
        while not under_way.acquire(timeout=_LOOK):
            pass
    except Interrupted as stop:
        raise Abandoned(stop.number) from None
    if failed:
        raise failed[0]
    return found[0]
