"""The command as it was typed, noted before it is taken apart,
and what is printed of its result.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ratingpriv.base.escaping import as_utf8

if TYPE_CHECKING:
    from ratingpriv.report.page import Page

_SECRETS = ("--order-seed",)  # whoever has its value can put the records of a release back in order
_ADDRESS = "--store"
_HIDDEN = "..."


@dataclass(slots=True)
class Invocation:
    """One run of the command line."""

    words: tuple[str, ...] | None = None  # behind the program's name; None: no command runs
    # --json was typed, be the rest of the line right or wrong, or stands in a codebook
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    options: frozenset[str] = frozenset()  # the long names of those that the command has
    settings: frozenset[str] = frozenset()  # those of them that are written --set NAME=VALUE
    cells: bool = False  # messages show what stands in the data
    # a document goes to standard output already: no other one may be mixed with it
    printed: bool = False
    # what was typed, of a command that another one runs in this process
    outer: Invocation | None = None


_latest = Invocation()


def invocation() -> Invocation:
    """Return the run that is going on."""
    return _latest


def remember(words: Sequence[str]) -> None:
    """Note what was typed after the program's name, before anything is made of it."""
    global _latest
    options = words[: words.index("--")] if "--" in words else words
    _latest = Invocation(
        tuple(words),
        json="--json" in options,
        verbose=not {"-v", "--verbose"}.isdisjoint(options),
        cells="--show-cells" in options,
        outer=_latest.outer,
    )


@contextlib.contextmanager
def nested() -> Iterator[None]:
    """Let commands run in this process that nobody typed:
    a signal answers the one that was typed.
    """
    global _latest
    typed = _latest
    _latest = Invocation(outer=typed.outer or typed)
    try:
        yield
    finally:
        _latest = typed


def command() -> str | None:
    """Return the command as typed, for a shell, without secrets; None where no command runs.

    Hidden are the seed of a release's order, and an address of a store that may hold credentials.
    """
    words = _latest.words
    if words is None:
        return None
    return shlex.join(["ratingpriv", *map(as_utf8, map(_without_secrets, ("", *words), words))])


def without_addresses(message: str) -> str:
    """Return a message without the credentials of addresses that were typed,
    wherever they were typed.

    Who types an address where none is expected (``store status neo4j://...``) finds it in the
    message, as a file that is not there or as an argument too many.
    """
    for word in _latest.words or ():
        address = word.partition("=")[2] if word.startswith("-") else word
        if "://" in address:
            from ratingpriv.graph.address import hidden  # brings NumPy

            message = hidden(message, address)
    return message


def _without_secrets(option: str, word: str) -> str:
    """Return a word, which follows ``option``, as it may be shown."""
    from ratingpriv.graph.address import without_credentials

    if word.startswith("--") and "=" in word:
        option, value = word.split("=", 1)
        return f"{option}={_without_secrets(option, value)}"
    if option in _SECRETS:
        return _HIDDEN
    return without_credentials(word) if option == _ADDRESS or "://" in word else word


def answer(content: dict[str, Any], page: Callable[[], Page | str], *, as_json: bool) -> None:
    """Print a result, as JSON or for people: with its details by --verbose,
    its headline by --quiet.
    """
    from ratingpriv.report.text import print_page

    if as_json:
        print_json(content)
        return
    run, shown = invocation(), page()
    if isinstance(shown, str):
        sys.stdout.write(shown)
    elif run.quiet:
        print_page(replace(shown, explanation=(), sections=()), sys.stdout)
    elif run.verbose:
        print_page(shown, sys.stdout)
    else:
        print_page(brief := shown.brief, sys.stdout)
        if brief != shown:
            sys.stdout.write("More: --verbose (all counts, rules and definitions)\n")


def print_json(content: dict[str, Any]) -> None:
    """Print JSON on standard output."""
    text = document_text(content)
    invocation().printed = True
    sys.stdout.write(text)


def document_text(content: dict[str, Any]) -> str:
    """Return JSON as it is printed, with the command;
    escaped where standard output is not UTF-8.
    """
    from ratingpriv.report.as_json import json_text

    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    return json_text(with_command(content), ascii_only=ascii_only)


def with_command(content: dict[str, Any]) -> dict[str, Any]:
    """Return the result with the command that made it."""
    return {**content, "tool": {**content["tool"], "command": command()}}
