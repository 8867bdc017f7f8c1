"""Whether the graph stores that this environment names can be reached: checks of ``ratingpriv doctor``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from ratingpriv.base.errors import RatingPrivError
from ratingpriv.report.doctor.check import Check

_MEMORY = "embedded::memory:"


def store_checks(uri: str | None = None, environ: Mapping[str, str] | None = None) -> Iterator[Check]:
    """Try the embedded engine and every store that is named; never raises for what it finds.

    Named are ``uri``, or else ``RATINGPRIV_STORE`` (else the file ratingpriv.grafeo here, where there is one)
    and ``NEO4J_URI``. Nothing is made or changed.
    """
    environ = os.environ if environ is None else environ
    yield _reached(_MEMORY, "embedded store", environ)
    for one in [uri] if uri is not None else _named(environ):
        yield _reached(one, "NEO4J_URI" if one == "neo4j" else "store", environ)


def _named(environ: Mapping[str, str]) -> list[str | None]:
    from ratingpriv.graph.address import DEFAULT, parse_address

    named: list[str | None] = []
    default = parse_address(DEFAULT).path
    if environ.get("RATINGPRIV_STORE"):
        named.append(None)
    elif default is not None and default.exists():
        named.append(DEFAULT)
    if environ.get("NEO4J_URI") and environ.get("RATINGPRIV_STORE") not in ("neo4j", "neo4j:"):
        named.append("neo4j")
    return named


def _reached(uri: str | None, name: str, environ: Mapping[str, str]) -> Check:
    try:
        from ratingpriv.graph.connect import open_store  # an installation without a store is a finding

        if uri == _MEMORY:
            with open_store(uri, environ=environ) as store:
                return Check(name, True, store.version())
        with open_store(uri, mode="read", environ=environ) as store:
            held = len(store.datasets())
            holds = f"{held:,} dataset" + ("" if held == 1 else "s")
            return Check(name, True, f"{store.uri} is {store.version()}, {holds}")
    except RatingPrivError as error:  # names the address itself, without credentials
        return Check(name, False, str(error))
    except Exception as error:  # whatever goes wrong is the finding
        return Check(name, False, f"{type(error).__name__}: {error}")
