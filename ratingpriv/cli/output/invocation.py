"""The command as it was typed: for results that say how they were made, and for errors that are JSON.

It is noted once, where the command line is taken apart, and asked for where something is printed.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from pathlib import Path

from ratingpriv.cli.options.parameters import current_context
from ratingpriv.cli.output.step import is_step
from ratingpriv.escaping import as_utf8, printable

__all__ = [
    "as_typed",
    "begin_document",
    "command",
    "document_has_begun",
    "remember",
    "wants_json",
    "without_addresses",
]

_SECRETS = ("--order-seed",)  # whoever has its value can put the records of a release back in order
_ADDRESS = "--store"
_HIDDEN = "..."


@dataclass(slots=True)
class _Invocation:
    """One run of the command line, and whether its document is being printed."""

    words: tuple[str, ...]
    begun: bool = False


_CURRENT: ContextVar[_Invocation | None] = ContextVar("invocation", default=None)


_latest = copy_context()


def remember(words: Sequence[str]) -> None:
    """Note what was typed after the program's name, before anything is made of it."""
    global _latest
    _CURRENT.set(_Invocation(tuple(words)))
    if not is_step():  # a command that is run here by another one, which is the one that was typed
        _latest = copy_context()


def as_typed[T](function: Callable[[], T]) -> T:
    """Call a function that asks for the command, in a thread that does not know it."""
    return _latest.run(function)


def command() -> str | None:
    """Return the command as typed, for a shell, without secrets; None where no command runs.

    Hidden are the seed of a release's order, and an address of a store that may hold credentials.
    """
    current = _CURRENT.get()
    if current is None:
        return None
    return shlex.join(["ratingpriv", *(as_utf8(word) for word in _without_secrets(current.words))])


def without_addresses(message: str) -> str:
    """Return a message without the credentials of addresses that were typed, wherever they were typed.

    Who types an address where none is expected (``store status neo4j://...``) finds it in the message, as a
    file that is not there or as an argument too many.
    """
    current = _CURRENT.get()
    for word in () if current is None else current.words:
        address = word.partition("=")[2] if word.startswith("-") else word
        if "://" not in address:
            continue
        from ratingpriv.graph.address import without_credentials  # brings NumPy

        shown = without_credentials(address)
        hidden = [] if shown == address else [(address, shown)]
        if user := address.partition("://")[2].rpartition("@")[0]:
            hidden.append((f"{user}@", "...@"))  # in the name of a folder
        for written, instead in hidden:
            for form in (written, str(Path(written))):  # as typed, and as a path
                message = message.replace(form, instead).replace(printable(form), instead)
    return message


def wants_json() -> bool:
    """Whether ``--json`` was typed, be the rest of the line right or wrong, or stands in a codebook."""
    current, context = _CURRENT.get(), current_context()
    if current is None:
        return False
    words = current.words
    typed = "--json" in (words[: words.index("--")] if "--" in words else words)
    return typed or (context is not None and bool(context.params.get("as_json")))


def begin_document() -> None:
    """Note that a document goes to standard output now: no other one may be mixed with it."""
    current = _CURRENT.get()
    if current is not None:
        current.begun = True


def document_has_begun() -> bool:
    """Whether a result, or an error, was printed as JSON already."""
    current = _CURRENT.get()
    return current is not None and current.begun


def _without_secrets(words: Sequence[str]) -> Iterator[str]:
    from ratingpriv.graph.address import without_credentials

    before = ""
    for word in words:
        name, equals, value = word.partition("=")
        if before in _SECRETS:
            yield _HIDDEN
        elif equals and name in _SECRETS:
            yield f"{name}={_HIDDEN}"
        elif equals and name == _ADDRESS:
            yield f"{name}={without_credentials(value)}"
        elif before == _ADDRESS or "://" in word:
            yield without_credentials(word)
        else:
            yield word
        before = word
