"""A store to run commands on: an embedded file of the test's own, or the real Neo4j server."""

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

ENGINES = ("embedded", "neo4j")
NEO4J = ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE")
BARE = dict.fromkeys(["RATINGPRIV_STORE", *NEO4J])


@dataclass
class Commands:
    """Runs commands on one store; datasets get names of their own, which are dropped in the end."""

    uri: str
    environ: dict[str, str] = field(default_factory=dict)
    suffix: str = ""
    named: set[str] = field(default_factory=set)

    def name(self, name: str) -> str:
        self.named.add(name + self.suffix)
        return name + self.suffix

    def __call__(self, *args: object, **more: object):
        from ratingpriv.cli import app

        command = [str(arg) for arg in args]
        return CliRunner().invoke(
            app, [*command, "--store", self.uri], env={**BARE, **self.environ}, **more
        )

    def ingest(self, data: Path, name: str, epsilon: float, *options: object):
        ended = self(
            "ingest", data, "--dataset", self.name(name), "--epsilon", epsilon, "-q", *options
        )
        assert ended.exit_code == 0, ended.stderr
        return self.name(name)


@pytest.fixture(params=ENGINES)
def on(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Commands]:
    """Commands on each store in turn."""
    if request.param == "embedded":
        yield Commands(f"embedded:{tmp_path / 'store.grafeo'}")
        return
    address = request.getfixturevalue("neo4j_lts")
    commands = Commands(address.uri, address.environ, f" {uuid.uuid4().hex[:8]}")
    yield commands
    for name in commands.named:
        commands("store", "drop", name, "--yes")


@pytest.fixture
def embedded(tmp_path: Path) -> Commands:
    """Commands on an embedded store of this test."""
    return Commands(f"embedded:{tmp_path / 'store.grafeo'}")


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in a process of its own, after some Python that prepares a fault."""

    def run(prepare: str, *args: object, **more: object) -> subprocess.CompletedProcess[str]:
        start = "from ratingpriv.__main__ import main\nmain()"
        code = f"import sys\nsys.argv = ['ratingpriv', *sys.argv[1:]]\n{prepare}\n{start}"
        environment = {name: value for name, value in os.environ.items() if name not in BARE}
        command = [sys.executable, "-c", code, *(str(arg) for arg in args)]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            check=False,
            **more,
        )

    return run
