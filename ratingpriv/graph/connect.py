"""Opening a graph store by its address: in one file without a server, or on a Neo4j server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from ratingpriv.base.checks import choice
from ratingpriv.graph.address import credentials, parse_address
from ratingpriv.graph.running import GraphStore


def open_store(
    uri: str | None = None,
    *,
    mode: Literal["write", "change", "read"] = "write",
    password_prompt: Callable[[str], str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> GraphStore:
    """Open the store at ``uri``, else ``RATINGPRIV_STORE``, else ``NEO4J_URI``,
    else ratingpriv.grafeo here.

    Parameters
    ----------
    uri : ``embedded:FILE``, ``embedded::memory:``, ``neo4j://`` or ``bolt://`` (also ``+s`` and
        ``+ssc``) with host and port, or ``neo4j`` for the address in ``NEO4J_URI``
    mode : ``read`` never creates or changes anything, and shares an embedded file with other
        readers; ``change`` writes, and makes no file that is not there
    password_prompt : asks a user for a password, given the question; called only when the server
        wants one and the environment has none
    environ : the environment with ``NEO4J_USERNAME``, ``NEO4J_PASSWORD`` and ``NEO4J_DATABASE``

    Raises
    ------
    ParameterError
        The address is none.
    StoreError
        One of its kinds (see :mod:`ratingpriv.base.errors`), within seconds, with the remedy.
    """
    choice("mode", mode, ("write", "change", "read"))
    address = parse_address(uri, environ)
    if address.engine == "embedded":
        from ratingpriv.graph.embedded import EmbeddedStore

        return EmbeddedStore(address.path, mode=mode)
    from ratingpriv.graph.neo4j import Neo4jStore

    return Neo4jStore(
        address.uri,
        credentials(environ),
        mode="read" if mode == "read" else "write",
        password_prompt=password_prompt,
    )
