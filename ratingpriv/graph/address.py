"""Where a store is and how one gets in: addresses, and credentials that never show.

Credentials come from the environment or a prompt, never from an address or an argument: both end up
in shell histories and process lists.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.escaping import printable

DEFAULT = "embedded:ratingpriv.grafeo"
IN_MEMORY = ":memory:"
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_EXPECTED = (
    "embedded:FILE, neo4j://HOST:PORT or bolt://HOST:PORT (+s or +ssc for TLS), or neo4j "
    "for NEO4J_URI"
)


_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.%]+\]", re.ASCII)


def without_credentials(text: str) -> str:
    """Return an address as it may be shown: what could be a password or a token is ``...``.

    Of ``SCHEME://...`` the scheme, the host and the port are kept; what stands before an ``@``, and
    the path, the query and the fragment, are not. A file (``embedded:FILE``) is kept, unless what
    looks like an address or like ``?name=value`` is in it. Meant for whatever a user gave as an
    address, right or wrong: messages, notes, results and the command that a result names.
    """
    scheme = text.partition(":")[0]
    if "://" not in text:
        if "@" in text and scheme != "embedded":
            host = text.rpartition("@")[2]
            return f"...@{host if _HOST.fullmatch(host) else '...'}"
        cut = _ASSIGNED.search(text)
        return text if cut is None else f"{text[: cut.start() + 1]}..."
    before, _, rest = text.partition("://")
    has_scheme = before.removeprefix("embedded:") in SCHEMES
    scheme = before if has_scheme or ("@" not in text and _SCHEME.fullmatch(before)) else "..."
    match = _PLACE.fullmatch(rest)
    if (
        match is None
        or "@" in match["tail"]
        or "%40" in rest
        or _HOST.fullmatch(match["host"]) is None
    ):
        return f"{scheme}://..."
    user, port, more = match["user"], match["port"] or "", match["more"]
    if port and not (port.isascii() and port.isdigit() and len(port) <= 5):
        port = "..."
    end = "" if more + match["tail"] in ("", "/") else f"{more}..."
    return f"{scheme}://{'...@' if user else ''}{match['host']}{':' if port else ''}{port}{end}"


_PLACE = re.compile(
    r"(?P<user>[^/?#]*@)?(?P<host>\[[^]]*\]|[^:/?#@]*)"
    r"(?::(?P<port>[^/?#@]*))?(?P<more>[/?#]?)(?P<tail>.*)",
    re.DOTALL,
)
_SCHEME = re.compile(r"(?:embedded:)?[A-Za-z][A-Za-z0-9+.-]{0,20}", re.ASCII)
_ASSIGNED = re.compile(r"[?#][^/]*=")


def hidden(message: str, address: str) -> str:
    """Return a message without the credentials of an address, however that is written in it."""
    user = address.partition("://")[2].rpartition("@")[0]  # in the name of a folder, too
    for written, shown in ((address, without_credentials(address)), (f"{user}@", "...@")):
        for form in (written, str(Path(written))) if written not in (shown, "@") else ():
            message = message.replace(form, shown).replace(printable(form), shown)
    return message


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
    """Read a ``--store``: ``text``, else ``RATINGPRIV_STORE``, else ``NEO4J_URI``,
    else the file DEFAULT.
    """
    environ = os.environ if environ is None else environ
    name = "store" if text is not None else "RATINGPRIV_STORE"
    if text is None:
        text = environ.get("RATINGPRIV_STORE") or ("neo4j" if environ.get("NEO4J_URI") else DEFAULT)
    if text in ("neo4j", "neo4j:"):
        name, text = "NEO4J_URI", environ.get("NEO4J_URI", "")
        if not text:
            raise ParameterError(
                name, None, "neo4j://HOST:PORT or bolt://HOST:PORT", "set it, or name the address"
            )
    scheme, colon, rest = text.partition(":")
    if scheme == "embedded" and colon:
        if not rest or "\0" in rest or "://" in rest or _ASSIGNED.search(rest):
            shown = without_credentials(text)
            raise ParameterError(
                name, shown, "embedded:FILE", "name a file, e.g. embedded:ratingpriv.grafeo"
            )
        if rest == IN_MEMORY:
            return Address("embedded", text)
        return Address("embedded", text, Path(rest).expanduser())
    if scheme not in SCHEMES or not rest.startswith("//"):
        shown = without_credentials(text)
        hint = f"did you mean embedded:{text}?" if shown == text and "://" not in text else ""
        raise ParameterError(name, shown, _EXPECTED, hint)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:  # its text may hold what was meant as a password
        host, port, parts = None, None, urlsplit(f"{scheme}://")
    encoded = host is not None and "%" in host and ":" not in host  # user%3Apassword%40host
    if parts.username is not None or parts.password is not None or "@" in text or encoded:
        raise ParameterError(
            name,
            without_credentials(text),
            "an address without credentials",
            "set NEO4J_USERNAME and NEO4J_PASSWORD",
        )
    if not host or parts.path.strip("/") or parts.query or parts.fragment:
        hint = "NEO4J_DATABASE names the database" if host else ""
        raise ParameterError(name, without_credentials(text), f"{scheme}://HOST:PORT", hint)
    host_text = f"[{host}]" if ":" in host else host
    return Address("neo4j", f"{scheme}://{host_text}:{port or 7687}")


def credentials(environ: Mapping[str, str] | None = None) -> Credentials:
    """Read ``NEO4J_USERNAME`` (without it: ``neo4j``),
    ``NEO4J_PASSWORD`` and ``NEO4J_DATABASE``.
    """
    environ = os.environ if environ is None else environ
    password = environ.get("NEO4J_PASSWORD") or None
    user = environ.get("NEO4J_USERNAME") or ("neo4j" if password else None)
    return Credentials(
        user, Secret(password) if password else None, environ.get("NEO4J_DATABASE") or "neo4j"
    )
