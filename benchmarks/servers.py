"""A Neo4j server of the tests' kind for benchmarks, and how data get into it."""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ratingpriv.graph.connect import open_store
from ratingpriv.graph.neo4j import Neo4jStore

if TYPE_CHECKING:
    from neo4j_server.server import Neo4jServer

    from ratingpriv.graph.ingesting import OfflineImport

__all__ = ["NotMeasuredError", "imported_into", "opened", "own_server", "raise_unless_equal", "say"]

ROOT = Path(__file__).resolve().parents[1]


class NotMeasuredError(Exception):
    """Something that a row needs is not to be had here; the text is the reason."""


@contextlib.contextmanager
def own_server(*, gds: bool = False, brief: bool = True) -> Iterator[Neo4jServer]:
    """Run a server of the LTS release, as the tests do.

    Unless ``brief``, with both of Java's compilers.
    """
    tests = str(ROOT / "tests" / "support")
    if tests not in sys.path:
        sys.path.append(tests)
    from neo4j_server.server import LTS, Neo4jServer, NoServerError

    say(f"starting Neo4j {LTS.version}")
    try:
        server = Neo4jServer(LTS, gds=gds, brief=brief)
    except NoServerError as error:
        raise NotMeasuredError(str(error)) from error
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def opened(uri: str, environ: dict[str, str] | None = None) -> Iterator[Neo4jStore]:
    """Open a Neo4j server; without ``environ`` one of our own, that asks for no password."""
    with open_store(uri, environ=environ or {}) as store:
        assert isinstance(store, Neo4jStore)
        yield store


def imported_into(server: Neo4jServer, written: OfflineImport) -> float:
    """Have the real admin tool import files into the database of a server, and halt it.

    Return the seconds.

    The tool gets a file for its report, which it else leaves in the folder that the benchmark is
    run in.
    """
    arguments = [_absolute(argument, written.folder) for argument in written.command[1:]]
    server.halt()  # the tool wants the database for itself
    say("importing")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        report = server.admin(*arguments, f"--report-file={folder}/import.report").stdout
        importing = time.perf_counter() - start
    reported = re.findall(r"(\d+) (?:nodes|relationships)\b", report)
    raise_unless_equal("imported", [str(written.nodes), str(written.relationships)], reported)
    return importing


def _absolute(argument: str, folder: Path) -> str:
    """Put the folder before every file of an argument.

    The script has it by changing into the folder.
    """
    flag, _, files = argument.rpartition("=")
    if not files.endswith(".csv"):
        return argument
    return f"{flag}={','.join(str(folder / name) for name in files.split(','))}"


def raise_unless_equal(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise RuntimeError(f"{what}: expected {expected}, found {found}")


def say(what: str) -> None:
    sys.stderr.write(f"{what} ...\n")
