"""Where a store is and how one gets in: addresses, and credentials that never show.

Credentials come from the environment or a prompt, never from an address or an argument: both end up in shell
histories and process lists.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from ratingpriv.errors import ParameterError

__all__ = [
    "DEFAULT",
    "IN_MEMORY",
    "SCHEMES",
    "Address",
    "Credentials",
    "Secret",
    "credentials",
    "parse_address",
]

DEFAULT = "embedded:ratingpriv.grafeo"
IN_MEMORY = ":memory:"
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_EXPECTED = (
    "embedded:FILE, neo4j://HOST:PORT or bolt://HOST:PORT (+s or +ssc for TLS), or neo4j for NEO4J_URI"
)


class Secret:
    """A text that no repr, log, traceback or pickle shows."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text; call it only where it is handed over."""
        return self._text

    def __repr__(self) -> str:
        return "<secret>"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to log in; ``user`` None is without authentication."""

    user: str | None
    password: Secret | None
    database: str


@dataclass(frozen=True, slots=True)
class Address:
    """A store's address: its engine, and a file (None in memory) or a URI without credentials."""

    engine: Literal["neo4j", "embedded"]
    uri: str
    path: Path | None = None


def parse_address(text: str | None, environ: Mapping[str, str] | None = None) -> Address:
    """Read a ``--store``: ``text``, else ``RATINGPRIV_STORE``, else the file ratingpriv.grafeo here.

    Raises
    ------
    ParameterError
        It is no address of a store, or holds credentials (the message does not repeat them).
    """
    environ = os.environ if environ is None else environ
    name = "store" if text is not None else "RATINGPRIV_STORE"
    text = text if text is not None else environ.get("RATINGPRIV_STORE") or DEFAULT
    if text in ("neo4j", "neo4j:"):
        name, text = "NEO4J_URI", environ.get("NEO4J_URI", "")
        if not text:
            raise ParameterError(
                name, None, "neo4j://HOST:PORT or bolt://HOST:PORT", "set it, or name the address"
            )
    scheme, colon, rest = text.partition(":")
    if scheme == "embedded" and colon:
        if not rest or "\0" in rest:
            raise ParameterError(name, text, "embedded:FILE", "name a file, e.g. embedded:ratingpriv.grafeo")
        if rest == IN_MEMORY:
            return Address("embedded", text)
        return Address("embedded", text, Path(rest).expanduser())
    if scheme not in SCHEMES or not rest.startswith("//"):
        shown = text if "@" not in text else f"{scheme}:..."
        hint = f"did you mean embedded:{shown}?" if "://" not in text and "@" not in text else ""
        raise ParameterError(name, shown, _EXPECTED, hint)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit(f"{scheme}://")
    if parts.username is not None or parts.password is not None or "@" in text:
        raise ParameterError(
            name,
            f"{scheme}://...@{host or ''}",
            "an address without credentials",
            "set NEO4J_USERNAME and NEO4J_PASSWORD",
        )
    if not host or parts.path.strip("/") or parts.query or parts.fragment:
        hint = "NEO4J_DATABASE names the database" if host else ""
        raise ParameterError(name, text, f"{scheme}://HOST:PORT", hint)
    place = f"[{host}]" if ":" in host else host
    return Address("neo4j", f"{scheme}://{place}:{port or 7687}")


def credentials(environ: Mapping[str, str] | None = None) -> Credentials:
    """Read ``NEO4J_USERNAME`` (without it: ``neo4j``), ``NEO4J_PASSWORD`` and ``NEO4J_DATABASE``."""
    environ = os.environ if environ is None else environ
    password = environ.get("NEO4J_PASSWORD") or None
    user = environ.get("NEO4J_USERNAME") or ("neo4j" if password else None)
    return Credentials(user, Secret(password) if password else None, environ.get("NEO4J_DATABASE") or "neo4j")
