"""The command as it was typed: for results that say how they were made, and for errors that are JSON.

It is noted once, where the command line is taken apart, and asked for where something is printed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["begin_document", "command", "document_has_begun", "remember", "wants_json"]

_SECRETS = ("--order-seed",)  # whoever has its value can put the records of a release back in order
_HIDDEN = "***"
_PLACE = re.compile(r"([\w.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?", re.ASCII)


@dataclass(slots=True)
class _Invocation:
    """One run of the command line, and whether its document is being printed."""

    words: tuple[str, ...]
    begun: bool = False


_CURRENT: ContextVar[_Invocation | None] = ContextVar("invocation", default=None)


def remember(words: Sequence[str]) -> None:
    """Note what was typed after the program's name, before anything is made of it."""
    _CURRENT.set(_Invocation(tuple(words)))


def command() -> str | None:
    """Return the command as typed, for a shell, without secrets; None where no command runs.

    Hidden are the seed of a release's order, and an address of a store that may hold credentials.
    """
    current = _CURRENT.get()
    if current is None:
        return None
    return shlex.join(["ratingpriv", *(_as_utf8(word) for word in _without_secrets(current.words))])


def wants_json() -> bool:
    """Whether ``--json`` was typed, be the rest of the command line right or wrong."""
    current = _CURRENT.get()
    if current is None:
        return False
    words = current.words
    return "--json" in (words[: words.index("--")] if "--" in words else words)


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
    before = ""
    for word in words:
        name, equals, _ = word.partition("=")
        if before in _SECRETS:
            yield _HIDDEN
        elif equals and name in _SECRETS:
            yield f"{name}={_HIDDEN}"
        else:
            yield _without_credentials(word, address="--store" in (before, name))
        before = word


def _without_credentials(word: str, *, address: bool) -> str:
    """Return the word; of an address that is more than a host and a port the scheme at most."""
    scheme, colon, place = word.partition("://")
    if not colon:
        return _HIDDEN if address and re.search("[@?#]", word) else word
    if _PLACE.fullmatch(place) and "@" not in scheme:
        return word
    return f"{scheme}://{_HIDDEN}" if re.fullmatch(r"(--store=)?[\w+]+", scheme, re.ASCII) else _HIDDEN


def _as_utf8(word: str) -> str:
    """Return the word as UTF-8 can say it: the name of a file may be any bytes."""
    return word.encode("utf-8", "backslashreplace").decode("utf-8")
