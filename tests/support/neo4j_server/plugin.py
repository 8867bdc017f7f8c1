"""Fixtures that give tests a real Neo4j server, started when the first test asks for it.

``RATINGPRIV_TEST_NEO4J_URI`` names a running server instead (credentials in the usual ``NEO4J_``
variables); only uniquely named datasets are made there, and removed again. Where there is no such
server and none can be started, the tests are skipped with one reason; under ``CI=true`` that is a
failure. Only the calendar release, for which not every machine has a Java new enough, may be absent
there too.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from neo4j_server.server import (
    CALENDAR,
    LTS,
    RELEASES,
    Neo4jServer,
    NoServerError,
    Release,
    java_for,
)

NAMED = os.environ.get("RATINGPRIV_TEST_NEO4J_URI", "")
PASSWORD = "correct horse battery"  # noqa: S105 -- of a server that lives for one test session on the loopback


@dataclass
class Address:
    """Where a server is, and the environment a user would connect to it with."""

    uri: str
    environ: dict[str, str] = field(default_factory=dict)
    server: Neo4jServer | None = None


class Servers:
    """The session's servers by release, started once each."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, bool, bool, bool], Neo4jServer] = {}
        self._failed: dict[tuple[str, bool, bool, bool], str] = {}

    def get(
        self,
        release: Release,
        *,
        authentication: bool = False,
        tls: bool = False,
        gds: bool = False,
    ) -> Address:
        key = (release.name, authentication, tls, gds)
        if key not in self._running and key not in self._failed:
            try:
                self._running[key] = Neo4jServer(
                    release, password=PASSWORD if authentication else None, tls=tls, gds=gds
                )
            except NoServerError as error:
                self._failed[key] = str(error)
        if key in self._failed:
            give_up(self._failed[key])
        server = self._running[key]
        environ = {"NEO4J_USERNAME": "neo4j", "NEO4J_PASSWORD": PASSWORD} if authentication else {}
        return Address(server.uri, environ, server)

    def stop(self) -> None:
        while self._running:
            self._running.popitem()[1].stop()


def give_up(reason: str) -> None:
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"under CI a real Neo4j is needed: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def neo4j_servers() -> Iterator[Servers]:
    servers = Servers()
    yield servers
    servers.stop()


@pytest.fixture(scope="session", params=["named"] if NAMED else list(RELEASES))
def neo4j_address(request: pytest.FixtureRequest) -> Address:
    """Every server there is to test against, one after the other."""
    if request.param == "named":
        return named_address()
    return (
        calendar(request) if RELEASES[request.param] is CALENDAR else servers_of(request).get(LTS)
    )


@pytest.fixture(scope="session")
def neo4j_calendar(request: pytest.FixtureRequest) -> Address:
    """A server of the calendar release.

    Skipped where a server is named, or no Java is new enough.
    """
    if NAMED:
        pytest.skip("RATINGPRIV_TEST_NEO4J_URI names the only server to test against")
    return calendar(request)


@pytest.fixture(scope="session")
def neo4j_lts(request: pytest.FixtureRequest) -> Address:
    """One server: the named one, else the LTS release."""
    if NAMED:
        return named_address()
    return servers_of(request).get(LTS)


@pytest.fixture(scope="session")
def neo4j_gds(request: pytest.FixtureRequest) -> Address:
    """A server of our own (LTS) that has Graph Data Science."""
    return servers_of(request).get(LTS, gds=True)


@pytest.fixture(scope="session")
def neo4j_with_password(request: pytest.FixtureRequest) -> Address:
    """A server of our own (LTS) that wants a user name, a password and TLS.

    Its certificate is its own.
    """
    return servers_of(request).get(LTS, authentication=True, tls=True)


def servers_of(request: pytest.FixtureRequest) -> Servers:
    servers: Servers = request.getfixturevalue("neo4j_servers")
    return servers


def calendar(request: pytest.FixtureRequest) -> Address:
    try:
        java_for(CALENDAR)
    except NoServerError as error:
        pytest.skip(str(error))
    return servers_of(request).get(CALENDAR)


def named_address() -> Address:
    return Address(
        NAMED, {key: value for key, value in os.environ.items() if key.startswith("NEO4J_")}
    )
